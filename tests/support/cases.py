"""How many cases a law is tried on: all of them, or the share that HEADWATER_LAWS says (`make quick`: 0.05)."""

from __future__ import annotations

import os

from hypothesis import settings

__all__ = ["law", "scaled"]

SHARE = float(os.environ.get("HEADWATER_LAWS", "1"))


def scaled(number: int) -> int:
    """How many of this number of cases to try."""
    return max(1, round(number * SHARE))


def law(examples: int) -> settings:
    """Hypothesis settings of a law: the same examples every time, as many as `scaled` says."""
    return settings(max_examples=scaled(examples), deadline=None, derandomize=True, database=None)
