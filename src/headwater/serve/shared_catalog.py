"""The catalog that a run keeps: views over what they share, as the global plan says.

    catalog (each view by itself)  ->  global plan  ->  stages that are stored once for several views

A refused view is kept too, with a promise that can be kept in the plan; if there is none, by itself.

A plan is remembered (warehouse/plan.txt): statistics change all the time, and a run that planned in another
way than the one before would have to compute shared stages anew, and views from them.  Views that are gone
leave the remembered plan, new ones join it, nothing else moves.  `replan` forgets it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from headwater.catalog import Catalog, share
from headwater.serve.plan import eased_promise, plan_views
from headwater.serve.situation import Gathered, gather
from headwater.sharing.compile import compile_plan
from headwater.sharing.global_plan import plan_one_more, restored
from headwater.sharing.graph import PlanGraph, without_views
from headwater.sharing.graph_text import parse_graph, show_graph
from headwater.sharing.sharings import block_of
from headwater.storage.warehouse import Warehouse

__all__ = ["shared_catalog"]


def shared_catalog(catalog: Catalog, warehouse: Warehouse, replan: bool = False) -> Catalog:
    """Plan all views of a catalog (one that shares nothing yet) and let them share."""
    given = gather(catalog, warehouse)
    known = None if replan else _remembered(warehouse)
    graph = plan_views(catalog, warehouse)[0].graph if known is None else _continued(catalog, given, *known)
    types = catalog.types()
    blocks = {name: block for name in graph.views if (block := block_of(catalog.kept[name], types))}
    shared = share(catalog, compile_plan(graph, given.sharings, blocks, catalog.kept, given.situation.homes))
    _remember(warehouse, _identities(catalog, graph), graph)
    return shared


def _continued(
    catalog: Catalog, given: Gathered, identities: Mapping[str, str], graph: PlanGraph
) -> PlanGraph:
    """The remembered plan with the views that are there now."""
    now = _identities(catalog)
    gone = {name for name in graph.views if now.get(name) != identities.get(name)}
    graph = without_views(graph, *gone)
    there = {name: one for name, one in given.sharings.items() if name in graph.views}
    plan = restored(graph, there, given.situation)
    for name, sharing in given.sharings.items():
        if name not in graph.views:
            more = plan_one_more(plan, sharing, given.situation)
            if (eased := eased_promise(sharing, more.admission)) != sharing:
                more = plan_one_more(plan, eased, given.situation)
            plan = more.plan
    return plan.graph


def _identities(catalog: Catalog, graph: PlanGraph | None = None) -> dict[str, str]:
    """What a view's place in a plan depends on: its definition, and where it and its sources lie."""
    return {
        name: " ".join((catalog.versions[name], catalog.site_of(name), *map(catalog.site_of, one.reads)))
        for name, one in catalog.kept.items()
        if graph is None or name in graph.views
    }


def _path(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "plan.txt")


def _remember(warehouse: Warehouse, identities: Mapping[str, str], graph: PlanGraph) -> None:
    os.makedirs(warehouse.root, exist_ok=True)
    draft = f"{_path(warehouse)}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8") as file:
        file.writelines(f"# {name} {identity}\n" for name, identity in identities.items())
        file.write(show_graph(graph))
    os.replace(draft, _path(warehouse))


def _remembered(warehouse: Warehouse) -> tuple[dict[str, str], PlanGraph] | None:
    try:
        with open(_path(warehouse), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    identities = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))
    return identities, parse_graph("\n".join(line for line in lines if not line.startswith("# ")))
