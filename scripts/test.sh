#!/usr/bin/env bash
# The tests as two processes on two cores: those that need nothing else, and beside them those that start
# Java, PostgreSQL or the command. Usage: test.sh BIN
set -uo pipefail
bin=$1
log=$(mktemp)
trap 'kill "$alone" 2>/dev/null; rm -f "$log"' EXIT
"$bin/pytest" tests -m "not spark and not postgres and not cli" >"$log" 2>&1 &
alone=$!
echo "Tests that start Java, PostgreSQL or the command; the others run beside them:"
"$bin/pytest" tests -m "spark or postgres or cli"
started=$?
wait "$alone"
others=$?
echo "The others:"
cat "$log"
exit $((started != 0 || others != 0))
