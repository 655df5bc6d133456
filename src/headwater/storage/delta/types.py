"""Spark's scalar types as Arrow types, so that Parquet, Delta and Spark agree on every value."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from headwater.errors import InternalError
from headwater.model import Column

__all__ = ["arrow_schema", "arrow_type", "spark_type"]

_SIMPLE = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


def arrow_type(name: str) -> pa.DataType:
    """The Arrow type of a Spark type, by its simple string."""
    if name in _SIMPLE:
        return _SIMPLE[name]
    decimal = _DECIMAL.fullmatch(name)
    if decimal is None:
        raise InternalError("HW990", f'no Arrow type for "{name}"')
    return pa.decimal128(int(decimal[1]), int(decimal[2]))


def spark_type(kind: pa.DataType) -> str:
    """The Spark type that is stored as an Arrow type, as a declaration would write it."""
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return next((name for name, arrow in _SIMPLE.items() if arrow == kind), str(kind))


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    return pa.schema(
        [pa.field(column.name, arrow_type(column.type), nullable=column.nullable) for column in columns]
    )
