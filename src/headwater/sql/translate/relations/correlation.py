"""Conditions of a subquery that name the query around it, taken out of it.

    SELECT max(y) FROM t WHERE t.k = o.k            groups by t.k, to be joined where its key equals o.k
    SELECT max(y) FROM t WHERE t.y < o.x            o's values of x are put beside t first, each once:
                                                    groups by those, to be joined where they equal o.x

What is left is an equality between a column of the subquery and an expression of the query around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    children,
    columns_of,
    equal,
    replace_largest,
)
from headwater.algebra.plans.join_order import connected
from headwater.algebra.plans.nodes import Aggregate, Join, Plan
from headwater.sql.translate.passes.pushing import combine, push_filter
from headwater.sql.translate.relations.scope import Rows

__all__ = ["bind_outer", "pulled"]

Pairs = tuple[tuple[Expr, Expr], ...]
# NULL where any argument is.
_STRICT = {
    "eq", "neq", "lt", "lte", "gt", "gte", "not", "add", "sub", "mul", "div", "mod", "neg", "abs", "like",
    "rlike", "upper", "lower", "length", "substring", "substr", "concat", "date_add", "date_sub", "datediff",
    "year", "month", "day", "hour",
}  # fmt: skip


def pulled(rows: Rows) -> Pairs | None:
    """The correlated conditions as pairs (own expression, outer expression); None if one is no equality."""
    own = set(rows.plan.columns)
    pairs = [_pair(condition, own) for condition in rows.correlated]
    return None if None in pairs else tuple(pair for pair in pairs if pair is not None)


def _pair(condition: Expr, own: set[str]) -> tuple[Expr, Expr] | None:
    match condition:
        case Call("eq", (first, second)):
            for near, far in ((first, second), (second, first)):
                if columns_of(near) and columns_of(near) <= own and not columns_of(far) & own:
                    return near, far
    return None


def bind_outer(rows: Rows, outer: Plan | None, alias: Callable[[str], str]) -> Rows:
    """The rows with the values of the outer query beside them, where equalities alone do not do."""
    if pulled(rows) is not None or outer is None:
        return rows
    own = set(rows.plan.columns)
    values = dict.fromkeys(value for condition in rows.correlated for value in _outer_values(condition, own))
    prefix = alias("around")
    names: dict[Expr, Expr] = {value: Column(f"{prefix}.value{index}") for index, value in enumerate(values)}
    conditions = [replace_largest(condition, names) for condition in rows.correlated]
    known = all(columns_of(value) <= set(outer.columns) for value in values)
    if not known or not all(_never_null(name, conditions) for name in names.values()):
        return rows
    listed = tuple((name.name, value) for value, name in names.items() if isinstance(name, Column))
    plan = combine(Aggregate(_needed(outer, values), listed, ()), rows.plan)
    for condition in conditions:
        plan = push_filter(plan, condition)
    return replace(rows, plan=plan, correlated=tuple(equal(name, value) for value, name in names.items()))


def _needed(outer: Plan, values: Iterable[Expr]) -> Plan:
    """The inputs of a join that the values are made of, and what conditions connect with them.

    Without the others there may be more values, which nothing asks for.
    """
    if not isinstance(outer, Join):
        return outer
    used = {name for value in values for name in columns_of(value)}
    groups = [
        group for group in connected(outer) if any(used & set(outer.inputs[index].columns) for index in group)
    ]
    kept = sorted(set().union(*groups))
    columns = {name for index in kept for name in outer.inputs[index].columns}
    conditions = tuple(condition for condition in outer.conditions if columns_of(condition) <= columns)
    if len(kept) == 1 and not conditions:
        return outer.inputs[kept[0]]
    return Join(tuple(outer.inputs[index] for index in kept), conditions)


def _outer_values(condition: Expr, own: set[str]) -> Iterator[Expr]:
    """The largest parts of a condition that name the query around it alone."""
    used = columns_of(condition)
    if used and not used & own:
        yield condition
    else:
        for part in children(condition):
            yield from _outer_values(part, own)


def _never_null(value: Expr, conditions: Sequence[Expr]) -> bool:
    """Does a NULL of the outer query let no row through?  Then it needs no rows beside it."""
    return any(_is_not_true(condition, value) for condition in conditions)


def _is_not_true(condition: Expr, value: Expr) -> bool:
    """Is it never true where the value is NULL?"""
    match condition:
        case Call("and", parts):
            return any(_is_not_true(part, value) for part in parts)
        case Call("or", parts):
            return all(_is_not_true(part, value) for part in parts)
        case Call("between", parts):
            return any(_is_null(part, value) for part in parts)
        case Call("in", (part, *_)):
            return _is_null(part, value)
        case _:
            return _is_null(condition, value)


def _is_null(expr: Expr, value: Expr) -> bool:
    """Is it always NULL where the value is?"""
    match expr:
        case Call(function, parts) if function in _STRICT:
            return any(_is_null(part, value) for part in parts)
        case _:
            return expr == value
