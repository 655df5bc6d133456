"""What a plan would have to compute, but has no plan for: a subquery without a subplan, a value nobody sets.

The bound of a plan counts the subqueries that it has plans for.  One that stands anywhere else (in an order,
in a group, in a limit) would be work that nobody counted, so a plan that holds one is no proof.  The steps
are gone through field by field, so that a field added to one of them is looked at as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Expr, Parameter, Subquery, walk
from headwater.bounds.plans.plan import Plan, Setup, Subplan
from headwater.bounds.query.forms.prepare import HOISTED

__all__ = ["unanswered"]

_STEPS: tuple[Any, ...] = get_args(Plan)
_EXPRS: tuple[Any, ...] = get_args(Expr)


def unanswered(plan: Plan, values: frozenset[str] = frozenset()) -> str | None:
    """The SQL of the first subquery that the plan has no plan for; `values` are set before it runs."""
    parts = [part for field in fields(plan) for part in _parts(getattr(plan, field.name))]
    subplans = [part for part in parts if isinstance(part, Subplan)]
    if isinstance(plan, Setup):
        values |= {name for name, _ in plan.values}
    planned = {subplan.query for subplan in subplans}
    exprs: list[Expr] = [part for part in parts if isinstance(part, _EXPRS)]
    for expr in exprs:
        for leaf in walk(expr):
            if isinstance(leaf, Subquery) and leaf not in planned:
                return sql_of(leaf)
            if isinstance(leaf, Parameter) and leaf.name.startswith(HOISTED) and leaf.name not in values:
                return leaf.name.removeprefix("$")
    steps: list[Plan] = [part for part in parts if isinstance(part, _STEPS)]
    steps += [subplan.plan for subplan in subplans]
    return next((missing for step in steps if (missing := unanswered(step, values)) is not None), None)


def _parts(value: Any) -> Iterator[Any]:
    """The expressions, steps and subplans in a field, without what is in those."""
    if isinstance(value, (*_EXPRS, *_STEPS, Subplan)):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
