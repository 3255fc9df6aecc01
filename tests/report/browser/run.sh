#!/bin/sh
# run.sh SCRIPT MAKE...: makes pages, by a command whose last word is their folder, and runs a script of node on them; or
# says what is missing (exit 77: skipped).
here=$(dirname "$0")
browser=${GIGA_CHROMIUM:-/usr/bin/chromium}
if ! command -v node > /dev/null; then
  echo "skipped: no node; install nodejs and npm"
  exit 77
fi
if [ ! -x "$browser" ]; then
  echo "skipped: no $browser; install chromium, or name one in GIGA_CHROMIUM"
  exit 77
fi
if [ ! -d "$here/node_modules/playwright-core" ]; then
  echo "skipped: no playwright-core; run npm ci in tests/report/browser"
  exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
script=$1
shift
"$@" "$folder" && node "$script" "$browser" "$folder"
