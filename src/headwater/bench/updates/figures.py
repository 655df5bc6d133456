"""The paper's figures as data: a title, an x axis, and a line for each method.

Each function runs one figure of the UpStream report; `note` says in a sentence how ours differs from the
paper's. `quick` shrinks the runs so that all of them take seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from headwater.bench.updates.workloads import in_turn, slow_and_fast, zipf
from headwater.overload.updates.memory import OnDemandPages, naive_use
from headwater.overload.updates.queue import UpdateQueue
from headwater.overload.updates.rows import NewestRows
from headwater.overload.updates.run import Outcome
from headwater.overload.updates.simulate import Settings, simulate
from headwater.overload.updates.trace import Chunk
from headwater.overload.updates.window_append import append_windows
from headwater.overload.updates.window_run import simulate_windows
from headwater.overload.updates.windows import WindowSpec

__all__ = [
    "FIGURES",
    "Panel",
    "figure_5",
    "figure_7",
    "figure_9",
    "figure_13",
    "figure_14",
    "figure_16",
    "figure_17",
]


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: lines over a common x."""

    name: str
    title: str
    x_label: str
    y_label: str
    x: list[float]
    lines: dict[str, list[float]]
    note: str = ""
    log: bool = False
    floor: float | None = field(default=0.0)


def _run(chunks: list[Chunk], policy: str, cost: float, keep: float = 1.0) -> Outcome:
    horizon = float(chunks[-1].times[-1])
    return simulate(chunks, Settings(policy, cost, horizon, keep))


def figure_5(quick: bool) -> list[Panel]:
    """Application against queue staleness, one key and ten."""
    updates = 4_000 if quick else 50_000
    panels = []
    loads = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
    for letter, keys, title in (("a", 1, "single key"), ("b", 10, "10 keys")):
        runs = [
            _run(in_turn(updates, keys) if keys == 1 else zipf(updates, keys, 0.0), "inplace", load)
            for load in loads
        ]
        lines = {
            "application staleness": [run.application_staleness for run in runs],
            "queue staleness": [run.queue_staleness for run in runs],
        }
        note = (
            "Same shape: both grow with the load; the gap is wait times cost, plus at most half cost squared."
        )
        panels.append(
            Panel(
                f"figure_5{letter}",
                f"Figure 5({letter}): two metrics, {title}",
                "load factor",
                "staleness (updates)",
                loads,
                lines,
                note,
            )
        )
    return panels


def figure_7(quick: bool) -> list[Panel]:
    """Append queues against update queues."""
    updates = 3_000 if quick else 20_000
    loads = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
    panels = []
    for letter, keys, title in (("a", 1, "single key"), ("b", 10, "10 keys")):
        chunks = in_turn(updates, 1) if keys == 1 else zipf(updates, keys, 0.0)
        lines = {
            "append (AQ)": [_run(chunks, "append", load).application_staleness for load in loads],
            "append, random shedding (AQ-RLS)": [
                _run(chunks, "shed", load, 1 / load).application_staleness for load in loads
            ],
            "FIFO": [_run(chunks, "fifo", load).application_staleness for load in loads],
            "IN-PLACE": [_run(chunks, "inplace", load).application_staleness for load in loads],
            "best": [_run(chunks, "best", load).application_staleness for load in loads],
        }
        note = (
            "Same order of methods. The level of both append lines depends on the length of the run, for "
            "their queues grow (shedding keeps just what fits: a random walk); with one key all update queues "
            "are one."
        )
        panels.append(
            Panel(
                f"figure_7{letter}",
                f"Figure 7({letter}): append and update queues, {title}",
                "load factor",
                "application staleness (updates)",
                loads,
                lines,
                note,
                log=True,
                floor=None,
            )
        )
    return panels


def figure_9(quick: bool) -> list[Panel]:
    """IN-PLACE over LINECUTTING with slow updaters, ten keys, load factor 5."""
    updates = 8_000 if quick else 120_000
    slow = [float(number) for number in range(11)]
    lines: dict[str, list[float]] = {"LINECUTTING": [], "best": []}
    for number in range(11):
        chunks = slow_and_fast(updates, 10, number)
        base = _run(chunks, "inplace", 5.0).queue_staleness
        lines["LINECUTTING"].append(base / _run(chunks, "linecut", 5.0).queue_staleness)
        lines["best"].append(base / _run(chunks, "best", 5.0).queue_staleness)
    note = "Same shape: 1 at both ends, a peak when most keys are slow."
    return [
        Panel(
            "figure_9",
            "Figure 9: slow updaters, load factor 5",
            "slow updaters of 10 keys",
            "IN-PLACE / method, queue staleness",
            slow,
            lines,
            note,
            floor=None,
        )
    ]


def figure_13(quick: bool) -> list[Panel]:
    """Windowing semantics, one key, one tuple a second, C_t = 1."""
    ticks = 300 if quick else 3_000
    sizes = [2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0]
    chunks = in_turn(ticks, 1)
    horizon = float(ticks - 1)
    tumbling = {
        name: [
            simulate_windows(chunks, WindowSpec(size, size), name, 1.0).application_staleness
            for size in sizes
        ]
        for name in ("lazy", "eager")
    }
    sliding = {
        "append": [append_windows(chunks, WindowSpec(size, 1), 1.0, horizon) for size in sizes],
        "random window shedding": [
            append_windows(chunks, WindowSpec(size, 1), 1.0, horizon, 1 / size) for size in sizes
        ],
        "lazy": [
            simulate_windows(chunks, WindowSpec(size, 1), "lazy", 1.0).application_staleness for size in sizes
        ],
        "eager": [
            simulate_windows(chunks, WindowSpec(size, 1), "eager", 1.0).application_staleness
            for size in sizes
        ],
    }
    return [
        Panel("figure_13a", "Figure 13(a): tumbling windows", "window size", "application staleness (s)", sizes, tumbling,
              "Same shape: LAZY grows with the window, EAGER falls as one over it."),
        Panel("figure_13b", "Figure 13(b): overlapping windows, slide 1", "window size", "application staleness (s)", sizes, sliding,
              "Same order; shedding keeps one window in `size`, about as many as LAZY and EAGER.", log=True, floor=None),
    ]  # fmt: skip


def figure_14(quick: bool) -> list[Panel]:
    """EAGER over LAZY for several arrival patterns, ten keys, C_t = 1, slide 1."""
    ticks = 1_500 if quick else 12_000
    sizes = [2.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0]
    patterns = {f"Zipf {theta}": zipf(ticks, 10, theta) for theta in (0.0, 0.5, 0.9)} | {
        "in turn": in_turn(ticks, 10)
    }
    lines = {name: [_eager_over_lazy(chunks, size) for size in sizes] for name, chunks in patterns.items()}
    note = "In turn, EAGER wins, as in the paper; with Zipf keys the gaps cost it its lead."
    return [
        Panel(
            "figure_14",
            "Figure 14: arrival patterns",
            "window size",
            "EAGER / LAZY, application staleness",
            sizes,
            lines,
            note,
            floor=None,
        )
    ]


def _eager_over_lazy(chunks: list[Chunk], size: float) -> float:
    spec = WindowSpec(size, 1)
    eager = simulate_windows(chunks, spec, "eager", 1.0).application_staleness
    lazy = simulate_windows(chunks, spec, "lazy", 1.0).application_staleness
    return eager / lazy if lazy else 1.0


def _memory_lines(chunks: list[Chunk], load: float) -> dict[str, tuple[float, float]]:
    """Effective use and mean locations allocated of the three ways to hold 100 keys; cost 1, so `load`
    updates a step.
    """
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
    """The running queue, one dequeue a second."""
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
        "Same shape: naive wastes most with skew and at low load. Counted in pages of 4 locations our on-demand "
        "use is just below the paper's 1, which counts locations; Arrow rows are at most twice what is live."
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
    steps = 200 if quick else 1_000
    thetas = [0.0, 0.3, 0.6, 0.9]
    runs = [_memory_lines(zipf(steps * 10, 100, theta), 10.0) for theta in thetas]
    return _memory_panels("figure_16", "Zipf theta", thetas, runs)


def figure_17(quick: bool) -> list[Panel]:
    """Memory over load: 20 to 1,000 tuples a second, ten dequeued; an average over the four distributions."""
    steps = 100 if quick else 1_000
    loads = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    runs = []
    for load in loads:
        each = [_memory_lines(zipf(int(steps * load), 100, theta), load) for theta in (0.0, 0.3, 0.6, 0.9)]
        mean = {
            m: (float(np.mean([e[m][0] for e in each])), float(np.mean([e[m][1] for e in each])))
            for m in each[0]
        }
        runs.append(mean)
    return _memory_panels("figure_17", "load factor", loads, runs)


FIGURES: dict[str, Callable[[bool], list[Panel]]] = {
    "figure_5": figure_5, "figure_7": figure_7, "figure_9": figure_9, "figure_13": figure_13,
    "figure_14": figure_14, "figure_16": figure_16, "figure_17": figure_17,
}  # fmt: skip
