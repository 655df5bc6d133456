"""Merge the new small files of a source once, before a push reads them many times.

A source that is fed every second has dozens of tiny files by the time a push is due, and each stage that
reads it opens them all: half of the tasks' CPU of a push of 25 views, as measured.  Changes that nobody has
read yet may become one file at the newest of their times, if every reader of the source is about to be pushed
beyond them, or was never computed: then no reader will ever ask for a time in between.  What a sink has read
(sink.py) stays apart from what it has not.

Nothing is lost: a delta from before the gathered changes to after them is the same, so the timeline's horizon
stays.  The gathered times are recorded in the same commit: should the push fail, or the run be killed, the
next push goes at least that far; and a stage at a time in between, which the project did not have when they
were gathered, is computed anew (Timeline.has_changes_since).  If a writer commits at the same moment, the
push reads the files as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from headwater.algebra.stages.adapting import CAPTURED
from headwater.engine.push.first_times import first_time
from headwater.engine.push.workplace import Workplace
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import GATHERED, GATHERED_AFTER, GATHERED_BEFORE, TIME, Slice, Timeline

__all__ = ["gather"]

logger = logging.getLogger(__name__)

FEW = 4
MOST_ROWS = 1_000_000


def gather(
    workplace: Workplace, stages: Collection[str], until: int, computing: Mapping[str, int] | None = None
) -> None:
    """Merge the new files of sources that only these stages read, all about to be pushed to `until`.

    A stage that was never computed reads nothing before its first time (first_times.py); `computing` are
    those that are being computed now, beside this push.
    """
    readers: dict[str, list[str]] = {}
    by_arrival: set[str] = set()
    for _, stage in workplace.catalog.stages():
        for name in stage.reads:
            readers.setdefault(name, []).append(stage.name)
        if stage.probing is not None and stage.probing.time == CAPTURED:
            by_arrival |= {*stage.reads}  # when its rows are
    # When each change of an update stream arrived is what its keys are chosen by.
    tables = workplace.catalog.project.tables
    for source in (name for name, table in tables.items() if not table.chooses and name not in by_arrival):
        pushed = [name for name in readers.get(source, ()) if name in stages]
        others = [name for name in readers.get(source, ()) if name not in stages]
        if pushed:
            after = max(workplace.timeline(name).time() for name in pushed)
            limit = min((_asked_from(workplace, name, computing or {}) for name in others), default=until)
            with workplace.sink.gathering(source) as read:
                after = after if read is None else max(after, read)
                if limit > after:
                    _gather(workplace.warehouse.source(source), after, min(until, limit))


def _asked_from(workplace: Workplace, stage: str, computing: Mapping[str, int]) -> int:
    """The earliest time that a stage may still read; BEGINNING if it was computed before, or is unknown."""
    try:
        if workplace.timeline(stage).time() != BEGINNING:
            return BEGINNING
        return first_time(workplace.catalog, workplace.warehouse, stage, computing)
    except Exception:
        logger.warning("the time of %s cannot be read", stage, exc_info=True)
        return BEGINNING


def _gather(source: Timeline, after: int, until: int) -> None:
    """Merge the changes after the latest reader's time: every reader is before them and will pass them."""
    part = source.delta(after, until)
    if len(part.files) < FEW or part.rows > MOST_ROWS:
        return
    newest = max(int(file.maximum[TIME]) for file in part.files)
    changes = source.read(Slice(part.files, after, until))
    times = {GATHERED: newest, **_range(source, after)}
    source.log.rewrite([source.write(changes, newest)], part.files, times)


def _range(source: Timeline, after: int) -> dict[str, int]:
    """From where on changes are merged then. A push that failed is tried again and gathers the same and more:
    that is one range."""
    before = source.gathered()
    if before <= after:
        return {GATHERED_AFTER: after, GATHERED_BEFORE: before}
    last = source.log.transaction(GATHERED_AFTER)
    return {GATHERED_AFTER: after if last is None else min(after, last)}
