#!/bin/sh
# Runs model_matrix.R, or says what is missing for it (exit 77: skipped).
if ! command -v Rscript > /dev/null; then
  echo "skipped: no Rscript; install r-base-core"
  exit 77
fi
LC_ALL=C exec Rscript --vanilla "$(dirname "$0")/model_matrix.R" "$@"
