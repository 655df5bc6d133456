"""Delta rules: from a plan that computes a relation to the plan that computes its change.

Write x' for NEW, x for OLD and dx for DELTA, so x' = x + dx, and K|x for x restricted to the keys in K.

    d Filter(x), d Project(x), d Windows(x)    the same over dx
    d Union(x, y)                              dx + dy
    d Join(x, y, z)                            dx y z  +  x' dy z  +  x' y' dz
    d Left(x, y), Semi, Anti  (linear in x)    op(dx, y')  +  op(K|x, K|y') - op(K|x, K|y)    K: keys of dy
    d Full(x, y)                               op(K|x', K|y') - op(K|x, K|y)                  K: keys of both
    d Aggregate(x), not stored                 agg(K|x') - agg(K|x)                           K: keys of dx
    d stage S, merged                          new(M) - old(M), M = merge(K|S + agg(dx))      K: keys of dx
    d stage S, GROUPS                          agg(K|x') - K|S                                K: keys of dx
    d Over(x), not stored                      over(K|x') - over(K|x)                         K: parts of dx
    d stage S of Over                          over(K|x') - K|S                               K: parts of dx
    d stage S of the n first rows              see ranked.py

A stage is merged when it is LINEAR, or when its states are counts, exact sums, min and max and dx holds
nothing but insertions: then x itself is not read at all.  With deletions, only groups that lost an extreme
are aggregated anew (extremes.py).

Invariants: the delta has the columns of the plan.  None means certainly empty.  A sub-plan used twice is
the identical value, so whoever memoises by node computes it once.  Deltas are not consolidated: a row may
come out with +1 and -1.  A stage without keys holds one row from its first computation on (which evaluates
its plan, not its delta); an empty dx gives it an empty delta.

Cost: everything but x in the rules is small, or restricted to keys of something small.  Doubt: a NULL key in
a Full join touches all rows with a NULL key on both sides.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.delta.extremes import merged_with_losses, merged_without_losses
from headwater.algebra.delta.insertions import holds_only_insertions
from headwater.algebra.delta.ranked import ranked_stage
from headwater.algebra.delta.rules import Rules, touched_keys
from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import (
    Aggregate,
    Negate,
    Over,
    Plan,
    Project,
    Restrict,
    Union,
    Version,
)
from headwater.algebra.plans.walks import rewrite_up, scan_rows, share
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.algebra.stages.states import is_mergeable, merging
from headwater.errors import InternalError

__all__ = ["delta", "unrestricted"]


def delta(
    stage_or_plan: Stage | Plan,
    changed: frozenset[str],
    inserts_only: frozenset[str] = frozenset(),
    seeks: bool = True,
) -> Plan | None:
    """The plan of the change, given which relations changed and which of those only got new rows.

    Without `seeks`, groups that may have lost an extreme are not told apart: all are aggregated anew.
    """
    rules = Rules(changed)
    if isinstance(stage_or_plan, Stage):
        result = _stage_delta(stage_or_plan, rules, inserts_only, seeks)
    else:
        result = rules.derive(stage_or_plan)
    return None if result is None else share(result)


def unrestricted(plan: Plan) -> Plan:
    """The same change, found among all rows instead of those that a change touches."""
    return rewrite_up(plan, lambda node: node.child if isinstance(node, Restrict) else node)


def _stage_delta(stage: Stage, rules: Rules, inserts_only: frozenset[str], seeks: bool) -> Plan | None:
    match stage.kind, stage.plan:
        case ((StageKind.ROWS | StageKind.CHOOSING | StageKind.PROBES), plan) if plan is not None:
            return rules.derive(plan)
        case ((StageKind.LINEAR | StageKind.GROUPS), Aggregate() as aggregate):
            return _aggregate_stage(stage, aggregate, rules, inserts_only, seeks)
        case StageKind.GROUPS, Project(Over() as over, items):
            return ranked_stage(stage, over, items, rules, inserts_only)
        case _:
            raise InternalError("HW901", f'stage "{stage.name}" of kind {stage.kind.value} has no delta rule')


def _aggregate_stage(
    stage: Stage, aggregate: Aggregate, rules: Rules, inserts_only: frozenset[str], seeks: bool
) -> Plan | None:
    change = rules.derive(aggregate.child)
    if change is None:
        return None
    if stage.kind is StageKind.LINEAR or all(map(is_mergeable, aggregate.aggregates)):
        loses = stage.kind is not StageKind.LINEAR and not holds_only_insertions(change, inserts_only)
        if aggregate.keys and loses and seeks:
            return merged_with_losses(stage, aggregate, change, rules)
        if aggregate.keys and not loses:
            return merged_without_losses(stage, aggregate, change)
        if not loses:
            return _merged(stage, aggregate, change)
    touched = touched_keys(change, aggregate.keys)
    anew = rules.restricted(aggregate, Version.NEW, touched)
    return Union((Negate(_stored(stage, aggregate, touched)), anew))


def _merged(stage: Stage, aggregate: Aggregate, change: Plan) -> Plan:
    """Add the states of the change to those of the only group, which has a row even without changes."""
    touched = touched_keys(change, ())
    old = _stored(stage, aggregate, touched)
    states = tuple(merging(state) for state in aggregate.aggregates)
    merged = Aggregate(Union((old, replace(aggregate, child=change))), (), states)
    return Union((Negate(old), Restrict(merged, (), touched)))


def _stored(stage: Stage, aggregate: Aggregate, touched: Plan) -> Plan:
    """The stage's own rows, as of the last push, of the groups that are touched."""
    keys = tuple(Column(name) for name, _ in aggregate.keys)
    return Restrict(scan_rows(stage.name, stage.columns, Version.OLD), keys, touched)
