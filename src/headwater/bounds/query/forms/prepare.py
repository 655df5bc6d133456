"""Bring a block into the form that the search understands best.

a = 1 OR a = 2                     a IN (1, 2)
x IN (SELECT key FROM u ...)       an inner join, when each row can find one partner only
x IN (SELECT y FROM u ...)         a join with the distinct values (the other way: a probe for each row)
x IN (SELECT y ... LIMIT n)        a join with the at most n values
EXISTS (SELECT ... u.y = x ...)    as the IN it is
> (SELECT MAX(k) - 100 FROM t)     a value computed before the plan starts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from headwater.algebra.expressions.facts import aliases_of, columns_in, substitute
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Parameter,
    Subquery,
    call,
    conjuncts,
    disjuncts,
    transform,
)
from headwater.bounds.query.block import Base, Derived, Output, Query, Select, query_of
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes, equality

__all__ = ["HOISTED", "Hoisted", "correlation", "disjunctions", "hoist", "join_forms", "listed", "window_of"]


HOISTED = "$SELECT "  # how the names of parameters start that stand for subqueries


def listed(block: Select) -> Select:
    """Write an OR of equalities of the same expression as IN."""
    return replace(block, where=tuple(_as_list(condition) for condition in block.where))


def _as_list(condition: Expr) -> Expr:
    parts = disjuncts(condition)
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
        case Call("in", (term, *values)) if not (len(values) == 1 and isinstance(values[0], Parameter)):
            return (term, tuple(values)) if not any(map(columns_in, values)) else None
    sides = equality(part)
    if sides is None:
        return None
    left, right = sides
    if columns_in(left) and not columns_in(right):
        return left, (right,)
    return (right, (left,)) if columns_in(right) and not columns_in(left) else None


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A block whose uncorrelated scalar subqueries have become parameters, and those subqueries by name."""

    block: Select
    values: tuple[tuple[str, Query], ...]


def hoist(block: Select) -> Hoisted:
    """Each becomes a parameter named by its SQL, so that what has one name has one value in all blocks.

    A subquery of WHERE that reads only columns which WHERE fixes to values reads those values.
    """
    values: dict[Query, str] = {}
    fixed = _fixed_columns(block)

    def step(part: Expr) -> Expr:
        if isinstance(part, Subquery) and part.kind == "scalar" and not part.outer:
            query = query_of(part)
            return Parameter(values.setdefault(query, f"${query.sql}"))
        return part

    known = replace(block, where=tuple(_with_fixed(condition, fixed) for condition in block.where))
    hoisted = replace(known.mapped(lambda expr: transform(expr, step)), ranking=block.ranking)
    return Hoisted(hoisted, tuple((name, query) for query, name in values.items()))


def _fixed_columns(block: Select) -> dict[Expr, Expr]:
    """The columns of all sources that WHERE makes equal to a value of none, with that value."""
    classes = Classes.of(block.where)
    known = ((group, classes.value(group, frozenset())) for group in classes.groups)
    return {
        member: value for group, value in known if value is not None
        for member in group if isinstance(member, Column)
    }  # fmt: skip


def _with_fixed(condition: Expr, fixed: Mapping[Expr, Expr]) -> Expr:
    def step(part: Expr) -> Expr:
        if not isinstance(part, Subquery) or part.kind != "scalar" or not fixed.keys() >= set(part.outer):
            return part
        return substitute(part, {column: fixed[column] for column in part.outer})

    return transform(condition, step)


def window_of(query: Query) -> tuple[str, str, int] | None:
    """SELECT MAX(column) - n FROM table: the table, the column and n."""
    if not (isinstance(query, Select) and query.group == () and not query.where and len(query.outputs) == 1):
        return None
    distance = 0
    expr = query.outputs[0].expr
    match expr:
        case Call("sub", (inner, Literal(int() as number))):
            expr, distance = inner, number
    match expr, query.sources:
        case AggregateCall(function="max", arguments=(Column(column),)), (Base(_, table),):
            return table, column, distance
        case _:
            return None


def disjunctions(block: Select) -> list[Select]:
    """The branches of the block's ORs; none if it has no OR, or if there are more than 32."""
    branches: list[tuple[Expr, ...]] = [()]
    has_or = False
    for condition in block.where:
        parts = disjuncts(condition)
        has_or = has_or or len(parts) > 1
        branches = [(*branch, *conjuncts(part)) for branch in branches for part in parts]
        if len(branches) > 32:
            return []
    return [replace(block, where=tuple(dict.fromkeys(branch))) for branch in branches] if has_or else []


def join_forms(block: Select, catalog: Catalog) -> Iterator[Select]:
    """The block as it is, then with its IN and EXISTS conditions as joins."""
    merged = block
    for condition in block.where:
        if isinstance(condition, Subquery):
            merged = _merge_unique(merged, condition, catalog) or merged
    yield merged
    joined = merged
    for condition in merged.where:
        if isinstance(condition, Subquery):
            joined = _join_distinct(joined, condition) or _join_first(joined, condition) or joined
    if joined != merged:
        yield joined


def correlation(query: Subquery) -> tuple[Select, tuple[tuple[Expr, Expr], ...]] | None:
    """The subquery without what ties it to the outer query, and the ties: (inner, outer) equalities."""
    block = query.query
    if (
        not isinstance(block, Select)
        or block.group is not None
        or block.limit is not None
        or block.offset is not None
        or block.windowed
        or block.top is not None
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
        if not aliases_of(block.outputs[0].expr) <= inside:  # x IN (SELECT y), where y is of the outer query
            return None
        ties.append((block.outputs[0].expr, query.operand))
    return (replace(block, where=tuple(rest)), tuple(ties)) if ties else None


def _merge_unique(block: Select, condition: Subquery, catalog: Catalog) -> Select | None:
    """An inner join instead of a semi-join, when ties and constants hold a key of the one inner source."""
    separated = correlation(condition)
    if separated is None or condition not in block.where:
        return None
    inner, ties = separated
    if len(inner.sources) != 1 or not isinstance(inner.sources[0], Base):
        return None
    source = inner.sources[0]
    classes = Classes.of(inner.where)
    fixed = {
        col for group in classes.groups if any(not aliases_of(member) for member in group) for col in group
    }
    held = (*fixed, *(tie for tie, _ in ties))
    names = {expr.name for expr in held if isinstance(expr, Column)}
    if not catalog.is_unique(source.table, names):
        return None
    where = [other for other in block.where if other != condition]
    where += [*inner.where, *(call("eq", left, right) for left, right in ties)]
    return replace(block, sources=(*block.sources, source), where=tuple(dict.fromkeys(where)))


def _join_first(block: Select, condition: Subquery) -> Select | None:
    """x IN (SELECT y ... LIMIT n), the same n values for every row: a join with those of them that differ."""
    inner = condition.query
    if condition.kind != "in" or condition.operand is None or condition.outer:
        return None
    if not isinstance(inner, Select) or inner.limit is None or len(inner.outputs) != 1:
        return None
    first = Derived(f"first_{'_'.join(inner.aliases)}", inner)
    value = Output("value", Column(inner.outputs[0].name, first.alias))
    derived = Derived(f"in_{first.alias}", Select((first,), (), (value,), distinct=True))
    where = [other for other in block.where if other != condition]
    where.append(call("eq", Column("value", derived.alias), condition.operand))
    return replace(block, sources=(*block.sources, derived), where=tuple(where))


def _join_distinct(block: Select, condition: Subquery) -> Select | None:
    separated = correlation(condition)
    if separated is None:
        return None
    inner, ties = separated
    if any(isinstance(source, Derived) for source in inner.sources):
        return None
    alias = f"in_{'_'.join(inner.aliases)}"
    outputs = tuple(Output(f"value_{number}", left) for number, (left, _) in enumerate(ties))
    derived = Derived(alias, replace(inner, outputs=outputs, distinct=True, order=()))
    where = [other for other in block.where if other != condition]
    where += [call("eq", Column(f"value_{number}", alias), right) for number, (_, right) in enumerate(ties)]
    return replace(block, sources=(*block.sources, derived), where=tuple(where))
