"""Can the executor compute everything in a query's plans?  Asked before anything is stored for it.

`check` proves bounds also for functions that the executor does not know (Spark's own, say).  Such a query is
not loaded, so that it keeps no other from being answered, and is refused with the expression that is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from headwater.algebra.expressions.aggregates import aggregate
from headwater.algebra.expressions.nodes import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    Subquery,
)
from headwater.algebra.expressions.tree import walk
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.evaluate import NotExecutable, compiled
from headwater.bounds.plans.plan import Extremes
from headwater.errors import InputError
from headwater.serve.store.rankings.ranked_view import ranked_view

__all__ = ["asks_the_time", "obstacle"]

_EXPRESSIONS = (AggregateCall, Call, Column, Literal, Opaque, Parameter, Subquery)


def obstacle(answer: Answer) -> str:
    """What the executor cannot compute in the plans of a bounded query; "" if it can answer it."""
    if answer.bounded_plan is None:
        return ""
    parts: list[Any] = [answer.bounded_plan.plan, answer.indexes]
    views = answer.choice.views if answer.choice is not None else ()
    ranked = ranked_view(answer)
    if ranked is not None and answer.periodic is not None:
        parts += [ranked.lookup.plan, ranked.outputs, ranked.order, ranked.having, ranked.leads, ranked.now]
        views = answer.periodic.counters
    for view in views:
        parts += [upkeep.bounded_plan.plan for upkeep in view.maintenance]
    read = {aggregate for part in parts for aggregate in _read_as_rows(part)}
    for expr in dict.fromkeys(expr for part in parts for expr in _expressions(part)):
        try:
            _try(expr, read)
        except (NotExecutable, InputError) as error:
            return str(error)
    return ""


def asks_the_time(answer: Answer) -> bool:
    """Does a query need to be told the moment ($now) at which it is answered?"""
    plan = None if answer.bounded_plan is None else answer.bounded_plan.plan
    named = {part.name for expr in _expressions(plan) for part in walk(expr) if isinstance(part, Parameter)}
    if answer.query is not None:
        named |= answer.query.params
    return answer.periodic is not None or any(name.startswith("$") for name in named)


def _try(expr: Expr, read: Collection[Expr]) -> None:
    """Compile an expression, and aggregate nothing by its aggregates, but for those that are `read`."""
    compiled(expr)
    for part in walk(expr):
        if isinstance(part, AggregateCall) and part not in read:
            for argument in part.arguments:
                compiled(argument)
            aggregate(part, [])


def _read_as_rows(value: Any) -> Iterator[AggregateCall]:
    """Aggregates that are the first row in some order: MIN, MAX, MAX_BY."""
    if isinstance(value, Extremes):
        yield from (aggregate for aggregate, _ in value.plans)
    if isinstance(value, tuple | frozenset | list):
        for item in value:
            yield from _read_as_rows(item)
    elif is_dataclass(value) and not isinstance(value, _EXPRESSIONS):
        for field in fields(value):
            yield from _read_as_rows(getattr(value, field.name))


def _expressions(value: Any) -> Iterator[Expr]:
    """The expressions in a plan, in its indexes and in the plans of its subqueries."""
    if isinstance(value, _EXPRESSIONS):
        yield value
    elif isinstance(value, tuple | frozenset | list):
        for item in value:
            yield from _expressions(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _expressions(getattr(value, field.name))
