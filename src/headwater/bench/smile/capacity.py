"""How much can be kept: the highest rate without violations, also by sites and views (Figure 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bench.smile.answers import Answer, Bench, Table
from headwater.bench.smile.outcome import Outcome

__all__ = ["Highest", "find_highest", "highest", "machines"]

NEAR = 1.1  # the answer is within ten percent
CAP = 64_000.0  # about what the feeder can make beside a run on two cores


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest rate that was kept, and every probe on the way: rate, and what came of it."""

    rate: float
    probes: tuple[tuple[float, Outcome], ...]

    @property
    def best(self) -> Outcome | None:
        return next((one for rate, one in self.probes if rate == self.rate), None)


def kept(found: Outcome) -> bool:
    """No violation, and the load came in time."""
    return found.violations == 0 and found.kept_up


def find_highest(bench: Bench, name: str, near: float = NEAR, **changes: Any) -> Highest:
    """Double from --rate while it holds (or halve until it does), then bisect.

    All probes run on one JVM, so only the first finds it cold.
    """
    probes: list[tuple[float, Outcome]] = []

    def holds(rate: float) -> bool:
        found = bench.run(f"{name}-{rate:.0f}", rate=rate, **changes)
        probes.append((rate, found))
        verdict = "holds" if kept(found) else "does not hold"
        bench.workshop.tell(f"{rate:,.0f} tweets/s {verdict}: {found.violations} violations")
        return kept(found)

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
    found = find_highest(bench, "highest", 2.5 if bench.quick else NEAR)
    columns = ("tweets/s", "reached", "violations", "worst staleness", "CPU-s per million", "GB", "held")
    rows = [
        (
            f"{rate:,.0f}", f"{one.reached_rate:,.0f}", one.violations, f"{one.worst_staleness_s:.1f}",
            f"{one.cpu_per_million:,.0f}", f"{one.peak_gb:.1f}", "yes" if kept(one) else "no",
        )
        for rate, one in found.probes
    ]  # fmt: skip
    least = "at least " if found.rate >= CAP else ""
    title = (
        f"highest rate without violations: {least}{found.rate:,.0f} tweets/s (paper: 8,000 on six machines)"
    )
    told = {"rate": found.rate, "probes": [one.json() for _, one in found.probes]}
    return [Answer("highest", [Table(title, columns, rows)], told)]


def machines(bench: Bench) -> Sequence[Answer]:
    """Figure 11: the highest rate by sites (2 to 5), and by views (20 to 50) on --sites sites."""
    from headwater.bench.smile.sweep_figures import draw_machines

    near = 2.5 if bench.quick else 1.5
    by_sites = []
    for sites in (2, 3) if bench.quick else (2, 3, 4, 5):
        found = find_highest(bench, f"sites-{sites}", near, sites=sites)
        moved = found.best.tuples_per_snapshot / 5 / sites if found.best else 0.0
        by_sites.append((sites, found.rate, moved))
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
