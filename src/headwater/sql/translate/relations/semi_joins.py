"""IN, EXISTS, NOT EXISTS and NOT IN as semi-joins and anti-joins.

    WHERE t.a IN (SELECT u.b FROM u WHERE u.k = t.k)
        SemiJoin of t and u on [t.a = u.b, t.k = u.k]

A condition of the subquery that names the query around it is a condition between the two sides.  NOT IN is
an anti-join on equalities only if neither side can be NULL: `x NOT IN (..., NULL)` is never true.  Where it
can, one value is counted (subqueries); of several, (x, y) NOT IN (...) asks for rows that may be equal:

        x = a AND (y = b OR y IS NULL OR b IS NULL)

Where the subquery always has one row, it is a condition on a value.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.build import TRUE
from headwater.algebra.expressions.tree import Expr, call, columns_of, conjunction, disjunction, equal
from headwater.algebra.plans.nodes import SemiJoin
from headwater.sql.translate.env import Env
from headwater.sql.translate.passes.pushing import push_semi_join
from headwater.sql.translate.relations.equalities import equalities
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.clashes import check_comparison
from headwater.sql.translate.scalars.operators import query_of
from headwater.sql.translate.scalars.typed import Typed

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


def semi_join(rows: Rows, node: exp.Expr, env: Env, clause: str) -> Rows | None:
    """The rows for which such a predicate holds; None if it is no join but a condition on a value."""
    bare, negated = _bare(node)
    query = query_of(bare)
    assert query is not None
    inner = env.query(_without_limit(query, bare), env.below("subquery", env.scope(rows), predicate=True))
    pairs: Pairs = []
    if isinstance(bare, exp.In):
        values = _compared(rows, bare, inner, env, clause)
        unsure = [pair for pair in values if negated and any(value.nullable for value in pair)]
        if unsure and len(values) == 1:
            return None
        inner = replace(inner, correlated=(*inner.correlated, *map(_may_be_equal, unsure)))
        pairs = [(value.expr, column.expr) for value, column in values if (value, column) not in unsure]
    if inner.single or not _is_join(rows, inner, pairs):
        return None
    return _attach(rows, inner, pairs, negated)


def _may_be_equal(pair: tuple[Typed, Typed]) -> Expr:
    """Equal, or not known to be different."""
    left, right = (value.expr for value in pair)
    return disjunction((equal(left, right), call("is_null", left), call("is_null", right))) or TRUE


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


def _compared(rows: Rows, node: exp.Expr, inner: Rows, env: Env, clause: str) -> list[tuple[Typed, Typed]]:
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
    return list(zip(values, columns, strict=False))


def _is_join(rows: Rows, inner: Rows, pairs: Pairs) -> bool:
    """Do the conditions between the two sides name nothing else?"""
    outer, own = set(rows.plan.columns), set(inner.plan.columns)
    sides = all(columns_of(left) <= outer and columns_of(right) <= own for left, right in pairs)
    return sides and all(columns_of(condition) <= outer | own for condition in inner.correlated)


def _attach(rows: Rows, inner: Rows, pairs: Pairs, anti: bool) -> Rows:
    outer, own = set(rows.plan.columns), set(inner.plan.columns)
    parts = equalities(inner.correlated, outer, own)
    residual = conjunction(parts.left + parts.right + parts.rest)
    semi = SemiJoin(rows.plan, inner.plan, (*pairs, *parts.keys), residual, anti)
    return replace(rows, plan=push_semi_join(rows.plan, inner.plan, semi))
