#!/usr/bin/env bash
# Style and types beside the tests; the tests on three workers, of which one mostly waits (tests/conftest.py says which stay together).
# Usage: test.sh BIN
set -uo pipefail
bin=$1
unset PYTHONDONTWRITEBYTECODE  # where it is set, every command that a test runs would compile the package anew
source "$(dirname "$0")/test_folders.sh"
log=$(mktemp)
{ "$bin/ruff" check src tests scripts && "$bin/ruff" format --check src tests scripts && "$bin/mypy"; } >"$log" 2>&1 &
checks=$!
trap 'kill "$checks" 2>/dev/null; rm -rf "$log" "$folders"' EXIT
# In a fresh clone each worker would compile all modules and tests by itself, all at the same time.
[ -d tests/__pycache__ ] || "$bin/pytest" -p no:schemathesis --collect-only -qq >/dev/null 2>&1
"$bin/pytest" -p no:schemathesis -n 3 --dist loadgroup --no-loadscope-reorder -m "not long"
tests=$?
wait "$checks"
checked=$?
echo "Style and types:"
cat "$log"
exit $((tests != 0 || checked != 0))
