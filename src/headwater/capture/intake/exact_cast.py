"""Values cast exactly to another type: 7 of INT is 7 of BIGINT, while 7.5 of DECIMAL is no INT.

The two ends of a foreign key may have different types of one family (sql/parsing/types.py).  A value that
the other type cannot hold becomes NULL: no row of the other table can have it.  Columns of equal types, by
far most, cost nothing; integers are cast as columns; other pairs are cast value by value.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, DecimalException
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.as_python import column_as_python

__all__ = ["exact_cast"]


def exact_cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The column as `kind`, NULL where a value has no equal there."""
    if column.type == kind:
        return column
    if pa.types.is_integer(column.type) and pa.types.is_integer(kind):
        cast = pc.cast(column, kind, safe=False)
        same = pc.equal(pc.cast(cast, column.type, safe=False), column)
        return pc.if_else(same, cast, pa.scalar(None, kind))
    return pa.chunked_array([pa.array([_exact(value, kind) for value in column_as_python(column)], kind)])


def _exact(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    try:
        cast = _plain(value, kind)
        return cast if _equal(pa.scalar(cast, kind).as_py(), value) else None
    except (pa.ArrowException, DecimalException, ValueError, OverflowError):
        return None  # infinite, or too large


def _plain(value: Any, kind: pa.DataType) -> Any:
    if pa.types.is_integer(kind):
        return int(value)
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_decimal(kind):
        return Decimal(value)
    if isinstance(value, date):
        instant = _instant(value)
        return instant.date() if pa.types.is_date(kind) else instant.replace(tzinfo=UTC if kind.tz else None)
    return value


def _equal(cast: Any, value: Any) -> bool:
    if isinstance(value, date):
        return _instant(cast) == _instant(value)
    return bool(cast == value)


def _instant(value: date) -> datetime:
    """An instant in UTC, without a zone: what a value without a zone means. A date is its midnight."""
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
