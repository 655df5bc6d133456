"""What is shown of an update stream, as some earlier declaration had it, and views have gone on without.

What is shown is stored anew if its windows become others, because views came or went.  Should they be as
before again, the old folder is found where it was: behind the views, which have read the other one since.
Its next changes would bring them what they have.  So it is removed, and computed anew: then views see that
its changes since their time are not known.  (A run that starts finds the views ahead of what they read, and
computes those anew: engine/upkeep/damage.py.)
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection

from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import StageKind
from headwater.catalog import Catalog
from headwater.storage.choosing.waiting_table import waiting_of
from headwater.storage.warehouse import Warehouse

__all__ = ["remove_left_behind"]

logger = logging.getLogger(__name__)


def remove_left_behind(catalog: Catalog, warehouse: Warehouse, used: Collection[str] = ()) -> list[str]:
    """Of the stages that choose those that a reader is ahead of; folders that are `used` stay."""
    removed = []
    for _, stage in catalog.stages():
        if stage.kind is not StageKind.CHOOSING or catalog.folder(stage.name) in used:
            continue
        waiting = waiting_of(catalog, warehouse, table_of(stage.name))
        if waiting.shown.exists() and waiting.shown.time() < _furthest_reader(catalog, warehouse, stage.name):
            logger.info("%s was left behind by its views and is computed anew", stage.name)
            for timeline in (waiting.timeline, waiting.shown):
                warehouse.forget(timeline.path)
                shutil.rmtree(timeline.path, ignore_errors=True)
            removed.append(stage.name)
    return removed


def _furthest_reader(catalog: Catalog, warehouse: Warehouse, relation: str) -> int:
    readers = (stage.name for _, stage in catalog.stages() if relation in stage.reads)
    timelines = (warehouse.stage(catalog.folder(name)) for name in readers)
    return max((timeline.time() for timeline in timelines if timeline.exists()), default=0)
