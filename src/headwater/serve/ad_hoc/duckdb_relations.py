"""A stored relation as a SELECT that DuckDB can run over its Parquet files.

A timeline's files hold changes with weights.  If all weights are 1 its files hold the rows themselves;
otherwise the weights of equal rows are summed up and each row is repeated as often as it occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from headwater.storage.delta.data_files import DataFile
from headwater.storage.timeline import WEIGHT

__all__ = ["changes_as_rows", "files_text", "plain_rows", "quoted"]

_TYPES: Final = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB", "date32[day]": "DATE",
    "timestamp[us, tz=UTC]": "TIMESTAMPTZ", "timestamp[us]": "TIMESTAMP",
}  # fmt: skip


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def plain_rows(files: Sequence[DataFile], columns: pa.Schema) -> str:
    """Files whose rows are the relation's rows."""
    return f"SELECT {_listed(columns)} FROM {files_text(files)}" if files else _nothing(columns)


def changes_as_rows(files: Sequence[DataFile], columns: pa.Schema, where: str = "true") -> str:
    """Files of changes; `where` says which rows can be seen."""
    if not files:
        return _nothing(columns)
    names = _listed(columns)
    if all(file.minimum.get(WEIGHT) == 1 == file.maximum.get(WEIGHT) for file in files):
        return f"SELECT {names} FROM {files_text(files)} WHERE {where}"
    summed = (
        f"SELECT {names}, CAST(sum({WEIGHT}) AS BIGINT) AS {WEIGHT} FROM {files_text(files)} WHERE {where}"
        f" GROUP BY {names} HAVING sum({WEIGHT}) > 0"
    )
    return f"SELECT {names} FROM ({summed}), range({WEIGHT})"


def _listed(columns: pa.Schema) -> str:
    return ", ".join(map(quoted, columns.names))


def files_text(files: Sequence[DataFile]) -> str:
    paths = ", ".join("'" + file.path.replace("'", "''") + "'" for file in files)
    return f"read_parquet([{paths}], union_by_name => true)" if files else ""


def _nothing(columns: pa.Schema) -> str:
    nulls = ", ".join(f"CAST(NULL AS {_type(column.type)}) AS {quoted(column.name)}" for column in columns)
    return f"SELECT {nulls} WHERE false"


def _type(kind: pa.DataType) -> str:
    """DuckDB's name of a type; of nested ones no row is there to tell, so any type will do."""
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return _TYPES.get(str(kind), "VARCHAR")
