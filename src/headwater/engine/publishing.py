"""Bring a view's plain Delta table up to its timeline: on the driver when little changed, else by Spark.

A push ends here.  What the driver cannot rewrite cheaply waits for `republish`, which writes the whole view
anew from its timeline and replaces all files in one commit.
"""

from __future__ import annotations

from headwater.algebra.stages import Kept
from headwater.engine import operators
from headwater.engine.opened import Opened
from headwater.engine.push import Pushing
from headwater.engine.writing import write_plain
from headwater.storage.delta_log import DeltaLog
from headwater.storage.published import publish, publish_files
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import VISIBLE, output_columns, visible_rows

__all__ = ["open_published", "publish_view", "republish"]

DRIVER_ROWS = 400_000


def open_published(pushing: Pushing, kept: Kept) -> DeltaLog:
    """The view's plain table, made anew if the view's definition is another than the one it was made for."""
    log = pushing.warehouse.published(kept.view)
    version = pushing.catalog.description(kept.view)
    if not log.exists() or log.description() != version:
        log.create(output_columns(pushing.timeline(kept.view)), version, replace=log.exists())
    return log


def publish_view(pushing: Pushing, kept: Kept) -> bool:
    """Apply what the timeline has and the plain table has not. False: too much for the driver, later."""
    timeline = pushing.timeline(kept.view)
    log = open_published(pushing, kept)
    part = timeline.delta(log.time(), timeline.time())
    if part.empty:
        return True
    whole = output_columns(timeline).names == timeline.columns().names
    if whole and publish_files(log, part.files, part.until):
        return True
    if part.rows > DRIVER_ROWS:
        return republish(pushing, kept) if not log.snapshot().files else False
    return publish(log, visible_rows(timeline, part), part.until)


def republish(pushing: Pushing, kept: Kept) -> bool:
    """Write the whole view anew from its timeline, with Spark."""
    timeline = pushing.timeline(kept.view)
    log = open_published(pushing, kept)
    part = timeline.as_of(timeline.time())
    with Opened(pushing.spark_of(kept.view)) as opened:
        changes = opened.slice(timeline, part)
        names = output_columns(timeline).names
        rows = changes.named(names, where=VISIBLE if VISIBLE in changes.columns else "")
        if not part.inserts_only:
            rows = operators.consolidate(rows)
        plain = opened.run(operators.expand(rows)).drop(WEIGHT)
        files = write_plain(plain, log.path, part.until)
    return log.commit(part.until, files, log.snapshot().files)
