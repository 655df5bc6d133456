"""The catalog that a run keeps: views over what they share, as the global plan says.

    catalog (each view by itself)  ->  global plan  ->  stages that are stored once for several views

A refused view is in no plan; it is kept by itself, as declared.
"""

from __future__ import annotations

from headwater.catalog import Catalog, share
from headwater.serve.plan import plan_views
from headwater.sharing.compile import compile_plan
from headwater.sharing.sharings import block_of
from headwater.storage.warehouse import Warehouse

__all__ = ["shared_catalog"]


def shared_catalog(catalog: Catalog, warehouse: Warehouse) -> Catalog:
    """Plan all views of a catalog (one that shares nothing yet) and let them share."""
    made, given = plan_views(catalog, warehouse)
    types = catalog.types()
    blocks = {name: block for name in made.sharings if (block := block_of(catalog.kept[name], types))}
    compiled = compile_plan(made.graph, given.sharings, blocks, catalog.kept, given.situation.homes)
    return share(catalog, compiled)
