"""Since when a relation's history has to stay readable: `retention.history` and RETAIN CURRENT.

As-of reads are for views and sources.  What views remember besides, and what they share, has no readers but
pushes, so its history may go as soon as those have read it.
"""

from __future__ import annotations

from headwater.catalog import Catalog
from headwater.clock import micros
from headwater.storage.warehouse import Warehouse

__all__ = ["history_since", "read_up_to"]


def history_since(catalog: Catalog, relation: str, now: int) -> int | None:
    """None: nobody may ask for it."""
    history = micros(catalog.project.retention.history)
    table = catalog.project.tables.get(relation)
    if not history or (table is not None and table.retain.current):
        return None
    return now - history if table is not None or relation in catalog.kept else None


def read_up_to(catalog: Catalog, warehouse: Warehouse, source: str, now: int) -> int:
    """Up to here every stage has read a source, and nobody asks for its history.

    BEGINNING while one of them was never computed: it is to have what there is now.
    """
    stages = (stage.name for _, stage in catalog.stages() if source in stage.reads)
    times = [warehouse.stage(catalog.folder(name)).time() for name in stages]
    since = history_since(catalog, source, now)
    return min((warehouse.source(source).time(), *times, *(() if since is None else (since,))))
