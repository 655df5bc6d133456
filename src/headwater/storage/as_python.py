"""Arrow values as Python's, also those that Python has no type for.

Spark's dates and instants reach beyond the years 1 to 9999, which are all that `date` and `datetime` can
hold.  Such a value becomes its text ("10000-01-01"); every other one is what Arrow makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

__all__ = ["as_python", "column_as_python"]


def as_python(table: pa.Table) -> list[dict[str, Any]]:
    """The rows as mappings."""
    try:
        return list(table.to_pylist())
    except (OverflowError, ValueError):
        columns = [column_as_python(column) for column in table.columns]
        return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _as_text(scalar: pa.Scalar) -> Any:
    """What Python has no type for, as its text; a struct or a list with such parts, part by part."""
    if pa.types.is_struct(scalar.type):
        return {field.name: _value(scalar[field.name], _as_text) for field in scalar.type}
    if pa.types.is_list(scalar.type):
        return [_value(element, _as_text) for element in scalar.values]
    return scalar.cast(pa.string()).as_py()


def column_as_python(
    column: pa.Array | pa.ChunkedArray, otherwise: Callable[[pa.Scalar], Any] = _as_text
) -> list[Any]:
    """The values; `otherwise` says what stands for those that Python has no type for."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [_value(scalar, otherwise) for scalar in column]


def _value(scalar: pa.Scalar, otherwise: Callable[[pa.Scalar], Any]) -> Any:
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        return otherwise(scalar)
