"""Rows of a table's data files; what is wrong with a file is said with its name and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from headwater.errors import HeadwaterError

__all__ = ["damaged_file", "read_files", "whole_files"]


def read_files(
    paths: Sequence[str], schema: pa.Schema, columns: Sequence[str] | None = None, where: Any = None
) -> pa.Table:
    """The rows that meet a condition; a column that a file lacks is null."""
    with whole_files():
        files = ds.dataset(list(paths), schema=schema, format="parquet")
        return files.to_table(columns=None if columns is None else list(columns), filter=where)


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
