"""What a push of a view's stages will run, as text, for each relation that may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.algebra.delta.derive import delta
from headwater.algebra.passes import optimize
from headwater.algebra.stages.stage import Kept, Stage
from headwater.algebra.text.show import show

__all__ = ["Will", "will_run"]


@dataclass(frozen=True, slots=True)
class Will:
    """What a push of a stage runs when one relation changed, as text."""

    stage: str
    changed: str
    text: str


def will_run(kept: Kept) -> tuple[Will, ...]:
    """What a push of each of the view's stages runs, for each relation that may change."""
    return tuple(will for stage in kept.stages for will in _will(stage))


def _will(stage: Stage) -> Iterable[Will]:
    if stage.plan is None:
        text = f"recompute, and store the difference:\n{stage.sql.strip()}"
        return (Will(stage.name, ", ".join(stage.reads), text),)
    return tuple(
        Will(stage.name, read, _delta_text(stage, read)) for read in stage.reads if read != stage.name
    )


def _delta_text(stage: Stage, changed: str) -> str:
    plan = delta(stage, frozenset({changed}))
    return "nothing: the change cannot be seen" if plan is None else show(optimize(plan))
