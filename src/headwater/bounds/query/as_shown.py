"""What holds of update streams as views see them: under overload, of rows of several times.

Those of one update key are of one time.  So no other key, no limit and no reference of the table needs to
hold: the id of a row that is shown may be another row's by now, which is shown as well.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table

__all__ = ["as_shown"]


def as_shown(catalog: Catalog) -> Catalog:
    """The catalog for views; one that reads EVERY CHANGE sees the tables themselves."""
    choosing = [table for table in catalog.tables.values() if table.chooses]
    if not choosing:
        return catalog
    names = {table.name for table in choosing}
    terms = {name: those for name, those in catalog.unique_terms.items() if name not in names}
    return replace(catalog, unique_terms=terms).with_tables(*map(_shown_table, choosing))


def _shown_table(table: Table) -> Table:
    def holds(columns: Collection[str]) -> bool:
        return set(columns) >= set(table.row_key)

    return replace(
        table,
        key=table.key if holds(table.key) else (),
        unique=tuple(filter(holds, table.unique)),
        cardinalities=tuple(limit for limit in table.cardinalities if holds(limit.columns)),
        foreign_keys=(),
    )
