#!/usr/bin/env bash
# Tests of the page need a Chromium: use the one that is there, else install Debian's where we may, else say what is left out.
set -uo pipefail
for name in chromium chromium-browser google-chrome chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Chromium not found: installing chromium ..."
  (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1
  command -v chromium >/dev/null 2>&1 && exit 0
fi
echo "No Chromium was found: the tests of the page in a browser are skipped (Debian, Ubuntu: sudo apt-get install chromium)." >&2
exit 0
