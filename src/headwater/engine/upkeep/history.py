"""Since when a relation's history has to stay readable: `retention.history` and RETAIN CURRENT.

As-of reads are for views and sources.  What views remember besides, and what they share, has no readers but
pushes, so its history may go as soon as those have read it.
"""

from __future__ import annotations

from headwater.catalog import Catalog
from headwater.clock import micros

__all__ = ["history_since"]


def history_since(catalog: Catalog, relation: str, now: int) -> int | None:
    """None: nobody may ask for it."""
    history = micros(catalog.project.retention.history)
    table = catalog.project.tables.get(relation)
    if not history or (table is not None and table.retain.current):
        return None
    return now - history if table is not None or relation in catalog.kept else None
