"""Traces for the experiments: Zipf keys, slow and fast updaters, keys in turn, and a day of real quotes.

One update arrives each second, so a cost of 5 seconds is a load factor of 5 and staleness reads as a number
of updates, the unit of the paper's plots.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from headwater.overload.updates.queue.cells import KeyIndex
from headwater.overload.updates.simulation.trace import Chunk

__all__ = ["in_turn", "quotes", "slow_and_fast", "zipf"]


def _chunk(times: Any, keys: Any, count: int) -> list[Chunk]:
    return [Chunk(times.astype(np.float64), keys.astype(np.int64), count)]


def zipf(updates: int, keys: int, theta: float, seed: int = 1) -> list[Chunk]:
    """Key i has a probability proportional to i ** -theta; theta 0 is uniform."""
    weights = 1.0 / np.arange(1, keys + 1) ** theta
    drawn = np.random.default_rng(seed).choice(keys, updates, p=weights / weights.sum())
    return _chunk(np.arange(updates), drawn, keys)


def slow_and_fast(
    updates: int, keys: int, slow: int, times_slower: float = 10.0, seed: int = 1
) -> list[Chunk]:
    """`slow` of the keys update `times_slower` less often than the others (section 5.3)."""
    weights = np.where(np.arange(keys) < slow, 1.0, times_slower)
    drawn = np.random.default_rng(seed).choice(keys, updates, p=weights / weights.sum())
    return _chunk(np.arange(updates), drawn, keys)


def in_turn(updates: int, keys: int) -> list[Chunk]:
    """1, 2, ..., n, 1, 2, ...: uniform keys in uniform order."""
    return _chunk(np.arange(updates), np.arange(updates) % keys, keys)


def quotes() -> list[Chunk] | None:
    """Real quotes by symbol and exchange, from the opening of the market; None without the data."""
    import pyarrow.compute as pc
    from pyarrow import csv

    folder = Path(os.environ.get("HEADWATER_DATA", "../shared/data"))
    path = folder / "taq" / "quotes_20131007.csv.gz"
    if not path.is_file():
        return None
    table = csv.read_csv(path)
    keys = pc.binary_join_element_wise(table["symbol"], table["exchange"].cast("string"), ".")
    seconds = table["ms_since_midnight"].to_numpy() / 1000.0
    open_at, close_at = 34200.0, 57600.0
    within = (seconds >= open_at) & (seconds < close_at)
    index = KeyIndex()
    numbers = index.encode(keys.filter(within).combine_chunks())
    return _chunk(seconds[within] - open_at, numbers, len(index))
