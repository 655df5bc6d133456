"""SELECT: from, where, windows, groups or projection, distinct, and what comes after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of
from headwater.algebra.plans.nodes import Aggregate
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.group_keys import has_aggregate
from headwater.sql.translate.groups.grouping import grouped
from headwater.sql.translate.groups.items import read_items
from headwater.sql.translate.groups.windows import add_windows
from headwater.sql.translate.modifiers import check_modifiers
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.from_clause import from_clause
from headwater.sql.translate.relations.joins import split_and
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.relations.semi_joins import is_predicate, semi_join
from headwater.sql.translate.relations.stars import is_star
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["distinct", "translate_select"]


def translate_select(node: exp.Expr, env: Env) -> Rows:
    """The rows of one SELECT."""
    if not node.expressions:
        env.notes.fail("HW113", node, "this SELECT selects nothing")
    rows = _where(from_clause(node, env), node, env)
    having = node.args.get("having")
    group = node.args.get("group")
    parts = [*node.expressions, *(clause for clause in (group, having) if clause is not None)]
    rows, windows = add_windows(rows, parts, env)
    if group or having or any(has_aggregate(expression) for expression in node.expressions):
        result = grouped(rows, node, env, windows)
    else:
        result = _projected(rows, node, env, windows)
    if node.args.get("distinct") is not None and not env.predicate:
        result = distinct(result, node, env)
    check_modifiers(node, rows, result, env)
    return result


def _where(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """Apply the plain conditions first: they connect relations and say what is not NULL."""
    where = node.args.get("where")
    conjuncts = split_and(where.this if where is not None else None)
    reader = env.expressions(rows, "WHERE")
    columns = set(rows.plan.columns)
    plan, outside, facts = rows.plan, list(rows.correlated), []
    for conjunct in conjuncts:
        if is_predicate(conjunct):
            continue
        condition = reader.condition(conjunct).expr
        facts.append(condition)
        if columns_of(condition) <= columns:
            plan = push_filter(plan, condition)
        else:
            outside.append(condition)
    rows = replace(rows, plan=plan, fields=_sharper(rows.fields, facts), correlated=tuple(outside))
    for conjunct in conjuncts:
        if is_predicate(conjunct):
            rows = semi_join(rows, conjunct, env, "WHERE")
    return rows


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


def _projected(rows: Rows, node: exp.Expr, env: Env, windows: Mapping[exp.Expr, Typed]) -> Rows:
    """The select list; an item may use the names of those before it, after the columns."""
    reader = replace(env.expressions(rows, "SELECT"), windows=windows)
    aliases: dict[str, Typed] = {}
    fields: list[Field] = []
    for item in read_items(rows, node, env):
        value = item.value or replace(reader, aliases=aliases).translate(item.node)
        fields.append(Field("", item.name, value, implicit=item.implicit, origin=item.node))
        if not item.implicit:
            aliases.setdefault(item.name.lower(), value)
    return replace(rows, fields=tuple(fields), open=rows.open and any(map(is_star, node.expressions)))


def distinct(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """Each row once: grouped by all columns, without aggregates."""
    if rows.correlated:
        env.notes.obstacle(node, "SELECT DISTINCT that names the query around it has no delta rule")
    names = env.column_names([field.name for field in rows.visible])
    keys = tuple((name, field.value.expr) for name, field in zip(names, rows.visible, strict=True))
    fields = tuple(
        replace(field, value=replace(field.value, expr=Column(name)))
        for name, field in zip(names, rows.visible, strict=True)
    )
    return Rows(Aggregate(rows.plan, keys, ()), fields, rows.open)
