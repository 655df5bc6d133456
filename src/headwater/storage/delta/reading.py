"""Rows of a table's data files; what is wrong with a file is said with its name and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset

__all__ = ["damaged_file", "parquet_files", "read_files", "whole_files"]

FEW_FILES = 4
SMALL_ROWS = 100_000


def parquet_files(paths: str | Sequence[str], schema: pa.Schema | None = None) -> Dataset:
    """Parquet files as one dataset.

    The import stands here because it imports pandas: a third of a second that commands which read no rows
    do not need.
    """
    from pyarrow.dataset import dataset

    return dataset(paths if isinstance(paths, str) else list(paths), schema=schema, format="parquet")


def read_files(
    paths: Sequence[str], schema: pa.Schema, columns: Sequence[str] | None = None, where: Any = None
) -> pa.Table:
    """The rows that meet a condition; a column that a file lacks is null."""
    with whole_files():
        if where is None and len(paths) <= FEW_FILES and (rows := _as_stored(paths, schema, columns)):
            return rows
        files = parquet_files(paths, schema)
        return files.to_table(columns=None if columns is None else list(columns), filter=where)


def _as_stored(paths: Sequence[str], schema: pa.Schema, columns: Sequence[str] | None) -> pa.Table | None:
    """The rows of small files that have just these columns: for half of what a dataset and its threads cost.

    None if there is no row, or a file is large or has other columns or types: the dataset sees to those.
    """
    wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    tables = []
    for path in paths:
        with pq.ParquetFile(path) as file:
            types = {field.name: field.type for field in file.schema_arrow}
            small = 0 < file.metadata.num_rows <= SMALL_ROWS
            if not small or not wanted or any(types.get(field.name) != field.type for field in wanted):
                return None
            tables.append(file.read(wanted.names, use_threads=False).select(wanted.names).cast(wanted))
    return pa.concat_tables(tables) if tables else None


@contextmanager
def whole_files() -> Iterator[None]:
    """While data files are read: a file that is gone, torn or overwritten is an error that says so."""
    try:
        yield
    except pa.ArrowInvalid as error:
        raise damaged_file(str(error)) from error
    except OSError as error:
        if error.errno not in (None, errno.ENOENT):  # such as a disk that fails, or too many open files
            raise
        missing = isinstance(error, FileNotFoundError)
        raise damaged_file(f"{error} is not there" if missing else str(error)) from error


def damaged_file(detail: str) -> HeadwaterError:
    return HeadwaterError(
        "HW805",
        "a data file of the warehouse is damaged or missing",
        detail=detail.split("\n", 1)[0],
        hint="What views need is computed anew by the next run. Restore a source from a backup.",
    )
