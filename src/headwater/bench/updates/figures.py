"""The paper's figures as data: a title, an x axis, and a line for each method.

Each function runs one figure of the UpStream report; `note` says in a sentence how ours differs from the
paper's. `quick` shrinks the runs so that all of them take seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.bench.updates.panels import Panel
from headwater.bench.updates.workloads import in_turn, slow_and_fast, zipf
from headwater.overload.updates.simulation.run import Outcome
from headwater.overload.updates.simulation.simulate import Settings, simulate
from headwater.overload.updates.simulation.trace import Chunk
from headwater.overload.updates.windowed.append import append_windows
from headwater.overload.updates.windowed.run import simulate_windows
from headwater.overload.updates.windowed.window_spec import WindowSpec

__all__ = ["FIGURES", "figure_5", "figure_7", "figure_9", "figure_13", "figure_14"]


def _run(chunks: list[Chunk], policy: str, cost: float, keep: float = 1.0) -> Outcome:
    horizon = float(chunks[-1].times[-1])
    return simulate(chunks, Settings(policy, cost, horizon, keep))


def figure_5(quick: bool) -> list[Panel]:
    """Application against queue staleness, one key and ten."""
    updates = 1_500 if quick else 50_000
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
    updates = 1_000 if quick else 20_000
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
            "their queues grow (shedding keeps just what fits: a random walk); with one key all update "
            "queues are one."
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
    updates = 4_000 if quick else 120_000
    notes = {
        100.0: "Same shape as the paper: 1 at both ends, a peak at 8 slow updaters, a drop at 9.",
        10.0: "At 10 times slower, 5 to 8 slow keys fill the server by themselves and the fast ones starve.",
    }
    return [_slow_updaters(updates, slower, note) for slower, note in notes.items()]


def _slow_updaters(updates: int, slower: float, note: str) -> Panel:
    lines: dict[str, list[float]] = {"LINECUTTING": [], "best": []}
    for slow in range(11):
        chunks = slow_and_fast(updates, 10, slow, slower)
        base = _run(chunks, "inplace", 5.0).queue_staleness
        lines["LINECUTTING"].append(base / _run(chunks, "linecut", 5.0).queue_staleness)
        lines["best"].append(base / _run(chunks, "best", 5.0).queue_staleness)
    title = f"Figure 9: slow keys update {slower:g} times less often"
    return Panel(
        f"figure_9_{slower:g}", title, "slow updaters of 10 keys", "IN-PLACE / method, queue staleness",
        [float(slow) for slow in range(11)], lines, note, floor=None,
    )  # fmt: skip


def figure_13(quick: bool) -> list[Panel]:
    """Windowing semantics, one key, one tuple a second, C_t = 1."""
    ticks = 200 if quick else 3_000
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
    axes = ("window size", "application staleness (s)")
    note_a = "Same shape: LAZY grows with the window, EAGER falls as one over it."
    note_b = "Same order; shedding keeps one window in `size`, about as many as LAZY and EAGER."
    title = "Figure 13(b): overlapping windows, slide 1"
    return [
        Panel("figure_13a", "Figure 13(a): tumbling windows", *axes, sizes, tumbling, note_a),
        Panel("figure_13b", title, *axes, sizes, sliding, note_b, log=True, floor=None),
    ]


def figure_14(quick: bool) -> list[Panel]:
    """EAGER over LAZY for several arrival patterns, ten keys, C_t = 1, slide 1."""
    ticks = 500 if quick else 12_000
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


FIGURES: dict[str, Callable[[bool], list[Panel]]] = {
    "figure_5": figure_5, "figure_7": figure_7, "figure_9": figure_9, "figure_13": figure_13,
    "figure_14": figure_14,
}  # fmt: skip
