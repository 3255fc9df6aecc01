#!/bin/sh
# Checks of models against R: the dispersion of glm's Pearson residuals, the shape of lm's residuals, the shares of
# deciles of glm's fitted probabilities, and White's variances of lm.
# Usage: model_check_glm.sh GIGA. Skipped (77) without R and jsonlite: apt-get install r-base-core r-cran-jsonlite.
set -e
giga=$1
Rscript -e 'quit(status = if (requireNamespace("jsonlite", quietly = TRUE)) 0 else 1)' > /dev/null 2>&1 || {
  echo "skipped: no Rscript, or no jsonlite; install r-base-core and r-cran-jsonlite"
  exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Tables that the model fitted is wrong for, and one that it is right for.
"$giga" simulate negative_binomial --rows 3000 --theta 0.4,-0.2,0.6 --out counts.csv --quiet
"$giga" fit counts.csv --family poisson --prior-scale 1000 --out counts --quiet
"$giga" simulate student_t --rows 3000 --out heavy.csv --quiet
"$giga" fit heavy.csv --family gaussian --prior-scale 1000 --out heavy --quiet
"$giga" simulate logistic --rows 3000 --theta 0.5,-0.3,0.2 --out labels.csv --quiet
"$giga" fit labels.csv --family bernoulli --prior-scale 1000 --out labels --quiet
Rscript -e 'set.seed(1); x <- rnorm(5000); write.csv(data.frame(x, y = x + exp(x / 2) * rnorm(5000)), "spread.csv", row.names = FALSE)'
"$giga" fit spread.csv --family gaussian --prior-scale 1000 --out spread --quiet
Rscript "$here/model_check_glm.R"
