#!/usr/bin/env bash
# The long experiments, one after another: two cores do not hold two of them. Results: bench-results/NAME.
set -uo pipefail
failed=()
.venv/bin/pytest -n 2 --dist loadgroup -m long --timeout 3600 || failed+=("long tests")
for name in laws fuzz push ingest postgres crash scale views weave updates joins; do
  echo "== headwater bench $name"
  options=()
  [ "$name" = laws ] && options=(--cases 100000)
  .venv/bin/headwater bench "$name" "${options[@]}" --out "bench-results/$name" || failed+=("$name")
done
[ ${#failed[@]} -eq 0 ] || { echo "not well: ${failed[*]}" >&2; exit 1; }
