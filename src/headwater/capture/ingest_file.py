"""A file as `headwater ingest` takes it: JSON lines, CSV or Parquet, stored in one commit.

The format is told by the file's ending unless it is given; files of a folder are read by the same rules
(files/parsing.py).  What is wrong with the file as a whole is wrong input: nothing is stored.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.capture.errors_in_a_row import not_text, stop_at_unreadable, stop_at_wrong
from headwater.capture.files.csv_rows import csv_batch
from headwater.capture.files.options import PATTERNS
from headwater.capture.intake.append import Appended, Appender
from headwater.capture.intake.arrow_rows import arrow_batch
from headwater.capture.intake.batch import Batch
from headwater.capture.intake.changes import json_records, records_batch
from headwater.capture.intake.token import BatchId, Token
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["FileFormat", "append_file", "format_of"]

Show = Callable[[int, int], None]  # (bytes read, bytes in all)

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How a file is read: `name` is jsonl, csv or parquet, by default as its ending says."""

    name: str | None = None
    delimiter: str | None = None  # of CSV

    def __post_init__(self) -> None:
        if self.name is not None and self.name not in PATTERNS:
            raise InputError(
                "HW848",
                f'there is no format "{self.name}"',
                hint=did_you_mean(self.name, PATTERNS) or f"Use one of {', '.join(PATTERNS)}.",
            )
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise InputError("HW848", f'"{self.delimiter}" is no delimiter', hint="Use one character.")


def format_of(path: str) -> str:
    """The format that a file's ending says; JSON lines if it says none."""
    name = os.path.basename(path).lower()
    matches = (form for form, patterns in PATTERNS.items() if any(fnmatch(name, each) for each in patterns))
    return next(matches, "jsonl")


def append_file(
    appender: Appender,
    path: str,
    token: Token | BatchId | None = None,
    strict: bool = False,
    form: FileFormat | None = None,
    keep_going: bool = False,
    show: Show | None = None,
) -> Appended:
    """Append the records of a file.

    With `strict`, a single wrong record raises; else a hundred in a row do, unless `keep_going`.
    """
    table = appender.table
    batch = _read(table, path, form or FileFormat(), strict, keep_going, show or _silent)
    refuse = None if strict or keep_going else partial(stop_at_wrong, table, path=path)
    return appender.append_batch(batch, token, strict, refuse)


def _read(table: Table, path: str, form: FileFormat, strict: bool, keep_going: bool, show: Show) -> Batch:
    name = form.name or format_of(path)
    if form.delimiter is not None:
        table = replace(table, options={**table.options, "delimiter": form.delimiter})
    try:
        with open(path, "rb", buffering=0) as file:
            if name == "parquet":
                return arrow_batch(table, _parquet(file, show), path)
            content = io.BufferedReader(_Watched(file, show), _PIECE)
            if name == "csv":
                return csv_batch(table, content, path)
            records = json_records(table, content, strict, path)
            return records_batch(table, records if keep_going else stop_at_unreadable(table, records, path))
    except pa.ArrowException as error:
        raise _no_parquet(path, error) from error
    except UnicodeDecodeError as error:
        raise not_text(path, error.object[:100].decode(errors="replace")) from error
    except OSError as error:
        hint = "Name one file; a table USING files takes a whole folder." if os.path.isdir(path) else ""
        if re.match(r"\w[\w+.-]+:/", path):
            hint = (
                "Files are read from this machine: fetch it first, or curl URL | headwater ingest DIR TABLE -"
            )
        why = error.strerror or str(error)
        raise InputError("HW853", f"{path} cannot be read", detail=why, hint=hint) from error


def _no_parquet(path: str, error: pa.ArrowException) -> InputError:
    hint = "Name its format: --format jsonl, csv or parquet."
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read(4) == b"PAR1":
                hint = "It is damaged or cut short: copy it again."
    return InputError("HW848", f"{path} is not Parquet", detail=str(error), hint=hint)


def _parquet(file: io.RawIOBase, show: Show) -> pa.Table:
    """All rows; read a group at a time, so that progress can be shown."""
    source = file if file.seekable() else io.BytesIO(file.read() or b"")
    parquet = pq.ParquetFile(source)
    size = source.seek(0, os.SEEK_END)
    groups = []
    for number in range(parquet.num_row_groups):
        groups.append(parquet.read_row_group(number))
        show(size * (number + 1) // parquet.num_row_groups, size)
    return pa.concat_tables(groups) if groups else parquet.schema_arrow.empty_table()


class _Watched(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, file: io.FileIO, show: Show) -> None:
        self._file = file
        self._show = show
        self._size = os.fstat(file.fileno()).st_size
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = self._file.readinto(buffer)
        self._read += count
        self._show(self._read, self._size)
        return count


def _silent(_read: int, _size: int) -> None:
    return None
