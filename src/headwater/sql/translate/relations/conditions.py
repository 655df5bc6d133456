"""The rows for which conditions hold: those of WHERE, and of an inner join's ON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Expr, columns_of
from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.relations.semi_joins import is_predicate, semi_join

__all__ = ["filtered", "has_subquery"]


def filtered(rows: Rows, conjuncts: Sequence[exp.Expr], env: Env, clause: str) -> Rows:
    """The plain conditions first: they connect relations and say what is not NULL.

    A condition that names the query around this one belongs there.
    """
    reader = env.expressions(rows, clause)
    columns = set(rows.plan.columns)
    plan, outside, facts = rows.plan, list(rows.correlated), []
    for conjunct in conjuncts:
        if has_subquery(conjunct):
            continue
        condition = reader.condition(conjunct).expr
        facts.append(condition)
        if columns_of(condition) <= columns:
            plan = push_filter(plan, condition)
        else:
            outside.append(condition)
    rows = replace(rows, plan=plan, fields=_sharper(rows.fields, facts), correlated=tuple(outside))
    for conjunct in conjuncts:
        if has_subquery(conjunct):
            rows = _by_subquery(rows, conjunct, env, clause)
    return rows


def has_subquery(node: exp.Expr) -> bool:
    return node.find(exp.Query) is not None


def _by_subquery(rows: Rows, node: exp.Expr, env: Env, clause: str) -> Rows:
    """The rows for which a condition with a subquery holds: a semi-join if it can be one."""
    joined = semi_join(rows, node, env, clause) if is_predicate(node) else None
    if joined is not None:
        return joined
    gathered = Gathered()
    condition = env.expressions(rows, clause, gathered=gathered).condition(node).expr
    plan = gathered.join(rows.plan)
    if columns_of(condition) <= set(plan.columns):
        return replace(rows, plan=push_filter(plan, condition))
    return replace(rows, plan=plan, correlated=(*rows.correlated, condition))


def _sharper(fields: tuple[Field, ...], facts: list[Expr]) -> tuple[Field, ...]:
    """Fields that a condition says are not NULL: x IS NOT NULL, or x compared with anything."""
    solid: set[Expr] = set()
    for fact in facts:
        match fact:
            case Call("not", (Call("is_null", (value,), _),), _):
                solid.add(value)
            case Call("eq" | "neq" | "lt" | "lte" | "gt" | "gte", (left, right), _):
                solid |= {left, right}
    return tuple(
        replace(field, value=replace(field.value, nullable=False)) if field.value.expr in solid else field
        for field in fields
    )
