"""Bring a view's plain Delta table up to its timeline: on the driver when little changed, else by Spark.

This is the last step of a push.  What the driver cannot rewrite cheaply waits for `republish`, which rewrites
the whole view from its timeline and replaces all files in one commit.  So does a changed definition of the
view, with its new columns: a reader sees the old view or the new one.
"""

from __future__ import annotations

import pyarrow as pa

from headwater.algebra.stages.stage import Kept
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import write_plain
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.storage.published import all_linked, publish, publish_files, replace_all, write_rows
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.view_rows import VISIBLE, output_columns, visible_rows
from headwater.storage.zset import consolidate, expand

__all__ = ["publish_view", "republish"]

DRIVER_ROWS = 400_000


def publish_view(workplace: Workplace, kept: Kept) -> bool:
    """Apply the changes that the plain table lacks. False if they are too many for the driver."""
    timeline, log = workplace.timeline(kept.view), workplace.warehouse.published(kept.view)
    plain = log.snapshot()
    if plain.description != workplace.catalog.description(kept.view) or plain.time < timeline.horizon():
        return _rewrite(workplace, kept)
    part = timeline.delta(plain.time, timeline.time())
    if part.empty:
        return True
    if _same_columns(timeline) and publish_files(log, part.files, part.until):
        return True
    if part.rows > DRIVER_ROWS:
        return False
    rows = _just_written(workplace, timeline, part)
    rows = visible_rows(timeline, part) if rows is None else rows
    return publish(log, rows, part.until, workplace.fresh)


def _just_written(workplace: Workplace, timeline: Timeline, part: Slice) -> pa.Table | None:
    """The visible changes of a slice without reading them, if they are those of the push that ends."""
    paths = (file.path for file in part.files)
    rows = workplace.fresh.of(paths, [*timeline.columns().names, WEIGHT])
    if rows is None:
        return None
    if VISIBLE in rows.column_names:
        rows = rows.filter(rows.column(VISIBLE))
    return rows.select([*output_columns(timeline).names, WEIGHT])


def _rewrite(workplace: Workplace, kept: Kept) -> bool:
    """Write the whole view from its timeline, on the driver if it is small.

    The plain table is not there, or was made for another definition of the view, or from a timeline that has
    been computed anew since.
    """
    timeline, log = workplace.timeline(kept.view), workplace.warehouse.published(kept.view)
    columns, part = output_columns(timeline), timeline.as_of(timeline.time())
    files = all_linked(log, part.files, columns, part.until) if _same_columns(timeline) else None
    if files is None and part.rows > DRIVER_ROWS:
        return republish(workplace, kept)
    if files is None:
        rows = visible_rows(timeline, part)
        rows = rows.drop_columns([WEIGHT]) if part.once else expand(consolidate(rows))
        files = write_rows(log, rows, columns, part.until)
    return replace_all(log, files, columns, workplace.catalog.description(kept.view), part.until)


def _same_columns(timeline: Timeline) -> bool:
    """Whether the timeline's files hold the view's own columns and no others."""
    return output_columns(timeline).names == timeline.columns().names


def republish(workplace: Workplace, kept: Kept) -> bool:
    """Rewrite the whole view from its timeline, with Spark."""
    timeline, log = workplace.timeline(kept.view), workplace.warehouse.published(kept.view)
    columns, part = output_columns(timeline), timeline.as_of(timeline.time())
    with Inputs(workplace.spark_of(kept.view)) as opened:
        changes = opened.slice(timeline, part)
        rows = changes.named(columns.names, where=VISIBLE if VISIBLE in changes.columns else "")
        if not part.inserts_only:
            rows = operators.consolidate(rows)
        plain = opened.run(operators.expand(rows)).drop(WEIGHT)
        files = write_plain(plain, log.path, part.until)
    return replace_all(log, files, columns, workplace.catalog.description(kept.view), part.until)
