"""`--experiment run` and `compare`: one load once, or twice, with and without shared work."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.measuring.outcome import Outcome

__all__ = ["compare", "numbers", "run"]

Line = tuple[str, str, str]


def run(bench: Bench) -> Sequence[Answer]:
    """One run: CPU, memory, violations, staleness, pushes, checked results."""
    from headwater.bench.smile.figures.staleness import draw_pushes, draw_staleness

    outcome = bench.run("run")
    draw_staleness(outcome, bench.out)
    draw_pushes(outcome, bench.out)
    tables = [Table("the run", ("measure", "value", "note"), numbers(outcome)), views_table(outcome)]
    return [Answer("run", tables, outcome.json())]


def compare(bench: Bench) -> Sequence[Answer]:
    """The same input with and without shared work: CPU-seconds of the entire process tree."""
    shared = bench.run("shared", sharing=True)
    alone = bench.run("alone", sharing=False)
    rows = [
        _beside("CPU-s per million tweets", shared.cpu_per_million, alone.cpu_per_million),
        _beside("the same, cold JVM to drained", shared.cpu_per_million_whole, alone.cpu_per_million_whole),
        _beside("tuples moved per snapshot", shared.tuples_per_snapshot, alone.tuples_per_snapshot),
        _beside("worst staleness, s", shared.worst_staleness_s, alone.worst_staleness_s, ".1f"),
        _beside("violations", shared.violations, alone.violations),
        _beside("peak memory, GB", shared.peak_gb, alone.peak_gb, ".1f"),
    ]
    title = "shared against alone (bar: 35 % fewer CPU-s, goal 60 %; paper: over 35 % of the dollars)"
    saved = 1 - shared.cpu_per_million / alone.cpu_per_million
    json = {"saved": saved, "shared": shared.json(), "alone": alone.json()}
    return [Answer("compare", [Table(title, ("measure", "shared", "alone", "saved"), rows)], json)]


def _beside(name: str, shared: float, alone: float, form: str = ",.0f") -> tuple[str, str, str, str]:
    saved = f"{1 - shared / alone:.0%}" if alone else ""
    return name, format(shared, form), format(alone, form), saved


def numbers(outcome: Outcome) -> list[Line]:
    """The headline numbers of a run."""
    return [*_load(outcome), *_promises(outcome), *_pushes(outcome), *_ends(outcome)]


def _load(outcome: Outcome) -> list[Line]:
    fed = outcome.fed
    wanted = f"wanted {outcome.setup.rate:,.0f}; a batch was at most {fed['worst_late_s']:.1f} s late"
    spent, jvm = f"{outcome.cpu_seconds:.0f} CPU-s", f"{outcome.jvm_seconds:.0f}"
    window = f"{spent} for {outcome.tweets:,.0f} tweets; the JVM's {jvm}"
    feeder = f"{fed['cpu_s']:.1f} CPU-s of it the feeder's, {fed['generating_cpu_s']:.1f} for making rows"
    return [
        ("tweets per second", f"{outcome.reached_rate:,.0f}", wanted),
        ("CPU-s per million tweets", f"{outcome.cpu_per_million:,.0f}", window),
        ("the same, cold JVM to drained", f"{outcome.cpu_per_million_whole:,.0f}", feeder),
        ("peak memory, GB", f"{outcome.peak_gb:.1f}", "resident, of all processes"),
    ]


def _promises(outcome: Outcome) -> list[Line]:
    shape = outcome.setup.shape
    per_hour = f"{outcome.violations_per_sharing_hour:.2f} per sharing-hour;"
    promised = "promised: " + ("mix" if shape.mix else f"{shape.freshness:g}")
    billed = f"all CPU at the project's price; as billed: {outcome.billed_dollars_per_sharing_hour:.4f}"
    return [
        ("violations", f"{outcome.violations}", f"{per_hour} {outcome.violations_warming} while warming up"),
        ("worst staleness, s", f"{outcome.worst_staleness_s:.1f}", promised),
        ("dollars per sharing-hour", f"{outcome.dollars_per_sharing_hour:.4f}", billed),
    ]


def _pushes(outcome: Outcome) -> list[Line]:
    error = outcome.prediction_error
    predicted = "too few pushes" if error is None else f"off by {error:.0%}"
    after = f"median, after ten pushes of a stage; {outcome.predictions} pushes"
    planned = f"`headwater plan` said {outcome.planned_push_s:.2f} before the run"
    moved = f"{outcome.tuples_per_snapshot:,.0f}"
    return [
        ("pushes", f"{sum(view.pushes for view in outcome.views)}", f"of {len(outcome.views)} views"),
        ("predicted push durations", predicted, after),
        ("a push of all views, s", f"{outcome.push_s or 0:.2f}", planned),
        ("tuples moved per snapshot", moved, "paper, at 6,000 tweets/s: 600k to 1.1 million"),
    ]


def _ends(outcome: Outcome) -> list[Line]:
    computed = outcome.preload.get("compute", {})
    first = f"{computed.get('cpu_seconds', 0):.0f} CPU-s, do not count"
    checked = f"{len(outcome.checked)} views, {sum(view.rows for view in outcome.checked):,} rows"
    verdict = "not checked" if not outcome.checked else "right" if outcome.right else "WRONG"
    start = f"starting took {outcome.start_cpu_seconds:.0f} CPU-s; neither counts"
    errors = [("error", name, text) for name, text in outcome.errors.items()]
    return [
        ("first computation", f"{computed.get('seconds', 0):.0f} s", first),
        ("start, drain", f"{outcome.start_s:.0f} s, {outcome.drain_s:.0f} s", start),
        ("verified", verdict, checked),
        *errors,
    ]


def views_table(outcome: Outcome) -> Table:
    """Every view with its staleness and pushes."""
    columns = ("view", "promise", "worst", "violations", "pushes", "push s", "before", "after", "advanced",
               "rows moved", "CPU-s")  # fmt: skip
    rows = [
        (
            view.name, f"{view.freshness_s:g}", f"{view.worst_staleness_s:.1f}", view.violations, view.pushes,
            f"{view.push_s:.2f}", f"{view.before_s:.1f}", f"{view.after_s:.1f}", f"{view.advanced_s:.1f}",
            f"{view.rows_moved:,}", f"{view.cpu_seconds:.1f}",
        )
        for view in outcome.views
    ]  # fmt: skip
    title = "the views: staleness in seconds; before, after and advanced are medians of pushes"
    return Table(title, columns, rows)
