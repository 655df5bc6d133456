"""Families: stages that differ only in the lengths of their windows, computed as one.

    v1  SELECT symbol, window(at, '6 s', '2 s'), max(price) ...     one aggregate by (member, window, symbol):
    v2  SELECT symbol, window(at, '8 s', '4 s'), max(price) ...     member 0 is v1, member 1 is v2

Dashboards ask for the same aggregates over many windows.  To Spark each is a query that it must parse, plan,
compile and schedule; a family is one query, whatever the number of its members.  It stores nothing of its
own: the rows of each member go to that member's timeline, and its stored states are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Aggregate, Plan, Windows
from headwater.algebra.plans.walks import nodes, rewrite_up
from headwater.algebra.stages.stage import Stage, StageKind

__all__ = ["MEMBER", "Family", "family_of", "shape_of"]

MEMBER = "$member"  # no column of a stage has a $ in its name


@dataclass(frozen=True, slots=True)
class Family:
    """The stage of all members, which is nowhere stored; members are numbered in order."""

    stage: Stage
    members: tuple[Stage, ...]


def shape_of(stage: Stage) -> Plan | None:
    """What members of a family have in common: the plan without the lengths of its windows.

    None for a stage that is no aggregate by one kind of windows.
    """
    if stage.kind not in (StageKind.LINEAR, StageKind.GROUPS) or not isinstance(stage.plan, Aggregate):
        return None
    windows = _windows(stage.plan)
    if len(windows) != 1 or not any(key == Column(windows[0].name) for _, key in stage.plan.keys):
        return None
    nothing = timedelta()
    return _with_windows(stage.plan, lambda node: replace(node, size=nothing, slide=nothing, offset=nothing))


def family_of(stages: Sequence[Stage]) -> Family:
    """The family of some stages of one shape."""
    first = stages[0]
    assert isinstance(first.plan, Aggregate)
    lengths = [_windows(stage.plan)[0].lengths[0] for stage in stages if stage.plan is not None]
    plan = _with_windows(first.plan, lambda node: node.of_many(lengths, MEMBER))
    assert isinstance(plan, Aggregate)
    plan = replace(plan, keys=(*plan.keys, (MEMBER, Column(MEMBER))))
    name = f"{first.name} and {len(stages) - 1} more"
    return Family(replace(first, name=name, columns=plan.columns, plan=plan), tuple(stages))


def _windows(plan: Plan) -> list[Windows]:
    return [node for node in nodes(plan) if isinstance(node, Windows)]


def _with_windows(plan: Plan, change: Callable[[Windows], Windows]) -> Plan:
    return rewrite_up(plan, lambda node: change(node) if isinstance(node, Windows) else node)
