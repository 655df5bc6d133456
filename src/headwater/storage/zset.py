"""Z-sets as Arrow tables: sum weights, drop rows that cancel, repeat a row as often as it occurs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.as_python import column_as_python
from headwater.storage.timeline import WEIGHT

__all__ = ["consolidate", "expand"]

_ROW = "_row"


def consolidate(changes: pa.Table) -> pa.Table:
    """One row for every distinct row whose weights do not cancel, with their sum.

    NULLs are equal to each other here, and so are NaNs, and 0.0 and -0.0, as when Spark groups.
    """
    names = [name for name in changes.column_names if name != WEIGHT]
    if not names:
        total = pc.sum(changes.column(WEIGHT)).as_py() or 0
        return pa.table({WEIGHT: pa.array([total] if total else [], pa.int64())})
    columns = [part for name in names for part in _comparable(changes.column(name))]
    keys = pa.table(columns, names=[f"key{number}" for number in range(len(columns))])
    row = pa.array(np.arange(changes.num_rows))
    grouped = (
        keys.append_column(WEIGHT, changes.column(WEIGHT))
        .append_column(_ROW, row)
        .group_by(keys.column_names, use_threads=False)
        .aggregate([(WEIGHT, "sum"), (_ROW, "min")])
    )
    nonzero = grouped.filter(pc.not_equal(grouped.column(f"{WEIGHT}_sum"), 0))
    rows = changes.select(names).take(nonzero.column(f"{_ROW}_min"))
    weights = nonzero.column(f"{WEIGHT}_sum").cast(pa.int64())
    return rows.append_column(pa.field(WEIGHT, pa.int64(), nullable=False), weights)


def expand(zset: pa.Table) -> pa.Table:
    """The rows without weights, each as often as its weight says; rows with negative weights are left out."""
    weights = np.maximum(zset.column(WEIGHT).to_numpy(), 0)
    rows = zset.drop_columns([WEIGHT])
    if weights.size and weights.max() <= 1:
        return rows.filter(pa.array(weights == 1))
    return rows.take(pa.array(np.repeat(np.arange(len(weights)), weights)))


def _comparable(column: pa.ChunkedArray) -> Iterator[pa.ChunkedArray]:
    """The column as columns that Arrow can group by and in which equal values are identical.

    A struct (a window is one) is its fields, and whether it is there; other nested values are numbered.
    """
    kind = column.type
    if pa.types.is_floating(kind):
        plain = pc.if_else(pc.equal(column, 0.0), pa.scalar(0.0, kind), column)
        yield pc.if_else(pc.is_nan(plain), pa.scalar(float("nan"), kind), plain)
    elif pa.types.is_struct(kind):
        yield pc.is_null(column)
        for number in range(kind.num_fields):
            yield from _comparable(pc.struct_field(column, [number]))
    elif pa.types.is_nested(kind):
        yield _numbered(column)
    else:
        yield column


def _numbered(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Arrow groups by flat columns only: values are numbered in order of appearance."""
    numbers: dict[str, int] = {}
    values = [numbers.setdefault(repr(value), len(numbers)) for value in column_as_python(column)]
    return pa.chunked_array([pa.array(values, pa.int64())])
