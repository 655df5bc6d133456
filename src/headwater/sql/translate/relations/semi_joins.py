"""IN, EXISTS, NOT EXISTS and NOT IN as semi-joins and anti-joins.

    WHERE t.a IN (SELECT u.b FROM u WHERE u.k = t.k)
        SemiJoin of t and u on [t.a = u.b, t.k = u.k]

A condition of the subquery that names the query around it is a condition between the two sides.  NOT IN is
an anti-join only if neither side can be NULL: `x NOT IN (..., NULL)` is never true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr, columns_of, conjunction
from headwater.algebra.plans.nodes import SemiJoin
from headwater.sql.translate.env import Env
from headwater.sql.translate.passes.pushing import push_semi_join
from headwater.sql.translate.relations.equalities import equalities
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.clashes import check_comparison
from headwater.sql.translate.scalars.operators import query_of

__all__ = ["is_predicate", "semi_join"]

Pairs = list[tuple[Expr, Expr]]


def _bare(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """The predicate without NOT and brackets; was it negated?"""
    negated = False
    while isinstance(node, exp.Not | exp.Paren):
        negated ^= isinstance(node, exp.Not)
        node = node.this
    return node, negated


def is_predicate(node: exp.Expr) -> bool:
    """Is this conjunct [NOT] IN (SELECT ...) or [NOT] EXISTS (SELECT ...)?"""
    bare, _ = _bare(node)
    return isinstance(bare, exp.In | exp.Exists) and query_of(bare) is not None


def semi_join(rows: Rows, node: exp.Expr, env: Env, clause: str) -> Rows:
    """The rows for which such a predicate holds."""
    bare, negated = _bare(node)
    query = query_of(bare)
    assert query is not None
    inner = env.query(_without_limit(query, bare), env.below("subquery", env.scope(rows), predicate=True))
    pairs: Pairs = []
    if isinstance(bare, exp.In):
        pairs = _compared(rows, bare, inner, env, clause, negated)
    return _attach(rows, inner, pairs, node, env, negated)


def _without_limit(query: exp.Expr, node: exp.Expr) -> exp.Expr:
    """Drop the LIMIT of EXISTS (SELECT ... LIMIT 1), which changes nothing."""
    limit = query.args.get("limit")
    if not isinstance(node, exp.Exists) or limit is None or query.args.get("offset") is not None:
        return query
    if not isinstance(limit.expression, exp.Literal) or limit.expression.name == "0":
        return query
    bare = query.copy()
    bare.set("limit", None)
    return bare


def _compared(rows: Rows, node: exp.Expr, inner: Rows, env: Env, clause: str, negated: bool) -> Pairs:
    """The values left of IN, each with the column of the subquery it is compared with."""
    operand = node.this.unnest()
    operands = operand.expressions if isinstance(operand, exp.Tuple) else [operand]
    values = env.expressions(rows, clause).several(operands)
    columns = [field.value for field in inner.visible]
    if len(values) != len(columns) and not inner.open:
        env.notes.fail(
            "HW327", node, f"IN compares {len(values)} values with a subquery of {len(columns)} columns"
        )
    for value, column in zip(values, columns, strict=False):
        check_comparison(env.notes, node, [value, column])
    if negated and any(value.nullable for value in (*values, *columns)):
        env.notes.obstacle(
            node,
            "NOT IN on values that may be NULL has no delta rule"
            " (use NOT EXISTS, or IS NOT NULL on both sides, or declare the columns NOT NULL)",
        )
    return [(value.expr, column.expr) for value, column in zip(values, columns, strict=False)]


def _attach(rows: Rows, inner: Rows, pairs: Pairs, node: exp.Expr, env: Env, anti: bool) -> Rows:
    outer, own = set(rows.plan.columns), set(inner.plan.columns)
    parts = equalities(inner.correlated, outer, own)
    keys = (*pairs, *parts.keys)
    residual = conjunction(parts.left + parts.right + parts.rest)
    if not keys or not _each_on_its_side(keys, outer, own):
        env.notes.obstacle(node, "a subquery without an equality with the query around it has no delta rule")
    if residual is not None and not columns_of(residual) <= outer | own:
        env.notes.obstacle(node, "a subquery that names a query further out has no delta rule")
    semi = SemiJoin(rows.plan, inner.plan, keys, residual, anti)
    return replace(rows, plan=push_semi_join(rows.plan, inner.plan, semi))


def _each_on_its_side(keys: Sequence[tuple[Expr, Expr]], outer: set[str], own: set[str]) -> bool:
    """Both sides of every key name columns, and only those of their own side."""
    return all(
        columns_of(left) and columns_of(right) and columns_of(left) <= outer and columns_of(right) <= own
        for left, right in keys
    )
