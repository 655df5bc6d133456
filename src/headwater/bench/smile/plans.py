"""`--experiment plans`: DPT and DPD before and after hill climbing (Figures 12 and 13). Nothing runs.

The 25 sharings on --sites sites at --rate and --preload; network within one availability zone costs nothing,
as in the paper's experiment.  Every plan is priced by the same operators, the built-in ones.

Vertices and edges of DPD and DPT are counted in the merged plan D, where what is equal is there once already;
so are its dollars.  What the plans cost without any merging is told too ("alone").
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
from headwater.sharing.facts import Facts, Origin
from headwater.sharing.plumbing import Plumbed, climb, merge
from headwater.sharing.relations import Sharing
from headwater.sharing.search import Aim, Planned, search
from headwater.sharing.sharings import sharings_of
from headwater.sharing.situation import Situation

__all__ = ["Found", "plan_views", "plans", "situation_of"]

HOUR = 3600.0
PAPER = {"DPT": 0.0042, "DPD": 0.0033, "DPT+HC": 0.0025, "DPD+HC": 0.0023}  # dollars per sharing-second
BYTES = {"users": 29, "tweets": 79, "socnet": 16, "loc": 26, "curloc": 24, "urls": 37, "hashtags": 22,
         "photos": 44, "foursq": 16}  # fmt: skip
KEYS = {"users": (("uid",),), "tweets": (("tid",),)}


@dataclass(frozen=True, slots=True)
class Found:
    """The plans of all views by one aim, merged, and plumbed."""

    aim: Aim
    single: Mapping[str, Planned]
    plumbed: Plumbed
    seconds: float

    @property
    def counts(self) -> list[tuple[int, int]]:
        """Vertices and edges before the first step and after each (Figure 13)."""
        vertices, edges = len(self.plumbed.before.vertices), len(self.plumbed.before.edges)
        series = [(vertices, edges)]
        for step in self.plumbed.steps:
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


def plan_views(sharings: Sequence[Sharing], situation: Situation, aim: Aim) -> Found:
    started = perf_counter()
    single = {one.view: search(one, situation, aim) for one in sharings}
    merged = merge([one.graph for one in single.values()])
    return Found(aim, single, climb(merged, sharings, situation), perf_counter() - started)


def plans(bench: Bench) -> Sequence[Answer]:
    """Figures 12 and 13: dollars, vertices and edges of DPT, DPD, DPT+HC and DPD+HC."""
    from headwater.bench.smile.plan_figures import draw_costs, draw_steps

    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), bench.shape)
        project = load(folder)
    types = {name: {one.name: one.type for one in table.columns} for name, table in project.tables.items()}
    sharings = list(sharings_of(build(project).kept, project.views, types).values())
    situation = situation_of(project, bench.shape, Decimal(0))
    found = [plan_views(sharings, situation, aim) for aim in (Aim.TIME, Aim.DOLLARS)]
    costs = _costs(found, len(sharings))
    alone = {one.aim.value: _alone(one) / len(sharings) for one in found}
    draw_costs(costs, PAPER, bench.out)
    draw_steps({one.aim.value: one.counts for one in found}, bench.out)
    tables = [_cost_table(costs, alone), _size_table(found), _paths(found, sharings)]
    late = [one.view for one in sharings if _path(found[0], one) > one.freshness.total_seconds()]
    told = {
        "dollars_per_sharing_second": costs,
        "dollars_per_sharing_second_alone": alone,
        "steps": {one.aim.value: [step.text for step in one.plumbed.steps] for one in found},
        "counts": {one.aim.value: one.counts for one in found},
        "seconds": {one.aim.value: one.seconds for one in found},
        "refused": late,
    }
    return [Answer("plans", tables, told)]


def _costs(found: Sequence[Found], views: int) -> dict[str, float]:
    """Resource dollars per sharing-second."""
    before = {one.aim.value: one.plumbed.dollars_before / HOUR / views for one in found}
    return before | {f"{one.aim.value}+HC": one.plumbed.dollars_after / HOUR / views for one in found}


def _alone(found: Found) -> float:
    """Resource dollars per second of all views when not even equal vertices are merged."""
    return sum(one.price.resources.per_second for one in found.single.values())


def _cost_table(costs: Mapping[str, float], alone: Mapping[str, float]) -> Table:
    rows = []
    for name, cost in costs.items():
        base = name.removesuffix("+HC")
        climbed = base != name and costs[base] > 0
        saved = f"{1 - cost / costs[base]:.0%}" if climbed else ""
        paper = f"{1 - PAPER[name] / PAPER[base]:.0%}" if climbed else ""
        rows.append(
            (name, f"{cost:.3g}", f"{PAPER[name]:.4f}", saved, paper, f"{1 - cost / alone[base]:.0%}")
        )
    title = "Figure 12: resource dollars per sharing-second (bar: 35 % saved by climbing, goal 50 %)"
    return Table(title, ("plan", "dollars", "paper", "saved", "paper saved", "saved from alone"), rows)


def _size_table(found: Sequence[Found]) -> Table:
    rows = []
    for one in found:
        (vertices, edges), (fewer, less) = one.counts[0], one.counts[-1]
        removed = vertices + edges - fewer - less
        rows.append((one.aim.value, f"{vertices} + {edges}", f"{fewer} + {less}", removed, "more than 80",
                     len(one.plumbed.steps), f"{one.seconds:.1f}"))  # fmt: skip
    columns = ("plan", "vertices + edges", "after climbing", "removed", "paper", "steps", "seconds to plan")
    return Table("Figure 13: the plan becomes smaller", columns, rows)


def _path(found: Found, sharing: Sharing) -> float:
    return found.single[sharing.view].critical_path.seconds


def _paths(found: Sequence[Found], sharings: Sequence[Sharing]) -> Table:
    rows = [
        (one.view, f"{one.freshness.total_seconds():g}", *(f"{_path(plan, one):.2f}" for plan in found),
         *(f"{plan.single[one.view].dollars:.4f}" for plan in found))
        for one in sharings
    ]  # fmt: skip
    columns = ("view", "promise, s", "critical path DPT, s", "DPD, s", "$/h alone DPT", "DPD")
    return Table("each view by itself", columns, rows)
