"""Bring a block into the form that the search understands best.

a = 1 OR a = 2                     a IN (1, 2)
x IN (SELECT key FROM u ...)       an inner join, when each row can find one partner only
x IN (SELECT y FROM u ...)         a join with the distinct values (the other way: a probe for each row)
EXISTS (SELECT ... u.y = x ...)    as the IN it is
> (SELECT MAX(k) - 100 FROM t)     a value computed before the plan starts
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.scale.block import Base, Derived, Output, Query, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes, equality
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Fn,
    Lit,
    Param,
    SubQuery,
    aliases_of,
    call,
    cols_of,
    transform,
)

__all__ = ["Hoisted", "disjunctions", "hoist", "join_forms", "listed"]


def listed(block: Select) -> Select:
    """OR of equalities of one expression as IN."""
    return replace(block, where=tuple(_as_list(one) for one in block.where))


def _disjuncts(expr: Expr) -> list[Expr]:
    match expr:
        case Fn("or", (left, right)):
            return _disjuncts(left) + _disjuncts(right)
        case _:
            return [expr]


def _as_list(condition: Expr) -> Expr:
    parts = _disjuncts(condition)
    if len(parts) < 2:
        return condition
    sides = [_sides(part) for part in parts]
    terms = {side[0] for side in sides if side is not None}
    if len(terms) != 1 or not all(side is not None for side in sides):
        return condition
    values = [value for side in sides if side is not None for value in side[1]]
    return call("in", next(iter(terms)), *dict.fromkeys(values))


def _sides(part: Expr) -> tuple[Expr, tuple[Expr, ...]] | None:
    match part:
        case Fn("in", (term, *values)) if not (len(values) == 1 and isinstance(values[0], Param)):
            return (term, tuple(values)) if not any(map(cols_of, values)) else None
    sides = equality(part)
    if sides is None:
        return None
    left, right = sides
    if cols_of(left) and not cols_of(right):
        return left, (right,)
    return (right, (left,)) if cols_of(right) and not cols_of(left) else None


@dataclass(frozen=True, slots=True)
class Hoisted:
    """Scalar subqueries that do not depend on a row, by the parameter that stands for each."""

    block: Select
    values: tuple[tuple[str, Query], ...]


def hoist(block: Select, prefix: str) -> Hoisted:
    values: dict[Query, str] = {}

    def step(part: Expr) -> Expr:
        if isinstance(part, SubQuery) and part.kind == "scalar" and not part.outer:
            name = values.setdefault(part.query, f"${prefix}{len(values) + 1}")
            return Param(name)
        return part

    def new(expr: Expr) -> Expr:
        return transform(expr, step)

    hoisted = replace(
        block,
        where=tuple(map(new, block.where)),
        having=tuple(map(new, block.having)),
        outputs=tuple(Output(one.name, new(one.expr)) for one in block.outputs),
        left_joins=tuple(replace(one, on=tuple(map(new, one.on))) for one in block.left_joins),
    )
    return Hoisted(hoisted, tuple((name, query) for query, name in values.items()))


def window_of(query: Query, catalog: Catalog) -> tuple[str, str, int] | None:
    """SELECT MAX(column) - n FROM table: the table, the column and n."""
    if not (isinstance(query, Select) and query.group == () and not query.where and len(query.outputs) == 1):
        return None
    distance = 0
    expr = query.outputs[0].expr
    match expr:
        case Fn("sub", (inner, Lit(int() as number))):
            expr, distance = inner, number
    match expr, query.sources:
        case Aggregate("max", (Col(_, column),)), (Base(_, table),):
            return table, column, distance
        case _:
            return None


def disjunctions(block: Select) -> list[Select]:
    """The branches of the block's ORs, at most 32; none if it has no OR."""
    branches: list[tuple[Expr, ...]] = [()]
    found = False
    for condition in block.where:
        parts = _disjuncts(condition)
        found = found or len(parts) > 1
        branches = [(*branch, *_conjuncts(part)) for branch in branches for part in parts]
        if len(branches) > 32:
            return []
    return [replace(block, where=tuple(dict.fromkeys(branch))) for branch in branches] if found else []


def _conjuncts(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Fn("and", (left, right)):
            return _conjuncts(left) + _conjuncts(right)
        case _:
            return (expr,)


def join_forms(block: Select, catalog: Catalog) -> Iterator[Select]:
    """The block as it is, then with its IN and EXISTS conditions as joins."""
    merged = block
    for condition in block.where:
        if isinstance(condition, SubQuery):
            merged = _merge_unique(merged, condition, catalog) or merged
    yield merged
    joined = merged
    for condition in merged.where:
        if isinstance(condition, SubQuery):
            joined = _join_distinct(joined, condition) or joined
    if joined != merged:
        yield joined


def _correlation(query: SubQuery) -> tuple[Select, tuple[tuple[Expr, Expr], ...]] | None:
    """The subquery without what ties it to the outer query, and the ties: (inner, outer) equalities."""
    block = query.query
    if (
        not isinstance(block, Select)
        or block.group is not None
        or block.limit is not None
        or block.offset is not None
    ):
        return None
    if block.left_joins or query.kind == "scalar":
        return None
    inside = frozenset(block.aliases)
    ties: list[tuple[Expr, Expr]] = []
    rest: list[Expr] = []
    for condition in block.where:
        sides = equality(condition)
        if aliases_of(condition) <= inside:
            rest.append(condition)
        elif sides is not None and aliases_of(sides[0]) <= inside and not aliases_of(sides[1]) & inside:
            ties.append(sides)
        elif sides is not None and aliases_of(sides[1]) <= inside and not aliases_of(sides[0]) & inside:
            ties.append((sides[1], sides[0]))
        else:
            return None
    if query.kind == "in" and query.operand is not None:
        ties.append((block.outputs[0].expr, query.operand))
    return (replace(block, where=tuple(rest)), tuple(ties)) if ties else None


def _merge_unique(block: Select, condition: SubQuery, catalog: Catalog) -> Select | None:
    """An inner join instead of a semi-join, when ties and constants hold a key of the one inner source."""
    found = _correlation(condition)
    if found is None or condition not in block.where:
        return None
    inner, ties = found
    if len(inner.sources) != 1 or not isinstance(inner.sources[0], Base):
        return None
    source = inner.sources[0]
    classes = Classes.of(inner.where)
    fixed = {col for group in classes.groups if any(not aliases_of(one) for one in group) for col in group}
    names = {one.name for one in (*fixed, *(tie for tie, _ in ties)) if isinstance(one, Col)}
    if not catalog.is_unique(source.table, names):
        return None
    where = [one for one in block.where if one != condition]
    where += [*inner.where, *(call("eq", left, right) for left, right in ties)]
    return replace(block, sources=(*block.sources, source), where=tuple(dict.fromkeys(where)))


def _join_distinct(block: Select, condition: SubQuery) -> Select | None:
    found = _correlation(condition)
    if found is None:
        return None
    inner, ties = found
    if any(isinstance(source, Derived) for source in inner.sources):
        return None
    alias = f"in_{'_'.join(inner.aliases)}"
    outputs = tuple(Output(f"value_{number}", left) for number, (left, _) in enumerate(ties))
    derived = Derived(alias, replace(inner, outputs=outputs, distinct=True, order=()))
    where = [one for one in block.where if one != condition]
    where += [call("eq", Col(alias, f"value_{number}"), right) for number, (_, right) in enumerate(ties)]
    return replace(block, sources=(*block.sources, derived), where=tuple(where))
