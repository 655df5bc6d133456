"""The keys and the stored values of many rows at once, column by column, in the order of their keys.

A value that comes again in a column is encoded once.  Values that are equal have equal bytes (1, 1.0 and 1.00
are one key), so the bytes of the first serve for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from headwater.algebra.expressions.tree import Call, Column
from headwater.bounds.plans.evaluate import evaluate, is_true
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.serve.store.backends.entries import entry_keys
from headwater.serve.store.backends.keys import part_bytes
from headwater.serve.store.backends.shapes import Shape
from headwater.serve.store.protocol import Row, StoredIndex, StoredTable

__all__ = ["Record", "entry_records", "row_records"]

Record = tuple[Any, ...]  # a key, then the values of columns
_ASCENDING = IndexPart(Column(""))


def row_records(shape: Shape, rows: Sequence[Row]) -> list[Record]:
    """The records of rows in their own table."""
    assert isinstance(shape.part, StoredTable)
    return _records(shape, _joined(_own_key(shape.part, rows)), rows)


def entry_records(shape: Shape, table: StoredTable, rows: Iterable[Row]) -> list[Record]:
    """The records of an index for rows of its table."""
    assert isinstance(shape.part, StoredIndex)
    index = shape.part.index
    if any(isinstance(part.expr, Call) and part.expr.function == "token" for part in index.parts):
        pairs = [(key, row) for row in rows for key in entry_keys(shape.part, table, row)]
        return _records(shape, [key for key, _ in pairs], [row for _, row in pairs])
    indexed = _indexed(index, rows)
    columns = [_encoded(_values(part, indexed), part) for part in index.parts]
    return _records(shape, _joined([*columns, *_own_key(table, indexed)]), indexed)


def _indexed(index: Index, rows: Iterable[Row]) -> list[Row]:
    return [
        row for row in rows if all(is_true(evaluate(condition, {"": row}, {})) for condition in index.where)
    ]


def _values(part: IndexPart, rows: Sequence[Row]) -> list[Any]:
    if isinstance(part.expr, Column):
        return [row[part.expr.name] for row in rows]
    return [evaluate(part.expr, {"": row}, {}) for row in rows]


def _own_key(table: StoredTable, rows: Sequence[Row]) -> list[list[bytes]]:
    return [_encoded([row[name] for row in rows], _ASCENDING) for name in table.key]


def _joined(columns: Sequence[list[bytes]]) -> list[bytes]:
    return list(map(b"".join, zip(*columns, strict=True)))


def _records(shape: Shape, keys: list[bytes], rows: Sequence[Row]) -> list[Record]:
    """In the order of keys; of records with the same key, the last one comes last."""
    columns = [shape.dialect.column([row[name] for row in rows]) for name in shape.columns]
    return sorted(zip(keys, *columns, strict=True), key=itemgetter(0))


def _encoded(values: list[Any], part: IndexPart) -> list[bytes]:
    def encode(value: Any) -> bytes:
        return part_bytes(value, part.descending, part.nulls_first)

    known = _Known(encode)
    try:
        return [known[value] for value in values]
    except TypeError:  # a value that has no hash
        return list(map(encode, values))


class _Known(dict[Any, bytes]):
    """The bytes of values, found out when first asked."""

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        super().__init__()
        self.encode = encode

    def __missing__(self, value: Any) -> bytes:
        self[value] = encoded = self.encode(value)
        return encoded
