"""SELECT: from, where, windows, groups or projection, distinct, and what comes after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions import Call, Column, Expr, columns_of
from headwater.algebra.nodes import Aggregate
from headwater.sql.translate.env import Env
from headwater.sql.translate.from_clause import from_clause
from headwater.sql.translate.group_keys import has_aggregate
from headwater.sql.translate.grouping import grouped
from headwater.sql.translate.items import read_items
from headwater.sql.translate.joins import split_and
from headwater.sql.translate.modifiers import check_modifiers
from headwater.sql.translate.pushing import push_filter
from headwater.sql.translate.scope import Field, Rows, Typed
from headwater.sql.translate.stars import is_star
from headwater.sql.translate.subqueries import is_predicate, semi_join
from headwater.sql.translate.windows import add_windows

__all__ = ["distinct", "translate_select"]


def translate_select(node: exp.Expr, env: Env) -> Rows:
    """The rows of one SELECT."""
    if not node.expressions:
        env.notes.fail("HW300", node, "this SELECT selects nothing")
    rows = _where(from_clause(node, env), node, env)
    having = node.args.get("having")
    parts = [*node.expressions, *(one for one in (node.args.get("group"), having) if one is not None)]
    rows, windows = add_windows(rows, parts, env)
    if node.args.get("group") or having or any(has_aggregate(one) for one in node.expressions):
        result = grouped(rows, node, env, windows)
    else:
        result = _projected(rows, node, env, windows)
    if node.args.get("distinct") is not None and not env.predicate:
        result = distinct(result, node, env)
    check_modifiers(node, rows, result, env)
    return result


def _where(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """Plain conditions first: they connect the relations, and say what is not NULL."""
    where = node.args.get("where")
    conjuncts = split_and(where.this if where is not None else None)
    reader = env.expressions(rows, "WHERE")
    known = set(rows.plan.columns)
    plan, outside, facts = rows.plan, list(rows.correlated), []
    for one in conjuncts:
        if is_predicate(one):
            continue
        condition = reader.condition(one).expr
        facts.append(condition)
        if columns_of(condition) <= known:
            plan = push_filter(plan, condition)
        else:
            outside.append(condition)
    rows = replace(rows, plan=plan, fields=_sharper(rows.fields, facts), correlated=tuple(outside))
    for one in conjuncts:
        if is_predicate(one):
            rows = semi_join(rows, one, env, "WHERE")
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
        replace(one, value=replace(one.value, nullable=False)) if one.value.expr in solid else one
        for one in fields
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
    """Each row once: groups of all columns and nothing else."""
    if rows.correlated:
        env.notes.obstacle(node, "SELECT DISTINCT that names the query around it has no delta rule")
    visible = [one for one in rows.fields if not one.hidden]
    names = env.column_names([one.name for one in visible])
    keys = tuple((name, one.value.expr) for name, one in zip(names, visible, strict=True))
    fields = tuple(
        replace(one, value=replace(one.value, expr=Column(name)))
        for name, one in zip(names, visible, strict=True)
    )
    return Rows(Aggregate(rows.plan, keys, ()), fields, rows.open)
