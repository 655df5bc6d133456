"""One Delta table, seen through its log: which files it has now, up to which time, and how that changes.

Data files are written first (by Spark or pyarrow) and become part of the table in one atomic commit, which
also carries the table's **time** as a Delta transaction of the application "headwater".  So a commit that
was already made is recognised (`time` did not move on), and recovery reads nothing but the log.

A commit costs 3 to 10 ms and a refresh of the snapshot 1 to 3 ms.  Two commits of one table must not
overlap inside a process; between processes delta-rs refuses the second with a conflict.
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
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Schema, Transaction
from deltalake.exceptions import CommitFailedError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from headwater.errors import HeadwaterError
from headwater.storage.statistics import FileStatistics, file_statistics

__all__ = ["BEGINNING", "ConflictError", "DataFile", "DeltaLog", "NewFile", "Snapshot", "write_parquet"]

APPLICATION = "headwater"
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
        self._table: DeltaTable | None = None
        self._files: dict[str, DataFile] = {}
        self._snapshot: Snapshot | None = None
        self._transactions: dict[str, int | None] = {}
        self._transactions_at = -1  # the version for which they were read

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
                self._files = {}
            os.makedirs(self.path, exist_ok=True)
            self._table = DeltaTable.create(
                self.path,
                Schema.from_arrow(schema),
                mode="ignore",
                partition_by=list(partition_by) or None,
                description=description or None,
                configuration=_PROPERTIES,
            )
            self._snapshot = None

    def schema(self) -> pa.Schema:
        with self._lock:
            return pa.schema(self._open().schema().to_arrow())

    def widen(self, schema: pa.Schema) -> None:
        """Add the columns of `schema` that the table lacks; the rows that are there have nulls in them."""
        with self._lock:
            known = {field.name for field in self._open().schema().fields}
            if missing := [one for one in Schema.from_arrow(schema).fields if one.name not in known]:
                self._open().alter.add_columns(missing)

    def description(self) -> str:
        with self._lock:
            return self._open().metadata().description or ""

    def time(self) -> int:
        return self.snapshot().time

    def snapshot(self) -> Snapshot:
        """The table as it is now."""
        with self._lock:
            if self._table is None and not self.exists():
                return Snapshot(-1, BEGINNING, ())
            if self._snapshot is not None and self._is_newest(self._snapshot.version):
                return self._snapshot
            table = self._open()
            table.update_incremental()
            if self._snapshot is None or self._snapshot.version != table.version():
                self._snapshot = self._read_snapshot(table)
            return self._snapshot

    def transaction(self, application: str) -> int | None:
        """The last sequence number that `application` committed with, if it ever did."""
        with self._lock:
            if self.snapshot().version < 0:
                return None
            table = self._open()
            if self._transactions_at != table.version():
                self._transactions, self._transactions_at = {}, table.version()
            if application not in self._transactions:
                self._transactions[application] = table.transaction_version(application)
            return self._transactions[application]

    def _is_newest(self, version: int) -> bool:
        """Whether the log certainly has nothing newer: a hundred times cheaper than refreshing the table.

        Old log files are deleted oldest first, so where a version's own file is gone nothing is certain.
        """
        own, later = (
            os.path.join(self.path, "_delta_log", f"{number:020d}.json") for number in (version, version + 1)
        )
        return os.path.exists(own) and not os.path.exists(later)

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
        with self._lock:
            if self.snapshot().time >= time:
                return False
            return self._write(time, added, removed, note, transactions)

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
            try:
                return self._write(None, added, removed, None, transactions)
            except ConflictError:
                return False

    def vacuum(self, retention_hours: int = 1) -> int:
        """Delete files that no recent version uses; returns how many."""
        with self._lock:
            gone = self._open().vacuum(
                retention_hours=retention_hours, dry_run=False, enforce_retention_duration=False
            )
            return len(gone)

    def _write(
        self,
        time: int | None,
        added: Sequence[NewFile],
        removed: Sequence[DataFile],
        note: Mapping[str, str] | None,
        reached: Mapping[str, int] | None = None,
    ) -> bool:
        table = self._open()
        now = wall.time_ns() // 1_000_000
        changes = time is not None
        actions: list[Any] = [self._add_action(file, now, changes) for file in added]
        actions += [RemoveAction(file.relative, changes, now, file.size) for file in removed]
        transactions = [Transaction(APPLICATION, time)] if time is not None else []
        transactions += [Transaction(name, number) for name, number in (reached or {}).items()]
        try:
            table.create_write_transaction(
                actions,
                "append",
                table.schema(),
                list(table.metadata().partition_columns) or None,
                commit_properties=CommitProperties(
                    custom_metadata=dict(note or {}), app_transactions=transactions or None
                ),
                post_commithook_properties=PostCommitHookProperties(
                    create_checkpoint=True, cleanup_expired_logs=True
                ),
            )
        except CommitFailedError as error:
            raise ConflictError(
                "HW801", f"another process changed {self.path} at the same time", detail=str(error)
            ) from error
        self._remember(table.version(), reached or {})
        return True

    def _remember(self, version: int, reached: Mapping[str, int]) -> None:
        """Keep what is known of transactions, if nobody else's commit came in between."""
        if self._transactions_at == version - 1:
            self._transactions_at = version
            self._transactions.update(reached)

    def _add_action(self, file: NewFile, now: int, changes: bool) -> AddAction:
        size = os.path.getsize(os.path.join(self.path, file.relative))
        return AddAction(file.relative, size, dict(file.partition), now, changes, file.statistics.json())

    def _open(self) -> DeltaTable:
        if self._table is None:
            try:
                self._table = DeltaTable(self.path)
            except TableNotFoundError as error:
                raise HeadwaterError(
                    "HW802",
                    f"there is no Delta table at {self.path}",
                    detail=str(error),
                    hint="Run the project once, or look at `storage` in headwater.yml.",
                ) from error
        return self._table

    def _read_snapshot(self, table: DeltaTable) -> Snapshot:
        adds = pa.table(table.get_add_actions(flatten=True))
        paths: list[str] = adds.column("path").to_pylist()
        fresh = [index for index, path in enumerate(paths) if path not in self._files]
        for file in _data_files(self.path, adds.take(pa.array(fresh, pa.int64()))):
            self._files[file.relative] = file
        self._files = {path: self._files[path] for path in paths}
        time = table.transaction_version(APPLICATION)
        return Snapshot(table.version(), BEGINNING if time is None else time, tuple(self._files.values()))


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


def write_parquet(folder: str, relative: str, table: pa.Table) -> NewFile:
    """Write a small table as a data file below `folder`; not yet part of any Delta table."""
    path = os.path.join(folder, relative)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pq.write_table(table, path, compression="snappy", coerce_timestamps="us")
    return NewFile(relative, file_statistics(path))
