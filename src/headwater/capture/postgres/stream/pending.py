"""The changes of one table that are written to files and not yet committed.

A transaction of any size is applied in pieces, and becomes visible with one commit: each piece is a data
file, and a piece that looks rows up sees the files of the pieces before it.  Memory holds one piece,
whatever the transaction's size.

A vacuum takes files that are old and in no commit for what somebody left behind.  A snapshot may take hours,
so its files are kept young until they are committed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.intake.batch import Rejection
from headwater.capture.intake.codes import codes
from headwater.capture.intake.current import Current
from headwater.capture.postgres.stream.difference import Buckets, stored_changes
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.delta.reading import parquet_files
from headwater.storage.timeline import Timeline, at_time, change_schema
from headwater.storage.zset import consolidate

__all__ = ["Pending"]

YOUNG_S = 120.0  # a vacuum waits ten minutes at least (project/retention.py)
MOST_REJECTED = 50_000  # rows that are stored as dead letters by themselves; the others are counted


class Pending:
    """Written and not committed. `scratch`: where rows may be put that memory should not hold."""

    def __init__(self, timeline: Timeline, current: Current, scratch: str, key: Sequence[str] = ()) -> None:
        self._timeline = timeline
        self._current = current
        self._scratch = scratch
        self._key = key
        self._retraction: list[NewFile] = []  # of all that is committed, after a TRUNCATE
        self._files: list[NewFile] = []
        self._rejected: list[Rejection] = []
        self._further = 0
        self._truncated = False
        self._young_until = time.monotonic() + YOUNG_S

    def rows(self, wanted: pa.Table, key: Sequence[str]) -> pa.Table:
        """The current rows (with `_weight`) whose `key` occurs in `wanted`, committed or written."""
        committed = self._current.rows(wanted.slice(0, 0) if self._truncated else wanted, key)
        if not self._files or not len(wanted):
            return committed
        written = self._written_rows(wanted, key)
        if not len(written):
            return committed
        return consolidate(pa.concat_tables([committed, written.cast(committed.schema)]))

    def add(self, changes: pa.Table) -> None:
        if len(changes):
            self._files.append(self._write(changes))

    def truncate(self) -> None:
        """Give up what was written, and retract what is committed."""
        self._remove(self._files)
        if self._truncated:
            return
        self._truncated = True
        buckets = self.buckets()
        try:
            for changes in stored_changes(self._timeline, -1):
                buckets.add(changes)
            self._retraction = [self._write(changes) for changes in buckets.sums() if len(changes)]
        finally:
            buckets.close()

    def buckets(self) -> Buckets:
        return Buckets(change_schema(self._timeline.columns()), self._key, self._scratch)

    def reject(self, rejected: Sequence[Rejection]) -> None:
        room = MOST_REJECTED - len(self._rejected)
        self._rejected += rejected[:room]
        self._further += max(0, len(rejected) - room)

    @property
    def rejected(self) -> list[Rejection]:
        if not self._further:
            return self._rejected
        last = self._rejected[-1]
        reason = f"{self._further} further rows of the same commit were rejected"
        summary = Rejection(0, "", reason, last.file, count=self._further)
        return [*self._rejected, summary]

    def files(self, time: int) -> list[NewFile]:
        """The files to commit, all at one time."""
        return [at_time(file, time) for file in (*self._retraction, *self._files)]

    def keep_young(self) -> None:
        """Have no vacuum take the files for leftovers; to be called often."""
        if time.monotonic() < self._young_until:
            return
        for file in (*self._retraction, *self._files):
            os.utime(self._path(file))
        self._young_until = time.monotonic() + YOUNG_S

    def discard(self) -> None:
        """Remove the files: they will not be committed."""
        self._remove(self._retraction)
        self._remove(self._files)

    def _write(self, changes: pa.Table) -> NewFile:
        return self._timeline.write(changes, self._timeline.time())

    def _remove(self, files: list[NewFile]) -> None:
        for file in files:
            with suppress(FileNotFoundError):
                os.remove(self._path(file))
        files.clear()

    def _path(self, file: NewFile) -> str:
        return os.path.join(self._timeline.path, file.relative)

    def _written_rows(self, wanted: pa.Table, key: Sequence[str]) -> pa.Table:
        schema = change_schema(self._timeline.columns())
        keys = wanted.select(key)
        first = keys.column(0)
        condition = None if pa.types.is_floating(first.type) else pc.field(key[0]).isin(first.unique())
        paths = [self._path(file) for file in self._files if _may_hold(file, key[0], first)]
        if not paths:
            return schema.empty_table()
        rows = parquet_files(paths, schema).to_table(filter=condition)
        both = pa.concat_tables([keys, rows.select(key)], promote_options="default")
        numbers = codes(both, key)
        return rows.filter(pa.array(np.isin(numbers[len(keys) :], numbers[: len(keys)])))


def _may_hold(file: NewFile, name: str, values: pa.ChunkedArray) -> bool:
    """Whether the file may hold one of the values, by its range; False only if that is certain."""
    least, greatest = file.statistics.minimum.get(name), file.statistics.maximum.get(name)
    if least is None or greatest is None or not pa.types.is_integer(values.type):
        return True
    bounds = pc.min_max(values).as_py()
    return bounds["min"] is None or bool(bounds["min"] <= greatest and least <= bounds["max"])
