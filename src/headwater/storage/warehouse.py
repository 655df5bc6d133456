"""Where things lie: the folders of a project's warehouse, and the tables opened so far.

warehouse/
  sources/<table>/       timeline of a source
  stages/<view>@<version>/   timeline of a view (<view>$1@... for what it must remember besides); so too what
                         views share, and replicas of relations of other sites
  views/<view>/          the view as plain rows, for any Delta reader
  system/                dead_letters, pushes, audit
  staging/               files of an action under way; what a killed run left is removed at the next start
  clocks/<table>         the source's clock (source_clock.py)
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field

from headwater.storage.delta_log import DeltaLog
from headwater.storage.source_clock import SourceClock
from headwater.storage.timeline import Timeline

__all__ = ["Warehouse"]


@dataclass(slots=True)
class Warehouse:
    """`places` says which relations (sources, views, shared stages) lie at another site's root."""

    root: str
    places: dict[str, str] = field(default_factory=dict)
    _open: dict[str, Timeline | DeltaLog] = field(default_factory=dict, init=False)
    _clocks: dict[str, SourceClock] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def place(self, relation: str) -> str:
        """The root of the site at which a relation lies."""
        return self.places.get(relation, self.root)

    def source(self, table: str) -> Timeline:
        return self._timeline(os.path.join(self.place(table), "sources", table))

    def stage(self, name: str) -> Timeline:
        return self._timeline(os.path.join(self.place(_relation(name)), "stages", name))

    def published(self, view: str) -> DeltaLog:
        return self._log(os.path.join(self.place(view), "views", view))

    def system(self, name: str) -> DeltaLog:
        return self._log(os.path.join(self.root, "system", name))

    def spark_log(self) -> str:
        """Where the JVM's own messages go."""
        return os.path.join(self.root, "spark.log")

    @staticmethod
    def staging(root: str) -> str:
        """Where an action that feeds several stages of a site writes before its files are moved to them."""
        return os.path.join(root, "staging")

    def clock(self, table: str) -> SourceClock:
        with self._lock:
            return self._clocks.setdefault(table, SourceClock(os.path.join(self.root, "clocks", table)))

    def forget(self, path: str) -> None:
        """Whoever asks next opens the table anew: its folder goes, or has gone."""
        with self._lock:
            self._open.pop(path, None)

    def _timeline(self, path: str) -> Timeline:
        with self._lock:
            found = self._open.get(path) or self._open.setdefault(path, Timeline(path))
            assert isinstance(found, Timeline)
            return found

    def _log(self, path: str) -> DeltaLog:
        with self._lock:
            found = self._open.get(path) or self._open.setdefault(path, DeltaLog(path))
            assert isinstance(found, DeltaLog)
            return found


def _relation(folder: str) -> str:
    """The view or shared stage that a stage's folder (name$1@version) belongs to."""
    return folder.rsplit("@", 1)[0].split("$", 1)[0]
