"""`--experiment plans`: DPT and DPD before and after hill climbing (Figures 12 and 13). Nothing runs.

The 25 sharings on --sites sites at --rate and --preload; network within one availability zone costs nothing,
as in the paper's experiment.  Every plan is priced by the same operators, the built-in ones.

Vertices and edges of DPD and DPT are counted in the merged plan D, where what is equal is there once already;
so are its dollars.  What the plans cost without any merging is told too ("alone").  The third plan, "chosen",
is what Headwater takes: each view as it was admitted, climbed, and looked further.

How much could be saved at all is told by a bound that no plan of these views is below (sharing/bound.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from time import perf_counter

from headwater.bench.smile.answers import Answer, Bench, Table
from headwater.bench.smile.project import Shape, write_project
from headwater.bench.smile.workload import RATIOS, SCHEMAS
from headwater.catalog import build
from headwater.model import Prices, Project, Site
from headwater.project import load
from headwater.sharing.bound import least_dollars
from headwater.sharing.facts import Facts, Origin
from headwater.sharing.global_plan import GlobalPlan, plan_all
from headwater.sharing.relations import Sharing
from headwater.sharing.search import Aim
from headwater.sharing.sharings import sharings_of
from headwater.sharing.situation import Situation

__all__ = ["Found", "plan_views", "plans", "situation_of"]

HOUR = 3600.0
FURTHER = 10  # rounds of looking further than greedy climbing does
PAPER = {"DPT": 0.0042, "DPD": 0.0033, "DPT+HC": 0.0025, "DPD+HC": 0.0023}  # dollars per sharing-second
BYTES = {"users": 29, "tweets": 79, "socnet": 16, "loc": 26, "curloc": 24, "urls": 37, "hashtags": 22,
         "photos": 44, "foursq": 16}  # fmt: skip
KEYS = {"users": (("uid",),), "tweets": (("tid",),)}


@dataclass(frozen=True, slots=True)
class Found:
    """The plans of all views by one aim, merged, and plumbed."""

    name: str
    plan: GlobalPlan
    seconds: float

    @property
    def counts(self) -> list[tuple[int, int]]:
        """Vertices and edges before the first step and after each (Figure 13)."""
        vertices, edges = len(self.plan.before.vertices), len(self.plan.before.edges)
        series = [(vertices, edges)]
        for step in self.plan.steps:
            vertices, edges = vertices - step.vertices_removed, edges - step.edges_removed
            series.append((vertices, edges))
        return series


def situation_of(project: Project, shape: Shape, network: Decimal | None = None) -> Situation:
    """What the planner is told: sizes and rates as generated, prices as declared (or another for network)."""
    facts = {
        table: Facts(
            max(1.0, shape.preload * RATIOS[table]),
            shape.rate * RATIOS[table],
            Origin.EXPECTED,
            Origin.EXPECTED,
            BYTES[table],
            _distinct(table, shape),
            KEYS.get(table, ()),
        )
        for table in SCHEMAS
    }
    sites = {name: site for name, site in project.sites.items() if shape.sites == 1 or name != "default"}
    if network is not None:
        sites = {name: _priced(site, network) for name, site in sites.items()}
    return Situation(sites, facts, {name: table.site for name, table in project.tables.items()})


def _priced(site: Site, network: Decimal) -> Site:
    return replace(site, prices=Prices(site.prices.core_hour, network, site.prices.gb_month))


def _distinct(table: str, shape: Shape) -> dict[str, float]:
    whole = {"uid": max(1.0, shape.preload * RATIOS["users"]), "tid": float(max(1, shape.preload))}
    return {column: whole[column] for column in SCHEMAS[table] if column in whole}


def plan_views(sharings: Sequence[Sharing], situation: Situation, aim: Aim | None, rounds: int = 0) -> Found:
    """By time, by dollars, or (None) as admission chooses and with `rounds` of looking further."""
    started = perf_counter()
    plan = plan_all(sharings, situation, aim, rounds)
    return Found(aim.value if aim else "chosen", plan, perf_counter() - started)


def plans(bench: Bench) -> Sequence[Answer]:
    """Figures 12 and 13: dollars, vertices and edges of DPT, DPD, DPT+HC and DPD+HC."""
    from headwater.bench.smile.plan_figures import draw_costs, draw_steps

    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), bench.shape)
        project = load(folder)
    types = {name: {one.name: one.type for one in table.columns} for name, table in project.tables.items()}
    sharings = list(sharings_of(build(project).kept, project.views, types).values())
    situation = situation_of(project, bench.shape, Decimal(0))
    found = []
    for aim in (Aim.TIME, Aim.DOLLARS, None):
        bench.workshop.tell(f"planning by {aim.value if aim else 'choice, looking further'}")
        found.append(plan_views(sharings, situation, aim, 0 if aim or bench.quick else FURTHER))
    costs = _costs(found, len(sharings))
    least = least_dollars(sharings, situation) / HOUR / len(sharings)
    draw_costs(costs, PAPER, bench.out)
    draw_steps({one.name: one.counts for one in found[:2]}, bench.out)
    tables = [_cost_table(costs, found, len(sharings), least), _size_table(found), _paths(found, sharings)]
    return [Answer("plans", tables, _told(costs, found, least))]


def _told(costs: Mapping[str, float], found: Sequence[Found], least: float) -> dict[str, object]:
    return {
        "dollars_per_sharing_second": costs,
        "no_plan_is_below": least,
        "resources_alone_per_hour": {one.name: one.plan.resources_alone for one in found},
        "steps": {one.name: [step.text for step in one.plan.steps] for one in found},
        "counts": {one.name: one.counts for one in found},
        "seconds": {one.name: one.seconds for one in found},
        "refused": [view for view, one in found[-1].plan.admissions.items() if not one.admitted],
    }


def _costs(found: Sequence[Found], views: int) -> dict[str, float]:
    """Resource dollars per sharing-second."""
    before = {one.name: one.plan.resources_merged / HOUR / views for one in found}
    return before | {f"{one.name}+HC": one.plan.resources / HOUR / views for one in found}


def _cost_table(costs: Mapping[str, float], found: Sequence[Found], views: int, least: float) -> Table:
    alone = {one.name: one.plan.resources_alone / HOUR / views for one in found}
    rows = []
    for name, cost in costs.items():
        base = name.removesuffix("+HC")
        climbed = base != name and costs[base] > 0
        saved = f"{1 - cost / costs[base]:.1%}" if climbed else ""
        most = f"{1 - least / costs[base]:.1%}" if climbed else ""
        paper = f"{1 - PAPER[name] / PAPER[base]:.0%}" if climbed and base in PAPER else ""
        value = f"{PAPER[name]:.4f}" if name in PAPER else ""
        rows.append((name, f"{cost:.3g}", value, saved, most, paper, f"{1 - cost / alone[base]:.0%}"))
    rows.append(("no plan is below", f"{least:.3g}", "", "", "", "", ""))
    title = "Figure 12: resource dollars per sharing-second (bar: 35 % saved by climbing, goal 50 %)"
    columns = ("plan", "dollars", "paper", "saved", "at most", "paper saved", "saved from alone")
    return Table(title, columns, rows)


def _size_table(found: Sequence[Found]) -> Table:
    rows = []
    for one in found:
        (vertices, edges), (fewer, less) = one.counts[0], one.counts[-1]
        removed = vertices + edges - fewer - less
        rows.append((one.name, f"{vertices} + {edges}", f"{fewer} + {less}", removed, "more than 80",
                     len(one.plan.steps), f"{one.seconds:.1f}"))  # fmt: skip
    columns = ("plan", "vertices + edges", "after climbing", "removed", "paper", "steps", "seconds to plan")
    return Table("Figure 13: the plan becomes smaller", columns, rows)


def _paths(found: Sequence[Found], sharings: Sequence[Sharing]) -> Table:
    """Each view as it was admitted, and in the global plan that was chosen."""
    by_time, _, chosen = (one.plan for one in found)
    rows = []
    for one in sharings:
        admission = chosen.admissions[one.view]
        alone = f"{admission.dollars_per_hour:.4f}"
        shared = f"{chosen.shared[one.view]:.4f}" if one.view in chosen.shared else ""
        path = f"{chosen.paths[one.view].seconds:.2f}" if one.view in chosen.paths else ""
        fastest = by_time.admissions[one.view].critical_path.seconds
        rows.append((one.view, f"{one.freshness.total_seconds():g}", "yes" if admission.admitted else "no",
                     f"{fastest:.2f}", path, alone, shared))  # fmt: skip
    columns = (
        "view",
        "promise, s",
        "admitted",
        "fastest path, s",
        "shared path, s",
        "$/h alone",
        "$/h shared",
    )
    return Table("each view", columns, rows)
