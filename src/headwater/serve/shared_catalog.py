"""The catalog that a run keeps: views over what they share, as the global plan says.

    catalog (each view by itself)  ->  global plan  ->  stages that are stored once for several views

A refused view is kept too, with a promise that can be kept in the plan; if there is none, by itself.

The plan is the one that the run before kept to, with the views that are there now (remembered.py); `replan`
makes a new one.
"""

from __future__ import annotations

from headwater.catalog import Catalog, share
from headwater.serve.plan import plan_views
from headwater.serve.remembered import continued, remember, remembered
from headwater.serve.situation import gather
from headwater.sharing.compile import compile_plan
from headwater.sharing.sharings import block_of
from headwater.storage.warehouse import Warehouse

__all__ = ["shared_catalog"]


def shared_catalog(catalog: Catalog, warehouse: Warehouse, replan: bool = False) -> Catalog:
    """Plan all views of a catalog (one that shares nothing yet) and let them share."""
    known = None if replan else remembered(warehouse)
    if known is None:
        made, given = plan_views(catalog, warehouse)
    else:
        given = gather(catalog, warehouse)
        made = continued(known, catalog, given.sharings, given.situation)
    graph, types = made.graph, catalog.types()
    blocks = {name: block for name in graph.views if (block := block_of(catalog.kept[name], types))}
    shared = share(catalog, compile_plan(graph, given.sharings, blocks, catalog.kept, given.situation.homes))
    remember(warehouse, catalog, graph)
    return shared
