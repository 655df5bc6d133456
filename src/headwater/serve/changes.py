"""The changes of a view as they come: each a row, a weight (+1 inserted, -1 deleted) and a time.

The view's rows at a time, plus the changes after it, are the view's rows at a later time: whoever has read a
view as of T and adds its changes since T keeps an exact copy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.clock import Clock, instant_of, instant_text
from headwater.serve.read import never_computed
from headwater.storage.as_python import as_python
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.feed import Feed, Step, changes_of
from headwater.storage.timeline import WEIGHT, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Change", "changes", "feed_of", "step_changes"]

LOOK_EVERY = timedelta(milliseconds=300)


@dataclass(frozen=True, slots=True)
class Change:
    """A row that came (weight 1, or more for copies) or went (-1), and from when that counts."""

    row: dict[str, Any]
    weight: int
    time: int  # microseconds since 1970

    def fields(self) -> dict[str, Any]:
        """The change as JSON shows it."""
        return {"row": self.row, "weight": self.weight, "time": instant_text(self.time)}


def feed_of(
    catalog: Catalog, warehouse: Warehouse, view: str, since: int | None = None
) -> tuple[Feed, Timeline]:
    """A reader's place in a view's timeline, and the timeline."""
    name = catalog.view(view, "Views have a feed of changes; a view AS SELECT * FROM it would, too.").name
    timeline = warehouse.stage(catalog.folder(name))
    return Feed(timeline, name, since), timeline


def step_changes(timeline: Timeline, step: Step) -> Iterator[list[Change]]:
    """The changes of a step, some thousand at a time."""
    for table in changes_of(timeline, step):
        yield _changes(table, step.time)


def _changes(table: pa.Table, time: int) -> list[Change]:
    rows = as_python(table)
    return [Change(row, row.pop(WEIGHT), time) for row in rows]


def changes(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    view: str,
    since: datetime | int | None = None,
    follow: bool = False,
    stop: threading.Event | None = None,
) -> Iterator[Change]:
    """The changes of a view after `since`, up to now or, with `follow`, until `stop`.

    Without `since`: all that are kept, or, to `follow`, those from now on.
    """
    after = instant_of(since) if isinstance(since, datetime) else since
    feed, timeline = feed_of(catalog, warehouse, view, BEGINNING if after is None and not follow else after)
    if not follow and timeline.time() == BEGINNING:
        raise never_computed(catalog.view(view).name, catalog, warehouse)
    return _given(feed, timeline, clock, follow, stop or threading.Event())


def _given(
    feed: Feed, timeline: Timeline, clock: Clock, follow: bool, stop: threading.Event
) -> Iterator[Change]:
    while True:
        for step in feed.steps():
            for some in step_changes(timeline, step):
                yield from some
        if not follow or stop.is_set():
            return
        clock.sleep(LOOK_EVERY)
