"""How this project's pushes compare with what its plan says: seconds, and CPU.

The operators' fixed costs are those of edges run one by one; the engine runs all edges of a level in one
Spark action, other programs want the CPU too, and rows are wider or narrower than the calibration's.  So what
a plan says is compared with what happened:

    time   for every push of a view: the actions on its way (its own level and those below), against
           CP(plan, x) for the seconds of changes that it carried.  The median of the last KEEP pushes is the
           view's ratio; the median of its views' ratios divides a site's speed
    CPU    the CPU-seconds that all pushes of a site used in the newest ten minutes of its pushes, against the
           cores that its part of the plan keeps busy.  The ratio multiplies the price of a core there: an
           edge that waits costs less than its seconds

A view with fewer than FEWEST pushes, or a site with fewer than FEWEST of them in a minute or more, says
nothing yet.  First computations and failures do not count.  A ratio is taken to lie within LIMIT of 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from statistics import median
from typing import Any

from headwater.sharing.billing import served
from headwater.sharing.costs import critical_path
from headwater.sharing.graph import PlanGraph
from headwater.sharing.situation import Situation
from headwater.storage.journal import PUSHES, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Corrections", "Pushes", "corrected", "corrections", "read_pushes"]

KEEP = 20
FEWEST = 3
LIMIT = 8.0
SECOND = 1_000_000
LOOKED_AT, SHORTEST = 600 * SECOND, 60 * SECOND

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pushes:
    """The pushes that did something, oldest first."""

    rows: tuple[Row, ...] = ()

    def of(self, view: str) -> list[tuple[float, float]]:
        """The newest pushes of a view: the seconds of changes carried, and how long all its actions took."""
        own = [row for row in self.rows if row["stage"] == view][-KEEP:]
        return [((row["until"] - row["after"]) / SECOND, self._seconds(view, row["until"])) for row in own]

    def _seconds(self, view: str, until: int) -> float:
        actions = {
            row["action"] or row["stage"]: row["seconds"]
            for row in self.rows
            if row["until"] == until and view in served(row["view"], row["serves"])
        }
        return sum(actions.values())

    def cores(self) -> dict[str, float]:
        """The cores that pushes kept busy at each site, over the newest ten minutes of pushes."""
        found: dict[str, float] = {}
        by_site: defaultdict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            by_site[row["site"] or "default"].append(row)
        for site, rows in by_site.items():
            newest = max(row["at"] for row in rows)
            recent = [row for row in rows if row["at"] > newest - LOOKED_AT]
            start = min(row["after"] for row in recent)
            if newest - start >= SHORTEST and len(recent) >= FEWEST:
                spent = newest - max(start, newest - LOOKED_AT)
                found[site] = sum(row["cpu_seconds"] for row in recent) / (spent / SECOND)
        return found


@dataclass(frozen=True, slots=True)
class Corrections:
    """Measured over predicted: seconds of views and of sites, CPU of sites."""

    views: Mapping[str, float] = field(default_factory=dict)
    pushes: Mapping[str, int] = field(default_factory=dict)  # that a view's ratio rests on
    seconds: Mapping[str, float] = field(default_factory=dict)
    cpu: Mapping[str, float] = field(default_factory=dict)


def read_pushes(warehouse: Warehouse) -> Pushes:
    rows = read_rows(warehouse.system("pushes"), PUSHES).to_pylist()
    return Pushes(tuple(row for row in rows if _counts(row)))


def _counts(row: Row) -> bool:
    return row["mode"] in ("incremental", "full") and not row["error"] and row["after"] > 0


def corrections(
    pushes: Pushes,
    graph: PlanGraph,
    views: Mapping[str, str],
    situation: Situation,
    cores: Mapping[str, float],
) -> Corrections:
    """Compare. `views` are names and sites; `cores` is what the plan keeps busy at each site, uncorrected."""
    measured = {view: pushes.of(view) for view in views if view in graph.views}
    known = {view: found for view, found in measured.items() if len(found) >= FEWEST}
    ratios = {view: _ratio(graph, view, found, situation) for view, found in known.items()}
    sites = {views[view] for view in ratios}
    return Corrections(
        ratios,
        {view: len(found) for view, found in known.items()},
        {site: median(ratio for view, ratio in ratios.items() if views[view] == site) for site in sites},
        {
            site: _within(busy / cores[site])
            for site, busy in pushes.cores().items()
            if cores.get(site, 0.0) > 0
        },
    )


def _ratio(graph: PlanGraph, view: str, found: Sequence[tuple[float, float]], situation: Situation) -> float:
    ratios = [
        seconds / predicted
        for carried, seconds in found
        if (predicted := critical_path(graph, view, carried, situation).seconds) > 0
    ]
    return _within(median(ratios)) if ratios else 1.0


def _within(ratio: float) -> float:
    return min(max(ratio, 1 / LIMIT), LIMIT)


def corrected(situation: Situation, found: Corrections) -> Situation:
    """The situation in which operators are as fast and cores as dear as pushes have shown."""
    speeds = dict(situation.operators.speeds)
    for site, ratio in found.seconds.items():
        speeds[site] = speeds.get(site, 1.0) / ratio
    sites = dict(situation.sites)
    for name in sites.keys() & found.cpu.keys():
        # Seconds have been corrected already.
        ratio, prices = found.cpu[name] / found.seconds.get(name, 1.0), sites[name].prices
        dearer = replace(prices, core_hour=prices.core_hour * Decimal(repr(ratio)))
        sites[name] = replace(sites[name], prices=dearer)
    return replace(situation, operators=replace(situation.operators, speeds=speeds), sites=sites)
