"""Keep a project's store: what its bounded queries need, as of the newest time that is complete.

The store is a sink of timelines.  Relations that queries read together make a **group** and are always as of
one time: the least that all of them have reached.  A group is brought there in one transaction that holds the
changes, what follows from them and the time; so a change is applied exactly once, whoever is killed when.
After a long pause it goes in steps, each as of some time in between, to bound the memory that it takes.

What a new query needs is loaded beside what is there, as of the group's time; the other groups go on
meanwhile, between two batches.  A part that no query needs any more is dropped.  If a relation has given up
the history that the store still lacks, it is loaded again.

While a run merges small files of a source before a push, times become one: `gathering` keeps a merge from
spanning a time at which this store stopped.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from graphlib import CycleError, TopologicalSorter

from headwater.catalog import Catalog
from headwater.clock import Clock, SystemClock, micros
from headwater.serve.store.keeping.groups import groups_of, query_layouts
from headwater.serve.store.keeping.loading import load
from headwater.serve.store.keeping.relations import Changes, Relations
from headwater.serve.store.keeping.upkeep import Upkeep
from headwater.serve.store.layout import Layout, StoredRanking, whole_layout
from headwater.serve.store.protocol import KeptStore, StoredTable
from headwater.serve.store.rankings.record import REFRESHES, last_refresh
from headwater.serve.store.rankings.refreshing import ReadParts, is_due, read_here, refresh
from headwater.serve.store.rankings.tasks import MapTasks, read_by_tasks
from headwater.storage.warehouse import Warehouse

__all__ = ["Keeper"]

logger = logging.getLogger(__name__)

PARALLEL_ROWS = 20_000  # counters; fewer are read sooner than Spark starts a job
FOLLOW_EVERY = micros(timedelta(seconds=1))  # so often, while one group is loaded, the others are looked at
STEP_ROWS = 20_000  # some seconds; a push that merges files, and early writes, wait so long at most


class _Stopped(Exception):
    """The run ends while parts are being loaded: they are loaded again by the next one."""


@dataclass(slots=True)
class Keeper:
    store: KeptStore
    warehouse: Warehouse
    breaches: int = 0
    show: Callable[[str, int], None] = lambda part, rows: None
    clock: Clock = field(default_factory=SystemClock)
    tasks: MapTasks | None = None  # reads the partitions of large rankings at once
    _catalog: Catalog | None = None
    _layouts: dict[str, Layout] = field(default_factory=dict)
    _claimed: dict[str, int] = field(default_factory=dict)  # read, or about to be
    _claiming: threading.Lock = field(default_factory=threading.Lock)
    _keeping: threading.Lock = field(default_factory=threading.Lock)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._claimed = self.store.times()  # before the first push merges files

    # What the run asks

    def use_tasks(self, run: MapTasks) -> None:
        self.tasks = run

    def read_up_to(self, relation: str) -> int | None:
        """How far the store has read a relation, for good; None if it does not read it."""
        read = self._catalog is None or relation in self._relations()
        return self.store.times().get(relation) if read else None

    @contextmanager
    def gathering(self, relation: str) -> Iterator[int | None]:
        """Held while files of a relation become one: how far the store has read, or is about to."""
        with self._claiming:
            claimed = self._claimed.get(relation)
            if claimed is None:
                yield None
                return
            with self.store.transaction() as writing:  # so that no early write comes in between (writing.py)
                yield max((claimed, *writing.early(relation)))

    def keep(self, catalog: Catalog, captured: Mapping[str, int], settle: bool = False) -> None:
        """Bring the store to what is captured; `captured`: up to when each source is complete.

        It is read anew as a load goes on.  `settle`: this is the last time, so rankings are refreshed before
        their period is over.
        """
        with self._keeping:
            if self._stopping.is_set():
                return
            self._adopt(catalog)
            relations = Relations(catalog, self.warehouse)
            failures = [
                failure
                for group in sorted(groups_of(self._layouts), key=self._is_incomplete)
                if (failure := self._tried(group, relations, captured, settle))
            ]
        if failures:
            raise failures[0]

    def _tried(
        self, layout: Layout, relations: Relations, captured: Mapping[str, int], settle: bool
    ) -> Exception | None:
        """One group; what is wrong with it keeps no other from going on."""
        try:
            self._keep_group(layout, relations, captured)
            for ranking in layout.rankings:
                self._refresh(ranking, settle)
        except _Stopped:
            return None
        except Exception as error:  # noqa: BLE001 - raised when the other groups have had their turn
            return error
        return None

    def close(self) -> None:
        """End what is under way between two batches, and let the store go."""
        self._stopping.set()
        with self._keeping:
            self.store.close()

    def _is_incomplete(self, layout: Layout) -> bool:
        with self.store.snapshot() as snapshot:
            ready = snapshot.ready()
        return any(part.id not in ready for part in layout.parts)

    def _between_batches(
        self, relations: Relations, captured: Mapping[str, int]
    ) -> Callable[[str, int], None]:
        """What is done while a group is loaded: the groups that are there go on, now and then."""
        looked_at = self.clock.monotonic()

        def loaded(part: str, rows: int) -> None:
            nonlocal looked_at
            if self._stopping.is_set():
                raise _Stopped
            self.show(part, rows)
            if self.clock.monotonic() - looked_at >= FOLLOW_EVERY:
                self._follow(relations, captured)
                looked_at = self.clock.monotonic()

        return loaded

    def _follow(self, relations: Relations, captured: Mapping[str, int]) -> None:
        for group in groups_of(self._layouts):
            if not self._is_incomplete(group):
                failure = self._tried(group, relations, captured, settle=False)
                if failure is not None:  # raised when its turn comes
                    logger.debug("a group does not follow while another is loaded: %s", failure)

    # A project's queries

    def _adopt(self, catalog: Catalog) -> None:
        if catalog is self._catalog:
            return
        self._layouts = query_layouts(catalog)
        self._catalog = catalog
        if self._layouts or self.store.times():
            self._release(whole_layout(self._layouts))
            self._claimed = {**self.store.times()}

    def _relations(self) -> frozenset[str]:
        return frozenset(name for layout in self._layouts.values() for name in layout.relations)

    def _release(self, whole: Layout) -> None:
        """Drop what no query needs, and what was not complete when a run ended."""
        self.store.know(whole.parts)
        needed = {part.id for part in whole.parts}
        with self.store.snapshot() as snapshot:
            ready, times = snapshot.ready(), snapshot.times()
        gone = [part for part in self.store.parts() if part not in needed or part not in ready]
        unread = set(times) - whole.relations
        if gone or unread:
            with self.store.transaction() as writing:
                for part in gone:
                    writing.drop(part)
                    if REFRESHES.id in ready and REFRESHES.id in needed:
                        writing.delete(REFRESHES.id, {"id": part})
                writing.set_times(dict.fromkeys(unread))

    # Groups

    def _keep_group(self, layout: Layout, relations: Relations, captured: Mapping[str, int]) -> None:
        target = self._target(layout, relations, captured)
        times = self._times(layout)
        merged = map(relations.gathered, layout.relations)
        if target is None or target < max((*times.values(), *merged, self._early(times)), default=target):
            return  # what a new query reads, or a capture, is behind: it catches up first
        self._forget_lost(layout, relations)
        while (times := self._times(layout)) and any(time < target for time in times.values()):
            self._advance(layout, relations, times, _step(relations, times, target, self._early(times)))
        with self.store.snapshot() as snapshot:
            ready = snapshot.ready()
        if any(part.id not in ready for part in layout.parts):
            self._load(layout, relations, target, captured)

    def _refresh(self, ranking: StoredRanking, settle: bool) -> None:
        """Refresh a ranking if it is due and what it is made from is there."""
        with self.store.snapshot() as snapshot:
            times, last = snapshot.times(), last_refresh(snapshot, ranking.table.id)
            ready = snapshot.ready()
        if ranking.counters not in ready or not all(name in times for name in ranking.relations):
            return
        as_of, now = min(times[name] for name in ranking.relations), self.clock.now()
        if is_due(ranking, last, as_of, now, settle):
            large = last is not None and last.rows > PARALLEL_ROWS
            reading = self._by_tasks() if large else None
            here = read_here(self.store)
            refresh(self.store, ranking, as_of, now, reading or here, on_spark=reading is not None)

    def _by_tasks(self) -> ReadParts | None:
        if self.tasks is None or self._catalog is None:
            return None
        return read_by_tasks(self._catalog.project, whole_layout(self._layouts).parts, self.tasks)

    def _early(self, times: Mapping[str, int]) -> int:
        """No step ends before the last change that a write has applied early."""
        with self.store.snapshot() as snapshot:
            return max((time for name in times for time in snapshot.early(name)), default=0)

    def _target(self, layout: Layout, relations: Relations, captured: Mapping[str, int]) -> int | None:
        """The newest time that all relations of a group have reached; None if one has none yet."""
        reached = [
            captured.get(name) if relations.is_source(name) else relations.time(name)
            for name in layout.relations
        ]
        known = [time for time in reached if time is not None]
        return min(known) if known and len(known) == len(reached) else None

    def _times(self, layout: Layout) -> dict[str, int]:
        return {name: time for name, time in self.store.times().items() if name in layout.relations}

    def _forget_lost(self, layout: Layout, relations: Relations) -> None:
        """Give up relations whose changes since the store's time can no longer be told apart."""
        times = self._times(layout)
        lost = {name for name, time in times.items() if time < relations.horizon(name)}
        if not lost:
            return
        logger.warning("loading %s again: changes since the store's time were compacted", ", ".join(lost))
        tables = {table.id for table in layout.tables if table.relation in lost}
        for view in layout.views:
            if tables.intersection(view.sources):
                tables.add(view.table.id)
        with self.store.transaction() as writing:
            for part in layout.parts:
                if part.id in tables or getattr(part, "table", "") in tables:
                    writing.drop(part.id)
            writing.set_times(dict.fromkeys(lost))

    def _load(self, layout: Layout, relations: Relations, time: int, captured: Mapping[str, int]) -> None:
        """Fill what is missing, as of the group's time."""
        logger.info("loading %s into the store", ", ".join(sorted(layout.relations)))
        with self._claiming:
            self._claimed |= dict.fromkeys(layout.relations, time)
        shown = self._between_batches(relations, captured)
        load(self.store, layout, lambda table: relations.rows(table, time), time, shown)

    def _advance(self, layout: Layout, relations: Relations, times: Mapping[str, int], until: int) -> None:
        """Apply the changes up to a time, with the time, in one transaction."""
        with self._claiming:
            self._claimed |= dict.fromkeys(times, until)
        with self.store.snapshot() as snapshot:
            ready = snapshot.ready()
        tables = [table for table in layout.tables if table.id in ready and table.relation in times]
        slices = {table.id: relations.delta(table.relation, times[table.relation], until) for table in tables}
        views = [view for view in layout.views if view.table.id in ready]
        with self.store.transaction() as writing:
            parts = {
                table.id: relations.changes(
                    table.relation, slices[table.id], table.columns, writing.early(table.relation)
                )
                for table in tables
            }
            upkeep = Upkeep(writing, views)
            _apply(upkeep, _parents_first(tables, relations), parts)
            writing.set_times(dict.fromkeys(times, until))
        self.breaches += upkeep.breaches


def _apply(upkeep: Upkeep, tables: list[StoredTable], changes: Mapping[str, Changes]) -> None:
    """Deletes of what refers before what is referred to, then inserts the other way round."""
    for table in reversed(tables):
        for row, copies in changes[table.id].deleted:
            upkeep.delete(table, row, copies)
    for table in tables:
        for row, copies in changes[table.id].inserted:
            upkeep.insert(table, row, copies)


def _parents_first(tables: list[StoredTable], relations: Relations) -> list[StoredTable]:
    declared = relations.catalog.project.tables
    references = {
        table.relation: {key.table for key in declared[table.relation].foreign_keys}
        if table.relation in declared
        else set()
        for table in tables
    }
    try:
        order = list(TopologicalSorter(references).static_order())
    except CycleError:
        return tables
    return sorted(tables, key=lambda table: order.index(table.relation))


def _step(relations: Relations, times: Mapping[str, int], target: int, least: int) -> int:
    """The target, or a time on the way to it, not before `least`, up to which changes are not too many."""
    changed: dict[int, int] = {}
    for name, time in times.items():
        for file in relations.delta(name, time, target).files:
            at = int(file.minimum["_time"])
            changed[at] = changed.get(at, 0) + file.rows
    total, least = 0, max((least, *times.values(), *map(relations.gathered, times)))
    for at in sorted(changed):
        total += changed[at]
        if total >= STEP_ROWS and at >= least:
            return min(at, target)
    return target
