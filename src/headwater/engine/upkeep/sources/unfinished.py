"""Commits of sources that were never finished are set aside when a run starts, and the source goes on.

A torn newest commit is set aside only if nobody can have been told of it.  A writer stores the time of a
commit in its source's clock before it reports success, and a run declares a time there before it pushes a
view to it (storage/source_clock.py).  So if the clock is behind the commit, no row of it was reported as
stored, and no view holds any.  Otherwise rows are lost that somebody counts on: the source is damaged.
"""

from __future__ import annotations

import logging
import os
import shutil
import uuid
from collections.abc import Iterable

from headwater.storage.delta.damage import TornCommit, torn_last_commit
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.delta.durable import sync
from headwater.storage.delta.log_commits import log_file
from headwater.storage.warehouse import Warehouse

__all__ = ["set_unfinished_aside"]

logger = logging.getLogger(__name__)


def set_unfinished_aside(tables: Iterable[str], warehouse: Warehouse) -> list[str]:
    """Returns what was set aside, and where it is."""
    notes = [note for table in tables if (note := _set_aside(warehouse, table))]
    for note in notes:
        logger.warning("%s", note)
    return notes


def _set_aside(warehouse: Warehouse, table: str) -> str:
    log = warehouse.source(table).log
    if not log.exists() or torn_last_commit(log.path) is None:
        return ""
    with warehouse.clock(table).turn(wait=False) as turn:
        torn = None if turn is None else torn_last_commit(log.path)
        if torn is None or not _is_unreported(torn, warehouse.clock(table).last()):
            return ""
        aside = os.path.join(
            warehouse.root, "damaged", f"{table}-commit-{torn.version}-{uuid.uuid4().hex[:8]}.json"
        )
        os.makedirs(os.path.dirname(aside), exist_ok=True)
        shutil.move(log_file(log.path, torn.version), aside)
        if log.durable:
            sync(os.path.join(log.path, "_delta_log"))
    warehouse.forget(log.path)
    return (
        f"source {table} goes on without its last commit, which was never finished"
        f" and so never reported as stored; it is in {aside}"
    )


def _is_unreported(torn: TornCommit, clock: int | None) -> bool:
    """The clock as it is stored: what counts after a restart of the machine is later than any report."""
    return torn.before == BEGINNING if clock is None else clock < torn.time
