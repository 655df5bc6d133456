"""The catalog that a run keeps: views over what they share, as the global plan says.

    catalog (each view by itself)  ->  global plan  ->  stages that are stored once for several views

A refused view is kept too, with a promise that can be kept in the plan; if there is none, by itself.

The plan is the one that the run before kept to, with the views that are there now (remembered.py); `replan`
makes a new one.
"""

from __future__ import annotations

from headwater.catalog import Catalog
from headwater.planning.improve.global_plan import GlobalPlan
from headwater.serve.planning.plan import plan_views
from headwater.serve.planning.remembered import continued, remember, remembered
from headwater.serve.planning.situation import survey
from headwater.serve.planning.staging import Staging, staging, weaver_of
from headwater.storage.warehouse import Warehouse

__all__ = ["planned_staging", "shared_catalog"]


def shared_catalog(catalog: Catalog, warehouse: Warehouse, replan: bool = False) -> Catalog:
    """Plan all views of a catalog (one that shares nothing yet) and let them share."""
    staged, made = planned_staging(catalog, warehouse, replan)
    remember(warehouse, catalog, made.graph, staged.woven.known)
    return staged.catalog


def planned_staging(
    catalog: Catalog, warehouse: Warehouse, replan: bool = False
) -> tuple[Staging, GlobalPlan]:
    """What a run would keep, and its plan. Nothing is written."""
    last = None if replan else remembered(warehouse)
    if last is None:
        made, given = plan_views(catalog, warehouse)
    else:
        given = survey(catalog, warehouse)
        made = continued(last, catalog, given.sharings, given.situation)
    weaver = weaver_of(catalog, given, () if last is None else last.trees)
    return staging(catalog, made.graph, given.sharings, given.situation.homes, weaver), made
