"""Reads of keys of update streams with REFRESH WEIGHT BY READS, noticed where they are answered.

A row that an answer shows, or was made from, says that somebody looked at its key.  Whoever reads many rows
at once (SCAN) looks at none of them in particular.  What is noticed is counted in memory, MOST keys at most,
and appended to a file when the last time is EVERY ago, or at the end; a warehouse that may not be written to
is left alone.  Tables without BY READS cost nothing.
"""

from __future__ import annotations

import atexit
import logging
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from headwater.algebra.plans.origins import origin
from headwater.algebra.stages.choosing import table_of
from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.model import ReadWeight
from headwater.storage.choosing.reads import note_reads
from headwater.storage.warehouse import Warehouse

__all__ = ["NoticedReads", "key_columns"]

EVERY = 1_000_000  # microseconds
MOST = 500  # keys of a table, before they are noted
SCAN = 1_000  # rows

logger = logging.getLogger(__name__)


def key_columns(catalog: Catalog, relation: str) -> dict[str, tuple[str, ...]]:
    """The columns of a relation that are those its table is weighed by, by table with BY READS."""
    weighed: dict[str, tuple[str, ...]] = {}
    for table in catalog.project.tables.values():
        if isinstance(table.weight, ReadWeight):
            origins = {_source(catalog, relation, name): name for name in _columns(catalog, relation)}
            wanted = [(table.name, name) for name in table.weight.columns]
            if all(pair in origins for pair in wanted):
                weighed[table.name] = tuple(origins[pair] for pair in wanted)
    return weighed


def _columns(catalog: Catalog, relation: str) -> Sequence[str]:
    table = catalog.project.tables.get(relation)
    return table.column_names if table is not None else catalog.kept[relation].columns


def _source(catalog: Catalog, relation: str, column: str) -> tuple[str, str] | None:
    """The column of a table that a column of a relation is, whatever views and stages lie between."""
    if table_of(relation) in catalog.project.tables:
        return table_of(relation), column
    kept = catalog.kept.get(relation)
    plans = {} if kept is None else {stage.name: stage.plan for stage in kept.stages}
    step = None if kept is None else origin(kept.finish, column)
    while step is not None and plans.get(step[0]) is not None:
        relation, column = step
        plan = plans.pop(relation)
        step = None if plan is None or column not in plan.columns else origin(plan, column)
    return None if step is None or step[0] in plans else _source(catalog, *step)


@dataclass(slots=True, weakref_slot=True, eq=False)
class NoticedReads:
    """The reads of one opened project. Safe for many threads."""

    catalog: Catalog
    warehouse: Warehouse
    clock: Clock
    _columns: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    _counts: dict[str, Counter[tuple[str, ...]]] = field(default_factory=dict)
    _noted_at: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _learns: bool = False

    def __post_init__(self) -> None:
        tables = self.catalog.project.tables.values()
        self._learns = any(isinstance(table.weight, ReadWeight) for table in tables)
        if self._learns:
            _ALL.add(self)

    def of(self, relation: str) -> Mapping[str, tuple[str, ...]]:
        """What reading the relation says something about: key columns, by table."""
        if not self._learns:
            return {}
        if relation not in self._columns:
            known = relation in self.catalog.project.tables or relation in self.catalog.kept
            self._columns[relation] = key_columns(self.catalog, relation) if known else {}
        return self._columns[relation]

    def learns_from(self, relation: str, rows: int) -> bool:
        """Whether a read of so many rows of a relation says something."""
        return 0 < rows <= SCAN and bool(self.of(relation))

    def notice(self, relation: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Somebody read these rows of a relation."""
        if not self.learns_from(relation, len(rows)):
            return
        for table, columns in self.of(relation).items():
            self._count(table, (_texts(row, columns) for row in rows))

    def _count(self, table: str, keys: Iterable[tuple[str, ...] | None]) -> None:
        with self._lock:
            counts = self._counts.setdefault(table, Counter())
            for key in keys:
                if key is not None and (len(counts) < MOST or key in counts):
                    counts[key] += 1
        if self.clock.now() - self._noted_at >= EVERY:
            self.note()

    def note(self) -> None:
        """Append what was noticed since the last time."""
        with self._lock:
            noticed, self._counts = self._counts, {}
            self._noted_at = self.clock.now()
        try:
            for table, counts in noticed.items():
                if counts:
                    note_reads(self.warehouse, table, counts, self._noted_at)
        except OSError as error:
            self._learns, self._columns = False, {}
            logger.info("reads are not noted, the warehouse cannot be written to: %s", error)


def _texts(row: Mapping[str, Any], columns: Sequence[str]) -> tuple[str, ...] | None:
    """The key of a row as texts that SQL can cast back; None if it has none, or none that can be."""
    texts = []
    for column in columns:
        value = row.get(column)
        if not isinstance(value, str | int | float | Decimal | date):
            return None
        texts.append(value.isoformat() if isinstance(value, date | datetime) else str(value))
    return tuple(texts)


_ALL: weakref.WeakSet[NoticedReads] = weakref.WeakSet()


@atexit.register
def _note_all() -> None:
    """What was noticed in the last moment of a process."""
    for reads in list(_ALL):
        reads.note()
