"""Columns of one data file, in its order of rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.dataset as ds

from headwater.storage.delta.data_files import DataFile

__all__ = ["read_columns"]


def read_columns(file: DataFile, columns: pa.Schema) -> pa.Table:
    """The columns in these types; one that the file was written without is NULL."""
    nullable = pa.schema([column.with_nullable(True) for column in columns])
    return ds.dataset([file.path], schema=nullable, format="parquet").to_table().cast(columns)
