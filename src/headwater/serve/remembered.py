"""The plan that runs keep to, in warehouse/plan.txt, and what it costs now.

Statistics change all the time, and a run that planned in another way than the one before would have to
compute shared stages anew, and views from them.  So a plan is remembered.  Views that are gone, or are
declared in another way, leave it; new ones join it, at the least cost; nothing else moves.

The file is the plan's text (graph_text.py) below a comment for each view: its name, and what its place in the
plan depends on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.catalog import Catalog
from headwater.sharing.admission import eased_promise
from headwater.sharing.global_plan import GlobalPlan, plan_one_more, restored
from headwater.sharing.graph import PlanGraph, without_views
from headwater.sharing.graph_text import parse_graph, show_graph
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation
from headwater.storage.warehouse import Warehouse

__all__ = ["Remembered", "continued", "remember", "remembered"]


@dataclass(frozen=True, slots=True)
class Remembered:
    identities: Mapping[str, str]  # of its views
    graph: PlanGraph


def continued(
    known: Remembered, catalog: Catalog, sharings: Mapping[str, Sharing], situation: Situation
) -> GlobalPlan:
    """The remembered plan with the views that are there now."""
    now = _identities(catalog)
    gone = {name for name in known.graph.views if now.get(name) != known.identities.get(name)}
    graph = without_views(known.graph, *gone)
    there = {name: one for name, one in sharings.items() if name in graph.views}
    plan = restored(graph, there, situation)
    for name, sharing in sharings.items():
        if name not in graph.views:
            more = plan_one_more(plan, sharing, situation)
            if (eased := eased_promise(sharing, more.admission)) != sharing:
                more = plan_one_more(plan, eased, situation)
            plan = more.plan
    return plan


def _identities(catalog: Catalog) -> dict[str, str]:
    """What a view's place in a plan depends on: its definition, and where it and its sources lie."""
    return {
        name: " ".join((catalog.versions[name], catalog.site_of(name), *map(catalog.site_of, one.reads)))
        for name, one in catalog.kept.items()
    }


def _path(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "plan.txt")


def remember(warehouse: Warehouse, catalog: Catalog, graph: PlanGraph) -> None:
    """Keep to this plan from now on."""
    os.makedirs(warehouse.root, exist_ok=True)
    draft = f"{_path(warehouse)}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8") as file:
        file.writelines(
            f"# {name} {identity}\n" for name, identity in _identities(catalog).items() if name in graph.views
        )
        file.write(show_graph(graph))
    os.replace(draft, _path(warehouse))


def remembered(warehouse: Warehouse) -> Remembered | None:
    """The plan that the last run kept to; None if there was none."""
    try:
        with open(_path(warehouse), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    identities = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))
    return Remembered(identities, parse_graph("\n".join(line for line in lines if not line.startswith("# "))))
