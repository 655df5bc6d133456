"""`replan: auto`: a run plans anew by itself, once that saves enough.

Sizes and rates drift while a run goes on, and with them the plan that would be cheapest.  A new plan costs
something once: shared stages that are new are computed, and so are views that read them from then on.  So it
is taken only if it saves a twentieth of what the plan costs; what both plans have keeps its folder and rows.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog import Catalog, build
from headwater.model import Project
from headwater.serve.planning.plan import plan
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.warehouse import Warehouse

__all__ = ["improved"]


def improved(project: Project, warehouse: Warehouse) -> Catalog | None:
    """The catalog by a new plan, which is the one that runs keep to from now on; None if it would not pay."""
    plain = build(project)
    running = plan(plain, replace(project, explained=()), warehouse).running
    if running is None or not running.is_outdated:
        return None
    return shared_catalog(plain, warehouse, replan=True)
