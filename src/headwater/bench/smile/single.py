"""`--experiment run` and `compare`: one load, kept once, or with and without sharing."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.bench.smile.answers import Answer, Bench, Table
from headwater.bench.smile.outcome import Outcome

__all__ = ["compare", "numbers", "run"]

Line = tuple[str, str, str]


def run(bench: Bench) -> Sequence[Answer]:
    """One run: CPU, memory, violations, staleness, pushes, checked results."""
    from headwater.bench.smile.figures import draw_pushes, draw_staleness

    found = bench.run("run")
    draw_staleness(found, bench.out)
    draw_pushes(found, bench.out)
    tables = [Table("the run", ("measure", "value", "note"), numbers(found)), views_table(found)]
    return [Answer("run", tables, found.json())]


def compare(bench: Bench) -> Sequence[Answer]:
    """The same input with and without shared work: CPU-seconds of the whole tree."""
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
    told = {"saved": saved, "shared": shared.json(), "alone": alone.json()}
    return [Answer("compare", [Table(title, ("measure", "shared", "alone", "saved"), rows)], told)]


def _beside(name: str, shared: float, alone: float, form: str = ",.0f") -> tuple[str, str, str, str]:
    saved = f"{1 - shared / alone:.0%}" if alone else ""
    return name, format(shared, form), format(alone, form), saved


def numbers(found: Outcome) -> list[Line]:
    """The headline numbers of a run."""
    return [*_load(found), *_promises(found), *_pushes(found), *_ends(found)]


def _load(found: Outcome) -> list[Line]:
    fed = found.fed
    wanted = f"wanted {found.setup.rate:,.0f}; a batch was at most {fed['worst_late_s']:.1f} s late"
    window = (
        f"{found.cpu_seconds:.0f} CPU-s for {found.tweets:,.0f} tweets; the JVM's {found.jvm_seconds:.0f}"
    )
    feeder = f"{fed['cpu_s']:.1f} CPU-s of it the feeder's, {fed['generating_cpu_s']:.1f} for making rows"
    return [
        ("tweets per second", f"{found.reached_rate:,.0f}", wanted),
        ("CPU-s per million tweets", f"{found.cpu_per_million:,.0f}", window),
        ("the same, cold JVM to drained", f"{found.cpu_per_million_whole:,.0f}", feeder),
        ("peak memory, GB", f"{found.peak_gb:.1f}", "resident, of all processes"),
    ]


def _promises(found: Outcome) -> list[Line]:
    shape = found.setup.shape
    per_hour = f"{found.violations_per_sharing_hour:.2f} per sharing-hour;"
    promised = "promised: " + ("mix" if shape.mix else f"{shape.freshness:g}")
    billed = f"all CPU at the project's price; as billed: {found.billed_dollars_per_sharing_hour:.4f}"
    return [
        ("violations", f"{found.violations}", f"{per_hour} {found.violations_warming} while warming up"),
        ("worst staleness, s", f"{found.worst_staleness_s:.1f}", promised),
        ("dollars per sharing-hour", f"{found.dollars_per_sharing_hour:.4f}", billed),
    ]


def _pushes(found: Outcome) -> list[Line]:
    error = found.prediction_error
    predicted = "too few pushes" if error is None else f"off by {error:.0%}"
    after = f"median, after ten pushes of a stage; {found.predictions} pushes"
    moved = f"{found.tuples_per_snapshot:,.0f}"
    return [
        ("pushes", f"{sum(one.pushes for one in found.views)}", f"of {len(found.views)} views"),
        ("predicted push durations", predicted, after),
        ("tuples moved per snapshot", moved, "paper, at 6,000 tweets/s: 600k to 1.1 million"),
    ]


def _ends(found: Outcome) -> list[Line]:
    computed = found.preload.get("compute", {})
    first = f"{computed.get('cpu_seconds', 0):.0f} CPU-s, do not count"
    checked = f"{len(found.checked)} views, {sum(one.rows for one in found.checked):,} rows"
    verdict = "not checked" if not found.checked else "right" if found.right else "WRONG"
    start = f"starting took {found.start_cpu_seconds:.0f} CPU-s; neither counts"
    trouble = [("trouble", name, text) for name, text in found.errors.items()]
    return [
        ("first computation", f"{computed.get('seconds', 0):.0f} s", first),
        ("start, drain", f"{found.start_s:.0f} s, {found.drain_s:.0f} s", start),
        ("verified", verdict, checked),
        *trouble,
    ]


def views_table(found: Outcome) -> Table:
    """Every view with its staleness and pushes."""
    columns = ("view", "promise", "worst", "violations", "pushes", "push s", "before", "after", "advanced",
               "rows moved", "CPU-s")  # fmt: skip
    rows = [
        (
            one.name, f"{one.freshness_s:g}", f"{one.worst_staleness_s:.1f}", one.violations, one.pushes,
            f"{one.push_s:.2f}", f"{one.before_s:.1f}", f"{one.after_s:.1f}", f"{one.advanced_s:.1f}",
            f"{one.rows_moved:,}", f"{one.cpu_seconds:.1f}",
        )
        for one in found.views
    ]  # fmt: skip
    title = "the views: staleness in seconds; before, after and advanced are medians of pushes"
    return Table(title, columns, rows)
