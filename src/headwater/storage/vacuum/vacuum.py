"""Delete what nobody needs: files that tables no longer use, and tables that no view uses.

Nothing is deleted that was changed, or was still in use, within the retention (`retention.reads`): a reader
that began since then may need it, and a writer may be about to commit it.  That rule holds for every process,
so a vacuum beside a run is safe.  Whole tables are removed only by whoever holds the project's run lock, and
only below the project's own root: a site's folder may have other users.  Sources are never removed: they may
be the only copy.

A full disk keeps nothing from being deleted: files go first, then tables, which are moved aside before; and a
vacuum that cannot note what it has seen goes on without.

If the retention is longer than a table's log goes back, the log cannot say since when a file is unused.  Then
the first vacuum that finds it notes when that was (unused_files.json), and it waits from then on.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.clock import micros
from headwater.storage.index.side_files import sweep
from headwater.storage.replace_text import replace_text
from headwater.storage.vacuum.in_use import InUse
from headwater.storage.vacuum.inventory import TableStorage, tables_of
from headwater.storage.vacuum.table_files import UnusedFile, bytes_below
from headwater.storage.warehouse import Warehouse

__all__ = ["Removed", "Vacuum", "Vacuumed"]

logger = logging.getLogger(__name__)

# Held while a table is taken away: what is in use just then.
Using = Callable[[], AbstractContextManager[InUse]]
REMOVED = "removed-"  # folders on their way out, in dropped/


@dataclass(frozen=True, slots=True)
class Removed:
    """What went, or would go, of a table."""

    table: str
    kind: str
    why: str  # "unused", "orphan" or "old version"
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Vacuumed:
    removed: tuple[Removed, ...]
    waiting_bytes: int  # of files that are unused and have to wait
    left_to_run: tuple[str, ...]  # tables that only the run may remove

    @property
    def bytes(self) -> int:
        return sum(removed.bytes for removed in self.removed)

    @property
    def files(self) -> int:
        return sum(removed.files for removed in self.removed)


@dataclass(frozen=True, slots=True)
class Vacuum:
    """`whole_tables`: the caller holds the run lock, so tables that nobody uses may go as well."""

    warehouse: Warehouse
    roots: Sequence[str]
    using: Using
    reads: timedelta
    now: int
    whole_tables: bool
    dry_run: bool = False
    show: Callable[[str], None] = lambda name: None

    @property
    def before(self) -> int:
        return self.now - micros(self.reads)

    def run(self) -> Vacuumed:
        removed: list[Removed] = []
        left: list[str] = []
        unneeded: list[TableStorage] = []
        waiting, first_seen, seen = 0, _first_seen(self.warehouse), dict[str, int]()
        with self.using() as used:
            tables = tables_of(self.warehouse, self.roots, used)
        for table in tables:
            self.show(table.name)
            if self._unneeded(table) and not self.whole_tables:
                left.append(table.name)
                continue
            if self._unneeded(table):
                unneeded.append(table)
                continue
            dated = [_dated(file, first_seen, self.now, self.before) for file in table.unused]
            gone = [file for file in dated if file.may_go(self.before)]
            waiting += sum(file.size for file in dated if not file.may_go(self.before))
            noted = (file for file in dated if not file.certain and file.changed_at < self.before)
            seen |= {file.path: file.since for file in noted if file not in gone}
            removed += self._without_files(table, gone)
        for table in unneeded:
            try:
                removed += self._without(table)
            except OSError:
                logger.warning("%s cannot be moved aside; it goes later", table.path, exc_info=True)
        if not self.dry_run:
            _note_first_seen(self.warehouse, seen, first_seen)
            if self.whole_tables:
                _empty_trash(self.warehouse)
        return Vacuumed(tuple(removed), waiting, tuple(left))

    def _unneeded(self, table: TableStorage) -> bool:
        own = os.path.commonpath([table.path, self.warehouse.root]) == self.warehouse.root
        deleted = table.kind in ("stage", "view") and not table.used
        return own and deleted and not table.problem and table.changed_at < self.before

    def _without(self, table: TableStorage) -> Iterator[Removed]:
        size = bytes_below(table.path)
        if not self.dry_run:
            with self.using() as used:
                if used.uses(table.kind, table.name):
                    return  # somebody has just begun to use it again
                trash = os.path.join(_trash(self.warehouse), f"{REMOVED}{uuid.uuid4().hex}")
                os.makedirs(os.path.dirname(trash), exist_ok=True)
                os.rename(table.path, trash)
                self.warehouse.forget(table.path)
            logger.info("removed %s: no view uses it", table.path)
        yield Removed(table.name, table.kind, "old version", table.files + len(table.unused), size)

    def _without_files(self, table: TableStorage, files: Collection[UnusedFile]) -> Iterator[Removed]:
        if not self.dry_run:
            for file in files:
                with suppress(FileNotFoundError):
                    os.unlink(file.path)
            if table.kind == "source" and table.used and not table.problem:
                sweep(self.warehouse.source(table.name))
        for why, orphan in (("unused", False), ("orphan", True)):
            sizes = [file.size for file in files if file.orphan is orphan]
            if sizes:
                yield Removed(table.name, table.kind, why, len(sizes), sum(sizes))


def _dated(file: UnusedFile, first_seen: Mapping[str, int], now: int, before: int) -> UnusedFile:
    """The file with the instant since when it is known to be unused.

    One that was changed within the retention is not noted: it may be about to be committed.
    """
    if file.certain or file.changed_at >= before:
        return file
    return replace(file, since=min(file.since, first_seen.get(file.path, now)))


def _trash(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "dropped")


def _empty_trash(warehouse: Warehouse) -> None:
    """Also of earlier vacuums that were killed."""
    folder = _trash(warehouse)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.startswith(REMOVED):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def _path(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "unused_files.json")


def _first_seen(warehouse: Warehouse) -> dict[str, int]:
    try:
        with open(_path(warehouse), encoding="utf-8") as file:
            return {str(path): int(at) for path, at in json.load(file).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError):
        logger.warning("%s cannot be read; unused files wait anew", _path(warehouse), exc_info=True)
        return {}


def _note_first_seen(warehouse: Warehouse, seen: Mapping[str, int], before: Mapping[str, int]) -> None:
    if seen == before:
        return
    try:
        replace_text(_path(warehouse), json.dumps(dict(seen)))
    except OSError:
        logger.warning("%s cannot be written; unused files wait anew", _path(warehouse), exc_info=True)
