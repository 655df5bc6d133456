"""How many actions a Spark has run since this process first used it: the first ones are slow.

Those of different kinds (by delta, choices, whole computations) are counted apart: they compile different
code, and the first delta after a dozen computations takes as long as if there had been none.

A JVM warms up once, whoever uses it: a run that ends and one that begins in the same process share its
warmth, so the count belongs to the process.  Of a Spark Connect server only our own actions are known.
"""

from __future__ import annotations

import threading
from collections import Counter

from headwater.planning.cost.predictor import Kind

__all__ = ["actions_run", "count_action", "forget_actions"]

_lock = threading.Lock()
_run: Counter[tuple[str, Kind]] = Counter()  # by the address of the Spark


def actions_run(address: str, kind: Kind) -> int:
    return _run[address, kind]


def count_action(address: str, kind: Kind) -> int:
    """Count one more; returns how many there were before."""
    with _lock:
        before = _run[address, kind]
        _run[address, kind] = before + 1
        return before


def forget_actions(address: str) -> None:
    """Another Spark is at this address now, and it is cold."""
    with _lock:
        for kind in Kind:
            del _run[address, kind]
