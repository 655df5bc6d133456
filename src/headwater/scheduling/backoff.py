"""How long to wait before something that failed is tried again: a second, doubled each time, up to a minute.

A view that a row makes fail recovers with the change that mends the row, so it is not left to wait ever
longer: it is tried again as soon as the attempts cost no more than a share of the time.
"""

from __future__ import annotations

from datetime import timedelta

from headwater.clock import micros

__all__ = [
    "FIRST_RETRY",
    "LAST_RETRY",
    "REWRITE_AFTER",
    "REWRITE_SHARE",
    "poisoned_retry_after",
    "recompute_after",
    "retry_after",
    "rewrite_after",
]

FIRST_RETRY = timedelta(seconds=1)
LAST_RETRY = timedelta(minutes=1)

# A plain table too large to be brought up to date within a push is rewritten later, off the critical path:
# after a minute, and rarely enough that rewriting takes at most a twentieth of the time.
REWRITE_AFTER = timedelta(minutes=1)
REWRITE_SHARE = 20

# Of a view that a row makes fail: its changes are tried for at most a tenth of the time, and it is recomputed
# for at most a twentieth.
POISONED_SHARE = 10
RECOMPUTE_SHARE = 20


def retry_after(failures: int) -> int:
    """Microseconds to wait after so many failures in a row (at least one)."""
    return micros(min(LAST_RETRY, FIRST_RETRY * 2 ** min(failures - 1, 10)))


def poisoned_retry_after(took: int) -> int:
    """Microseconds to wait if a row makes a view fail and the last attempt took `took`."""
    return min(micros(LAST_RETRY), max(micros(FIRST_RETRY), POISONED_SHARE * took))


def recompute_after(took: int) -> int:
    """Microseconds to wait before it is recomputed again, if that was in vain and took `took`."""
    return max(micros(FIRST_RETRY), RECOMPUTE_SHARE * took)


def rewrite_after(took: int) -> int:
    """Microseconds to wait before a plain table is rewritten, if the last time took `took`."""
    return max(micros(REWRITE_AFTER), REWRITE_SHARE * took)
