#!/bin/sh
# The mode of all rows against R's glm, lm and MASS: giga fit under a wide prior on tables of giga simulate.
# Usage: families_glm.sh GIGA. Skipped (77) without R and MASS: apt-get install r-base-core r-cran-mass.
set -e
giga=$1
Rscript -e 'quit(status = if (requireNamespace("MASS", quietly = TRUE)) 0 else 1)' > /dev/null 2>&1 || {
  echo "skipped: no Rscript, or no MASS; install r-base-core and r-cran-mass"
  exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for link in probit cloglog; do
  "$giga" simulate logistic --link $link --rows 5000 --theta 0.5,-0.3,0.2 --out $link.csv --quiet
  "$giga" fit $link.csv --family bernoulli --link $link --prior-scale 10000 --out $link --quiet
done
# The parameter that is not a coefficient has a wide prior too.
for pair in gaussian:sigma negative_binomial:phi gamma:shape; do
  family=${pair%%:*}
  "$giga" simulate $family --rows 5000 --out $family.csv --quiet
  "$giga" fit $family.csv --family $family --prior-scale 10000 --prior "${pair##*:} = lognormal(0, 10000)" \
    --out $family --quiet
done
Rscript "$here/families_glm.R"
