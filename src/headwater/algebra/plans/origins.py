"""From which column of which relation a column of a plan comes unchanged, if from one.

    SELECT q.symbol AS s, max(price) FROM quotes q JOIN ... GROUP BY q.symbol      s comes from quotes.symbol

Only columns that are passed on as they are have an origin: what is computed has none, and what a union
brings together has one only if all its inputs agree.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.nodes import (
    Aggregate,
    Filter,
    Join,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Windows,
)

__all__ = ["origin"]

Origin = tuple[str, str]  # a relation and its column


def origin(plan: Plan, column: str) -> Origin | None:
    """The relation and column that a column comes from; None if it is computed, or that is not known."""
    match plan:
        case Scan():
            names = dict(zip(plan.columns, plan.names, strict=True))
            return (plan.relation, names[column]) if column in names else None
        case Project():
            return _passed(plan.child, column, plan.items)
        case Aggregate():
            return _passed(plan.child, column, plan.keys)
        case Filter() | Over() | Restrict() | Windows():
            return origin(plan.child, column)
        case SemiJoin():
            return origin(plan.left, column)
        case Join():
            return next((origin(child, column) for child in plan.inputs if column in child.columns), None)
        case Union():
            at = plan.columns.index(column)
            origins = {origin(child, child.columns[at]) for child in plan.inputs}
            return origins.pop() if len(origins) == 1 else None
        case _:
            return None


def _passed(child: Plan, column: str, items: Iterable[tuple[str, Expr]]) -> Origin | None:
    expr = dict(items).get(column)
    return origin(child, expr.name) if isinstance(expr, Column) else None
