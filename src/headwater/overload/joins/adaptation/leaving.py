"""How many results of an adapted join leave as time passes, by how many its pushes made.

A result goes when one of its rows is older than rows are kept.  When it is made its oldest row is anything
up to a window old; so what a push made leaves evenly over one window, and is gone when all of it is as old as
rows are kept:

    made at p                      p + keep - window            p + keep
        |------------------------------|\\\\\\\\\\\\\\\\\\\\\\\\\\\\|

Nobody chooses that: a push must take them out.  So what a push makes has to be paid for twice.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["leaving"]


def leaving(made: Iterable[tuple[int, float]], after: int, until: int, window: float, keep: float) -> float:
    """Results that go in (after, until], in microseconds. `made`: when, and how many; the rest in seconds."""
    spread = max(min(window, keep), 1e-6) * 1e6
    total = 0.0
    for at, results in made:
        gone_at = at + keep * 1e6
        first = max(gone_at - spread, float(after))
        total += results * max(min(gone_at, float(until)) - first, 0.0) / spread
    return total
