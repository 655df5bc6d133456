"""JOIN: inner, outer, semi and anti, with ON, USING, NATURAL, or nothing but a comma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Column, Expr, call, columns_of, conjunction, equal
from headwater.algebra.plans.nodes import JoinKind, OuterJoin, Plan, Project, SemiJoin
from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.passes.pushing import combine, push_filter
from headwater.sql.translate.relations.conditions import filtered, has_subquery
from headwater.sql.translate.relations.conjuncts import split_and
from headwater.sql.translate.relations.equalities import equalities
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.clashes import check_comparison
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common

__all__ = ["join", "outer_of", "settle_constants"]

_OUTER = {"LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}
_LARGE = 64


def join(left: Rows, right: Rows, node: exp.Expr, env: Env) -> Rows:
    """`left JOIN right`, as the join's node says."""
    side, kind = str(node.args.get("side") or ""), str(node.args.get("kind") or "")
    _check_method(node, env)
    outer = _OUTER.get(side)
    if kind in ("SEMI", "ANTI"):
        return _semi(left, right, node, env, anti=kind == "ANTI")
    if outer is None:
        return _inner(left, right, node, env)
    if outer is not JoinKind.RIGHT:
        right = _settle(right, env)
    if outer is not JoinKind.LEFT:
        left = _settle(left, env)
    left, right, fields, conditions = _conditions(left, right, node, env, outer)
    _check_sides(left, right, conditions, node, env)
    plan = outer_of(left.plan, right.plan, conditions, outer)
    fields = _nullable(fields, _extended(left.plan, right.plan, outer))
    return Rows(plan, fields, left.open or right.open, left.correlated + right.correlated)


def _check_sides(left: Rows, right: Rows, conditions: Sequence[Expr], node: exp.Expr, env: Env) -> None:
    """A condition on the query around this one can be moved out of an inner join, and of no other."""
    known = {*left.plan.columns, *right.plan.columns}
    if left.correlated or right.correlated or any(columns_of(part) - known for part in conditions):
        env.notes.obstacle(node, "an outer join of what names the query around it has no delta rule")


def _check_method(node: exp.Expr, env: Env) -> None:
    method = str(node.args.get("method") or "")
    if method not in ("", "NATURAL"):
        env.notes.obstacle(node, f"a {method} join has no delta rule")


def _conditions(
    left: Rows, right: Rows, node: exp.Expr, env: Env, outer: JoinKind | None
) -> tuple[Rows, Rows, tuple[Field, ...], list[Expr]]:
    """Both sides with what subqueries need, their fields, and what must hold between them."""
    both = _pairs(left, right)
    names = _using(left, right, node)
    if names is not None:
        return left, right, *_merged(left, right, names, node, env, outer)
    conjuncts = split_and(node.args.get("on"))
    reader = env.expressions(both, "ON")
    conditions = [reader.condition(part).expr for part in conjuncts if not has_subquery(part)]
    for part in conjuncts:
        if has_subquery(part):
            left, right, condition = _with_subquery(left, right, conditions, part, env)
            conditions.append(condition)
    return left, right, both.fields, conditions


def _pairs(left: Rows, right: Rows) -> Rows:
    correlated = left.correlated + right.correlated
    return Rows(
        combine(left.plan, right.plan), left.fields + right.fields, left.open or right.open, correlated
    )


def _with_subquery(
    left: Rows, right: Rows, conditions: Sequence[Expr], node: exp.Expr, env: Env
) -> tuple[Rows, Rows, Expr]:
    """A condition with a subquery, which stands beside the side that it names."""
    both = _pairs(left, right)
    plan = both.plan
    for condition in conditions:  # only pairs of which these hold ask for more
        plan = push_filter(plan, condition) if columns_of(condition) <= set(plan.columns) else plan
    gathered = Gathered()
    asked = env.expressions(replace(both, plan=plan), "ON", gathered=gathered).condition(node).expr
    for attached in gathered.attached:
        named = {name for far, _ in attached.keys for name in columns_of(far)}
        if named <= set(left.plan.columns):
            left = replace(left, plan=attached.under(left.plan))
        elif named <= set(right.plan.columns):
            right = replace(right, plan=attached.under(right.plan))
        else:
            env.notes.fail(
                "HW113", node, "Spark has no subquery in the ON of such a join that names both sides of it",
                hint="join the subquery as a relation of its own, or move the condition to WHERE",
            )  # fmt: skip
    return left, right, asked


def _using(left: Rows, right: Rows, node: exp.Expr) -> list[exp.Expr] | None:
    """The columns of USING; NATURAL means those that both sides have."""
    if node.args.get("using"):
        return list(node.args["using"])
    if str(node.args.get("method") or "") != "NATURAL":
        return None
    in_right = {field.name.lower() for field in right.visible}
    shared = [field.name for field in left.visible if field.name.lower() in in_right]
    return [exp.to_identifier(name) for name in shared]


def _merged(
    left: Rows, right: Rows, names: Sequence[exp.Expr], node: exp.Expr, env: Env, outer: JoinKind | None
) -> tuple[tuple[Field, ...], list[Expr]]:
    """USING (k): one k for both, first among the columns; a.k and b.k can still be named."""
    conditions: list[Expr] = []
    merged: list[Field] = []
    for name in names:
        pair = [_side_column(side, name, env) for side in (left, right)]
        check_comparison(env.notes, name, pair)
        conditions.append(equal(pair[0].expr, pair[1].expr))
        merged.append(Field("", name.name, _shown(pair[0], pair[1], outer)))
    hidden = {field.name.lower() for field in merged}
    rest = [
        replace(field, hidden=field.hidden or field.name.lower() in hidden)
        for field in left.fields + right.fields
    ]
    return (*merged, *rest), conditions


def _side_column(side: Rows, name: exp.Expr, env: Env) -> Typed:
    scope = env.scope(side)
    column = replace(scope, parent=None).resolve([name.name], name)
    if column is None:
        env.notes.unknown("HW302", name, "unknown column in USING", name.name, scope.names())
    return column


def _shown(left: Typed, right: Typed, outer: JoinKind | None) -> Typed:
    """What k is after USING (k): the side that is always there; of a full join, whichever is there."""
    match outer:
        case JoinKind.RIGHT:
            return right
        case JoinKind.FULL:
            return Typed(call("coalesce", left.expr, right.expr), common(left.type, right.type))
        case _:
            return left


def _inner(left: Rows, right: Rows, node: exp.Expr, env: Env) -> Rows:
    both = _pairs(left, right)
    names = _using(left, right, node)
    if names is None:
        return filtered(both, split_and(node.args.get("on")), env, "ON")
    fields, conditions = _merged(left, right, names, node, env, None)
    return replace(both, plan=_filtered(both.plan, conditions), fields=fields)


def settle_constants(rows: Rows, env: Env, prefix: str) -> Rows:
    """Turn constants into columns, so that an equality with one still connects two relations.

    Large expressions too: a subquery that uses its input twice, ten levels deep, would grow a thousandfold.
    """
    if all(columns_of(field.value.expr) and _size(field.value.expr) < _LARGE for field in rows.fields):
        return rows
    return _settle(rows, env, prefix)


def _size(expr: Expr) -> int:
    return 1 + sum(map(_size, expr.arguments)) if isinstance(expr, Call) else 1


def _settle(rows: Rows, env: Env, prefix: str = "") -> Rows:
    """Compute the fields that are more than columns, so that an outer join can set them to NULL."""
    if all(isinstance(field.value.expr, Column) for field in rows.fields):
        return rows
    names = replace(env, prefix=prefix or "joined").column_names([field.name for field in rows.fields])
    items = tuple((name, field.value.expr) for name, field in zip(names, rows.fields, strict=True))
    fields = tuple(
        replace(field, value=replace(field.value, expr=Column(name)))
        for name, field in zip(names, rows.fields, strict=True)
    )
    return replace(rows, plan=Project(rows.plan, items), fields=fields)


def _extended(left: Plan, right: Plan, kind: JoinKind) -> frozenset[str]:
    """The columns that are NULL in rows without a partner."""
    sides = {
        JoinKind.LEFT: right.columns,
        JoinKind.RIGHT: left.columns,
        JoinKind.FULL: left.columns + right.columns,
    }
    return frozenset(sides[kind])


def _nullable(fields: tuple[Field, ...], extended: frozenset[str]) -> tuple[Field, ...]:
    return tuple(
        replace(field, value=replace(field.value, nullable=True))
        if columns_of(field.value.expr) & extended
        else field
        for field in fields
    )


def outer_of(left: Plan, right: Plan, conditions: list[Expr], kind: JoinKind) -> Plan:
    """Conditions on the side that may be missing filter it before the join; the rest must wait for pairs."""
    parts = equalities(conditions, set(left.columns), set(right.columns))
    waiting = list(parts.rest)
    if kind is JoinKind.LEFT:
        right = _filtered(right, parts.right)
        waiting += parts.left
    elif kind is JoinKind.RIGHT:
        left = _filtered(left, parts.left)
        waiting += parts.right
    else:
        waiting += parts.left + parts.right
    return OuterJoin(left, right, kind, parts.keys, conjunction(tuple(waiting)))


def _filtered(plan: Plan, conditions: Sequence[Expr]) -> Plan:
    for condition in conditions:
        plan = push_filter(plan, condition)
    return plan


def _semi(left: Rows, right: Rows, node: exp.Expr, env: Env, anti: bool) -> Rows:
    """LEFT SEMI JOIN and LEFT ANTI JOIN: the left rows with, or without, a partner."""
    left, right, _, conditions = _conditions(left, right, node, env, None)
    _check_sides(left, right, conditions, node, env)
    parts = equalities(conditions, set(left.plan.columns), set(right.plan.columns))
    residual = conjunction(parts.left + parts.rest)
    plan = SemiJoin(left.plan, _filtered(right.plan, parts.right), parts.keys, residual, anti)
    return replace(left, plan=plan)
