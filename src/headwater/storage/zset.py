"""Z-sets as Arrow tables: add weights up, keep what is not zero, write a row as often as it occurs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.timeline import WEIGHT

__all__ = ["consolidate", "expand"]

_ROW = "_row"


def consolidate(changes: pa.Table) -> pa.Table:
    """One row for every distinct row whose weights do not cancel, with their sum.

    Here NULLs are equal to each other, and so are NaNs, and 0.0 and -0.0, as Spark has it when it groups.
    """
    names = [name for name in changes.column_names if name != WEIGHT]
    if not names:
        total = pc.sum(changes.column(WEIGHT)).as_py() or 0
        return pa.table({WEIGHT: pa.array([total] if total else [], pa.int64())})
    keys = pa.table([_comparable(changes.column(name)) for name in names], names=names)
    row = pa.array(np.arange(changes.num_rows))
    grouped = (
        keys.append_column(WEIGHT, changes.column(WEIGHT))
        .append_column(_ROW, row)
        .group_by(names, use_threads=False)
        .aggregate([(WEIGHT, "sum"), (_ROW, "min")])
    )
    kept = grouped.filter(pc.not_equal(grouped.column(f"{WEIGHT}_sum"), 0))
    rows = changes.select(names).take(kept.column(f"{_ROW}_min"))
    weights = kept.column(f"{WEIGHT}_sum").cast(pa.int64())
    return rows.append_column(pa.field(WEIGHT, pa.int64(), nullable=False), weights)


def expand(zset: pa.Table) -> pa.Table:
    """The rows without weights, each as often as its weight says; negative weights are left out."""
    weights = np.maximum(zset.column(WEIGHT).to_numpy(), 0)
    rows = zset.drop_columns([WEIGHT])
    if weights.size and weights.max() <= 1:
        return rows.filter(pa.array(weights == 1))
    return rows.take(pa.array(np.repeat(np.arange(len(weights)), weights)))


def _comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column in a form that Arrow can group by and in which equal values are the same."""
    kind = column.type
    if pa.types.is_floating(kind):
        plain = pc.if_else(pc.equal(column, 0.0), pa.scalar(0.0, kind), column)
        return pc.if_else(pc.is_nan(plain), pa.scalar(float("nan"), kind), plain)
    if pa.types.is_nested(kind):
        # Arrow groups by plain columns only: nested values are numbered in the order they come.
        numbers: dict[str, int] = {}
        return pa.chunked_array(
            [
                pa.array(
                    [numbers.setdefault(repr(value), len(numbers)) for value in column.to_pylist()],
                    pa.int64(),
                )
            ]
        )
    return column
