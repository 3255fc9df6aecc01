#!/bin/sh
# browser.sh GIGA: makes reports of hostile names and opens them in Chromium, or says what is missing (exit 77: skipped).
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
if [ ! -d "$here/../report/browser/node_modules/playwright-core" ]; then
  echo "skipped: no playwright-core; run npm ci in tests/report/browser"
  exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 -B "$here/hostile_test.py" --giga "$1" --reports "$folder" &&
  node "$here/browser.mjs" "$browser" "$folder"
