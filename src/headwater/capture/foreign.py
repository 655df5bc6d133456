"""Foreign keys at capture: whose rows must be looked up when a table changes.

    orders.customer_id REFERENCES customers

    a row comes into orders        its customer must be in the timeline of customers, now
    a row goes from customers      (or gets another key) no row in the timeline of orders may reference it

The timelines are read as they are now, by the same pruned lookups as a table's own keys (current.py), and
without a lock on the other table: two tables are never locked by one writer, so no two writers wait for each
other.  The price is a race: an order and the deletion of its customer, committed by two writers within the
same moment, may both be accepted.

A key belongs to the table that declares it: its ON VIOLATION counts at both ends, and the keys of tables that
PostgreSQL captures are PostgreSQL's business.  References to such tables are tested like others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from headwater.capture.codes import has_null
from headwater.capture.current import Current
from headwater.capture.fitted import fitted
from headwater.model import ForeignKey, Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["Foreign", "count_rows", "foreign_keys"]

_BUDGET = 64 * 1024 * 1024  # bytes to remember of each other table


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
    known = {table.name: current}

    def stored(name: str) -> Current:
        return known.setdefault(name, Current(warehouse.source(name), _BUDGET))

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

    `wanted` has one column for each of `columns`, under any names and types; the answer has those, too.
    """
    kinds = [field.type for field in wanted.schema]
    if not current.timeline.exists():
        return _named(wanted.column_names, [pa.chunked_array([], kind) for kind in kinds], [])
    stored = current.timeline.columns()
    fits = pa.table(
        [fitted(wanted.column(at), stored.field(name).type) for at, name in enumerate(columns)],
        names=list(columns),
    )
    found = current.counts(fits.filter(pa.array(~has_null(fits, columns))), columns)
    back = [fitted(found.column(name), kind) for name, kind in zip(columns, kinds, strict=True)]
    return _named(wanted.column_names, back, found.column(WEIGHT).to_pylist())


def _named(names: Sequence[str], columns: Sequence[pa.ChunkedArray], weights: Sequence[int]) -> pa.Table:
    return pa.table([*columns, pa.array(weights, pa.int64())], names=[*names, WEIGHT])
