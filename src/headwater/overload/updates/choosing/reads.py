"""What reads say about which keys matter: how often each was asked for, counts that fade.

A read counts half after HALF_LIFE.  What has faded to next to nothing is forgotten, and only the MOST keys
that are read most often are remembered: a key that is hardly ever read counts as one that is not.

    weight of a key = 1 + MORE x its reads / the mean over the keys that are remembered, at most HIGHEST

So a key that nobody reads has 1, as one that a table of weights lacks; it is refreshed later, never not at
all, because what a refresh is worth grows with the square of its age.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import NamedTuple

__all__ = ["MOST", "Noted", "Reads", "learn_reads", "weights"]

HALF_LIFE = 600_000_000  # microseconds
MOST = 10_000  # keys of a table
LEAST = 0.05  # reads: less is forgotten
MORE, HIGHEST = 9.0, 1_000.0

Key = tuple[str, ...]  # the values of the key's columns, as texts that SQL can cast


class Noted(NamedTuple):
    """So many reads of keys at a time."""

    at: int
    counts: Mapping[Key, float]


@dataclass(frozen=True, slots=True)
class Reads:
    """How often each key was read lately, as of a time in microseconds."""

    at: int = 0
    counts: Mapping[Key, float] = field(default_factory=dict)


def learn_reads(known: Reads, noted: Iterable[Noted], now: int) -> Reads:
    """What is known with what was noted since, as of now. What comes from the future counts as of now."""
    counts = {key: count * _faded(now - known.at) for key, count in known.counts.items()}
    for note in noted:
        faded = _faded(now - note.at)
        for key, count in note.counts.items():
            counts[key] = counts.get(key, 0.0) + count * faded
    kept = nlargest(MOST, counts.items(), key=lambda item: (item[1], item[0]))
    return Reads(max(now, known.at), {key: count for key, count in kept if count >= LEAST})


def _faded(age: int) -> float:
    return float(0.5 ** (max(age, 0) / HALF_LIFE))


def weights(reads: Reads) -> dict[Key, float]:
    """How much the staleness of each key that is read matters; of all others 1."""
    if not reads.counts:
        return {}
    mean = sum(reads.counts.values()) / len(reads.counts)
    return {key: min(1.0 + MORE * count / mean, HIGHEST) for key, count in reads.counts.items()}
