#!/usr/bin/env bash
# Branch coverage of all tests, in two parts: what needs no JVM or server, then the rest, added to it.
# Laws run on a twentieth of their cases: the others meet the same lines, three times as slowly as without coverage.
# Usage: coverage.sh BIN [quick]     quick: the first part alone
set -uo pipefail
bin=$1 part=${2:-all}
unset PYTHONDONTWRITEBYTECODE
export HEADWATER_LAWS=${HEADWATER_LAWS:-0.05}
light="not spark and not postgres and not cli and not browser"
source "$(dirname "$0")/test_folders.sh"
trap 'rm -rf "$folders"' EXIT
covered=(-p no:schemathesis -n 2 --dist loadgroup --cov --cov-branch --cov-report=)
failed=0
"$bin/pytest" "${covered[@]}" --cov-fail-under=0 -m "$light and not long" || failed=1
if [ "$part" = all ]; then
  "$bin/pytest" "${covered[@]}" --cov-append --cov-fail-under=0 -m "not ($light) and not long" || failed=1
fi
"$bin/coverage" html --quiet --fail-under=0
"$bin/coverage" report --skip-covered || failed=1
exit $failed
