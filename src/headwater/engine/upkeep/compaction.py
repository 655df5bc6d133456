"""Fewer, larger files: segments of a timeline become one, with the changes that cancel gone.

Which files are worth it is decided by merges.py.  Only changes that everybody has read are merged: their
times become the horizon, the oldest time of any view that reads the relation (and of its plain table).  A
stage that was never computed needs no history before the time as of which it will be (first_times.py), and
it is never computed as of a time before the horizon of a source (engine/executor/times.py).  So a view that
fails for ever keeps nobody from compacting what it reads.

Files are read, merged and written beside the pushes, without a lock.  Only the commit holds
`FirstComputations`, and asks again how far every reader is: if a first computation has begun as of an earlier
time, or the files were replaced meanwhile, the merge is given up and its file deleted.  Readers that started
before keep their files: vacuum deletes those once nobody can need them (storage/vacuum).

What other stages read is read whole again and again, so a few files too many cost more than merging them.
What nobody reads but readers of the view may wait until there are many.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from headwater.catalog import Catalog
from headwater.engine.push.first_times import first_time
from headwater.engine.upkeep.budget import UpkeepBudget
from headwater.engine.upkeep.merges import MANY_FILES, MANY_UNREAD, FileFacts, Merge, choose_merges
from headwater.engine.upkeep.merging import Merged, MergeLarge, deletes_of, merge_on_driver
from headwater.storage.choosing.waiting_table import waiting_of
from headwater.storage.delta.delta_log import BEGINNING, DataFile
from headwater.storage.index.carry_over import carry_over
from headwater.storage.index.side_files import sweep
from headwater.storage.timeline import COMPACTED, TIME, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Compactor", "FirstComputations", "compact", "horizon"]

logger = logging.getLogger(__name__)

# Held while a merge is committed: the stages computed for the first time just now, and as of which time.
FirstComputations = Callable[[], AbstractContextManager[Mapping[str, int]]]
# Since when the history of a relation has to stay readable, whoever has read it; None: nobody wants it.
KeepSince = Callable[[Catalog, str], int | None]

COMMIT_ATTEMPTS = 5  # a writer in another process may take the version: that is no reason to merge again


@dataclass(slots=True)
class Compactor:
    """Compacts the timelines of a project, within its budget. For one thread.

    The catalog is asked for again before a commit: another may have been adopted while files were merged.
    """

    catalog: Callable[[], Catalog]
    warehouse: Warehouse
    first_computations: FirstComputations = lambda: nullcontext({})
    budget: UpkeepBudget | None = None
    merge_large: MergeLarge | None = None  # without, only what fits the driver is merged
    stopping: threading.Event = field(default_factory=threading.Event)
    keep_since: KeepSince = lambda catalog, relation: None
    _last: str = field(default="", init=False)  # the timeline that was looked at last

    def compact(self) -> int:
        """Merge what is worth merging in every timeline; returns how many merges there were.

        A timeline that cannot be read does not keep the others from being compacted; its error is raised at
        the end.
        """
        read = {name for _, stage in self.catalog().stages() for name in stage.reads}
        done, failure = 0, None
        for name, timeline in self._in_turn():
            if self.stopping.is_set() or (self.budget is not None and not self.budget.affords_more()):
                break
            try:
                done += self._compact(name, timeline, MANY_FILES if name in read else MANY_UNREAD)
            except Exception as error:
                logger.warning("%s cannot be compacted", name, exc_info=True)
                failure = failure or error
            self._last = name
        if failure is not None:
            raise failure
        return done

    def _in_turn(self) -> list[tuple[str, Timeline]]:
        """All timelines, beginning after the one that was looked at last."""
        timelines = list(_timelines(self.catalog(), self.warehouse))
        names = [name for name, _ in timelines]
        start = names.index(self._last) + 1 if self._last in names else 0
        return timelines[start:] + timelines[:start]

    def _compact(self, name: str, timeline: Timeline, many: int) -> int:
        with self.first_computations() as computing:
            until = self._horizon(name, computing)
        chosen = _chosen(timeline, until, many, self.merge_large is not None)
        return sum(self._done(name, timeline, merge) for merge in chosen)

    def _done(self, name: str, timeline: Timeline, merge: Merge) -> bool:
        """Merge and commit; False if that came to nothing."""
        merged = self._merged(name, timeline, merge)
        if merged is None:
            return False
        if self.budget is not None:
            self.budget.spend(merged.core_seconds)
        self._prepare(name, timeline, merge, merged)
        with self.first_computations() as computing:
            until = self._horizon(name, computing)
            committed = _committed(timeline, merge, merged, until)
        sweep(timeline)
        return committed

    def _horizon(self, name: str, computing: Mapping[str, int]) -> int:
        catalog = self.catalog()
        return horizon(catalog, self.warehouse, name, computing, self.keep_since(catalog, name))

    def _merged(self, name: str, timeline: Timeline, merge: Merge) -> Merged | None:
        newest = _newest(merge.files)
        if merge.large and self.merge_large is not None:
            return self.merge_large(name, timeline, merge, newest)
        return merge_on_driver(timeline, merge, newest)

    def _prepare(self, name: str, timeline: Timeline, merge: Merge, merged: Merged) -> None:
        """What is to be done before the commit: say what it is, and let rows be looked up by key."""
        logger.info(
            "%s: %d files of %d rows became %d of %d rows (%s), %.2f core-seconds",
            name, len(merge.files), merge.rows, len(merged.files), merged.rows, merge.reason,
            merged.core_seconds,
        )  # fmt: skip
        table = self.catalog().project.tables.get(name)
        if table is not None:
            carry_over(timeline, table.identity, merge.files, merged.files)


def compact(timeline: Timeline, until: int, many: int = MANY_FILES) -> bool:
    """Merge files whose changes all lie before `until`, on the driver. False if there was nothing to gain."""
    done = 0
    for merge in _chosen(timeline, until, many, spark=False):
        done += _committed(timeline, merge, merge_on_driver(timeline, merge, _newest(merge.files)), until)
    return done > 0


def _chosen(timeline: Timeline, until: int, many: int, spark: bool) -> list[Merge]:
    if not timeline.exists() or until == BEGINNING:
        return []
    files = timeline.snapshot().files
    settled = [file for file in files if (newest := file.maximum.get(TIME)) is not None and newest <= until]
    return choose_merges([FileFacts(file, deletes_of(file)) for file in settled], many, spark)


def _committed(timeline: Timeline, merge: Merge, merged: Merged, until: int) -> bool:
    """Replace the files by their merger. False, and the merger is deleted, if that is no longer right."""
    # The newest time of what is merged, not `until`: the timeline's own time may be earlier than that.
    newest = _newest(merge.files)
    reached = {COMPACTED: max(newest, timeline.horizon())}
    if newest <= until and _rewritten(timeline, merge, merged, reached):
        return True
    for file in merged.files:
        os.unlink(os.path.join(timeline.path, file.relative))
    return False


def _rewritten(timeline: Timeline, merge: Merge, merged: Merged, reached: Mapping[str, int]) -> bool:
    return any(timeline.log.rewrite(merged.files, merge.files, reached) for _ in range(COMMIT_ATTEMPTS))


def _newest(files: Sequence[DataFile]) -> int:
    return max(int(file.maximum[TIME]) for file in files)


def horizon(
    catalog: Catalog,
    warehouse: Warehouse,
    relation: str,
    computing: Mapping[str, int] | None = None,
    keep_since: int | None = None,
) -> int:
    """Up to here every reader of a relation has read it, and nobody wants its history (`keep_since`)."""
    if relation not in catalog.project.tables and relation not in catalog.folders():
        return BEGINNING  # it was dropped
    readers = [
        stage.name for _, stage in catalog.stages() if relation in stage.reads and stage.name != relation
    ]
    needed = [] if keep_since is None else [keep_since]
    for name in readers:
        time = warehouse.stage(catalog.folder(name)).time()
        needed.append(first_time(catalog, warehouse, name, computing or {}) if time == BEGINNING else time)
    if relation in catalog.project.tables and catalog.project.tables[relation].chooses:
        # What is shown of a key was current just before its oldest update that waits: `verify` looks there.
        since = waiting_of(catalog, warehouse, relation).since()
        needed += [] if since is None else [since - 1]
    if relation not in catalog.project.tables:
        needed.append(warehouse.stage(catalog.folder(relation)).time())
        if relation in catalog.kept:
            needed.append(warehouse.published(relation).time())
    return min(needed, default=BEGINNING)


def _timelines(catalog: Catalog, warehouse: Warehouse) -> Iterator[tuple[str, Timeline]]:
    for name in catalog.project.tables:
        yield name, warehouse.source(name)
    for _, stage in catalog.stages():
        yield stage.name, warehouse.stage(catalog.folder(stage.name))
