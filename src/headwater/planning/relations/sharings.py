"""Read a view's plan as a sharing: find the join in it and write it in canonical names.

    Project [uid = u.uid, name = u.name, url = l.url]
      Join [t.uid = u.uid, l.tid = t.tid]                  <- the block
        Scan users u, Scan tweets t, Filter [...] Scan urls l

A block is the inner join that stands below row-wise nodes and at most one aggregate; its inputs are sources
or views, perhaps filtered.  A view without one (outer joins, set operations, hidden stages, SQL with no delta
rule) is computed at its own site from all that it reads: its first input is the core, the others are `also`.

Nor has a view one if a row can make its conditions fail (algebra/failures): what views share must not fail
for the sake of one of them, and a relation has its conditions in no order, so that one could not protect
another.

Only columns of one type form a class of equal columns: Spark compares a text and a number by casting, and
that is not transitive.  Floating-point columns form none: 0.0 equals -0.0, and yet they are different rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.algebra.expressions.equalities import equality_classes
from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of, conjuncts, rename, spark_sql
from headwater.algebra.failures.plan_can_fail import plan_can_fail
from headwater.algebra.plans.nodes import Aggregate, Filter, Join, Plan, Project, Scan, Windows
from headwater.algebra.stages.stage import Kept
from headwater.model import View
from headwater.planning.relations.relations import Input, Relation, Sharing, input_of

__all__ = ["Block", "Types", "block_of", "sharings_of"]

Types = Mapping[str, Mapping[str, str]]  # relation -> column -> type


@dataclass(frozen=True, slots=True)
class Block:
    """The join inside a plan: the node, what it stands for, and what its columns are called there."""

    node: Plan
    relation: Relation
    names: Mapping[str, str]  # column of the node -> canonical name


def sharings_of(kept: Mapping[str, Kept], views: Mapping[str, View], types: Types) -> dict[str, Sharing]:
    """Every view as a sharing."""
    return {name: _sharing(kept_view, views[name], types) for name, kept_view in kept.items()}


def _sharing(kept: Kept, view: View, types: Types) -> Sharing:
    block = block_of(kept, types)
    terms = (view.site, view.freshness, view.penalty)
    if block is None:
        first, *others = [Input(name, name) for name in kept.reads]
        return Sharing(view.name, Relation((first,)), *terms, "compute", tuple(others))
    plan = kept.stages[-1].plan
    tail = "aggregate" if isinstance(plan, Aggregate) else "compute" if _has_windows(plan) else ""
    return Sharing(view.name, block.relation, *terms, tail)


def _has_windows(plan: Plan | None) -> bool:
    while isinstance(plan, Project | Filter | Windows):
        if isinstance(plan, Windows):
            return True
        plan = plan.child
    return False


def block_of(kept: Kept, types: Types) -> Block | None:
    """The block of a view that is kept in one stage, if it has one."""
    plan = kept.stages[-1].plan
    if len(kept.stages) > 1 or plan is None:
        return None
    while isinstance(plan, Project | Aggregate | Windows) or (
        isinstance(plan, Filter) and not _is_leaf(plan)
    ):
        plan = plan.child
    leaves = plan.inputs if isinstance(plan, Join) else (plan,)
    if not all(map(_is_leaf, leaves)):
        return None
    conditions = plan.conditions if isinstance(plan, Join) else ()
    if plan_can_fail(plan, lambda relation: types.get(relation, {})):
        return None
    return _canonical(plan, leaves, conditions, types)


def _is_leaf(plan: Plan) -> bool:
    while isinstance(plan, Filter):
        plan = plan.child
    return isinstance(plan, Scan)


def _canonical(plan: Plan, leaves: Sequence[Plan], conditions: Sequence[Expr], types: Types) -> Block:
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    inputs: list[Input] = []
    occurrences: Counter[str] = Counter()
    for leaf in leaves:
        scan, filters = _scan_of(leaf)
        occurrences[scan.relation] += 1
        count = occurrences[scan.relation]
        name = scan.relation if count == 1 else f"{scan.relation}#{count}"
        own = {f"{scan.alias}.{column}": f"{name}.{column}" for column in scan.names}
        names |= own
        kinds |= {f"{name}.{column}": types.get(scan.relation, {}).get(column, "") for column in scan.names}
        inputs.append(Input(name, scan.relation, _sorted(_renamed(condition, own) for condition in filters)))
    inputs.sort(key=lambda input: input.name)
    written = [_renamed(conjunct, names) for condition in conditions for conjunct in conjuncts(condition)]
    pairs = {conjunct: _equal_pair(conjunct, kinds) for conjunct in written}
    classes = equality_classes(pair for pair in pairs.values() if pair is not None)
    equal = tuple(sorted(tuple(sorted(members)) for members in classes))
    others = _sorted(conjunct for conjunct, pair in pairs.items() if pair is None)
    return Block(plan, Relation(tuple(inputs), equal, others), names)


def _scan_of(leaf: Plan) -> tuple[Scan, list[Expr]]:
    """The scan below the filters of a leaf, and the filters."""
    filters: list[Expr] = []
    while isinstance(leaf, Filter):
        filters += conjuncts(leaf.condition)
        leaf = leaf.child
    assert isinstance(leaf, Scan)
    return leaf, filters


def _renamed(expr: Expr, names: Mapping[str, str]) -> Expr:
    return rename(expr, {old: Column(new) for old, new in names.items()})


def _sorted(exprs: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(sorted(set(exprs), key=spark_sql))


def _equal_pair(expr: Expr, kinds: Mapping[str, str]) -> tuple[str, str] | None:
    """Two columns of different inputs and of one type that a condition makes equal."""
    match expr:
        case Call("eq", (Column(left), Column(right)), _) if len(columns_of(expr)) == 2:
            kind = kinds.get(left, "")
            exact = bool(kind) and kind == kinds.get(right) and kind not in ("float", "double")
            return (left, right) if exact and input_of(left) != input_of(right) else None
        case _:
            return None
