"""Traces of updates: keys that follow each other, by a law or as real quotes did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["INSTANTS", "PUSH_EVERY", "Trace", "quotes_trace", "zipf_trace"]

INSTANTS = 10  # batches of updates between two pushes
PUSH_EVERY = 5.0  # seconds of the trace
BEGINS = 36_000.0  # seconds since midnight: half an hour after the market opens


@dataclass(frozen=True, slots=True)
class Trace:
    """Updates of keys, in batches between which the same time passes."""

    name: str
    keys: int
    batches: tuple[Any, ...]

    @property
    def per_second(self) -> float:
        """Keys that have been updated by the time of a push, for each second: what would have to be shown."""
        pushes = range(0, len(self.batches) - INSTANTS + 1, INSTANTS)
        distinct = [len(np.unique(np.concatenate(self.batches[at : at + INSTANTS]))) for at in pushes]
        return float(np.mean(distinct)) / PUSH_EVERY


def zipf_trace(keys: int, theta: float, per_push: int, pushes: int, seed: int = 1) -> Trace:
    weights = 1.0 / np.arange(1, keys + 1) ** theta
    chance = np.random.default_rng(seed)
    drawn = chance.choice(keys, per_push * pushes, p=weights / weights.sum())
    return Trace(f"{keys:,} keys, Zipf {theta:g}", keys, tuple(np.array_split(drawn, pushes * INSTANTS)))


def quotes_trace(path: Path, pushes: int) -> Trace:
    """Real quotes by symbol and exchange, at the times at which they came."""
    import pyarrow.compute as pc
    from pyarrow import csv

    table = csv.read_csv(path)
    keys = pc.binary_join_element_wise(table["symbol"], table["exchange"].cast("string"), ".")
    indices = keys.combine_chunks().dictionary_encode().indices.to_numpy()
    at = table["ms_since_midnight"].to_numpy() / 1000.0 - BEGINS
    order = np.argsort(at, kind="stable")
    at, indices = at[order], indices[order]
    within = (at >= 0.0) & (at < pushes * PUSH_EVERY)
    distinct, codes = np.unique(indices[within], return_inverse=True)
    edges = np.arange(1, pushes * INSTANTS) * (PUSH_EVERY / INSTANTS)
    batches = np.split(codes, np.searchsorted(at[within], edges))
    return Trace("real quotes", len(distinct), tuple(batches))
