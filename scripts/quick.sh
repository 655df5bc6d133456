#!/usr/bin/env bash
# The inner loop: no JVM, no server, a twentieth of each law's cases. Usage: quick.sh BIN [PACKAGE]
set -euo pipefail
bin=$1 package=${2:-}
unset PYTHONDONTWRITEBYTECODE  # where it is set, every run would compile all tests anew
sources=(src scripts) tests=tests left_out=" and not slow and not long"
unread=(spark cli postgres serve/http page/test_browser.py)  # all of it needs what is left out: not even imported
if [ -n "$package" ]; then
  sources=() tests=tests/$package left_out=" and not long" unread=()
  [ -d "$tests" ] || {
    echo "There are no tests of a package \"$package\"; there are:" $(cd tests && ls -d */ | tr -d / | grep -v -e __pycache__ -e support) >&2
    exit 2
  }
  [ -d "src/headwater/$package" ] && sources=("src/headwater/$package")
fi
source "$(dirname "$0")/test_folders.sh"
trap 'rm -rf "$folders"' EXIT
"$bin/ruff" check "${sources[@]}" "$tests"
HEADWATER_LAWS=0.05 "$bin/pytest" "$tests" "${unread[@]/#/--ignore=tests/}" -p no:schemathesis -n 2 --dist worksteal --durations=10 -m "not spark and not postgres and not cli and not browser$left_out"
