#!/usr/bin/env bash
# The tests as two processes on two cores: those that type commands as a user would or start servers, which
# mostly wait for a Spark to start, and beside them all others. Usage: test.sh BIN
set -uo pipefail
bin=$1
log=$(mktemp)
"$bin/pytest" tests -m "cli or servers" >"$log" 2>&1 &
commands=$!
trap 'kill "$commands" 2>/dev/null; rm -f "$log"' EXIT
"$bin/pytest" tests -m "not cli and not servers"
others=$?
wait "$commands"
typed=$?
echo "The tests that type commands or start servers:"
cat "$log"
exit $((others != 0 || typed != 0))
