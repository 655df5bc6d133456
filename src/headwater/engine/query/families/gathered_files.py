"""Many small files of several timelines, brought together in one before Spark reads them.

Each file that Spark opens costs it some milliseconds; the driver reads a small one in a fraction of that.
The 250 views of a dashboard have a file each from every push, of which their family reads the latest.

    push 7 reads the states of files 1 to 6:  what push 6 had found to be the sum of files 1 to 5, and file 6

A window that stays open through sixty pushes is taken back and written again by each of them.  So rows are
summed up before Spark sees them, and the sum is remembered for the next push, which then reads the files
that are new.  The sum is a memory and nothing else: it is made of files that never change, and made anew
from all of them where it does not fit.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.storage.delta.reading import read_files
from headwater.storage.delta.statistics import START, is_window
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.timeline import WEIGHT, Range, Slice, Timeline, change_schema
from headwater.storage.zset import consolidate

__all__ = ["Gathered", "gathered_file"]

MANY_FILES = 24
DRIVER_BYTES = 32_000_000  # of compressed files
REMEMBERED_BYTES = 128_000_000  # of all sums, in memory


class Since(NamedTuple):
    """Windows of a column that do not start earlier."""

    column: str
    start: datetime


@dataclass(frozen=True, slots=True)
class _Sum:
    """The sum of these files, without windows that start before `since`."""

    files: frozenset[str]
    since: Since | None
    rows: pa.Table

    def holds(self, files: frozenset[str], since: Since | None) -> bool:
        """Whether the sum of files from `since` on is this one and the files that it lacks."""
        return self.files <= files and self._begins_before(since)

    def _begins_before(self, since: Since | None) -> bool:
        own = self.since
        if own is None or since is None:
            return own is None
        return own.column == since.column and own.start <= since.start


@dataclass(slots=True)
class Gathered:
    """The sums of the last pushes, by what was asked for; pushes work side by side."""

    sums: dict[Hashable, _Sum] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def remember(self, key: Hashable, made: _Sum) -> None:
        """The latest one last; the oldest go where there is no room for all."""
        with self._lock:
            self.sums.pop(key, None)
            self.sums[key] = made
            while sum(known.rows.nbytes for known in self.sums.values()) > REMEMBERED_BYTES:
                del self.sums[next(iter(self.sums))]


def gathered_file(
    gathered: Gathered,
    fresh: FreshRows,
    folder: str,
    timeline: Timeline,
    members: Sequence[tuple[str, Slice, Slice]],
    names: Sequence[str],
    number: str,
    ranges: Sequence[Range],
) -> str | None:
    """A new file of some columns of timelines that have the same columns, each row numbered by timeline.

    Of each timeline: its path, the part that is asked for, and all of it.  None if few files are asked for,
    or so much that Spark should read them.
    """
    wanted = {file.path: (at, file.size) for at, (_, part, _) in enumerate(members) for file in part.files}
    if len(wanted) < MANY_FILES:
        return None
    schema = change_schema(timeline.columns())
    since = _since(schema, names, ranges)
    key = (tuple(path for path, _, _ in members), tuple(names), schema)
    known = gathered.sums.get(key)
    # Files that were asked for and are not now hold nothing within the ranges, unless a merge replaced them.
    there = frozenset(file.path for _, _, whole in members for file in whole.files)
    if known is None or not known.holds(there, since):
        known = _Sum(frozenset(), since, _empty(schema, names, number))
    missing = {path: at for path, (at, _) in wanted.items() if path not in known.files}
    if sum(wanted[path][1] for path in missing) > DRIVER_BYTES:
        return None
    tables = [known.rows, *_read(fresh, missing, schema, names, number)]
    rows = _from(consolidate(pa.concat_tables(table.cast(known.rows.schema) for table in tables)), since)
    gathered.remember(key, _Sum(known.files | missing.keys(), since, rows))
    return _written(folder, rows)


def _since(schema: pa.Schema, names: Sequence[str], ranges: Sequence[Range]) -> Since | None:
    """From where on windows are asked for, if that is said."""
    for span in ranges:
        window = span.column in names and is_window(schema.field(span.column).type)
        if window and isinstance(span.low, datetime) and span.low.tzinfo is not None:
            return Since(span.column, span.low)
    return None


def _empty(schema: pa.Schema, names: Sequence[str], number: str) -> pa.Table:
    columns = [*(schema.field(name) for name in names), pa.field(number, pa.int32()), schema.field(WEIGHT)]
    return pa.schema(columns).empty_table()


def _read(
    fresh: FreshRows, files: dict[str, int], schema: pa.Schema, names: Sequence[str], number: str
) -> list[pa.Table]:
    tables = []
    for path, at in files.items():
        rows = fresh.of([path], [*names, WEIGHT])
        if rows is None:
            rows = read_files([path], schema, [*names, WEIGHT])
        owner = pa.repeat(pa.scalar(at, pa.int32()), rows.num_rows)
        tables.append(rows.add_column(len(names), pa.field(number, pa.int32()), owner))
    return tables


def _from(rows: pa.Table, since: Since | None) -> pa.Table:
    """The rows without windows that start before."""
    if since is None:
        return rows
    starts = pc.struct_field(rows[since.column], START)
    earlier = pc.less(starts, pa.scalar(since.start, starts.type))
    return rows.filter(pc.invert(pc.fill_null(earlier, False)))


def _written(folder: str, rows: pa.Table) -> str:
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"gathered-{uuid.uuid4().hex}.parquet")
    pq.write_table(rows, path, compression="none", coerce_timestamps="us")  # read once, and at once
    return path
