"""What a push would have to do: the changes that wait for its stages, and those they lead to.

The forecast asks before a push starts, so nothing is read but logs, and what a stage makes of its changes is
what it usually makes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.algebra.stages.as_a_whole import as_a_whole
from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push.choosing.aging import rows_grow_old
from headwater.engine.push.choosing.granting.adapted_joins import AdaptedJoin
from headwater.engine.push.choosing.granting.update_streams import FEW_KEYS, changes_of_a_key
from headwater.engine.push.decide import stage_moves
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import EVERYTHING, Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.lesson import view_of
from headwater.planning.cost.predictor import Predictor
from headwater.planning.stages.actions import Level, Mode
from headwater.storage.delta.data_files import BEGINNING

__all__ = ["Joins", "Waiting", "WaitingWork"]

Joins = Mapping[str, AdaptedJoin]  # those of a push, by view


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What a push has to do for a stage, by the changes that wait for it."""

    name: str
    mode: Mode
    spark: str
    effort: Effort
    reads: tuple[str, ...]
    likeness: Hashable = None


class Waiting:
    """What the stages of a push would have to do: handle the changes that wait, and those they lead to."""

    def __init__(
        self,
        workplace: Workplace,
        predictor: Predictor,
        until: int,
        budgets: Mapping[str, Budget],
        joins: Joins,
    ) -> None:
        self.workplace, self.predictor, self.until, self.budgets = workplace, predictor, until, budgets
        self.joins = joins
        self._made: dict[str, int] = {}  # changes of stages that would have been pushed before

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[WaitingWork]:
        return [self._work(kept, stage) for kept, stage in level]

    def hold(self, works: Sequence[WaitingWork]) -> dict[str, int]:
        return {work.name: work.effort.result for work in works if work.mode is not Mode.EMPTY}

    def _work(self, kept: Kept, stage: Stage) -> WaitingWork:
        workplace = self.workplace
        time = workplace.timeline(stage.name).time()
        if time != BEGINNING and self.predictor.recomputed_as_a_whole(view_of(stage.name)):
            return self._of_a_whole(stage, time)
        changed = sum(self._changes(name, time) for name in stage.reads if name != stage.name)
        effort = self.predictor.usually(stage.name, Effort(changed, self._beside(stage), changed))
        moves = stage_moves(stage, time, self.until) or rows_grow_old(workplace, stage, time, self.until)
        mode = self._mode(stage, time, changed or moves)
        if stage.kind is StageKind.CHOOSING and time != BEGINNING:
            mode, effort = self._choosing(stage, mode, effort)
        elif stage.kind is StageKind.PROBES and mode is not Mode.EMPTY:
            # Rows that do not probe are stored, and the join leaves them out.
            units = self.budgets.get(stage.name, EVERYTHING).units
            probed = effort.changed if units is None else min(units, effort.changed)
            mode, effort = Mode.PROBE, Effort(effort.changed, effort.scanned, probed)
        elif time != BEGINNING and kept.view in self.joins:
            results = self.joins[kept.view].results(self.budgets)
            mode = Mode.INCREMENTAL if changed or results else Mode.EMPTY
            effort = replace(effort, result=results)
        self._made[stage.name] = effort.result if mode is not Mode.EMPTY else 0
        return WaitingWork(stage.name, mode, workplace.address(stage.name), effort, stage.reads)

    def _of_a_whole(self, stage: Stage, time: int) -> WaitingWork:
        """Of a view that was recomputed as a whole the last time: its last stage does all there is to do."""
        catalog, address = self.workplace.catalog, self.workplace.address(stage.name)
        kept = catalog.kept.get(stage.name)
        whole = None if kept is None else as_a_whole(kept)
        if whole is None:
            return WaitingWork(stage.name, Mode.EMPTY, address, Effort(0, 0, 0), stage.reads)
        changed = sum(self._changes(name, time) for name in whole.reads)
        if not changed and not stage_moves(whole, time, self.until):
            return WaitingWork(stage.name, Mode.EMPTY, address, Effort(0, 0, 0), whole.reads)
        self._made[stage.name] = changed
        rows = sum(map(self.workplace.rows, whole.reads))
        effort = Effort(changed, rows, self.workplace.rows(stage.name))
        return WaitingWork(stage.name, Mode.FULL, address, effort, whole.reads)

    def _mode(self, stage: Stage, time: int, changed: int | bool) -> Mode:
        """A stage that was never computed is not part of a common push."""
        if time == BEGINNING or not changed:
            return Mode.EMPTY
        if stage.name in self.workplace.catalog.copies:
            return Mode.COPY
        return Mode.FULL if stage.plan is None else Mode.INCREMENTAL

    def _choosing(self, stage: Stage, mode: Mode, effort: Effort) -> tuple[Mode, Effort]:
        """A choice has as many changes as its budget allows: each key goes and comes back.

        However many updates arrived, no more keys have changed than there are.
        """
        units, waiting = (
            self.budgets.get(stage.name, EVERYTHING).units,
            self.workplace.waiting(table_of(stage.name)),
        )
        changes = min(effort.result, 2 * max(self.workplace.rows(stage.name), FEW_KEYS))
        if units is None and waiting.idle():
            return mode, replace(effort, result=changes)
        of_a_key = changes_of_a_key(self.workplace, table_of(stage.name))
        made = changes + of_a_key * waiting.tally().waits
        shown = made if units is None else min(of_a_key * units, made)
        return Mode.CHOOSE, Effort(effort.changed, waiting.part().rows, shown)

    def _changes(self, relation: str, after: int) -> int:
        """Changes that a reader at `after` has not seen, with those of a stage that is pushed before it."""
        timeline = self.workplace.timeline_of(relation)
        seen = timeline.rows_between(after, self.until) if timeline.exists() else 0
        return seen + self._made.get(relation, 0)

    def _beside(self, stage: Stage) -> int:
        if stage.name in self.predictor.scans:
            return 0  # it scans as much as the last time
        own = stage.kind in (StageKind.LINEAR, StageKind.GROUPS)
        return sum(self.workplace.rows(name) for name in stage.reads if own or name != stage.name)
