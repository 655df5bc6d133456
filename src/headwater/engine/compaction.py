"""Fewer, larger files: many small segments of a timeline become one, with the changes that cancel gone.

Only changes that everybody has read are merged: their times become the horizon, the oldest time of any view
that reads the relation (and of its plain table).  Readers that started before keep their files: those are
deleted only an hour later, by vacuum.  Compaction needs no Spark and runs beside the pushes; if a push
commits first, it gives up and comes again.

What other stages read is read whole again and again, so a few files too many cost more than merging them.
What nobody reads but readers of the view may wait until there are many.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.catalog import Catalog
from headwater.engine.executor import Executor
from headwater.storage.delta_log import BEGINNING, DataFile
from headwater.storage.timeline import COMPACTED, TIME, Slice, Timeline
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

__all__ = ["compact", "compact_some", "horizon", "vacuum_all"]

SMALL_ROWS = 100_000
MANY_FILES = 16
MANY_UNREAD = 128
MOST_ROWS = 1_000_000


def compact_some(executor: Executor) -> int:
    """Compact every timeline that has many small files; returns how many were."""
    catalog, warehouse = executor.catalog, executor.pushing.warehouse
    read = {name for _, stage in catalog.stages() for name in stage.reads}
    done = 0
    for name in catalog.project.tables:
        done += compact(warehouse.source(name), horizon(catalog, warehouse, name))
    for _, stage in catalog.stages():
        many = MANY_FILES if stage.name in read else MANY_UNREAD
        timeline = executor.pushing.timeline(stage.name)
        done += compact(timeline, horizon(catalog, warehouse, stage.name), many)
    return done


def vacuum_all(executor: Executor) -> int:
    """Delete files that no table has used for an hour; returns how many."""
    catalog, warehouse = executor.catalog, executor.pushing.warehouse
    timelines = [warehouse.source(name) for name in catalog.project.tables]
    timelines += [executor.pushing.timeline(stage.name) for _, stage in catalog.stages()]
    logs = [one.log for one in timelines] + [warehouse.published(name) for name in catalog.kept]
    logs += [warehouse.system(name) for name in ("pushes", "audit")]
    return sum(one.vacuum() for one in logs if one.exists())


def horizon(catalog: Catalog, warehouse: Warehouse, relation: str) -> int:
    """Up to here every reader of a relation has read it."""
    times = [
        warehouse.stage(catalog.folder(stage.name)).time()
        for _, stage in catalog.stages()
        if relation in stage.reads and stage.name != relation
    ]
    if relation not in catalog.project.tables:
        times.append(warehouse.stage(catalog.folder(relation)).time())
        if relation in catalog.kept:
            times.append(warehouse.published(relation).time())
    return min(times, default=BEGINNING)


def compact(timeline: Timeline, until: int, many: int = MANY_FILES) -> bool:
    """Merge the small files whose changes all lie before `until`. False if there was nothing to gain."""
    if not timeline.exists() or until == BEGINNING:
        return False
    old = [file for file in timeline.snapshot().files if _settled(file, until)]
    if len(old) < many:
        return False
    chosen = _fitting(old, many // 2)
    part = Slice(tuple(chosen), BEGINNING - 1, until)
    # Insertions alone cannot cancel: putting them together is enough, and much cheaper than summing them up.
    merged = timeline.read(part) if part.inserts_only else consolidate(timeline.read(part))
    # The newest time of what is merged, not `until`: the timeline's own time may be earlier than that.
    newest = max(file.maximum[TIME] for file in chosen)
    added = [timeline.write(merged, newest)] if merged.num_rows else []
    return timeline.log.rewrite(added, chosen, {COMPACTED: max(newest, timeline.horizon())})


def _settled(file: DataFile, until: int) -> bool:
    newest = file.maximum.get(TIME)
    return newest is not None and newest <= until and file.rows < SMALL_ROWS


def _fitting(files: Sequence[DataFile], enough: int) -> list[DataFile]:
    """The smallest files first, as many as fit into one read on the driver.

    If there are enough without it, a file larger than all before it together waits for more: so a row is
    written anew only when its file at least doubles, however small the files are that come.
    """
    chosen: list[DataFile] = []
    rows = 0
    for file in sorted(files, key=lambda one: one.rows):
        if rows + file.rows > MOST_ROWS or (len(chosen) >= enough and file.rows > rows):
            break
        chosen.append(file)
        rows += file.rows
    return chosen
