"""One Delta table, seen through its log: which files it has now, up to which time, and how that changes.

Data files are written first (by Spark or pyarrow) and become part of the table in one atomic commit, which
also carries the table's **time** as a Delta transaction of the application "headwater".  So a commit that
was already made is recognised (`time` did not move on), and recovery reads nothing but the log.

delta-rs opens tables, writes checkpoints and vacuums; commits are written and followed by log_commits.py at
half a millisecond each, and looking whether there is a newer version costs two system calls.  Between
processes the second writer of a version is refused: an append tries the next one, a replacement gives up.
"""

from __future__ import annotations

import os
import shutil
import threading
import time as wall
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import TableNotFoundError

from headwater.errors import HeadwaterError
from headwater.storage.log_commits import actions_of, log_file, read_commit, typed_statistics, write_commit
from headwater.storage.statistics import FileStatistics

__all__ = ["BEGINNING", "ConflictError", "DataFile", "DeltaLog", "NewFile", "Snapshot"]

APPLICATION = "headwater"
CHECKPOINT_EVERY = 100
BEGINNING = 0  # the time of a table that has never been committed to

_PROPERTIES = {
    "delta.checkpointInterval": "100",
    "delta.logRetentionDuration": "interval 1 hours",
    "delta.deletedFileRetentionDuration": "interval 1 hours",
    "delta.dataSkippingNumIndexedCols": "-1",
}


class ConflictError(HeadwaterError):
    """Another process committed to the table first; nothing was written."""

    exit_status = 1


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of the table: `path` is absolute, statistics as far as the log has them."""

    path: str
    relative: str
    rows: int
    size: int
    minimum: Mapping[str, Any]
    maximum: Mapping[str, Any]
    nulls: Mapping[str, int]

    def may_hold(self, column: str, low: Any, high: Any) -> bool:
        """Whether some row may have low <= column <= high: false only if that is certain."""
        least, greatest = self.minimum.get(column), self.maximum.get(column)
        if least is None or greatest is None:
            return self.nulls.get(column) != self.rows
        if low != low or high != high:
            return True  # NaN: Parquet leaves it out of its ranges
        low, high = _comparable(low, least), _comparable(high, greatest)
        return bool(least <= high and low <= greatest)


@dataclass(frozen=True, slots=True)
class Snapshot:
    version: int
    time: int
    files: tuple[DataFile, ...]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A data file that lies below the table's folder and is not yet part of the table."""

    relative: str
    statistics: FileStatistics
    partition: Mapping[str, str] = field(default_factory=dict)  # values the log keeps for the whole file


def _comparable(value: Any, like: Any) -> Any:
    if isinstance(like, datetime) and isinstance(value, datetime) and like.tzinfo is None:
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return value


class DeltaLog:
    """The log of one table. Safe to use from several threads."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._table: DeltaTable | None = None  # as it was when the log was opened
        self._schema: pa.Schema = pa.schema([])
        self._description = ""
        self._files: dict[str, DataFile] = {}
        self._snapshot: Snapshot | None = None
        self._transactions: dict[str, int | None] = {}  # those asked about, or committed since it was opened
        self._partitioned_by: tuple[str, ...] = ()

    def exists(self) -> bool:
        return self._table is not None or os.path.isdir(os.path.join(self.path, "_delta_log"))

    def create(
        self,
        schema: pa.Schema,
        description: str = "",
        replace: bool = False,
        partition_by: Sequence[str] = (),
    ) -> None:
        """Make the table if it is not there; one that is there stays as it is, or is emptied (`replace`)."""
        with self._lock:
            if replace:
                # A table made anew must not remember its old time; what it held can be computed again.
                shutil.rmtree(self.path, ignore_errors=True)
            os.makedirs(self.path, exist_ok=True)
            DeltaTable.create(
                self.path,
                Schema.from_arrow(schema),
                mode="ignore",
                partition_by=list(partition_by) or None,
                description=description or None,
                configuration=_PROPERTIES,
            )
            self._table = self._snapshot = None

    def schema(self) -> pa.Schema:
        with self._lock:
            self._opened()
            return self._schema

    def widen(self, schema: pa.Schema) -> None:
        """Add the columns of `schema` that the table lacks; the rows that are there have nulls in them."""
        with self._lock:
            known = set(self.schema().names)
            if missing := [one for one in Schema.from_arrow(schema).fields if one.name not in known]:
                DeltaTable(self.path).alter.add_columns(missing)
                self._snapshot = None

    def description(self) -> str:
        with self._lock:
            self._opened()
            return self._description

    def time(self) -> int:
        return self.snapshot().time

    def snapshot(self) -> Snapshot:
        """The table as it is now."""
        with self._lock:
            if self._table is None and not self.exists():
                return Snapshot(-1, BEGINNING, ())
            return self._follow(self._opened())

    def transaction(self, application: str) -> int | None:
        """The last sequence number that `application` committed with, if it ever did."""
        with self._lock:
            if self.snapshot().version < 0:
                return None
            if application not in self._transactions:
                assert self._table is not None
                self._transactions[application] = self._table.transaction_version(application)
            return self._transactions[application]

    def commit(
        self,
        time: int,
        added: Sequence[NewFile] = (),
        removed: Sequence[DataFile] = (),
        note: Mapping[str, str] | None = None,
        transactions: Mapping[str, int] | None = None,
    ) -> bool:
        """Add and remove files and move the time on, at once. False if the time was reached before.

        `transactions` are sequence numbers of other applications that this commit reaches.
        """
        reached = {APPLICATION: time, **(transactions or {})}
        with self._lock:
            while self.snapshot().time < time:
                if self._write(added, removed, note or {}, reached, changes=True):
                    return True
                if removed:
                    raise ConflictError("HW801", f"another process changed {self.path} at the same time")
            return False

    def rewrite(
        self, added: Sequence[NewFile], removed: Sequence[DataFile], transactions: Mapping[str, int]
    ) -> bool:
        """Replace files by others that hold the same relation; the time stays. False after a conflict.

        Only the project's one run may call this: two processes that replace the same files would both win.
        """
        with self._lock:
            present = {file.relative for file in self.snapshot().files}
            if not {file.relative for file in removed} <= present:
                return False
            return self._write(added, removed, {}, transactions, changes=False)

    def vacuum(self, retention_hours: int = 1) -> int:
        """Delete files that no recent version uses; returns how many."""
        with self._lock:
            gone = DeltaTable(self.path).vacuum(
                retention_hours=retention_hours, dry_run=False, enforce_retention_duration=False
            )
            return len(gone)

    def _write(
        self,
        added: Sequence[NewFile],
        removed: Sequence[DataFile],
        note: Mapping[str, str],
        transactions: Mapping[str, int],
        changes: bool,
    ) -> bool:
        """Take the next version. False if another process took it first."""
        now = wall.time_ns() // 1_000_000
        new = [
            (one.relative, os.path.getsize(self._whole(one.relative)), one.partition, one.statistics.json())
            for one in added
        ]
        old = [(one.relative, one.size, self._partition(one)) for one in removed]
        version = self.snapshot().version + 1
        actions = actions_of(now, note, transactions, new, old, changes)
        if not write_commit(self.path, version, actions):
            return False
        self.snapshot()
        if version % CHECKPOINT_EVERY == 0:
            self._checkpoint()
        return True

    def _checkpoint(self) -> None:
        """So that whoever opens the table reads one file instead of a hundred; old log files go."""
        table = DeltaTable(self.path)
        table.create_checkpoint()
        table.cleanup_metadata()

    def _whole(self, relative: str) -> str:
        return os.path.join(self.path, relative)

    def _partition(self, file: DataFile) -> dict[str, str]:
        return {name: str(file.minimum[name]) for name in self._partitioned_by}

    def _opened(self) -> Snapshot:
        """The table as it was when it was last looked at, loaded by delta-rs the first time."""
        if self._snapshot is not None:
            return self._snapshot
        try:
            table = DeltaTable(self.path)
        except TableNotFoundError as error:
            raise HeadwaterError(
                "HW802",
                f"there is no Delta table at {self.path}",
                detail=str(error),
                hint="Run the project once, or look at `storage` in headwater.yml.",
            ) from error
        self._table = table
        self._schema = pa.schema(table.schema().to_arrow())
        self._description = table.metadata().description or ""
        self._partitioned_by = tuple(table.metadata().partition_columns)
        self._transactions = {}
        adds = pa.table(table.get_add_actions(flatten=True))
        self._files = {file.relative: file for file in _data_files(self.path, adds)}
        time = table.transaction_version(APPLICATION)
        self._snapshot = Snapshot(table.version(), time or BEGINNING, tuple(self._files.values()))
        return self._snapshot

    def _follow(self, known: Snapshot) -> Snapshot:
        """Apply the versions that came since; load anew where they cannot be followed.

        Old log files are deleted oldest first, so where a version's own file is gone nothing is certain.
        """
        version, time = known.version, known.time
        while (commit := read_commit(self.path, version + 1)) is not None:
            if commit.alters:
                return self._reopened()
            version += 1
            for path in commit.removed:
                self._files.pop(path, None)
            for add in commit.added:
                self._files[add["path"]] = self._data_file(add)
            self._transactions |= commit.transactions
            time = commit.transactions.get(APPLICATION, time)
        if not os.path.exists(log_file(self.path, version)):
            return self._reopened()
        if version != known.version:
            self._snapshot = Snapshot(version, time, tuple(self._files.values()))
        assert self._snapshot is not None
        return self._snapshot

    def _reopened(self) -> Snapshot:
        self._snapshot = None
        return self._opened()

    def _data_file(self, add: Mapping[str, Any]) -> DataFile:
        rows, minimum, maximum, nulls = typed_statistics(add, self._schema)
        return DataFile(self._whole(add["path"]), add["path"], rows, add["size"], minimum, maximum, nulls)


def _data_files(folder: str, adds: pa.Table) -> Iterable[DataFile]:
    for row in adds.to_pylist():
        minimum, maximum, nulls = (_stripped(row, prefix) for prefix in ("min.", "max.", "null_count."))
        for name, value in _stripped(row, "partition.").items():
            minimum[name] = maximum[name] = value
        yield DataFile(
            os.path.join(folder, row["path"]),
            row["path"],
            row["num_records"] or 0,
            row["size_bytes"],
            minimum,
            maximum,
            nulls,
        )


def _stripped(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name[len(prefix) :]: value for name, value in row.items() if name.startswith(prefix)}
