"""What sharing and the executor do: tuples moved (Figure 9), and an abruptly changing load (Figure 14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.measuring.outcome import Outcome, Setup
from headwater.bench.smile.measuring.run import Load
from headwater.bench.smile.workload.schedule import Phase
from headwater.bench.smile.workload.views import app

__all__ = ["load", "tuples"]

SMALL_GAP, LARGE_GAP = (1, 3, 4, 20), (7, 8, 9, 10, 23)
PROMISES = {1: 20.0, 2: 70.0, 3: 45.0, 4: 50.0}  # the paper: S4 50 s, the others between 20 and 70
PHASES = ((8, 75.0), (16, 75.0), (32, 100.0), (50, 150.0))  # users per view, tweets per second


def tuples(bench: Bench) -> Sequence[Answer]:
    """Figure 9: tuples moved for each view with shared work, as a change from the view by itself."""
    from headwater.bench.smile.figures.sweeps import draw_tuples

    shared, alone = bench.run("shared", sharing=True), bench.run("alone", sharing=False)
    change = [
        (view.name, _change(view.rows_moved, other.rows_moved))
        for view, other in zip(shared.views, alone.views, strict=True)
    ]
    by_view = dict(change)
    plotted = [app(number).name for number in (*SMALL_GAP, *LARGE_GAP)]
    draw_tuples([(name, by_view[name]) for name in plotted if name in by_view], bench.out)
    rows = [
        (view.name, f"{view.rows_moved:,}", f"{other.rows_moved:,}", f"{percent:+.0f} %")
        for view, other, (_, percent) in zip(shared.views, alone.views, change, strict=True)
    ]
    total = _change(shared.tuples_per_snapshot, alone.tuples_per_snapshot)
    rows.append(("all, per snapshot", f"{shared.tuples_per_snapshot:,.0f}",
                 f"{alone.tuples_per_snapshot:,.0f}", f"{total:+.0f} %"))  # fmt: skip
    title = (
        "Figure 9: tuples moved, shared stages split among the views they serve"
        " (paper: S1 S3 S4 S20 a little fewer, S7 S8 S9 S10 S23 down to -2,500 %)"
    )
    json = {"shared": shared.json(), "alone": alone.json(), "change": change}
    return [Answer("tuples", [Table(title, ("view", "shared", "alone", "change"), rows)], json)]


def _change(shared: float, alone: float) -> float:
    """As the paper plots it: -100 % is half of what it would be alone."""
    return 100 * (shared - alone) / shared if shared else 0.0


def load(bench: Bench) -> Sequence[Answer]:
    """Figure 14: S1 to S4 on four sites while tweets and readers change abruptly; S4 promises 50 s."""
    from headwater.bench.smile.figures.sweeps import draw_load

    setup = bench.setup(numbers=(1, 2, 3, 4), sites=min(4, bench.shape.sites), promises=PROMISES, rate=50.0)
    seconds = bench.seconds / len(PHASES)
    phases = [Phase(seconds, rate, readers) for readers, rate in PHASES]
    warm = [replace(phase, readers=2) for phase in setup.load.warm]
    outcome = bench.workshop.run(
        Setup(setup.shape, Load(phases, warm, bench.every, bench.workshop.seed), setup.sharing), "load"
    )
    view = app(4).name
    averages, worst = phase_staleness(outcome, view)
    draw_load(outcome, view, averages, bench.out)
    rows = [
        (f"{phase.readers} users, {phase.rate:g} tweets/s", f"{average:.1f}", f"{most:.1f}")
        for phase, average, most in zip(phases, averages, worst, strict=True)
    ]
    title = f"Figure 14: staleness of {view}, promised within 50 s (paper: never above 40 s)"
    table = Table(title, ("phase", "average", "worst"), rows)
    others = [(view.name, f"{view.freshness_s:g}", f"{view.worst_staleness_s:.1f}", view.violations)
              for view in outcome.views]  # fmt: skip
    second = Table("all four views", ("view", "promise, s", "worst", "violations"), others)
    json = outcome.json() | {
        "phases": [{"average_s": a, "worst_s": w} for a, w in zip(averages, worst, strict=True)]
    }
    return [Answer("load", [table, second], json)]


def phase_staleness(outcome: Outcome, view: str) -> tuple[list[float], list[float]]:
    """The average and the worst staleness that the audit recorded in each phase."""
    start, averages, worst = outcome.journals.start, [], []
    for phase in outcome.setup.load.phases:
        staleness = [
            row["staleness_s"]
            for row in outcome.journals.audit
            if row["view"] == view and start * 1e6 <= row["at"] < (start + phase.seconds) * 1e6
        ]
        averages.append(fmean(staleness) if staleness else 0.0)
        worst.append(max(staleness, default=0.0))
        start += phase.seconds
    return averages, worst
