#!/bin/sh
# browser.sh SITE [PICTURES]: opens the site in Chromium, or says what is missing to do so.
here=$(dirname "$0")
modules=$here/../tests/report/browser
browser=${GIGA_CHROMIUM:-/usr/bin/chromium}
if ! command -v node > /dev/null || [ ! -x "$browser" ] || [ ! -d "$modules/node_modules/playwright-core" ]; then
  echo "Not looked at in a browser: that takes chromium, nodejs, npm, and npm ci in tests/report/browser"
  exit 0
fi
exec node "$here/browser.mjs" "$browser" "$@"
