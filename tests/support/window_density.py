"""The oracle: mark the composite slide tick by tick. Slow, obvious, and right."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm


def bitset_density(windows: Iterable[tuple[int, int]]) -> Fraction:
    """The share of edges in the composite slide of (range, slide) pairs."""
    pairs = list(windows)
    period = lcm(*(slide for _, slide in pairs))
    marks = bytearray(period)
    for window, slide in pairs:
        for start in (0, window % slide):  # the naive order, g1 first: the share is the same
            marks[start::slide] = b"\1" * len(range(start, period, slide))
    return Fraction(sum(marks), period)
