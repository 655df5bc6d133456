"""Read a view's plan as a sharing: find the join in it and write it in canonical names.

    Project [uid = u.uid, name = u.name, url = l.url]
      Join [t.uid = u.uid, l.tid = t.tid]                  <- the block
        Scan users u, Scan tweets t, Filter [...] Scan urls l

A block is the inner join that stands below row-wise nodes and at most one aggregate; its inputs are sources
or views, perhaps filtered.  A view without one (outer joins, set operations, hidden stages, SQL with no delta
rule) is computed where it lies from all that it reads: its first input is the core, the others are `also`.

Only columns of one type form a class of equal columns: Spark compares a text and a number by casting, and
that is not transitive.  Floating-point columns form none: 0.0 equals -0.0, and yet they are different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.algebra.expressions import Call, Column, Expr, columns_of, conjuncts, rename, spark_sql
from headwater.algebra.nodes import Aggregate, Filter, Join, Plan, Project, Scan, Windows
from headwater.algebra.stages import Kept
from headwater.model import View
from headwater.sharing.relations import Input, Relation, Sharing

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
    return {name: _sharing(one, views[name], types) for name, one in kept.items()}


def _sharing(kept: Kept, view: View, types: Types) -> Sharing:
    block = block_of(kept, types)
    promise = (view.site, view.freshness, view.penalty)
    if block is None:
        first, *others = [Input(name, name) for name in kept.reads]
        return Sharing(view.name, Relation((first,)), *promise, "compute", tuple(others))
    plan = kept.stages[-1].plan
    tail = "aggregate" if isinstance(plan, Aggregate) else "compute" if _has_windows(plan) else ""
    return Sharing(view.name, block.relation, *promise, tail)


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
    if not all(_is_leaf(one) for one in leaves):
        return None
    conditions = plan.conditions if isinstance(plan, Join) else ()
    return _canonical(plan, leaves, conditions, types)


def _is_leaf(plan: Plan) -> bool:
    while isinstance(plan, Filter):
        plan = plan.child
    return isinstance(plan, Scan)


def _canonical(plan: Plan, leaves: Sequence[Plan], conditions: Sequence[Expr], types: Types) -> Block:
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    inputs: list[Input] = []
    taken: dict[str, int] = {}
    for leaf in leaves:
        scan, filters = _opened(leaf)
        taken[scan.relation] = taken.get(scan.relation, 0) + 1
        count = taken[scan.relation]
        name = scan.relation if count == 1 else f"{scan.relation}#{count}"
        own = {f"{scan.alias}.{column}": f"{name}.{column}" for column in scan.names}
        names |= own
        kinds |= {f"{name}.{column}": types.get(scan.relation, {}).get(column, "") for column in scan.names}
        inputs.append(Input(name, scan.relation, _sorted(_renamed(one, own) for one in filters)))
    written = [_renamed(one, names) for condition in conditions for one in conjuncts(condition)]
    pairs = [pair for one in written if (pair := _pair(one, kinds)) is not None]
    others = _sorted(one for one in written if _pair(one, kinds) is None)
    return Block(
        plan, Relation(tuple(sorted(inputs, key=lambda one: one.name)), _classes(pairs), others), names
    )


def _opened(leaf: Plan) -> tuple[Scan, list[Expr]]:
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


def _pair(expr: Expr, kinds: Mapping[str, str]) -> tuple[str, str] | None:
    """Two columns of different inputs and of one type that a condition makes equal."""
    match expr:
        case Call("eq", (Column(left), Column(right)), _) if len(columns_of(expr)) == 2:
            apart = left.rsplit(".", 1)[0] != right.rsplit(".", 1)[0]
            kind = kinds.get(left, "")
            exact = bool(kind) and kind == kinds.get(right) and kind not in ("float", "double")
            return (left, right) if apart and exact else None
        case _:
            return None


def _classes(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    return tuple(sorted(tuple(sorted(group)) for group in groups))
