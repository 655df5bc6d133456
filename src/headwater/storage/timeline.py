"""A relation as stored: a log of changes that can be read as a delta or as of a time.

A change is a row with two more columns: `_weight` (+1 inserted, -1 deleted, more for copies) and `_time`, the
instant from which it counts, in microseconds.  The relation at time t is the sum of the changes with
`_time <= t`; the delta of (t0, t1] is the changes in between.

All changes of a file have one time, so `_time` is a partition column: it stands in the Delta log and not in
the file.  A delta or a state is then exactly a list of files: an empty delta is recognised before anything is
read, and what Spark runs for a push never depends on the time, so it compiles its code once.

Compaction replaces many small files by one with the same changes summed up: rows that cancel disappear, and
times up to the horizon become the horizon.  States and deltas from before the horizon are gone then.  The
horizon is recorded in the same commit, and a reader that was last at an earlier time must start from a full
state.
"""

from __future__ import annotations

import os
import uuid
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import accumulate
from typing import Any

import pyarrow as pa

from headwater.errors import HeadwaterError
from headwater.storage.delta.data_files import BEGINNING, DataFile, NewFile, Snapshot
from headwater.storage.delta.definition import READS
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files

__all__ = [
    "COLLAPSED", "GATHERED", "GATHERED_AFTER", "GATHERED_BEFORE", "TIME", "WEIGHT", "Range", "Slice",
    "Timeline", "at_time", "change_schema", "new_file_name",
]  # fmt: skip

WEIGHT = "_weight"
TIME = "_time"
COMPACTED = "headwater-compacted"  # the transaction that records the horizon
GATHERED = "headwater-gathered"  # the transaction that records up to where unread changes were merged
GATHERED_AFTER = "headwater-gathered-after"  # and from where on
GATHERED_BEFORE = "headwater-gathered-before"  # and up to where they had been merged the time before
COLLAPSED = "headwater-collapsed"  # of a source: updates that were not stored, a newer one was in their batch
FORGOTTEN = "headwater-forgotten"  # the transaction that records as of when rows were last forgotten
HOLLOW = "headwater-hollow"  # the transaction that records as of when it was emptied: it stands for no rows


@dataclass(frozen=True, slots=True)
class Range:
    """Only rows with low <= column <= high are needed; a reader may return others as well."""

    column: str
    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of a timeline: all changes in `files`, whose times lie in (after, until]."""

    files: tuple[DataFile, ...]
    after: int
    until: int

    @property
    def rows(self) -> int:
        """The number of changes in the files: an upper bound, as a reader may skip rows."""
        return sum(file.rows for file in self.files)

    @property
    def times(self) -> frozenset[int]:
        """The times at which something changed."""
        return frozenset(file.minimum[TIME] for file in self.files)

    @property
    def empty(self) -> bool:
        return not self.files

    @property
    def inserts_only(self) -> bool:
        return all(map(_adds, self.files))

    @property
    def once(self) -> bool:
        """Whether every change is a row that comes, once: the changes are the rows."""
        return all(file.minimum.get(WEIGHT) == file.maximum.get(WEIGHT) == 1 for file in self.files)

    def by_signs(self) -> tuple[Slice, Slice]:
        """The files that hold insertions only, and the others."""
        mixed = tuple(file for file in self.files if not _adds(file))
        return replace(self, files=tuple(filter(_adds, self.files))), replace(self, files=mixed)


@dataclass(frozen=True, slots=True)
class _ByTime:
    """The files of a snapshot in the order of their times, and how many changes come before each."""

    of: tuple[DataFile, ...]
    times: list[int]
    files: list[DataFile]
    rows: list[int]

    @classmethod
    def over(cls, files: tuple[DataFile, ...]) -> _ByTime:
        ordered = sorted(files, key=_time)
        rows = list(accumulate((file.rows for file in ordered), initial=0))
        return cls(files, [_time(file) for file in ordered], ordered, rows)


def _adds(file: DataFile) -> bool:
    return (file.minimum.get(WEIGHT) or 0) > 0


def _removes(file: DataFile) -> bool:
    return (file.maximum.get(WEIGHT) or 1) < 0


def _time(file: DataFile) -> int:
    return int(file.minimum[TIME])


def change_schema(columns: pa.Schema) -> pa.Schema:
    """The schema of a timeline's files: a relation's columns and the weight."""
    return columns.append(pa.field(WEIGHT, pa.int64(), nullable=False))


def at_time(file: NewFile, time: int) -> NewFile:
    """The file with the time of all its changes recorded in the log."""
    return replace(file, partition={TIME: str(time)})


def new_file_name(time: int) -> str:
    """A name that no other file has: files are never overwritten."""
    return f"{time:020d}-{uuid.uuid4().hex[:12]}.parquet"


@dataclass(slots=True)
class Timeline:
    """The timeline stored in a folder."""

    path: str
    durable: bool = False
    reads: timedelta = READS  # how long a read may last
    log: DeltaLog = field(init=False)
    _index: _ByTime = field(init=False)
    _columns: tuple[pa.Schema | None, pa.Schema] = field(default=(None, pa.schema([])), init=False)

    def __post_init__(self) -> None:
        self.log = DeltaLog(self.path, self.durable, self.reads)
        self._index = _ByTime.over(())

    def create(self, columns: pa.Schema, description: str = "") -> None:
        schema = change_schema(columns).append(pa.field(TIME, pa.int64(), nullable=False))
        self.log.create(schema, description, partition_by=[TIME])

    def exists(self) -> bool:
        return self.log.exists()

    def snapshot(self) -> Snapshot:
        return self.log.snapshot()

    def time(self) -> int:
        """The timeline is complete up to here: everything committed has `_time` <= this.

        BEGINNING if the table does not exist.
        """
        return self.log.time()

    def columns(self) -> pa.Schema:
        """The relation's own columns, without weight and time."""
        schema, known = self.log.schema(), self._columns
        if known[0] is not schema:  # asked for many times in a push
            own = pa.schema([column for column in schema if column.name not in (WEIGHT, TIME)])
            known = self._columns = schema, own
        return known[1]

    def horizon(self) -> int:
        """Compaction has given up history before this time: only later states and deltas can be read."""
        return self.log.transaction(COMPACTED) or BEGINNING

    def gathered(self) -> int:
        """Changes up to here were merged into one time: no view may be pushed to an earlier time any more."""
        return self.log.transaction(GATHERED) or BEGINNING

    def has_changes_since(self, time: int) -> bool:
        """Whether a reader that is at a time can still be told what changed since.

        Not if history before a later time was given up, or if changes from before and after that time were
        merged.  That happens to stages which are kept and read by nobody for a while, those of a view that
        was dropped and comes back: who is part of the project is waited for.  Of merged ranges the last is
        known, and where the one before it ended; whoever is before that is told that it is not known.
        """
        if self.horizon() > time:
            return False
        after = self.log.transaction(GATHERED_AFTER)
        if time >= self.gathered() or after is None:
            return True
        return (self.log.transaction(GATHERED_BEFORE) or BEGINNING) <= time <= after

    def newest(self, until: int) -> int:
        """When something changed last, up to a time; what was merged changed when the merge says so."""
        times = self._by_time(self.snapshot()).times
        before = bisect_right(times, until)
        return max(times[before - 1] if before else BEGINNING, min(self.horizon(), until))

    def delta(
        self, after: int, until: int, ranges: Sequence[Range] = (), snapshot: Snapshot | None = None
    ) -> Slice:
        """The changes in (after, until], of the table as it is now or as `snapshot` has it."""
        index = self._by_time(snapshot or self.snapshot())
        files = index.files[bisect_right(index.times, after) : bisect_right(index.times, until)]
        if ranges:
            files = [file for file in files if all(_meets(file, needed) for needed in ranges)]
        return Slice(tuple(files), after, until)

    def as_of(self, time: int, ranges: Sequence[Range] = (), snapshot: Snapshot | None = None) -> Slice:
        """The changes that make up the relation at `time`."""
        return self.delta(BEGINNING - 1, time, ranges, snapshot)

    def rows_between(self, after: int, until: int) -> int:
        """The number of changes in (after, until], without going through every file."""
        index = self._by_time(self.snapshot())
        return index.rows[bisect_right(index.times, until)] - index.rows[bisect_right(index.times, after)]

    def arrivals_between(self, after: int, until: int) -> int:
        """The same without files that only take rows out, as expiry does with thousands at once."""
        index = self._by_time(self.snapshot())
        first, last = (bisect_right(index.times, time) for time in (after, until))
        return sum(file.rows for file in index.files[first:last] if not _removes(file))

    def _by_time(self, snapshot: Snapshot) -> _ByTime:
        """The index of a snapshot; that of the last one asked about is remembered."""
        index = self._index
        if index.of is not snapshot.files:
            index = self._index = _ByTime.over(snapshot.files)
        return index

    def append(
        self,
        changes: pa.Table,
        time: int,
        note: Mapping[str, str] | None = None,
        transactions: Mapping[str, int] | None = None,
    ) -> bool:
        """Commit changes (rows and `_weight`) at one time. False if the time was reached before."""
        files = [] if changes.num_rows == 0 else [self.write(changes, time)]
        return self.log.commit(time, files, note=note, transactions=transactions)

    def write(self, changes: pa.Table, time: int) -> NewFile:
        """Write changes (rows and `_weight`) as a file, not yet committed."""
        schema = change_schema(self.columns())
        file = write_parquet(self.path, new_file_name(time), changes.select(schema.names).cast(schema))
        return at_time(file, time)

    def forget(self, deletions: pa.Table, time: int) -> bool:
        """Take rows back as of a time that every reader has passed: no delta that is still to be read has it.

        False if another process committed at the same moment.
        """
        return self.log.rewrite([self.write(deletions, time)], (), {FORGOTTEN: time}, changes=True)

    def forgotten(self) -> int:
        """As of when rows were last taken back that views still count; BEGINNING if never."""
        return self.log.transaction(FORGOTTEN) or BEGINNING

    def commit(
        self,
        time: int,
        files: Sequence[NewFile] = (),
        note: Mapping[str, str] | None = None,
        transactions: Mapping[str, int] | None = None,
        after: int | None = None,
    ) -> bool:
        """Commit files written before (by `write` or by Spark); without files, only the time advances.

        `after`: the timeline's time from which they were computed (DeltaLog.commit).
        """
        return self.log.commit(time, files, note=note, transactions=transactions, after=after)

    def replace(self, time: int, files: Sequence[NewFile], note: Mapping[str, str], after: int) -> bool:
        """Make these files all that there is, as of a time; history before it is gone."""
        reached = {COMPACTED: time}
        return self.log.commit(time, files, note=note, transactions=reached, after=after, anew=True)

    def empty(self, time: int, after: int) -> bool:
        """Give up all rows, as of a time: from now on it must be computed anew before it is read."""
        reached = {COMPACTED: time, HOLLOW: time}
        return self.log.commit(time, transactions=reached, after=after, anew=True)

    def hollow(self) -> bool:
        """Whether it was given up, and has not been computed since."""
        emptied = self.log.transaction(HOLLOW)
        return emptied is not None and emptied == self.time()

    def read(self, part: Slice, columns: Sequence[str] | None = None, where: Any = None) -> pa.Table:
        """A slice as Arrow, with the weight: for small slices, in the driver's memory."""
        names = [*(columns if columns is not None else self.columns().names), WEIGHT]
        schema = change_schema(self.columns())
        if part.empty:
            return pa.table({name: pa.array([], schema.field(name).type) for name in names})
        return read_files([file.path for file in part.files], schema, names, where)


def _meets(file: DataFile, needed: Range) -> bool:
    return file.may_hold(needed.column, needed.low, needed.high)


def check_readable(path: str) -> None:
    """Raise a clear error if the warehouse cannot be read or written."""
    probe = path
    while not os.path.exists(probe):
        probe = os.path.dirname(probe) or "."
    if not os.access(probe, os.R_OK | os.W_OK | os.X_OK) or not os.path.isdir(probe):
        raise HeadwaterError(
            "HW803",
            f"the warehouse {path} cannot be read and written",
            detail=f"{probe} is not a folder this user may read, write and enter.",
            hint="Change its permissions, or `storage` in headwater.yml.",
        )
