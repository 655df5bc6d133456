"""`headwater bench updates --execute`: all of it, and its results as rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from headwater.bench.updates.executed.kills import kill_again_and_again
from headwater.bench.updates.executed.policies import (
    INSTANTS,
    Trace,
    execute_policies,
    million_keys,
    zipf_trace,
)

__all__ = ["run_executed"]

LOADS = (2.0, 5.0, 10.0)
OFFERED, PER_PUSH = 50_000, 12  # updates per second, and seconds of them in a push of many keys


def run_executed(
    out: Path, quick: bool, quotes: Path | None, keys: int, kills: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """All results; also written to `out` as executed.json."""
    out.mkdir(parents=True, exist_ok=True)
    pushes = 4 if quick else 16
    traces = [zipf_trace(200 if quick else 1_000, 0.9, 400 if quick else 3_000, pushes)]
    if quotes is not None:
        traces.append(_quotes(quotes, pushes))
    executed = execute_policies(traces, LOADS[:1] if quick else LOADS, say)
    results = {
        "policies": [asdict(result) | {"error": result.error} for result in executed],
        "many_keys": [million_keys(keys, OFFERED if not quick else 1_000, PER_PUSH, say)] if keys else [],
        "kills": [kill_again_and_again(kills, say)] if kills else [],
    }
    (out / "executed.json").write_text(json.dumps(results, indent=1))
    return results


def _quotes(path: Path, pushes: int) -> Trace:
    """Real quotes by symbol and exchange, as they follow each other."""
    import pyarrow.compute as pc
    from pyarrow import csv

    table = csv.read_csv(path)
    keys = pc.binary_join_element_wise(table["symbol"], table["exchange"].cast("string"), ".")
    numbers = keys.combine_chunks().dictionary_encode()
    indices = numbers.indices.to_numpy()[: pushes * INSTANTS * 400]
    distinct, codes = np.unique(indices, return_inverse=True)
    return Trace("real quotes", len(distinct), tuple(np.array_split(codes, pushes * INSTANTS)))
