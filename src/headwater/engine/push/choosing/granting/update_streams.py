"""Update streams before a push: how many keys may have to be shown, and what is known of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import Budget, Claim, Load, by_rate
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["FEW_KEYS", "UpdateStream", "changes_of_a_key", "update_streams"]

FEW_KEYS = 1_000  # a table that has hardly any rows yet may soon have so many


@dataclass(frozen=True, slots=True)
class UpdateStream:
    stage: str
    claim: Claim
    per_second: float | None  # set by hand
    seconds: float  # that the push carries

    @property
    def stage_names(self) -> tuple[str, ...]:
        return (self.stage,)

    def by_hand(self) -> Budget | None:
        return None if self.per_second is None else by_rate(self.claim.load, self.per_second, self.seconds)

    def budgets(self, budget: Budget) -> dict[str, Budget]:
        return {self.stage: budget}


def update_streams(workplace: Workplace, views: Collection[str], until: int) -> list[UpdateStream]:
    """Those that views to be pushed are shown."""
    stages = [
        stage
        for level in workplace.catalog.levels(views)
        for _, stage in level
        if stage.kind is StageKind.CHOOSING and BEGINNING < workplace.timeline(stage.name).time() < until
    ]
    return [_stream(workplace, stage, until) for stage in stages]


def changes_of_a_key(workplace: Workplace, table: str) -> int:
    """A key's row goes and another comes; of a window come as many as those have, on average, that wait."""
    waiting = workplace.waiting(table)
    tally = waiting.tally()
    if workplace.catalog.project.tables[table].windows is None or not tally.waits:
        return 2
    return max(2, (waiting.part().rows - tally.keys) // tally.waits)


def _stream(workplace: Workplace, stage: Stage, until: int) -> UpdateStream:
    """At most every change that has arrived is of another key, and each key waits once.

    The forecast takes so many changes for one key, and no more keys for changed than there are.
    """
    project, table = workplace.catalog.project, table_of(stage.name)
    tally, after = workplace.waiting(table).tally(), workplace.timeline(stage.name).time()
    arrived = workplace.warehouse.source(table).rows_between(after, until)
    rows = max(workplace.rows(stage.name), FEW_KEYS)
    claim = Claim(
        table,
        Load(arrived + tally.waits, tally.choosing),
        -(-min(arrived, 2 * rows) // changes_of_a_key(workplace, table)) + tally.waits,
        project.tables[table].overload_weight,
        tally.keys or rows,
    )
    return UpdateStream(stage.name, claim, project.overload.updates_per_second, (until - after) / 1e6)
