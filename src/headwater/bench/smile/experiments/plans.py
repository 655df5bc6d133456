"""`--experiment plans`: DPT and DPD before and after hill climbing (Figures 12 and 13). Nothing runs.

The 25 sharings on --sites sites at --rate and --preload; network within one availability zone costs nothing,
as in the paper's experiment.  Every plan is priced by the same operators, the built-in ones.

Vertices and edges of DPD and DPT are counted in the merged plan D, which already holds equal parts only
once; so are its dollars.  The cost without any merging is shown too ("alone").  The third plan, "chosen", is
the one Headwater uses: each view as it was admitted, hill climbing, and a further search.

How much could be saved at all: a lower bound on every plan of these views (planning/cost/bound.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from time import perf_counter

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.workload.project import Shape, write_project
from headwater.bench.smile.workload.relations import RATIOS, SCHEMAS
from headwater.catalog import build
from headwater.model import Prices, Project, Site
from headwater.planning.cost.bound import least_dollars
from headwater.planning.facts.facts import Facts, Origin
from headwater.planning.facts.situation import Situation
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.planning.improve.plan_all import plan_all
from headwater.planning.relations.relations import Sharing
from headwater.planning.relations.sharings import sharings_of
from headwater.planning.search.search import Aim
from headwater.project import load

__all__ = ["AimedPlan", "plan_views", "plans", "situation_of"]

HOUR = 3600.0
FURTHER = 10  # rounds of searching further than greedy climbing does
PAPER = {"DPT": 0.0042, "DPD": 0.0033, "DPT+HC": 0.0025, "DPD+HC": 0.0023}  # dollars per sharing-second
BYTES = {"users": 29, "tweets": 79, "socnet": 16, "loc": 26, "curloc": 24, "urls": 37, "hashtags": 22,
         "photos": 44, "foursq": 16}  # fmt: skip
KEYS = {"users": (("uid",),), "tweets": (("tid",),)}


@dataclass(frozen=True, slots=True)
class AimedPlan:
    """The plans of all views for one aim, merged, and plumbed."""

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
    """The planner's input: sizes and rates as generated, prices as declared (or `network`)."""
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
    counts = {"uid": max(1.0, shape.preload * RATIOS["users"]), "tid": float(max(1, shape.preload))}
    return {column: counts[column] for column in SCHEMAS[table] if column in counts}


def plan_views(
    sharings: Sequence[Sharing], situation: Situation, aim: Aim | None, rounds: int = 0
) -> AimedPlan:
    """By time, by dollars, or (None) as admission chooses, with `rounds` of further search."""
    started = perf_counter()
    plan = plan_all(sharings, situation, aim, rounds)
    return AimedPlan(aim.value if aim else "chosen", plan, perf_counter() - started)


def plans(bench: Bench) -> Sequence[Answer]:
    """Figures 12 and 13: dollars, vertices and edges of DPT, DPD, DPT+HC and DPD+HC."""
    from headwater.bench.smile.figures.plans import draw_costs, draw_steps

    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), bench.shape)
        project = load(folder)
    types = {
        name: {column.name: column.type for column in table.columns} for name, table in project.tables.items()
    }
    sharings = list(sharings_of(build(project).kept, project.views, types).values())
    situation = situation_of(project, bench.shape, Decimal(0))
    aimed = []
    for aim in (Aim.TIME, Aim.DOLLARS, None):
        bench.workshop.tell(f"planning by {aim.value if aim else 'choice, looking further'}")
        aimed.append(plan_views(sharings, situation, aim, 0 if aim or bench.quick else FURTHER))
    costs = _costs(aimed, len(sharings))
    least = least_dollars(sharings, situation) / HOUR / len(sharings)
    draw_costs(costs, PAPER, bench.out)
    draw_steps({each.name: each.counts for each in aimed[:2]}, bench.out)
    tables = [_cost_table(costs, aimed, len(sharings), least), _size_table(aimed), _paths(aimed, sharings)]
    return [Answer("plans", tables, _json(costs, aimed, least))]


def _json(costs: Mapping[str, float], aimed: Sequence[AimedPlan], least: float) -> dict[str, object]:
    return {
        "dollars_per_sharing_second": costs,
        "no_plan_is_below": least,
        "resources_alone_per_hour": {each.name: each.plan.resources_alone for each in aimed},
        "steps": {each.name: [step.text for step in each.plan.steps] for each in aimed},
        "counts": {each.name: each.counts for each in aimed},
        "seconds": {each.name: each.seconds for each in aimed},
        "refused": [view for view, admission in aimed[-1].plan.admissions.items() if not admission.admitted],
    }


def _costs(aimed: Sequence[AimedPlan], views: int) -> dict[str, float]:
    """Resource dollars per sharing-second."""
    before = {each.name: each.plan.resources_merged / HOUR / views for each in aimed}
    return before | {f"{each.name}+HC": each.plan.resources / HOUR / views for each in aimed}


def _cost_table(costs: Mapping[str, float], aimed: Sequence[AimedPlan], views: int, least: float) -> Table:
    alone = {each.name: each.plan.resources_alone / HOUR / views for each in aimed}
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


def _size_table(aimed: Sequence[AimedPlan]) -> Table:
    rows = []
    for each in aimed:
        (vertices, edges), (fewer, less) = each.counts[0], each.counts[-1]
        removed = vertices + edges - fewer - less
        rows.append((each.name, f"{vertices} + {edges}", f"{fewer} + {less}", removed, "more than 80",
                     len(each.plan.steps), f"{each.seconds:.1f}"))  # fmt: skip
    columns = ("plan", "vertices + edges", "after climbing", "removed", "paper", "steps", "seconds to plan")
    return Table("Figure 13: the plan becomes smaller", columns, rows)


def _paths(aimed: Sequence[AimedPlan], sharings: Sequence[Sharing]) -> Table:
    """Each view as it was admitted, and in the global plan that was chosen."""
    by_time, _, chosen = (each.plan for each in aimed)
    rows = []
    for sharing in sharings:
        admission = chosen.admissions[sharing.view]
        alone = f"{admission.dollars_per_hour:.4f}"
        shared = f"{chosen.shared[sharing.view]:.4f}" if sharing.view in chosen.shared else ""
        path = f"{chosen.paths[sharing.view].seconds:.2f}" if sharing.view in chosen.paths else ""
        fastest = by_time.admissions[sharing.view].critical_path.seconds
        promise, admitted = sharing.freshness.total_seconds(), "yes" if admission.admitted else "no"
        rows.append((sharing.view, f"{promise:g}", admitted, f"{fastest:.2f}", path, alone, shared))
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
