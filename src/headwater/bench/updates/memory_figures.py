"""Figures 16 and 17: how much memory an update queue needs, naive, in pages, and in Arrow rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headwater.bench.updates.panels import Panel
from headwater.bench.updates.workloads import zipf
from headwater.overload.updates.queue.memory import OnDemandPages, naive_use
from headwater.overload.updates.queue.rows import NewestRows
from headwater.overload.updates.queue.update_queue import UpdateQueue
from headwater.overload.updates.simulation.simulate import Settings, simulate
from headwater.overload.updates.simulation.trace import Chunk

__all__ = ["figure_16", "figure_17"]


def _memory_lines(chunks: list[Chunk], load: float) -> dict[str, tuple[float, float]]:
    """Effective use and mean locations allocated of three ways to hold 100 keys, `load` updates a step."""
    times = chunks[0].times / load
    paced = [Chunk(times, chunks[0].keys, chunks[0].key_count)]
    horizon = float(times[-1])
    pages = OnDemandPages(page_locations=4)
    used = simulate(paced, Settings("inplace", 1.0, horizon), pages=pages).memory
    held = used.pages_mean * 4 * used.effective_use
    first = np.array([times[np.argmax(paced[0].keys == key)] for key in np.unique(paced[0].keys)])
    seen = float((horizon - first).sum()) / horizon
    naive = naive_use(held, seen)
    return {
        "naive": (naive.effective_use, seen),
        "on-demand pages of 4": (used.effective_use, used.pages_mean * 4),
        "Arrow rows": _arrow_use(paced[0]),
    }


def _arrow_use(chunk: Chunk) -> tuple[float, float]:
    """The real queue, one dequeue a second."""
    schema = pa.schema([("key", pa.int64())])
    queue = UpdateQueue(schema, "key", "inplace", 1.0)
    queue.rows = NewestRows(schema, smallest=8)
    live = stored = 0.0
    steps = np.searchsorted(chunk.times, np.arange(1.0, chunk.times[-1]), "left")
    for now, (begin, end) in enumerate(zip(np.r_[0, steps[:-1]], steps, strict=True), 1):
        batch = pa.record_batch([pa.array(chunk.keys[begin:end])], schema=schema)
        queue.enqueue(batch, chunk.times[begin:end])
        live += len(queue.rows)
        stored += queue.rows.stored
        queue.dequeue(1, float(now))
    return (live / stored if stored else 1.0), stored / max(1, len(steps))


def _memory_panels(
    name: str, x_label: str, x: list[float], runs: list[dict[str, tuple[float, float]]]
) -> list[Panel]:
    note = (
        "Same shape: naive wastes most with skew and at low load. Counted in pages of 4 locations our "
        "on-demand use is just below the paper's 1, which counts locations; Arrow rows keep at most "
        "a fifth of holes."
    )
    panels = []
    for part, (letter, what) in enumerate((("a", "effective use"), ("b", "locations allocated, mean"))):
        lines = {method: [run[method][part] for run in runs] for method in runs[0]}
        panels.append(
            Panel(
                f"{name}{letter}",
                f"{name.replace('_', ' ').capitalize()}({letter})",
                x_label,
                what,
                x,
                lines,
                note,
            )
        )
    return panels


def figure_16(quick: bool) -> list[Panel]:
    """Memory over skew: 100 keys, load factor 10, 1,000 steps."""
    steps = 60 if quick else 1_000
    thetas = [0.0, 0.3, 0.6, 0.9]
    runs = [_memory_lines(zipf(steps * 10, 100, theta), 10.0) for theta in thetas]
    return _memory_panels("figure_16", "Zipf theta", thetas, runs)


def figure_17(quick: bool) -> list[Panel]:
    """Memory over load: 20 to 1,000 tuples a second, ten dequeued; an average over the four distributions."""
    steps = 30 if quick else 1_000
    loads = [2.0, 10.0] if quick else [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    runs = []
    for load in loads:
        skews = [_memory_lines(zipf(int(steps * load), 100, theta), load) for theta in (0.0, 0.3, 0.6, 0.9)]
        mean = {
            method: (
                float(np.mean([lines[method][0] for lines in skews])),
                float(np.mean([lines[method][1] for lines in skews])),
            )
            for method in skews[0]
        }
        runs.append(mean)
    return _memory_panels("figure_17", "load factor", loads, runs)
