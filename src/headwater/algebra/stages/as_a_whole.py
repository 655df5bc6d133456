"""A view's last stage as one plan over what the view reads: its hidden stages are computed within it.

    v$1   Aggregate [k] [_sum1 = sum(amount)] over Scan facts
    v     Over [...] of Project [...] of Scan v$1

    as a whole   v   Over [...] of Project [...] of Project [...] of Aggregate [k] [...] over Scan facts

It gives the same rows as the stages one after the other, and stores nothing in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Aggregate, JoinKind, OuterJoin, Over, Plan, Project, Scan, SemiJoin
from headwater.algebra.plans.walks import children, rewrite_up
from headwater.algebra.plans.walks import reads as relations_of
from headwater.algebra.stages.stage import Kept, Stage, StageKind

__all__ = ["as_a_whole", "scans_to_net"]

_PLAIN = {StageKind.ROWS, StageKind.LINEAR, StageKind.GROUPS}


@lru_cache(maxsize=2_000)
def as_a_whole(kept: Kept) -> Stage | None:
    """The last stage with such a plan; None where a stage holds more than its plan says."""
    plans: dict[str, Plan] = {}
    for stage in kept.stages:
        if stage.plan is None or stage.kind not in _PLAIN or stage.name in stage.reads:
            return None
        plans[stage.name] = _inlined(stage.plan, plans)
    last = kept.stages[-1]
    plan = plans[last.name]
    return replace(last, plan=plan, reads=relations_of(plan))


def _inlined(plan: Plan, plans: Mapping[str, Plan]) -> Plan:
    def step(node: Plan) -> Plan:
        if not isinstance(node, Scan) or node.relation not in plans:
            return node
        items = zip(node.columns, node.names, strict=True)
        return Project(plans[node.relation], tuple((new, Column(old)) for new, old in items))

    return rewrite_up(plan, step)


def scans_to_net(kept: Kept, result: bool) -> frozenset[Scan]:
    """What a view reads of which rows that came and went must be found before anything is computed.

    Rows that are counted, summed up or handed on cancel by their weights.  `result`: so must those be that
    end up in the view; else its rows are summed up at the end.
    """
    hidden = {stage.name for stage in kept.stages}
    scans: set[Scan] = set()
    for stage in kept.stages:
        if stage.plan is not None:
            whole = stage.name == kept.view and result
            scans |= _netted(stage.plan, whole, stage.kind is StageKind.LINEAR)
    return frozenset(scan for scan in scans if scan.relation not in hidden)


def _netted(plan: Plan, needed: bool, linear: bool) -> set[Scan]:
    """`needed`: rows must be net here; `linear`: the plan's aggregate takes them by weights."""
    sides: tuple[tuple[Plan, bool], ...]
    match plan:
        case Scan():
            return {plan} if needed else set()
        case Aggregate(child):
            return _netted(child, not linear, linear)
        case Over(child):
            return _netted(child, True, linear)
        case SemiJoin(left, right):
            sides = (left, needed), (right, True)
        case OuterJoin(left, right, kind):
            sides = (left, needed or kind is not JoinKind.LEFT), (right, needed or kind is not JoinKind.RIGHT)
        case _:
            sides = tuple((child, needed) for child in children(plan))
    return {scan for side, wanted in sides for scan in _netted(side, wanted, linear)}
