"""Many small files of several timelines, brought together in one before Spark reads them.

Each file that Spark opens costs it some milliseconds; the driver reads a small one in a fraction of that.
The 250 views of a dashboard have a file each from every push, of which their family reads the latest.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.storage.delta.reading import read_files
from headwater.storage.timeline import WEIGHT, Slice, Timeline, change_schema

__all__ = ["gather_files", "worth_gathering"]

MANY_FILES = 24
DRIVER_BYTES = 32_000_000  # of compressed files


def worth_gathering(parts: Sequence[Slice]) -> bool:
    files = [file for part in parts for file in part.files]
    return len(files) >= MANY_FILES and sum(file.size for file in files) <= DRIVER_BYTES


def gather_files(
    folder: str, timeline: Timeline, parts: Sequence[Slice], names: Sequence[str], number: str
) -> str:
    """A new file of some columns of slices of timelines that have the same columns, each with its number."""
    schema = change_schema(timeline.columns())
    columns = [*names, WEIGHT]
    tables = []
    for at, part in enumerate(parts):
        if part.files:
            rows = read_files([file.path for file in part.files], schema, columns)
            owner = pa.repeat(pa.scalar(at, pa.int32()), rows.num_rows)
            tables.append(rows.append_column(number, owner))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"gathered-{uuid.uuid4().hex}.parquet")
    pq.write_table(
        pa.concat_tables(tables), path, compression="zstd", compression_level=1, coerce_timestamps="us"
    )
    return path
