"""A folder as a source: every file in it is taken once, also after a restart or `kill -9` (ledger.py).

    USING files OPTIONS (path 'incoming', format 'jsonl' | 'csv' | 'parquet', pattern '*.jsonl', settle '1')

A file is known by its name.  It is taken when it has not changed for `settle` seconds (1), or had not when
first seen; names that start with "." or "_" or end in ".tmp" or ".part" are never looked at, so a writer that
renames when done is safe whatever its pauses.  A file that changes after it was taken is not read again; a
dead letter says so.  Files are taken in the order of their names; all records of a file are committed at
once, small files many at a time.  A file that cannot be read is rejected as a whole (line 0).
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.capture.append import Appender, open_source
from headwater.capture.arrow_rows import arrow_batch
from headwater.capture.batch import Batch, Rejection, joined, row_schema, rows_batch
from headwater.capture.changes import json_records, records_batch
from headwater.capture.csv_rows import csv_batch
from headwater.capture.dead_letters import bury
from headwater.capture.ledger import Ledger, Taken
from headwater.capture.polling import Polled, advance
from headwater.capture.token import Token
from headwater.capture.trouble import storage_trouble
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError, did_you_mean
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["FileCapture"]

_PATTERNS = {"jsonl": ("*.jsonl", "*.ndjson", "*.json"), "csv": ("*.csv",), "parquet": ("*.parquet",)}
_MOST_BYTES = 64 * 1024 * 1024
_MOST_FILES = 500
_WRITER = "files"
_CHANGED = "the file changed after it was taken; what is new in it was not read: use a new name"


@dataclass(frozen=True, slots=True)
class _Seen:
    size: int
    modified_ns: int
    at: int


@dataclass(slots=True)
class FileCapture:
    warehouse: Warehouse
    table: Table
    clock: Clock
    base: str = "."  # relative paths are below the project's folder
    project_tables: Mapping[str, Table] = field(default_factory=dict)  # those that may reference this one
    _appender: Appender = field(init=False)
    _ledger: Ledger = field(init=False)
    _seen: dict[str, _Seen] = field(default_factory=dict, init=False)
    _watermark: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        _check_options(self.table)
        open_source(self.warehouse, self.table)
        self._appender = Appender(self.warehouse, self.table, self.clock, self.project_tables)
        self._ledger = Ledger(self.warehouse, self.table.name, self.clock)

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.table.name,)

    @property
    def folder(self) -> str:
        return os.path.join(self.base, self.table.options["path"])

    def close(self) -> None:
        return None

    def poll(self) -> Polled:
        try:
            names = self._names()
        except OSError as error:
            return Polled(0, self._watermark, error=_unreadable(self.table, self.folder, error))
        try:
            with storage_trouble(f'files of table "{self.table.name}" are not read', self.warehouse.root):
                return self._take(names)
        except HeadwaterError as error:
            return Polled(0, self._watermark, behind=True, error=error)

    def _take(self, names: list[str]) -> Polled:
        ready, waiting, changed = self._look(names)
        if ready:
            self._ledger.take(ready[:_MOST_FILES])
        changes = self._read_pending()
        behind = bool(waiting) or len(ready) > _MOST_FILES or bool(self._pending())
        self._watermark = advance(self.warehouse, self.table.name, self.clock, self._watermark)
        self._report(changed)
        return Polled(changes, self._watermark, behind)

    def _report(self, changed: Iterable[tuple[str, int]]) -> None:
        """One dead letter for each change of a file that was taken before."""
        for name, modified_ns in changed:
            letter = Rejection(0, "", _CHANGED, os.path.join(self.folder, name))
            token = Token(f"changed:{name}", modified_ns)
            bury(self.warehouse, self.table.name, [letter], self.clock, token)

    def _names(self) -> list[str]:
        patterns = _PATTERNS[self.table.options.get("format", "jsonl")]
        if "pattern" in self.table.options:
            patterns = (self.table.options["pattern"],)
        with os.scandir(self.folder) as entries:
            return sorted(
                entry.name for entry in entries
                if not entry.name.startswith((".", "_")) and not entry.name.endswith((".tmp", ".part"))
                and any(fnmatch.fnmatch(entry.name, pattern) for pattern in patterns) and entry.is_file()
            )  # fmt: skip

    def _look(self, names: list[str]) -> tuple[list[tuple[str, int, int]], list[str], list[tuple[str, int]]]:
        """Files to take, files that are too young, and files that changed after they were taken."""
        taken = self._ledger.taken()
        ready: list[tuple[str, int, int]] = []
        waiting: list[str] = []
        changed: list[tuple[str, int]] = []
        for name in names:
            try:
                found = os.stat(os.path.join(self.folder, name))
            except FileNotFoundError:
                continue
            before = taken.get(name)
            if before is not None:
                if (before.size, before.modified_ns) != (found.st_size, found.st_mtime_ns):
                    changed.append((name, found.st_mtime_ns))
            elif self._settled(name, found):
                ready.append((name, found.st_size, found.st_mtime_ns))
            else:
                waiting.append(name)
        return ready, waiting, changed

    def _settled(self, name: str, found: os.stat_result) -> bool:
        settle = int(float(self.table.options.get("settle", "1")) * 1_000_000)
        now = self.clock.now()
        if found.st_mtime_ns // 1000 <= now - settle:
            return True
        seen = self._seen.get(name)
        if seen is None or (seen.size, seen.modified_ns) != (found.st_size, found.st_mtime_ns):
            self._seen[name] = _Seen(found.st_size, found.st_mtime_ns, now)
            return settle == 0
        return now - seen.at >= settle

    def _pending(self) -> list[Taken]:
        last = self.warehouse.source(self.table.name).log.transaction(_WRITER) or 0
        return [one for one in self._ledger.taken().values() if one.sequence > last]

    def _read_pending(self) -> int:
        pending, size = [], 0
        for one in self._pending():
            pending.append(one)
            self._seen.pop(one.file, None)
            size += one.size
            if size >= _MOST_BYTES:
                break
        if not pending:
            return 0
        batch = joined([self._batch(one.file) for one in pending])
        return self._appender.append_batch(batch, Token(_WRITER, pending[-1].sequence)).accepted

    def _batch(self, name: str) -> Batch:
        path = os.path.join(self.folder, name)
        try:
            return _read(self.table, path)
        except FileNotFoundError:
            return _nothing(self.table, path, "the file was removed before it was read")
        except (HeadwaterError, OSError, UnicodeDecodeError, pa.ArrowException) as error:
            return _nothing(
                self.table, path, error.message if isinstance(error, HeadwaterError) else str(error)
            )


def _read(table: Table, path: str) -> Batch:
    match table.options.get("format", "jsonl"):
        case "parquet":
            return arrow_batch(table, pq.ParquetFile(path).read(), path)
        case "csv":
            with open(path, encoding="utf-8", newline="") as file:
                return csv_batch(table, file.read(), path)
        case _:
            with open(path, "rb") as lines:
                return records_batch(table, json_records(table, lines, file=path))


def _nothing(table: Table, path: str, reason: str) -> Batch:
    """A file rejected as a whole."""
    empty = rows_batch(table, row_schema(table).empty_table(), (), {})
    return Batch(empty.operations, empty.new, empty.old, (), (Rejection(0, "", reason, path),))


def _check_options(table: Table) -> None:
    form = table.options.get("format", "jsonl")
    if form not in _PATTERNS:
        raise InputError(
            "HW857", f'table "{table.name}" has an unknown format "{form}"', place=table.place,
            hint=did_you_mean(form, _PATTERNS) or "Use jsonl, csv or parquet.",
        )  # fmt: skip
    if "path" not in table.options:
        raise InputError(
            "HW857", f'table "{table.name}" needs a path', place=table.place,
            hint="USING files OPTIONS (path 'incoming', format 'jsonl')",
        )  # fmt: skip
    try:
        float(table.options.get("settle", "1"))
    except ValueError:
        raise InputError("HW857", f'table "{table.name}": settle is a number of seconds') from None


def _unreadable(table: Table, folder: str, error: OSError) -> InputError:
    return InputError(
        "HW858",
        f'the folder {folder} of table "{table.name}" cannot be read',
        detail=error.strerror or str(error),
    )
