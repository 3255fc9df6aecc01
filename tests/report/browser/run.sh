#!/bin/sh
# run.sh MAKE_PAGES: makes pages and runs page.test.mjs on them, or says what is missing (exit 77: skipped).
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
"$1" "$folder" && node "$here/page.test.mjs" "$browser" "$folder"
