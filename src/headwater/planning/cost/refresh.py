"""Delta or recompute: whichever is expected to be faster."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

__all__ = ["Choice", "choose", "recompute_is_faster"]

# A full recompute must be expected to be this much cheaper: estimates are not exact, and deltas age better.
MARGIN = 0.8


@dataclass(frozen=True, slots=True)
class Choice:
    """A way of refreshing and why."""

    full: bool
    reason: str


def recompute_is_faster(incremental: timedelta, full: timedelta) -> bool:
    return full < incremental * MARGIN


def choose(incremental: timedelta, full: timedelta) -> Choice:
    """AUTO: the faster one, the delta if they are about the same."""
    delta, anew = f"{incremental.total_seconds():.2f} s", f"{full.total_seconds():.2f} s"
    if recompute_is_faster(incremental, full):
        return Choice(True, f"a full recompute is expected to take {anew}, the delta {delta}")
    return Choice(False, f"the delta is expected to take {delta}, a full recompute {anew}")
