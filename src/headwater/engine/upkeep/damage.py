"""Stages and plain tables that a power cut damaged are removed when a run starts, and so computed anew.

Only what came from outside is made durable (storage/warehouse.py).  A stage is recomputed from that, but the
file system may have kept any part of the last seconds' writes, in any order.  So besides tables that lack
bytes, tables that are ahead of what they read are removed: what they read has lost a commit, and its next
delta would hold changes that they have already.  No push leaves a table ahead of what it reads.

Records of pushes and of what they cost are not needed to go on.  A damaged one is set aside, where it can be
looked at, and begins anew.

A removed stage is computed as one that is new: its readers find its history gone, and recompute themselves
(push/decide.py), and its plain table is rewritten (push/publishing.py).
"""

from __future__ import annotations

import logging
import os
import shutil
import uuid
from collections.abc import Iterator

from headwater.algebra.stages.stage import Stage
from headwater.catalog import Catalog
from headwater.engine.upkeep.sources.restored import renew_restored
from headwater.engine.upkeep.sources.unfinished import set_unfinished_aside
from headwater.storage.choosing.waiting_table import waiting_of
from headwater.storage.delta.damage import damage
from headwater.storage.delta.delta_log import BEGINNING, DeltaLog
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["remove_damaged"]

# What a run writes about itself; not what captures have read (files, postgres), nor dead letters.
RECORDS = ("pushes", "audit", "push_hours", "audit_hours", "last_pushes", "process_cpu", "overload",
           "dead_letters")  # fmt: skip

logger = logging.getLogger(__name__)


def remove_damaged(catalog: Catalog, warehouse: Warehouse) -> list[str]:
    """Remove the tables that must be computed anew; returns what is wrong with these and with sources."""
    notes = []
    for table, log, what in _damaged(catalog, warehouse):
        notes.append(f"{table} is computed anew: {what}")
        logger.warning("%s (%s)", notes[-1], log.path)
        warehouse.forget(log.path)
        shutil.rmtree(log.path)
    notes += _set_aside(warehouse) + set_unfinished_aside(catalog.project.tables, warehouse)
    torn = _torn(catalog, warehouse)
    whole = [name for name in catalog.project.tables if name not in torn]
    return notes + list(torn.values()) + renew_restored(catalog, warehouse, whole)


def _set_aside(warehouse: Warehouse) -> list[str]:
    """Let damaged records begin anew; returns what is wrong with them, and where they are."""
    notes = []
    for name in RECORDS:
        log = warehouse.system(name)
        if what := damage(log):
            aside = os.path.join(warehouse.root, "damaged", f"{name}-{uuid.uuid4().hex[:8]}")
            warehouse.forget(log.path)
            os.makedirs(os.path.dirname(aside), exist_ok=True)
            os.replace(log.path, aside)
            notes.append(f"the records in system/{name} begin anew: {what}; the old ones are in {aside}")
            logger.warning("%s", notes[-1])
    return notes


def _torn(catalog: Catalog, warehouse: Warehouse) -> dict[str, str]:
    """What is wrong with sources, of which there is no other copy here."""
    wrong = {name: damage(warehouse.source(name).log) for name in catalog.project.tables}
    notes = {name: f"source {name} is damaged: {what}; restore it" for name, what in wrong.items() if what}
    for note in notes.values():
        logger.warning("%s", note)
    return notes


def _damaged(catalog: Catalog, warehouse: Warehouse) -> Iterator[tuple[str, DeltaLog, str]]:
    """Tables with what is wrong with them, those that are read before those that read them."""
    for level in catalog.levels(catalog.kept):
        for _, stage in level:
            log = _timeline(catalog, warehouse, stage.name).log
            if what := damage(log) or _lead(catalog, warehouse, stage, log):
                yield stage.name, log, what
    for table in (name for name, table in catalog.project.tables.items() if table.chooses):
        log = waiting_of(catalog, warehouse, table).timeline.log
        if what := damage(log):
            yield f"what waits of {table}", log, what
    for view in catalog.kept:
        log = warehouse.published(view)
        if what := damage(log):
            yield f"the plain table of {view}", log, what


def _lead(catalog: Catalog, warehouse: Warehouse, stage: Stage, log: DeltaLog) -> str:
    """How a stage, or its plain table, is ahead of what it is computed from; nothing if none is."""
    time = log.time()
    below = {*stage.reads, catalog.copies.get(stage.name, stage.name)} - {stage.name, *catalog.project.tables}
    for name in sorted(below):
        if BEGINNING < _timeline(catalog, warehouse, name).time() < time:
            return f"it is ahead of {name}"
    plain = warehouse.published(stage.name) if stage.name in catalog.kept else None
    if plain is not None and not damage(plain) and plain.time() > time > BEGINNING:
        return "its plain table is ahead of it"
    return ""


def _timeline(catalog: Catalog, warehouse: Warehouse, stage: str) -> Timeline:
    return warehouse.stage(catalog.folder(stage))
