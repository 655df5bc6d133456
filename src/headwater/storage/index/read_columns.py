"""Columns of one data file, in its order of rows."""

from __future__ import annotations

import pyarrow as pa

from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.reading import parquet_files

__all__ = ["read_columns"]


def read_columns(file: DataFile, columns: pa.Schema) -> pa.Table:
    """The columns in these types; one that the file was written without is NULL."""
    nullable = pa.schema([column.with_nullable(True) for column in columns])
    return parquet_files([file.path], nullable).to_table().cast(columns)
