"""As of which time a query sees each relation that it reads.

All of them as of one time: the time of the view that is furthest behind, because the sources and the other
views can be read as of an earlier time.  A query over sources alone sees all that has been captured.

A view whose changes before that time have been compacted away cannot go back to it; it is read as of its own
time then, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Stored", "times_to_read"]


@dataclass(frozen=True, slots=True)
class Stored:
    """How far a relation is, and how far back it can be read."""

    time: int
    horizon: int
    view: bool


def times_to_read(relations: Mapping[str, Stored], now: int) -> dict[str, int]:
    """The time as of which each relation is read."""
    common = min((stored.time for stored in relations.values() if stored.view), default=now)
    return {name: _readable(stored, common) for name, stored in relations.items()}


def _readable(stored: Stored, common: int) -> int:
    if common >= stored.horizon:
        return common
    return stored.time if stored.view else stored.horizon
