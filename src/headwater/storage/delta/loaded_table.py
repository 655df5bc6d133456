"""What a table's log says at one version: loaded by delta-rs once, then followed commit by commit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from headwater.errors import HeadwaterError
from headwater.storage.delta.all_transactions import all_transactions
from headwater.storage.delta.data_files import BEGINNING, DataFile, Snapshot
from headwater.storage.delta.lazy_values import LazyColumns, LazyValues
from headwater.storage.delta.log_commits import (
    Commit,
    damaged,
    empty_commit,
    log_file,
    read_commit,
    torn_commit,
    typed_statistics,
)

__all__ = ["APPLICATION", "LoadedTable", "no_table"]

APPLICATION = "headwater"  # the Delta transaction that carries a table's time


@dataclass(slots=True)
class LoadedTable:
    """Schema, files and transactions of a table as of `snapshot`. Not safe to share between threads."""

    path: str
    partitioned_by: tuple[str, ...]
    snapshot: Snapshot
    _table: DeltaTable  # as it was when it was loaded
    _files: dict[str, DataFile]
    _transactions: dict[str, int | None]  # those asked about, or committed since the table was loaded
    _all_read: bool = False  # `_transactions` has all there are
    _written: tuple[int, int] | None = None  # the log file of its version, as it was found

    @classmethod
    def load(cls, path: str) -> LoadedTable:
        try:
            table = DeltaTable(path)
        except TableNotFoundError as error:
            raise no_table(path, str(error)) from error
        except DeltaError as error:
            raise damaged(path, torn_commit(path) or str(error).split("\n", 1)[0]) from error
        if (empty := empty_commit(path)) is not None:
            raise damaged(path, f"version {empty} of its log is empty")
        adds = pa.table(table.get_add_actions(flatten=True))
        files = {file.relative: file for file in _data_files(path, adds)}
        time = table.transaction_version(APPLICATION) or BEGINNING
        schema, description = pa.schema(table.schema().to_arrow()), table.metadata().description or ""
        snapshot = Snapshot(table.version(), time, tuple(files.values()), schema, description)
        return cls(
            path, tuple(table.metadata().partition_columns), snapshot, table, files, {},
            _written=_identity(path, snapshot.version),
        )  # fmt: skip

    def follow(self) -> bool:
        """Apply the versions committed since.

        False if they cannot be followed: the table must be loaded again.

        Old log files are deleted oldest first, so once the file of our own version is gone, later versions
        may be missing as well.  If that file is another one, so is the table: it was removed and made again.
        """
        version, time = self.snapshot.version, self.snapshot.time
        written = _identity(self.path, version)
        if written is None or written != self._written:
            return False
        # Mostly there is none: to find that out by an error costs ten times as much.
        while os.access(log_file(self.path, version + 1), os.F_OK):
            if (commit := read_commit(self.path, version + 1)) is None:
                break
            if commit.alters:
                return False
            version += 1
            self._apply(commit)
            time = commit.transactions.get(APPLICATION, time)
        if version != self.snapshot.version:
            self._written = _identity(self.path, version)
            self.snapshot = replace(
                self.snapshot, version=version, time=time, files=tuple(self._files.values())
            )
        return True

    def transaction(self, application: str) -> int | None:
        """The last sequence number that `application` committed with, if it ever did."""
        if application not in self._transactions:
            self._transactions[application] = self._table.transaction_version(application)
        return self._transactions[application]

    def transactions(self) -> Mapping[str, int] | None:
        """The last number of every application; None if the table must be loaded again to know them."""
        if not self._all_read:
            numbers = all_transactions(self.path, self.snapshot.version)
            if numbers is None:
                return None
            self._transactions, self._all_read = dict(numbers), True
        return {name: number for name, number in self._transactions.items() if number is not None}

    def _apply(self, commit: Commit) -> None:
        for path in commit.removed:
            self._files.pop(path, None)
        for add in commit.added:
            self._files[add["path"]] = self._data_file(add)
        self._transactions |= commit.transactions

    def _data_file(self, add: Mapping[str, Any]) -> DataFile:
        path = os.path.join(self.path, add["path"])
        rows, minimum, maximum, nulls = typed_statistics(add, self.snapshot.schema)
        return DataFile(path, add["path"], rows, add["size"], minimum, maximum, nulls)


def no_table(path: str, detail: str = "") -> HeadwaterError:
    return HeadwaterError(
        "HW802",
        f"there is no Delta table at {path}",
        detail=detail,
        hint="Run the project once, or look at `storage` in headwater.yml.",
    )


def _identity(table: str, version: int) -> tuple[int, int] | None:
    """What tells the log file of a version from one that another table of that name has; None: it is gone."""
    try:
        status = os.stat(log_file(table, version))
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def _data_files(folder: str, adds: pa.Table) -> Iterable[DataFile]:
    minimum, maximum, nulls = (
        LazyColumns(_columns(adds, prefix)) for prefix in ("min.", "max.", "null_count.")
    )
    partitions = {name: column.to_pylist() for name, column in _columns(adds, "partition.").items()}
    paths, rows, sizes = (adds.column(name).to_pylist() for name in ("path", "num_records", "size_bytes"))
    for row, path in enumerate(paths):
        given = {name: values[row] for name, values in partitions.items()}
        yield DataFile(
            os.path.join(folder, path),
            path,
            rows[row] or 0,
            sizes[row],
            LazyValues(minimum, row, given),
            LazyValues(maximum, row, given),
            LazyValues(nulls, row, {}),
        )


def _columns(adds: pa.Table, prefix: str) -> dict[str, pa.ChunkedArray]:
    names = (name for name in adds.column_names if name.startswith(prefix))
    return {name[len(prefix) :]: adds.column(name) for name in names}
