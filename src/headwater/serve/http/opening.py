"""The project that a server answers for, opened again whenever its files change.

While the SQL files are wrong, the last declaration that was right goes on being served (serve/last_good.py).
The warehouse is the server's own: it shares no lock with a run in the same process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from headwater.catalog import Catalog, build
from headwater.clock import Clock, micros
from headwater.errors import InputError
from headwater.model import Project
from headwater.project import fingerprint, load
from headwater.serve.last_good import last_good
from headwater.serve.noticed_reads import NoticedReads
from headwater.storage.warehouse import Warehouse, warehouse_of

__all__ = ["Opened", "Opening"]

LOOK_EVERY = micros(timedelta(seconds=1))


@dataclass(frozen=True, slots=True)
class Opened:
    """A project as its files are now."""

    project: Project
    catalog: Catalog
    warehouse: Warehouse
    fingerprint: str  # of its files
    reads: NoticedReads
    problem: str = ""  # what is wrong with the files, if this is what they said before


class Opening:
    """Opens the project, and looks every second whether its files have changed."""

    def __init__(self, folder: str, clock: Clock, changed: Callable[[Opened], None] = lambda opened: None):
        self._folder = folder
        self._clock = clock
        self._changed = changed
        self._lock = threading.Lock()
        self._looked = clock.monotonic()
        self._opened = _open(folder, clock)

    def is_due(self) -> bool:
        """Is it time to look again?"""
        return self._clock.monotonic() - self._looked >= LOOK_EVERY

    def current(self) -> Opened:
        if self.is_due() and self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._opened

    def _look(self) -> None:
        self._looked = self._clock.monotonic()
        if fingerprint(self._folder) == self._opened.fingerprint:
            return
        try:
            self._opened = _open(self._folder, self._clock)
        except InputError:  # wrong files, and nothing is remembered: what was served is served
            return
        self._changed(self._opened)


def _open(folder: str, clock: Clock) -> Opened:
    digest = fingerprint(folder)
    problem = ""
    try:
        project = load(folder)
    except InputError as error:
        project, problem = last_good(Path(folder), error)
    catalog = build(project)
    warehouse = warehouse_of(catalog)
    return Opened(project, catalog, warehouse, digest, NoticedReads(catalog, warehouse, clock), problem)
