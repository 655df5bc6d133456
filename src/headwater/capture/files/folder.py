"""A folder as a source: every file in it is read exactly once, even across restarts and `kill -9`
(ledger.py).

    USING files OPTIONS (path 'incoming', format 'jsonl' | 'csv' | 'parquet', pattern '*.jsonl', settle '1')

A file is identified by its name.  It is taken once it has not changed for `settle` seconds (1), or had not
when first seen; names that start with "." or "_" or end in ".tmp" or ".part" are ignored, so a writer that
renames its file when done is safe however long it pauses.  A file that changes after it was taken is not
read again; a dead letter says so.  Files are taken in the order of their names; all records of a file are
committed together, and many small files in one commit.

A file is read before it is numbered in the ledger.  One that cannot be read (no permission, an error of the
disk, a name that is not UTF-8) is not taken: it waits, is shown, and is tried again ever more rarely
(waiting.py), while the others go on.  Only content that cannot be parsed is rejected as a whole (parsing.py).
A file that was numbered by a run killed before its commit holds those behind it until it can be read, or is
gone.
"""

from __future__ import annotations

import errno
import fnmatch
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.capture.dead_letters import write_dead_letters
from headwater.capture.files.ledger import Ledger, Taken
from headwater.capture.files.options import PATTERNS, check_options, settle_time
from headwater.capture.files.parsing import parsed, rejected_file
from headwater.capture.files.waiting import WaitingFiles
from headwater.capture.intake.append import Appender, open_source
from headwater.capture.intake.batch import Batch, Rejection, joined
from headwater.capture.intake.token import Token
from headwater.capture.polling import Polled, advance
from headwater.capture.storage_errors import storage_errors
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["CHANGED", "FileCapture", "read_content"]

logger = logging.getLogger(__name__)

_MOST_BYTES = 64 * 1024 * 1024
_MOST_FILES = 500
_WRITER = "files"
CHANGED = "the file changed after it was taken; what is new in it was not read: use a new name"


@dataclass(frozen=True, slots=True)
class _Seen:
    size: int
    modified_ns: int
    at: int  # monotonic


_File = tuple[str, int, int]  # name, size, modification time


@dataclass(frozen=True, slots=True)
class _Content:
    content: bytes
    size: int
    modified_ns: int


@dataclass(slots=True)
class _Looked:
    """Files to read, files that are too recent, and files that changed after they were taken."""

    ready: list[_File] = field(default_factory=list)
    settling: list[str] = field(default_factory=list)
    changed: list[tuple[str, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Fresh:
    """Files that were read and have no number yet. `more`: others are left for the next poll."""

    files: list[_File] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    more: bool = False


@dataclass(slots=True)
class FileCapture:
    """The files of one table's folder."""

    warehouse: Warehouse
    table: Table
    clock: Clock
    base: str = "."  # the project's folder: relative paths are below it
    project_tables: Mapping[str, Table] = field(default_factory=dict)  # may reference this table
    _appender: Appender = field(init=False)
    _ledger: Ledger = field(init=False)
    _waiting: WaitingFiles = field(init=False)
    _seen: dict[str, _Seen] = field(default_factory=dict, init=False)
    _watermark: int = field(default=0, init=False)
    _logged: str = field(default="", init=False)  # the failure that was logged last: once, not at every poll

    def __post_init__(self) -> None:
        check_options(self.table)
        open_source(self.warehouse, self.table)
        self._appender = Appender(self.warehouse, self.table, self.clock, self.project_tables)
        self._ledger = Ledger(self.warehouse, self.table.name, self.clock)
        self._waiting = WaitingFiles(self.clock)

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.table.name,)

    @property
    def folder(self) -> str:
        return os.path.join(self.base, self.table.options["path"])

    def close(self) -> None:
        return None

    def poll(self, at: int = 0) -> Polled:
        try:
            names = self._names()
        except OSError as error:
            return self._failed(_unreadable(self.table, self.folder, error))
        try:
            with storage_errors(f'files of table "{self.table.name}" are not read', self.warehouse.root):
                polled = self._take(names, at)
        except HeadwaterError as error:
            return self._failed(error, behind=True)
        self._logged = ""
        return polled

    def _failed(self, error: HeadwaterError, behind: bool = False) -> Polled:
        if str(error) != self._logged:
            self._logged = str(error)
            logger.warning("capturing %s failed: %s", self.table.name, error.message, exc_info=True)
        return Polled(0, self._watermark, behind=behind, error=error, waiting=self._waiting.files)

    def _take(self, names: list[str], at: int) -> Polled:
        self._waiting.keep_only({_shown(self._path(name)) for name in names})
        looked = self._look([name for name in names if self._has_a_text(name)])
        changes = self._read_numbered()
        more = bool(looked.settling)
        if not self._numbered():
            fresh = self._read_ready(looked.ready)
            changes += self._append_ready(fresh)
            more = more or fresh.more
        now = max(self.clock.now(), at)
        self._watermark = advance(self.warehouse, self.table.name, now, self._watermark).watermark
        self._report(looked.changed)
        left = self._numbered()
        more = more or bool(left and self._waiting.due(self._path(left[0].file)))
        return Polled(changes, self._watermark, more, waiting=self._waiting.files)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _has_a_text(self, name: str) -> bool:
        """Whether a name can be stored; a file with another one waits to be renamed."""
        path = self._path(name)
        if _shown(path) == path:
            return True
        self._wait(_shown(path), OSError(errno.EILSEQ, "its name is not UTF-8: rename it"))
        return False

    def _report(self, changed: Iterable[tuple[str, int]]) -> None:
        """Write one dead letter for each change of a file that was taken before."""
        for name, modified_ns in changed:
            letter = Rejection(0, "", CHANGED, self._path(name))
            token = Token(f"changed:{name}", modified_ns)
            write_dead_letters(self.warehouse, self.table.name, [letter], self.clock, token)

    def _names(self) -> list[str]:
        patterns = PATTERNS[self.table.options.get("format", "jsonl")]
        if "pattern" in self.table.options:
            patterns = (self.table.options["pattern"],)
        with os.scandir(self.folder) as entries:
            return sorted(
                entry.name for entry in entries
                if not entry.name.startswith((".", "_")) and not entry.name.endswith((".tmp", ".part"))
                and any(fnmatch.fnmatch(entry.name, pattern) for pattern in patterns) and entry.is_file()
            )  # fmt: skip

    def _look(self, names: list[str]) -> _Looked:
        taken = self._ledger.taken()
        looked = _Looked()
        for name in names:
            try:
                status = os.stat(self._path(name))
            except FileNotFoundError:
                continue
            except OSError as error:
                self._wait(self._path(name), error)
                continue
            before = taken.get(name)
            if before is not None:
                if (before.size, before.modified_ns) != (status.st_size, status.st_mtime_ns):
                    looked.changed.append((name, status.st_mtime_ns))
            elif not self._waiting.due(self._path(name)):
                continue
            elif self._settled(name, status):
                looked.ready.append((name, status.st_size, status.st_mtime_ns))
            else:
                looked.settling.append(name)
        return looked

    def _settled(self, name: str, status: os.stat_result) -> bool:
        settle = settle_time(self.table)
        now = self.clock.now()
        if status.st_mtime_ns // 1000 <= now - settle:
            return True
        seen, at = self._seen.get(name), self.clock.monotonic()
        if seen is None or (seen.size, seen.modified_ns) != (status.st_size, status.st_mtime_ns):
            self._seen[name] = _Seen(status.st_size, status.st_mtime_ns, at)
            return settle == 0
        return at - seen.at >= settle

    def _numbered(self) -> list[Taken]:
        """The files that are numbered and not committed."""
        last = self.warehouse.source(self.table.name).log.transaction(_WRITER) or 0
        return self._ledger.after(last)

    def _read_numbered(self) -> int:
        """Read the files that a killed run, or a failed commit, left numbered, up to the first that waits."""
        batches: list[Batch] = []
        last, size = 0, 0
        for file in self._numbered():
            path = self._path(file.file)
            if not self._waiting.due(path) or size >= _MOST_BYTES:
                break
            try:
                batches.append(parsed(self.table, read_content(path).content, path))
            except FileNotFoundError:
                batches.append(rejected_file(self.table, path, "the file was removed before it was read"))
            except OSError as error:
                self._wait(path, error)
                break
            self._waiting.done(path)
            last, size = file.sequence, size + file.size
        return self._append(batches, last)

    def _read_ready(self, ready: Sequence[_File]) -> _Fresh:
        """Read files that have settled, as many as one commit takes."""
        fresh, size = _Fresh(), 0
        for count, (name, seen_size, seen_modified) in enumerate(ready):
            if count == _MOST_FILES or size >= _MOST_BYTES:
                fresh.more = True
                break
            path = self._path(name)
            try:
                content = read_content(path)
            except OSError as error:
                self._wait(path, error)
                continue
            self._waiting.done(path)
            if (content.size, content.modified_ns) != (seen_size, seen_modified):
                self._seen.pop(name, None)  # it is still being written
                fresh.more = True
                continue
            fresh.files.append((name, seen_size, seen_modified))
            fresh.batches.append(parsed(self.table, content.content, path))
            size += seen_size
        return fresh

    def _append_ready(self, fresh: _Fresh) -> int:
        if not fresh.files:
            return 0
        self._ledger.take(fresh.files)
        for name, _, _ in fresh.files:
            self._seen.pop(name, None)
        taken = self._ledger.taken()
        return self._append(fresh.batches, max(taken[name].sequence for name, _, _ in fresh.files))

    def _append(self, batches: Sequence[Batch], last: int) -> int:
        if not batches:
            return 0
        return self._appender.append_batch(joined(batches), Token(_WRITER, last)).accepted

    def _wait(self, path: str, error: OSError) -> None:
        if self._waiting.failed(path, error):
            logger.warning("the file %s cannot be read and is tried again: %s", path, error)


def read_content(path: str) -> _Content:
    """A file's bytes, and its size and modification time after they were read."""
    with open(path, "rb") as file:
        content = file.read()
        status = os.fstat(file.fileno())
    return _Content(content, status.st_size, status.st_mtime_ns)


def _unreadable(table: Table, folder: str, error: OSError) -> InputError:
    return InputError(
        "HW858",
        f'the folder {folder} of table "{table.name}" cannot be read',
        detail=error.strerror or str(error),
    )


def _shown(path: str) -> str:
    """A path as text: bytes that are not UTF-8 become question marks."""
    return path.encode(errors="replace").decode()
