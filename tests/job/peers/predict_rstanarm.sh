#!/bin/sh
# Predictions of new rows against rstanarm's posterior_epred and posterior_predict, under the same priors.
# Usage: predict_rstanarm.sh GIGA. Skipped (77) where R lacks a package:
# apt-get install r-base-core r-cran-rstanarm r-cran-posterior.
set -e
giga=$1
Rscript -e 'for (p in c("rstanarm", "posterior")) stopifnot(requireNamespace(p, quietly = TRUE))' > /dev/null 2>&1 || {
  echo "skipped: no Rscript, rstanarm or posterior; install r-base-core, r-cran-rstanarm and r-cran-posterior"
  exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
Rscript "$here/predict_rstanarm.R" tables
# fit_and_predict NAME FAMILY FORMULA
fit_and_predict() {
  "$giga" fit train.csv "$3" --family "$2" --prior 'normal(0, 2.5)' --autoscale --quiet --out "$1" > /dev/null
  "$giga" predict "$1" new.csv --draws 16000 --quiet --out "$1.csv"
}
fit_and_predict gaussian gaussian 'temp ~ hour + carrier * distance'
fit_and_predict binomial bernoulli 'late ~ hour + carrier'
fit_and_predict neg_binomial_2 negative_binomial 'delays ~ hour + carrier + offset(log(days))'
Rscript "$here/predict_rstanarm.R" compare
