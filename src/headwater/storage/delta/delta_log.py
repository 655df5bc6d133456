"""One Delta table, seen through its log: which files it has now, up to which time, and how that changes.

Data files are written first (by Spark or pyarrow) and become part of the table in one atomic commit, which
also carries the table's **time** as a Delta transaction of the application "headwater".  So a repeated commit
is recognised (the time has been reached already), and recovery reads nothing but the log.

delta-rs creates and loads tables and writes checkpoints; log_commits.py writes and reads the
commits in between at half a millisecond each, and a look for a newer version costs two system calls.  Of two
processes that write the same version the second is refused, whether or not the file system has locks: an
append tries the next version, and what was computed from the table's state fails if that has changed.
"""

from __future__ import annotations

import os
import threading
import time as wall
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import DeltaError

from headwater.errors import HeadwaterError
from headwater.storage.delta.altering import schema_actions
from headwater.storage.delta.checkpoints import Checkpoints
from headwater.storage.delta.data_files import BEGINNING, DataFile, NewFile, Snapshot
from headwater.storage.delta.definition import READS, definition
from headwater.storage.delta.durable import sync_files, sync_parents
from headwater.storage.delta.loaded_table import APPLICATION, LoadedTable, no_table
from headwater.storage.delta.log_commits import actions_of, has_versions, write_commit

__all__ = ["BEGINNING", "ConflictError", "DataFile", "DeltaLog", "NewFile", "Snapshot"]


class ConflictError(HeadwaterError):
    """Another process committed to the table first; nothing was written."""

    exit_status = 1


class DeltaLog:
    """The log of one table. Safe to use from several threads.

    `durable`: what was committed outlasts a power cut.  `reads`: how long a read may last; a table that is
    created says so.
    """

    def __init__(self, path: str, durable: bool = False, reads: timedelta = READS) -> None:
        self.path, self.durable, self.reads = path, durable, reads
        self._lock = threading.RLock()
        self._loaded: LoadedTable | None = None
        self._checkpoints = Checkpoints(path, durable)

    def exists(self) -> bool:
        """Whether there was a table the last time it was looked at; one may have been removed since."""
        return self._loaded is not None or has_versions(self.path)

    def create(self, schema: pa.Schema, description: str = "", partition_by: Sequence[str] = ()) -> None:
        """Create the table, empty. An existing one is left as it is.

        A kill leaves the whole table or none, and so does a power cut if it is durable.
        """
        with self._lock:
            if not has_versions(self.path):
                os.makedirs(os.path.join(self.path, "_delta_log"), exist_ok=True)
                actions = definition(schema, description, partition_by, self.reads)
                write_commit(self.path, 0, iter(actions), self.durable)
                self._sync_log()
            self._loaded = None

    def replace(
        self,
        schema: pa.Schema,
        description: str,
        time: int,
        added: Sequence[NewFile] = (),
        partition_by: Sequence[str] = (),
        transactions: Mapping[str, int] | None = None,
    ) -> None:
        """Make it another table, in one commit: with this definition, these files and this time alone.

        A reader sees the old table or the new one; the old one's files stay until vacuum.  If there is none
        yet, it begins with these files.
        """
        reached = {APPLICATION: time, **(transactions or {})}
        note = {"operation": "CREATE OR REPLACE TABLE"}
        actions = definition(schema, description, partition_by, self.reads)
        with self._lock:
            os.makedirs(os.path.join(self.path, "_delta_log"), exist_ok=True)
            snapshot = self.snapshot()
            if not self._write(snapshot, added, snapshot.files, note, reached, definition=actions):
                raise self._conflict()

    def schema(self) -> pa.Schema:
        with self._lock:
            return self._table().snapshot.schema

    def widen(self, schema: pa.Schema) -> None:
        """Add the columns of `schema` that the table lacks; existing rows read as null in them."""
        with self._lock:
            present = set(self.schema().names)
            if missing := [field for field in Schema.from_arrow(schema).fields if field.name not in present]:
                DeltaTable(self.path).alter.add_columns(missing)
                self._sync_log()
                self._loaded = None

    def description(self) -> str:
        with self._lock:
            return self._table().snapshot.description

    def time(self) -> int:
        return self.snapshot().time

    def snapshot(self) -> Snapshot:
        """The table as it is now; an empty snapshot at BEGINNING if there is no table."""
        with self._lock:
            if not self.exists():
                return Snapshot(-1, BEGINNING, ())
            if not self._table().follow():
                self._loaded = None
                if not has_versions(self.path):  # another process has removed it
                    return Snapshot(-1, BEGINNING, ())
            return self._table().snapshot

    def transaction(self, application: str) -> int | None:
        """The last sequence number that `application` committed with, if it ever did."""
        with self._lock:
            if self.snapshot().version < 0:
                return None
            try:
                return self._table().transaction(application)
            except DeltaError:
                # Since the table was loaded, its log was cleaned up: delta-rs asks for commits that are gone.
                self._loaded = LoadedTable.load(self.path)
                return self._loaded.transaction(application)

    def transactions(self) -> Mapping[str, int]:
        """The last sequence number of every application that ever committed with one."""
        with self._lock:
            while self.snapshot().version >= 0:
                numbers = self._table().transactions()
                if numbers is not None:
                    return numbers
                self._loaded = None
            return {}

    def commit(
        self,
        time: int,
        added: Sequence[NewFile] = (),
        removed: Sequence[DataFile] = (),
        note: Mapping[str, str] | None = None,
        transactions: Mapping[str, int] | None = None,
        after: int | None = None,
        anew: bool = False,
    ) -> bool:
        """Add and remove files and advance the time, in one commit. False if the time was reached before.

        `anew`: all files that there are now are removed.  `transactions` are sequence numbers of other
        applications that this commit reaches.  `after` is the time of the table from which the files were
        computed: if another process has changed the table since then, or a removed file is no longer there,
        a ConflictError says so and nothing is written.
        """
        reached = {APPLICATION: time, **(transactions or {})}
        with self._lock:
            while (snapshot := self.snapshot()).time < time:
                if (after is not None and snapshot.time != after) or not _present(removed, snapshot):
                    raise self._conflict()
                gone = snapshot.files if anew else removed
                if self._write(snapshot, added, gone, note or {}, reached):
                    return True
                if removed and after is None:
                    raise self._conflict()
            return False

    def rewrite(
        self,
        added: Sequence[NewFile],
        removed: Sequence[DataFile],
        transactions: Mapping[str, int],
        changes: bool = False,
    ) -> bool:
        """Replace files by others that hold the same relation (unless it `changes`); the time stays.

        False if another process committed meanwhile, or has removed one of these files: nothing is written.
        """
        with self._lock:
            snapshot = self.snapshot()
            if not _present(removed, snapshot):
                return False
            return self._write(snapshot, added, removed, {}, transactions, changes)

    def alter(
        self,
        schema: pa.Schema,
        version: int,
        added: Sequence[NewFile] = (),
        removed: Sequence[DataFile] = (),
    ) -> bool:
        """Give the table another schema, and replace files by others that fit it, in one commit.

        False if the table is not at `version` any more; nothing is written then.
        """
        with self._lock:
            if (snapshot := self.snapshot()).version != version:
                return False
            actions = schema_actions(DeltaTable(self.path), schema)
            written = self._write(snapshot, added, removed, {}, {}, changes=False, definition=actions)
            self.snapshot()  # the schema from now on is the new one
            return written

    def _write(
        self,
        snapshot: Snapshot,
        added: Sequence[NewFile],
        removed: Sequence[DataFile],
        note: Mapping[str, str],
        transactions: Mapping[str, int],
        changes: bool = True,
        definition: Sequence[Mapping[str, Any]] = (),
    ) -> bool:
        """Write the version after `snapshot`. False if another process wrote it first."""
        if snapshot.version < 0 and not definition:
            raise no_table(self.path)
        now = wall.time_ns() // 1_000_000
        new = [
            (file.relative, self._size(file.relative), file.partition, file.statistics.json())
            for file in added
        ]
        old = [(file.relative, file.size, self._partition(file)) for file in removed]
        version = snapshot.version + 1
        actions = actions_of(now, note, transactions, new, old, changes, definition)
        if self.durable:
            if version <= 1:
                self._sync_log()
            sync_files(self.path, [file.relative for file in added])
        if not write_commit(self.path, version, actions, self.durable):
            return False
        self._checkpoints.after(version)
        return True

    def _conflict(self) -> ConflictError:
        return ConflictError("HW801", f"another process changed {self.path} at the same time")

    def _sync_log(self) -> None:
        """Make durable what delta-rs committed: how the table was created or altered."""
        if self.durable:
            log = os.path.join(self.path, "_delta_log")
            sync_files(log, (name for name in os.listdir(log) if name.endswith(".json")))
            sync_parents(log)

    def _size(self, relative: str) -> int:
        return os.path.getsize(os.path.join(self.path, relative))

    def _partition(self, file: DataFile) -> dict[str, str]:
        return {name: str(file.minimum[name]) for name in self._table().partitioned_by}

    def _table(self) -> LoadedTable:
        """The table as last seen; loads it the first time."""
        if self._loaded is None:
            self._loaded = LoadedTable.load(self.path)
        return self._loaded


def _present(files: Sequence[DataFile], snapshot: Snapshot) -> bool:
    """Whether the table still has these files."""
    return not files or {file.relative for file in files} <= {file.relative for file in snapshot.files}
