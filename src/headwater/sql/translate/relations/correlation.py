"""Conditions of a subquery that name the query around it, taken out of it.

    SELECT max(y) FROM t WHERE t.k = o.k            groups by t.k, to be joined where its key equals o.k
    SELECT max(y) FROM t WHERE t.y < o.x            o's values of x are put beside t first, each once:
                                                    groups by those, to be joined where they equal o.x

What is left is an equality between a column of the subquery and an expression of the query around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of, equal, rename
from headwater.algebra.plans.nodes import Aggregate, Plan
from headwater.sql.translate.passes.pushing import combine, push_filter
from headwater.sql.translate.relations.scope import Rows

__all__ = ["bind_outer", "pulled"]

Pairs = tuple[tuple[Expr, Expr], ...]
_NULL_REJECTING = {"eq", "neq", "lt", "lte", "gt", "gte"}


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
    used = {name for condition in rows.correlated for name in columns_of(condition)} - own
    if not used <= set(outer.columns) or not all(map(_rejects_null, rows.correlated)):
        return rows
    prefix = alias("around")
    names = {name: f"{prefix}.{name.rsplit('.', 1)[-1]}{index}" for index, name in enumerate(sorted(used))}
    values = Aggregate(outer, tuple((new, Column(old)) for old, new in names.items()), ())
    plan = combine(values, rows.plan)
    renamed: dict[str, Expr] = {old: Column(new) for old, new in names.items()}
    for condition in rows.correlated:
        plan = push_filter(plan, rename(condition, renamed))
    conditions = tuple(equal(Column(new), Column(old)) for old, new in names.items())
    return replace(rows, plan=plan, correlated=conditions)


def _rejects_null(condition: Expr) -> bool:
    """Is it never true for a NULL on either side?  Then a NULL outside needs no rows beside it."""
    return isinstance(condition, Call) and condition.function in _NULL_REJECTING
