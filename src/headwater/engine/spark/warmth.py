"""How many actions a Spark has run since this process first used it: the first ones are slow.

Those by delta and whole computations are counted apart: they compile different code, and the first delta
after a dozen computations takes as long as if there had been none.

A JVM warms up once, whoever uses it: a run that ends and one that begins in the same process share its
warmth, so the count belongs to the process.  Of a Spark Connect server only our own actions are known.
"""

from __future__ import annotations

import threading
from collections import Counter

__all__ = ["actions_run", "count_action", "forget_actions"]

_lock = threading.Lock()
_run: Counter[tuple[str, bool]] = Counter()  # by the address of the Spark, and whether by delta


def actions_run(address: str, by_delta: bool) -> int:
    return _run[address, by_delta]


def count_action(address: str, by_delta: bool) -> int:
    """Count one more; returns how many there were before."""
    with _lock:
        before = _run[address, by_delta]
        _run[address, by_delta] = before + 1
        return before


def forget_actions(address: str) -> None:
    """Another Spark is at this address now, and it is cold."""
    with _lock:
        for by_delta in (False, True):
            del _run[address, by_delta]
