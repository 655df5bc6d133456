"""What a push of a view's stages will run, as text, for each relation that may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.tree import Literal
from headwater.algebra.moments.plans import TIME, moves
from headwater.algebra.passes import optimize
from headwater.algebra.stages.adapting import only_probing, probing_stages
from headwater.algebra.stages.stage import Kept, Stage, StageKind
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
    return tuple(will for stage in kept.stages for will in _will(stage, probing_stages(kept)))


def _will(stage: Stage, probing: frozenset[str]) -> Iterable[Will]:
    if stage.kind is StageKind.PROBES:
        text = (
            "what came is stored, what went or grew too old is taken out;"
            " the first rows, up to the allowance, probe"
        )
        return (Will(stage.name, stage.reads[0], text),)
    if stage.plan is None:
        text = f"recompute, and store the difference:\n{stage.sql.strip()}"
        return (Will(stage.name, ", ".join(stage.reads), text),)
    changed = [read for read in stage.reads if read != stage.name]
    if moves(stage.plan):
        changed.append(TIME)
    return tuple(Will(stage.name, read, _delta_text(stage, read, probing)) for read in changed)


def _delta_text(stage: Stage, changed: str, probing: frozenset[str]) -> str:
    plan = delta(stage, frozenset({changed}))
    if plan is None:
        return "nothing: the change cannot be seen"
    return show(only_probing(optimize(plan), probing, Literal(None, "the time of the push")))
