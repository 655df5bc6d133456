"""A commit by which a stage that chooses shows everything: nothing waits any more.

Needed where what waited is left over: when the stage is computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.engine.push.workplace import Workplace
from headwater.storage.choosing.waiting_table import CHOSEN

__all__ = ["everything_shown"]


@contextmanager
def everything_shown(workplace: Workplace, stage: Stage, until: int) -> Iterator[Mapping[str, int]]:
    """The transactions that a commit of the stage carries; after it, what waited is cleared."""
    waiting = None if stage.kind is not StageKind.CHOOSING else workplace.waiting(table_of(stage.name))
    if waiting is None or waiting.idle():
        yield {}
        return
    yield {CHOSEN: until}
    tally = waiting.tally()
    taken = tally.taken + tally.waits
    waiting.replace(
        waiting.shown.columns(), until, (), replace(tally, began_at=0, taken=taken, waits=0, keys=0)
    )
