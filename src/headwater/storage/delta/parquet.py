"""Rows as a data file, written without Spark and not yet part of any Delta table."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.storage.delta.data_files import NewFile
from headwater.storage.delta.statistics import footer_statistics

__all__ = ["write_parquet"]

SAMPLE = 1_000  # rows that show whether a column's values repeat


def write_parquet(folder: str, relative: str, table: pa.Table) -> NewFile:
    """Write a small table as a data file below `folder`."""
    path = os.path.join(folder, relative)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Measured on tweets in Spark: read with a quarter less CPU than Snappy, and two thirds of the bytes;
    # and with a sixth less again where no dictionary is tried on values that do not repeat.
    footers: list[pq.FileMetaData] = []
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=1,
        coerce_timestamps="us",
        use_dictionary=_repeating(table),
        metadata_collector=footers,
    )
    return NewFile(relative, footer_statistics(footers[0]))


def _repeating(table: pa.Table) -> list[str]:
    """The columns worth a dictionary: at most half of their first values are distinct."""
    first = table.slice(0, SAMPLE)
    flat = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    return [name for name in flat if len(first.column(name).unique()) * 2 <= first.num_rows]
