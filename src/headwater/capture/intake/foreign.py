"""Foreign keys at capture: which rows must be looked up when a table changes.

    orders.customer_id REFERENCES customers

    a row is added to orders           its customer must be in the timeline of customers, now
    a row is removed from customers    (or its key changes) no row in the timeline of orders may reference it

The timelines are read as they are now, by the same lookups as a table's own keys (current.py), and without a
lock on the other table: no writer ever holds the locks of two tables, so no two writers wait for each
other.  The price is a race: an order and the deletion of its customer, committed by two writers at the same
moment, may both be accepted.

A key belongs to the table that declares it: its ON VIOLATION counts at both ends, and the keys of tables
captured from PostgreSQL are left to PostgreSQL.  References to such tables are tested like others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from headwater.capture.intake.codes import has_null
from headwater.capture.intake.current import Current
from headwater.capture.intake.exact_cast import exact_cast
from headwater.model import ForeignKey, Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["Foreign", "count_rows", "foreign_keys"]


@dataclass(frozen=True, slots=True)
class Foreign:
    """The foreign key `key` of the table `owner`, with what is stored at its two ends."""

    owner: str
    key: ForeignKey
    warn: bool
    referencing: Current
    referenced: Current


def foreign_keys(
    warehouse: Warehouse, table: Table, tables: Mapping[str, Table], current: Current
) -> tuple[Foreign, ...]:
    """The keys that `table` declares, and those of `tables` that reference it."""
    opened = {table.name: current}

    def stored(name: str) -> Current:
        return opened.setdefault(name, Current(warehouse.source(name)))

    owners = [table, *(other for name, other in tables.items() if name != table.name)]
    return tuple(
        Foreign(owner.name, key, owner.warn_on_violation, stored(owner.name), stored(key.table))
        for owner in owners
        if owner.provider != "postgres"
        for key in owner.foreign_keys
        if table.name in (owner.name, key.table)
    )


def count_rows(current: Current, wanted: pa.Table, columns: Sequence[str]) -> pa.Table:
    """How many rows (`_weight`) a table has now for each of the wanted values of its `columns`.

    `wanted` has one column for each of `columns`, with any name and type; the result has these names and
    types.
    """
    kinds = [field.type for field in wanted.schema]
    if not current.timeline.exists():
        return _named(wanted.column_names, [pa.chunked_array([], kind) for kind in kinds], [])
    stored = current.timeline.columns()
    cast = pa.table(
        [exact_cast(wanted.column(at), stored.field(name).type) for at, name in enumerate(columns)],
        names=list(columns),
    )
    present = current.counts(cast.filter(pa.array(~has_null(cast, columns))), columns)
    back = [exact_cast(present.column(name), kind) for name, kind in zip(columns, kinds, strict=True)]
    return _named(wanted.column_names, back, present.column(WEIGHT).to_pylist())


def _named(names: Sequence[str], columns: Sequence[pa.ChunkedArray], weights: Sequence[int]) -> pa.Table:
    return pa.table([*columns, pa.array(weights, pa.int64())], names=[*names, WEIGHT])
