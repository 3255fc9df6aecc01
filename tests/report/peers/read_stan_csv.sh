#!/bin/sh
# Runs read_stan_csv.R, or says what is missing for it (exit 77: skipped).
if ! command -v Rscript > /dev/null; then
  echo "skipped: no Rscript; install r-base-core, r-cran-rstan, r-cran-posterior and r-cran-jsonlite"
  exit 77
fi
exec Rscript --vanilla "$(dirname "$0")/read_stan_csv.R" "$1"
