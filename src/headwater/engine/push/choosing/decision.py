"""Whether a stage that chooses has to, decided from the logs alone."""

from __future__ import annotations

from typing import NamedTuple

from headwater.algebra.stages.choosing import table_of
from headwater.algebra.stages.stage import Stage
from headwater.engine.push.workplace import Workplace
from headwater.overload.budget import Budget
from headwater.planning.stages.actions import Mode
from headwater.storage.choosing.waiting_table import WaitingTable

__all__ = ["HowToChoose", "how_to_choose", "repairable"]


class HowToChoose(NamedTuple):
    mode: Mode
    reason: str
    waiting_rows: int


def how_to_choose(workplace: Workplace, stage: Stage, budget: Budget) -> HowToChoose | None:
    """None while nothing waits and everything may be shown: then it is a stage like any other."""
    waiting = workplace.waiting(table_of(stage.name))
    if budget.units is None and waiting.idle():
        return None
    if not waiting.current() and not repairable(workplace, waiting):
        return HowToChoose(Mode.FULL, "what waits is not known any more: everything is shown", 0)
    reason = budget.reason if budget.units is not None else f"everything that waits is shown: {budget.reason}"
    return HowToChoose(Mode.CHOOSE, reason, waiting.part().rows)


def repairable(workplace: Workplace, waiting: WaitingTable) -> bool:
    """Whether the changes are still there from which what waits can be computed again."""
    source, shown, since = workplace.warehouse.source(waiting.table), waiting.shown, waiting.time()
    return max(source.horizon(), source.gathered(), shown.horizon()) <= since <= shown.time()
