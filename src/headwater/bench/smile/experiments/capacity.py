"""How much load can be sustained: the highest rate without violations, also by sites and views (Figure
11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.measuring.outcome import Outcome

__all__ = ["Highest", "find_highest", "highest", "machines"]

NEAR = 1.1  # the answer is within ten percent
CAP = 64_000.0  # about what the feeder can generate beside a run on two cores


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest sustained rate, and every probe on the way: rate and outcome."""

    rate: float
    probes: tuple[tuple[float, Outcome], ...]

    @property
    def best(self) -> Outcome | None:
        return next((outcome for rate, outcome in self.probes if rate == self.rate), None)


def sustained(outcome: Outcome) -> bool:
    """No violation, and the load arrived in time."""
    return outcome.violations == 0 and outcome.kept_up


def find_highest(bench: Bench, name: str, near: float = NEAR, **changes: Any) -> Highest:
    """Double from --rate while it is sustained (or halve until it is), then bisect.

    All probes run on one JVM, so only the first finds it cold.
    """
    probes: list[tuple[float, Outcome]] = []

    def holds(rate: float) -> bool:
        outcome = bench.run(f"{name}-{rate:.0f}", rate=rate, **changes)
        probes.append((rate, outcome))
        verdict = "holds" if sustained(outcome) else "does not hold"
        bench.workshop.tell(f"{rate:,.0f} tweets/s {verdict}: {outcome.violations} violations")
        return sustained(outcome)

    low, high = 0.0, min(bench.shape.rate, CAP)
    while low < CAP and holds(high):
        low, high = high, min(high * 2, CAP)
    while low == 0 and high > 1:
        high = high / 2
        if holds(high):
            low, high = high, high * 2
    while low and high / low > near:
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return Highest(low, tuple(probes))


def highest(bench: Bench) -> Sequence[Answer]:
    """The highest rate with 0 violations (paper: 8,000 tweets/s on six machines)."""
    search = find_highest(bench, "highest", 2.5 if bench.quick else NEAR)
    columns = ("tweets/s", "reached", "violations", "worst staleness", "CPU-s per million", "GB", "held")
    rows = [
        (
            f"{rate:,.0f}", f"{outcome.reached_rate:,.0f}", outcome.violations,
            f"{outcome.worst_staleness_s:.1f}", f"{outcome.cpu_per_million:,.0f}", f"{outcome.peak_gb:.1f}",
            "yes" if sustained(outcome) else "no",
        )
        for rate, outcome in search.probes
    ]  # fmt: skip
    least = "at least " if search.rate >= CAP else ""
    title = (
        f"highest rate without violations: {least}{search.rate:,.0f} tweets/s (paper: 8,000 on six machines)"
    )
    json = {"rate": search.rate, "probes": [outcome.json() for _, outcome in search.probes]}
    return [Answer("highest", [Table(title, columns, rows)], json)]


def machines(bench: Bench) -> Sequence[Answer]:
    """Figure 11: the highest rate by sites (2 to 5), and by views (20 to 50) on --sites sites."""
    from headwater.bench.smile.figures.sweeps import draw_machines

    near = 2.5 if bench.quick else 1.5
    by_sites = []
    for sites in (2, 3) if bench.quick else (2, 3, 4, 5):
        search = find_highest(bench, f"sites-{sites}", near, sites=sites)
        moved = search.best.tuples_per_snapshot / 5 / sites if search.best else 0.0
        by_sites.append((sites, search.rate, moved))
    counts = (20, 25, 30, 40, 50) if not bench.quick else (3, 8)
    by_views = [(count, find_highest(bench, f"views-{count}", near, views=count).rate) for count in counts]
    draw_machines(by_sites, by_views, bench.out)
    note = "sites share this machine's cores: more of them add no capacity here, unlike the paper's machines"
    tables = [
        Table(f"Figure 11a, b: by sites ({note})", ("sites", "highest tweets/s", "tuples/s a site", "paper"),
              [(sites, f"{rate:,.0f}", f"{moved:,.0f}", "2,000 to 8,000; 25 to 30 thousand")
               for sites, rate, moved in by_sites]),
        Table("Figure 11c: by views (paper: falls as views become more)", ("views", "highest tweets/s"),
              [(count, f"{rate:,.0f}") for count, rate in by_views]),
    ]  # fmt: skip
    return [Answer("machines", tables, {"by_sites": by_sites, "by_views": by_views})]
