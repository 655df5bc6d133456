"""The files in a table's folder: those its current version has, and since when it does without the others.

    in the current version                                     used
    removed by a version that the log still has                unused since that version
    in no version, and the log is whole                        never committed: unused since it was written
    in no version, and the log was cleaned up                  one or the other, before the oldest version
                                                               that the log still has

A file that a writer is about to commit looks like one that was never committed, so nothing may be deleted
that was changed within the retention.  The change counts, not the writing: a file that is linked or moved
here keeps its old modification time, and only the time of its last change (ctime) is new.

The folder is listed before the log is read.  A file that is committed in between is then known as used.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from headwater.storage.delta.data_files import Snapshot
from headwater.storage.delta.delta_log import DeltaLog

__all__ = ["TableFiles", "UnusedFile", "bytes_below", "newest_change", "table_files"]

LOG = "_delta_log"
_VERSION = re.compile(r"(\d{20})\.json")
_DRAFT = re.compile(r"_commit_\w+\.json\.tmp")


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file that the table's current version does not have; instants in microseconds."""

    path: str
    size: int
    changed_at: int  # written, moved or linked here
    since: int  # at the latest it has been unused since then
    orphan: bool  # no version that the log still has knows it
    certain: bool = True  # False: the log does not go back far enough to tell, and `since` is only its start

    def may_go(self, before: int) -> bool:
        """Whether nobody can need it who began to read or write it at `before` or later."""
        return self.changed_at < before and self.since < before


@dataclass(frozen=True, slots=True)
class TableFiles:
    snapshot: Snapshot
    unused: tuple[UnusedFile, ...]
    log_bytes: int
    index_bytes: int  # side files (storage/index)


@dataclass(frozen=True, slots=True)
class _Removals:
    """What the log still says of removed files."""

    at: dict[str, int]
    whole: bool  # the log goes back to the first version
    oldest_at: int


def table_files(log: DeltaLog) -> TableFiles:
    """The files of an existing table."""
    entries = list(_entries(log.path))
    drafts = list(_drafts(log.path))
    snapshot = log.snapshot()
    used = {file.relative for file in snapshot.files}
    candidates = [entry for entry in entries if entry[0] not in used]
    removals = _removals(log.path) if candidates else _Removals({}, True, 0)
    unused = [_unused(log.path, *entry, removals) for entry in candidates]
    return TableFiles(
        snapshot,
        (*unused, *drafts),
        bytes_below(os.path.join(log.path, LOG)),
        sum(bytes_below(folder) for folder in _hidden_folders(log.path)),
    )


def _unused(folder: str, relative: str, size: int, changed_at: int, removals: _Removals) -> UnusedFile:
    path = os.path.join(folder, relative)
    if relative in removals.at:
        return UnusedFile(path, size, changed_at, removals.at[relative], orphan=False)
    if removals.whole:
        return UnusedFile(path, size, changed_at, changed_at, orphan=True)
    return UnusedFile(path, size, changed_at, max(changed_at, removals.oldest_at), orphan=True, certain=False)


def _entries(folder: str, below: str = "") -> Iterator[tuple[str, int, int]]:
    """The files that could be data: path below the table's folder, size, and when it was changed."""
    for entry in os.scandir(os.path.join(folder, below)):
        relative = os.path.join(below, entry.name)
        if entry.is_dir(follow_symlinks=False):
            if not _is_hidden(entry.name):
                yield from _entries(folder, relative)
        elif not _is_hidden(entry.name) and (status := _status(entry.path)) is not None:
            yield relative, status.st_size, _changed_at(status)


def _is_hidden(name: str) -> bool:
    """As for any Delta reader: not a data file, nor a folder of data files."""
    return name.startswith(("_", ".")) and not name.endswith(".crc") and "=" not in name


def _hidden_folders(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False) and _is_hidden(entry.name) and entry.name != LOG:
            yield entry.path


def _drafts(folder: str) -> Iterator[UnusedFile]:
    """Commits that were never finished: their writer was killed."""
    for name in os.listdir(os.path.join(folder, LOG)):
        path = os.path.join(folder, LOG, name)
        if _DRAFT.fullmatch(name) and (status := _status(path)) is not None:
            changed_at = _changed_at(status)
            yield UnusedFile(path, status.st_size, changed_at, changed_at, orphan=True)


def _removals(folder: str) -> _Removals:
    versions = sorted(filter(_VERSION.fullmatch, os.listdir(os.path.join(folder, LOG))))
    at: dict[str, int] = {}
    whole, oldest_at = versions[:1] == [f"{0:020d}.json"], 0
    for name in versions:
        path = os.path.join(folder, LOG, name)
        try:
            committed_at = _changed_at(os.stat(path))
            with open(path, encoding="utf-8") as file:
                at |= dict(_removed(line, committed_at) for line in file if '"remove"' in line)
            oldest_at = oldest_at or committed_at
        except FileNotFoundError:  # the log is being cleaned up
            whole, oldest_at = False, 0
    return _Removals(at, whole, oldest_at)


def _removed(line: str, committed_at: int) -> tuple[str, int]:
    removed = json.loads(line).get("remove") or {}
    at = removed.get("deletionTimestamp")
    return unquote(removed.get("path", "")), committed_at if at is None else int(at) * 1000


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _changed_at(status: os.stat_result) -> int:
    return max(status.st_mtime_ns, status.st_ctime_ns) // 1000


def newest_change(folder: str) -> int:
    """When something was written into a folder last."""
    below = (os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
    statuses = map(_status, (folder, *below))
    return max((_changed_at(status) for status in statuses if status is not None), default=0)


def bytes_below(path: str) -> int:
    """The bytes of a file, or of all files in a folder; 0 if there is none."""
    status = _status(path)
    if status is None:
        return 0
    if not os.path.isdir(path):
        return status.st_size
    return sum(
        child.st_size
        for folder, _, names in os.walk(path)
        for name in names
        if (child := _status(os.path.join(folder, name))) is not None
    )
