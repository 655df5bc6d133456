"""The folders of a project's warehouse, and its tables, each opened once.

warehouse/
  sources/<table>/       timeline of a source
  stages/<view>@<version>/   timeline of a view (<view>$1@... for its inner stages); also of what views share,
                         and replicas of relations of other sites
  views/<view>/          the view as plain rows, for any Delta reader
  system/                dead_letters, pushes, audit
  staging/               files of an action in progress; those of a killed run are removed at the next start
  clocks/<table>         the source's clock (source_clock.py)
  logs/headwater.log     what runs log (logs.py)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.catalog import Catalog
from headwater.errors import HeadwaterError
from headwater.model import Durability
from headwater.storage.delta.definition import READS
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.permissions import make_root
from headwater.storage.source_clock import SourceClock
from headwater.storage.timeline import Timeline

__all__ = ["Warehouse", "warehouse_of"]


@dataclass(slots=True)
class Warehouse:
    """The project's warehouse. `roots`: relation -> storage root, for relations stored at another site.

    With full durability, what came from outside outlasts a power cut: sources, their clocks, and the system
    tables.  Stages and plain tables can be computed again; a run checks them when it starts
    (engine/upkeep/damage.py).
    """

    root: str
    roots: dict[str, str] = field(default_factory=dict)
    durability: Durability = Durability.FULL
    reads: timedelta = READS  # how long a read of a table may last
    _open: dict[str, Timeline | DeltaLog] = field(default_factory=dict, init=False)
    _clocks: dict[str, SourceClock] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        if os.path.lexists(self.root) and not os.path.isdir(self.root):
            raise HeadwaterError(
                "HW803",
                f"the warehouse {self.root} cannot be read and written",
                detail="It is a link that leads nowhere, or no folder.",
                hint="Make the folder that it leads to (is a disk not mounted?), or change `storage` in"
                " headwater.yml.",
            )

    def root_of(self, relation: str) -> str:
        """The storage root of the site at which a relation is stored."""
        return self.roots.get(relation, self.root)

    def lay_out(self, relations: Iterable[str], elsewhere: Mapping[str, str]) -> None:
        """From now on these relations lie at the project's own root, but for those `elsewhere`."""
        for name in relations:
            if name not in elsewhere:
                self.roots.pop(name, None)
        self.roots.update(elsewhere)

    def make_roots(self) -> None:
        """Make the folders of the project's storage and of its sites', before anything is written there."""
        for root in {self.root, *self.roots.values()}:
            make_root(root)

    def source(self, table: str) -> Timeline:
        return self._timeline(os.path.join(self.root_of(table), "sources", table), self.durable)

    def stage(self, name: str) -> Timeline:
        return self._timeline(os.path.join(self._stage_root(name), "stages", name))

    def _stage_root(self, folder: str) -> str:
        """The root of the site of a stage: of its own, or of the view or table that it belongs to."""
        relation = folder.rsplit("@", 1)[0]
        return self.root_of(relation if relation in self.roots else relation.split("$", 1)[0])

    def published(self, view: str) -> DeltaLog:
        return self._log(os.path.join(self.root_of(view), "views", view))

    def system(self, name: str) -> DeltaLog:
        return self._log(os.path.join(self.root, "system", name), self.durable)

    def spark_log(self) -> str:
        """Where the JVM's own messages go."""
        return os.path.join(self.root, "spark.log")

    @staticmethod
    def staging(root: str) -> str:
        """Where an action writes the files of a site's stages before they are moved to the stages."""
        return os.path.join(root, "staging")

    def clock(self, table: str) -> SourceClock:
        with self._lock:
            path = os.path.join(self.root, "clocks", table)
            return self._clocks.setdefault(table, SourceClock(path, self.durable))

    def log_at(self, path: str) -> DeltaLog:
        """The log of the table at `path`: the open one, if it is open."""
        with self._lock:
            table = self._open.get(path)
        return table.log if isinstance(table, Timeline) else table or DeltaLog(path)

    def forget(self, path: str) -> None:
        """Drop the open table at `path`, whose folder is being removed; the next caller opens it anew."""
        with self._lock:
            self._open.pop(path, None)

    @property
    def durable(self) -> bool:
        return self.durability is Durability.FULL

    def _timeline(self, path: str, durable: bool = False) -> Timeline:
        with self._lock:
            table = self._open.get(path) or self._open.setdefault(path, Timeline(path, durable, self.reads))
            assert isinstance(table, Timeline)
            return table

    def _log(self, path: str, durable: bool = False) -> DeltaLog:
        with self._lock:
            table = self._open.get(path) or self._open.setdefault(path, DeltaLog(path, durable, self.reads))
            assert isinstance(table, DeltaLog)
            return table


def warehouse_of(catalog: Catalog) -> Warehouse:
    """The warehouse that the project's headwater.yml describes."""
    project = catalog.project
    return Warehouse(project.storage, catalog.storage_roots(), project.durability, project.retention.reads)
