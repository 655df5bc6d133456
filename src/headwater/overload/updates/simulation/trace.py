"""Traces: files of time,key rows, read as a stream of Arrow batches, checked, and turned into key numbers.

Memory is a block of the file plus the distinct keys.  The first error is reported with its line: a missing
column (HW601), an empty file (HW602), a time that goes back (HW603), a time that is negative or not a number
(HW604), an empty key (HW604).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from headwater.errors import InputError, did_you_mean
from headwater.overload.updates.queue.cells import Floats, Ints, KeyIndex

__all__ = ["Chunk", "Extent", "measure_trace", "read_trace", "read_weights"]

BLOCK_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive updates: times ascending, keys by number; `key_count` keys have been seen up to here."""

    times: Floats
    keys: Ints
    key_count: int


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a trace."""

    updates: int
    last_at: float


def _open(path: Path) -> csv.CSVStreamingReader:
    if not path.is_file():
        raise InputError(
            "HW600", f'there is no file "{path}"', hint="Give the path of a CSV file with columns time,key."
        )
    if path.stat().st_size == 0:
        raise InputError("HW602", f'"{path}" is empty', hint="A trace begins with the line: time,key")
    types = {"time": pa.float64(), "key": pa.string()}
    _check_columns(path)
    try:
        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
            convert_options=csv.ConvertOptions(
                column_types=types,
                include_columns=["time", "key"],
                strings_can_be_null=True,
                null_values=[""],
            ),
        )
    except pa.ArrowInvalid as error:
        raise _unreadable(path, error) from None


def _check_columns(path: Path) -> None:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        names = [name.strip().strip('"') for name in file.readline().rstrip("\r\n").split(",")]
    for column in ("time", "key"):
        if column not in names:
            listed = ", ".join(f'"{name}"' for name in names)
            guess = did_you_mean(column, names)
            raise InputError(
                "HW601", f'"{path}" has no column "{column}"', detail=f"Its first line names {listed}.",
                hint=guess[:1].upper() + guess[1:] or "The first line of a trace is: time,key",
            )  # fmt: skip


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(
        "HW604", f'"{path}" cannot be read as a trace', detail=str(error).split("\n")[0],
        hint="Each row holds a time in seconds and a key.",
    )  # fmt: skip


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    reader = _open(path)
    with reader:
        while True:
            try:
                yield reader.read_next_batch()
            except StopIteration:
                return
            except pa.ArrowInvalid as error:
                raise _unreadable(path, error) from None


def read_trace(path: Path, index: KeyIndex) -> Iterator[Chunk]:
    """The chunks of a file; raises InputError at the first thing that is wrong."""
    last, row = 0.0, 2
    for batch in _batches(path):
        times = batch.column("time").to_numpy(zero_copy_only=False)
        _check_times(path, times, last, row)
        if batch.column("key").null_count:
            where = row + int(np.flatnonzero(batch.column("key").is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError("HW604", f'"{path}" has no key in line {where}')
        if len(times):
            last = float(times[-1])
            row += len(times)
            keys = index.encode(batch.column("key"))
            yield Chunk(times, keys, len(index))
    if row == 2:
        raise InputError("HW602", f'"{path}" holds no updates', hint="Add rows below its first line.")


def _check_times(path: Path, times: Floats, last: float, row: int) -> None:
    if not np.isfinite(times).all():
        where = row + int(np.flatnonzero(~np.isfinite(times))[0])
        raise InputError(
            "HW604", f'"{path}" has no time in line {where}', hint="Times are seconds, as numbers."
        )
    if len(times) and times[0] < 0:
        raise InputError(
            "HW604",
            f'"{path}" has a time below zero in line {row}',
            hint="Staleness is averaged from time 0.",
        )
    back = np.flatnonzero(np.diff(times, prepend=last) < 0)
    if len(back):
        where = int(back[0])
        before = float(times[where - 1]) if where else last
        raise InputError(
            "HW603", f'time goes back in line {row + where} of "{path}": {times[where]:g} after {before:g}',
            hint="Sort the trace by time, for example with: sort -t, -k1,1g",
        )  # fmt: skip


def measure_trace(path: Path) -> Extent:
    """Count a trace in one pass, for what must be known before a run begins."""
    updates, last = 0, 0.0
    for chunk in read_trace(path, KeyIndex()):
        updates += len(chunk.times)
        last = float(chunk.times[-1])
    return Extent(updates, last)


def read_weights(path: Path) -> dict[str, float]:
    """key,weight rows; a key that is not listed weighs 1."""
    if not path.is_file():
        raise InputError(
            "HW600", f'there is no file "{path}"', hint="Give a CSV file with columns key,weight."
        )
    types = {"key": pa.string(), "weight": pa.float64()}
    try:
        table = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))
    except pa.ArrowInvalid as error:
        raise InputError(
            "HW605", f'"{path}" cannot be read as weights', detail=str(error).split("\n")[0]
        ) from None
    if not {"key", "weight"} <= set(table.column_names):
        raise InputError("HW605", f'"{path}" must have the columns key and weight')
    weights = dict(zip(table["key"].to_pylist(), table["weight"].to_pylist(), strict=True))
    wrong = [key for key, weight in weights.items() if weight is None or not 0 < weight < float("inf")]
    if wrong:
        raise InputError("HW605", f'the weight of "{wrong[0]}" in "{path}" is not above zero')
    return weights
