"""Whether recent rows of an input of an adapted join grow too old between two times, by the log alone.

A push takes out the rows that are older than they are kept.  So at its time none of them is left, and between
then and a later time those leave that lie in between: certainly none if no file may hold such rows.  An input
that nothing arrives on is pushed for that, and for nothing else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.algebra.stages.stage import Stage
from headwater.engine.push.workplace import Workplace
from headwater.storage.delta.data_files import BEGINNING

__all__ = ["rows_grow_old"]

MOMENT = timedelta(microseconds=1)


def rows_grow_old(workplace: Workplace, stage: Stage, after: int, until: int) -> bool:
    """False only if that is certain."""
    probing, timeline = stage.probing, workplace.timeline(stage.name)
    if probing is None or after == BEGINNING or until <= after:
        return False
    oldest, next_oldest = (_instant(time) - probing.keep for time in (after, until))
    return any(
        file.may_hold(probing.time, oldest, next_oldest - MOMENT) for file in timeline.snapshot().files
    )


def _instant(time: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
