"""Read a view or a source as of an instant in the past: exactly, or not at all.

What is answered is the newest state that is stored at or before the instant, and as of which time that is.  A
view is stored as of the times it was pushed to; a source as of the times of its commits (those that a push
has put together count as one).  Before the horizon history has been given up: `retention.history` says how
long it is kept for sure.
"""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog import Catalog
from headwater.clock import Clock, instant_text
from headwater.errors import RefusedError
from headwater.model import Table
from headwater.serve.read import Rows, never_computed
from headwater.sql.parsing.names import spelling
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.delta.types import arrow_schema
from headwater.storage.view_rows import visible_rows
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate, expand

__all__ = ["HistoryGoneError", "read_as_of", "read_table"]


class HistoryGoneError(RefusedError):
    """The relation can no longer be read as of the instant."""


def read_as_of(catalog: Catalog, warehouse: Warehouse, clock: Clock, name: str, instant: int) -> Rows:
    """The rows of a view or a source as of an instant."""
    now = clock.now()
    source = spelling(name, list(catalog.project.tables))
    relation = source if source is not None else catalog.view(name).name
    if instant > now:
        raise _not_readable(relation, instant, "That is in the future.", "Name an earlier instant.")
    timeline = warehouse.stage(catalog.folder(relation)) if source is None else warehouse.source(source)
    # The snapshot first: a compaction in between moves the horizon, and this snapshot still has its files.
    snapshot = timeline.snapshot()
    if source is None and snapshot.time == BEGINNING:
        raise never_computed(relation, catalog, warehouse)
    horizon = timeline.horizon()
    if instant < horizon:
        raise _not_readable(
            relation,
            instant,
            f"Its history reaches back to {instant_text(horizon)}.",
            "`retention: {history: 7 days}` in headwater.yml keeps more of it from now on.",
        )
    if not timeline.exists():
        raise _not_readable(relation, instant, "Nothing has been captured yet.", "")
    part = timeline.as_of(instant, snapshot=snapshot)
    changes = timeline.read(part) if source is not None else visible_rows(timeline, part)
    time = max((*part.times, horizon)) or instant
    return Rows(relation, time, timedelta(microseconds=max(0, now - time)), expand(consolidate(changes)))


def read_table(warehouse: Warehouse, clock: Clock, table: Table) -> Rows:
    """All that has been captured of a table; no rows if that is nothing yet."""
    timeline, now = warehouse.source(table.name), clock.now()
    if not timeline.exists():
        return Rows(table.name, now, timedelta(), arrow_schema(table.columns).empty_table())
    snapshot = timeline.snapshot()
    changes = timeline.read(timeline.as_of(snapshot.time, snapshot=snapshot))
    staleness = timedelta(microseconds=max(0, now - snapshot.time))
    return Rows(table.name, snapshot.time, staleness, expand(consolidate(changes)))


def _not_readable(relation: str, instant: int, why: str, hint: str) -> HistoryGoneError:
    message = f'"{relation}" cannot be read as of {instant_text(instant)}'
    return HistoryGoneError("HW824", message, detail=why, hint=hint)
