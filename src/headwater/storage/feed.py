"""A timeline followed commit by commit: the change feed of a relation.

A delta of a timeline needs history that compaction may give up at any moment.  Whoever follows need not care:
it reads what each commit added.  Commits that only rewrite files (compaction) bring no change and are passed
over; the files they replaced stay until a vacuum, an hour by default (`retention.reads`).  Nothing is kept in
memory but a version number, so a reader may take as long as that.

Where the feed begins, history is needed: changes after a time can be given if the time is not before the
horizon, and from the BEGINNING a relation is given as it was at the horizon, then its changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from time import monotonic
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.clock import instant_text
from headwater.errors import RefusedError
from headwater.storage.delta.data_files import BEGINNING, DataFile, Snapshot
from headwater.storage.delta.loaded_table import APPLICATION
from headwater.storage.delta.log_commits import Commit, read_commit, typed_statistics
from headwater.storage.delta.reading import parquet_files, whole_files
from headwater.storage.followed import TOUCH_EVERY, note_followed
from headwater.storage.timeline import TIME, WEIGHT, Slice, Timeline
from headwater.storage.view_rows import VISIBLE, output_columns, visible_rows
from headwater.storage.zset import consolidate

__all__ = ["Feed", "FeedGoneError", "Step", "changes_of"]

CONSOLIDATED = (
    100_000  # changes of a time up to which those that cancel are left out; more are given as stored
)
BATCH = 2_000  # changes read at a time


class FeedGoneError(RefusedError):
    """The changes that a reader needs next are no longer stored."""


@dataclass(frozen=True, slots=True)
class Step:
    """All changes of a time; no files if only the time advanced."""

    time: int
    files: tuple[DataFile, ...]


class Feed:
    """A reader's place in a timeline. For one thread."""

    def __init__(self, timeline: Timeline, name: str, since: int | None = None) -> None:
        """Begin after `since`; with None, after what is there now. FeedGoneError if that is too long ago."""
        self._timeline = timeline
        self._name = name
        self._noted_at = -TOUCH_EVERY
        self._note()
        # The snapshot first: a compaction in between moves the horizon, and the snapshot still has its files.
        snapshot = timeline.snapshot()
        if since is not None and BEGINNING < since < timeline.horizon():
            raise self._gone(f"They are kept since {instant_text(timeline.horizon())}.")
        self.time = snapshot.time if since is None else since
        self._version = snapshot.version
        self._first: Snapshot | None = snapshot

    def steps(self) -> Iterator[Step]:
        """What was committed since the last call, oldest first; ends when all of it was given."""
        self._note()
        if self._first is not None:
            first, self._first = self._first, None
            yield from self._stored(first)
        while (commit := read_commit(self._timeline.path, self._version + 1)) is not None:
            self._version += 1
            if (step := self._step(commit)) is not None:
                self.time = step.time
                yield step
        if self._timeline.snapshot().version > self._version and self._missed():
            raise self._gone("The log has been cleaned up since.")

    def _note(self) -> None:
        """That somebody follows, so that changes go on being stored; even if those asked for are gone."""
        now = monotonic()
        if now - self._noted_at >= TOUCH_EVERY and self._timeline.exists():
            self._noted_at = now
            note_followed(self._timeline.path)

    def _stored(self, snapshot: Snapshot) -> Iterator[Step]:
        after = self.time if self.time > BEGINNING else BEGINNING - 1
        files = self._timeline.delta(after, snapshot.time, snapshot=snapshot).files
        for time, of_time in groupby(files, key=lambda file: int(file.minimum[TIME])):
            yield Step(time, tuple(of_time))
        if snapshot.time > self.time:
            self.time = snapshot.time
            yield Step(snapshot.time, ())

    def _missed(self) -> bool:
        """Whether the next version is gone, and not just written a moment ago."""
        return read_commit(self._timeline.path, self._version + 1) is None

    def _step(self, commit: Commit) -> Step | None:
        time = commit.transactions.get(APPLICATION)
        if time is None or time <= self.time:
            return None
        added = [add for add in commit.added if add.get("dataChange", True)]
        if added and commit.removed:
            raise self._gone("It was computed anew.")
        schema = self._timeline.snapshot().schema
        return Step(time, tuple(_data_file(self._timeline.path, add, schema) for add in added))

    def _gone(self, why: str) -> FeedGoneError:
        return FeedGoneError(
            "HW826",
            f'the changes of "{self._name}" are no longer stored from there on',
            detail=why,
            hint="Read the view, then its changes since the time that the rows are of;"
            " `retention: {history: 7 days}` in headwater.yml keeps more.",
        )


def _data_file(folder: str, add: Mapping[str, Any], schema: pa.Schema) -> DataFile:
    rows, minimum, maximum, nulls = typed_statistics(add, schema)
    path = add["path"]
    return DataFile(os.path.join(folder, path), path, rows, add["size"], minimum, maximum, nulls)


def changes_of(timeline: Timeline, step: Step) -> Iterator[pa.Table]:
    """A step's visible changes with their weights, in tables of bounded size."""
    if not step.files:
        return
    part = Slice(step.files, step.time - 1, step.time)
    if part.rows <= CONSOLIDATED:
        changes = consolidate(visible_rows(timeline, part))
        for start in range(0, changes.num_rows, BATCH):
            yield changes.slice(start, BATCH)
        return
    names = [*output_columns(timeline).names, WEIGHT]
    stored = [*timeline.columns().names]
    schema = timeline.columns().append(pa.field(WEIGHT, pa.int64(), nullable=False))
    where = pc.field(VISIBLE) if VISIBLE in stored else None
    with whole_files():
        files = parquet_files([file.path for file in step.files], schema)
        for batch in files.to_batches(columns=names, filter=where, batch_size=BATCH):
            if batch.num_rows:
                yield pa.Table.from_batches([batch])
