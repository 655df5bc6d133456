"""Z-sets as Arrow tables: add weights up, keep what is not zero, write a row as often as it occurs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.timeline import WEIGHT

__all__ = ["consolidate", "expand"]


def consolidate(changes: pa.Table) -> pa.Table:
    """One row for every distinct row whose weights do not cancel, with their sum.

    NULLs are equal to each other here, and so are NaNs.  Structs are compared field by field.
    """
    names = [name for name in changes.column_names if name != WEIGHT]
    flat, rebuild = _flatten(changes.select(names))
    if not flat.column_names:
        total = pc.sum(changes.column(WEIGHT)).as_py() or 0
        return pa.table({WEIGHT: pa.array([total] if total else [], pa.int64())})
    grouped = (
        flat.append_column(WEIGHT, changes.column(WEIGHT))
        .group_by(flat.column_names, use_threads=False)
        .aggregate([(WEIGHT, "sum")])
    )
    summed = grouped.select(flat.column_names)
    weights = grouped.column(f"{WEIGHT}_sum").cast(pa.int64())
    whole = _unflatten(summed, changes.select(names).schema, rebuild).append_column(
        pa.field(WEIGHT, pa.int64(), nullable=False), weights
    )
    return whole.filter(pc.not_equal(weights, 0))


def expand(zset: pa.Table) -> pa.Table:
    """The rows without weights, each as often as its weight says; negative weights are left out."""
    weights = np.maximum(zset.column(WEIGHT).to_numpy(), 0)
    rows = zset.drop_columns([WEIGHT])
    if weights.size and weights.max() <= 1:
        return rows.filter(pa.array(weights == 1))
    return rows.take(pa.array(np.repeat(np.arange(len(weights)), weights)))


def _flatten(rows: pa.Table) -> tuple[pa.Table, dict[str, Sequence[str]]]:
    """Structs as columns of their own, since Arrow groups by plain columns only."""
    rebuild: dict[str, Sequence[str]] = {}
    columns: list[pa.ChunkedArray] = []
    names: list[str] = []
    for name in rows.column_names:
        column = rows.column(name)
        if not pa.types.is_struct(column.type):
            names.append(name)
            columns.append(column)
            continue
        parts = [f"{name}\x00{child.name}" for child in column.type]
        rebuild[name] = parts
        names.append(f"{name}\x00")
        columns.append(column.is_null())
        for child, part in zip(column.type, parts, strict=True):
            names.append(part)
            columns.append(pc.struct_field(column, child.name))
    return pa.table(columns, names=names), rebuild


def _unflatten(flat: pa.Table, schema: pa.Schema, rebuild: dict[str, Sequence[str]]) -> pa.Table:
    columns = []
    for column in schema:
        if column.name not in rebuild:
            columns.append(flat.column(column.name).cast(column.type))
            continue
        parts = [flat.column(part).combine_chunks() for part in rebuild[column.name]]
        missing = flat.column(f"{column.name}\x00").combine_chunks()
        columns.append(
            pa.StructArray.from_arrays(
                [part.chunk(0) if isinstance(part, pa.ChunkedArray) else part for part in parts],
                fields=list(column.type),
                mask=missing,
            )
        )
    return pa.table(columns, schema=schema)
