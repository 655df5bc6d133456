"""SELECT: from, where, windows, groups or projection, distinct, and what comes after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Column, Expr, equal, rename
from headwater.algebra.plans.nodes import Aggregate
from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.generators import groups_first
from headwater.sql.translate.groups.group_keys import has_aggregate
from headwater.sql.translate.groups.grouping import grouped
from headwater.sql.translate.groups.items import read_items
from headwater.sql.translate.groups.sessions import add_sessions
from headwater.sql.translate.groups.windows import add_windows
from headwater.sql.translate.modifiers import check_order
from headwater.sql.translate.over.limits import is_computed, limited, wants_limit
from headwater.sql.translate.passes.pushing import push_filter
from headwater.sql.translate.relations.conditions import filtered
from headwater.sql.translate.relations.conjuncts import split_and
from headwater.sql.translate.relations.correlation import bind_outer, pulled
from headwater.sql.translate.relations.from_clause import from_clause
from headwater.sql.translate.relations.lateral_generators import is_generator
from headwater.sql.translate.relations.laterals import explode_rows
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.relations.stars import is_star
from headwater.sql.translate.scalars.clashes import check_distinct
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["distinct", "translate_select"]


def translate_select(node: exp.Expr, env: Env) -> Rows:
    """The rows of one SELECT."""
    if not node.expressions:
        env.notes.fail("HW113", node, "this SELECT selects nothing")
    if (stepwise := groups_first(node)) is not None:
        return translate_select(stepwise, env)
    where = node.args.get("where")
    conditions = split_and(where.this if where is not None else None)
    rows = filtered(from_clause(node, env), conditions, env, "WHERE")
    having = node.args.get("having")
    group = node.args.get("group")
    parts = [*node.expressions, *(clause for clause in (group, having) if clause is not None)]
    rows, ready = add_windows(rows, parts, env)
    rows, sessions = add_sessions(rows, node, parts, env)
    ready |= sessions
    late = _late_nodes(node)
    gathered = Gathered({window.name.lower(): window for window in node.args.get("windows") or ()})
    if group or having or any(has_aggregate(part) for part in (*node.expressions, *late)):
        result, values = grouped(rows, node, env, ready, gathered, late)
    else:
        result, values = _projected(rows, node, env, ready, gathered, late)
    if node.args.get("qualify") is not None:
        condition, *values = values
        result = replace(result, plan=push_filter(result.plan, condition.expr), single=False)
    once = node.args.get("distinct") is not None and not env.predicate
    if once:
        result = distinct(result, node, env)
    if wants_limit(result, node, env):
        return limited(result, node, env, None if once else values)
    if node.args.get("order") is not None:
        check_order(node.args["order"], rows, result, env)
    return result


def _values_of_order(node: exp.Expr) -> list[exp.Expr]:
    """What a limited query is ordered by, as far as it is neither a position nor ALL."""
    order = node.args.get("order")
    if order is None or (node.args.get("limit") is None and node.args.get("offset") is None):
        return []
    return [item.this for item in order.expressions if is_computed(item)]


def _late_nodes(node: exp.Expr) -> list[exp.Expr]:
    """What is read after the select list: QUALIFY's condition, the expressions of ORDER BY with LIMIT."""
    qualify = node.args.get("qualify")
    return [*([] if qualify is None else [qualify.this]), *_values_of_order(node)]


def _projected(
    rows: Rows,
    node: exp.Expr,
    env: Env,
    ready: Mapping[exp.Expr, Typed],
    gathered: Gathered,
    late: Sequence[exp.Expr],
) -> tuple[Rows, list[Typed]]:
    """The select list, where an item may use the names of those before it, after the columns; `late` too."""
    rows, generated = _generated(rows, node, env)
    reader = replace(env.expressions(rows, "SELECT", gathered=gathered), ready=ready)
    aliases: dict[str, Typed] = {}
    fields: list[Field] = []
    for item in read_items(rows, node, env, generated):
        value = item.value or replace(reader, aliases=aliases).translate(item.node)
        fields.append(Field("", item.name, value, implicit=item.implicit, origin=item.node))
        if not item.implicit:
            aliases.setdefault(item.name.lower(), value)
    after = replace(reader, clause="ORDER BY", aliases=aliases, aliases_first=True)
    values = [after.translate(part) for part in late]
    rows = replace(rows, plan=gathered.join(rows.plan))
    if gathered.windows:
        rows, names = _ranked(rows, node, env, gathered)
        fields = [replace(field, value=_renamed(field.value, names)) for field in fields]
        values = [_renamed(value, names) for value in values]
    shown = replace(rows, fields=tuple(fields), open=rows.open and any(map(is_star, node.expressions)))
    return shown, values


def _generated(rows: Rows, node: exp.Expr, env: Env) -> tuple[Rows, dict[exp.Expr, tuple[Typed, ...]]]:
    """SELECT explode(x) AS y: the rows made of each, and which item is which of their columns.

    Of several generators each makes its rows of those of the one before.
    """
    generated: dict[exp.Expr, tuple[Typed, ...]] = {}
    for item in node.expressions:
        call = item.this if isinstance(item, exp.Alias | exp.Aliases) else item
        if not is_generator(call):
            continue
        names = [alias.name for alias in item.expressions] if isinstance(item, exp.Aliases) else []
        exploded = explode_rows(rows, call, names, False, env)
        if exploded is not None and (names or len(exploded[1]) == 1 or item is call):
            rows, generated[item] = exploded
    return rows, generated


def _ranked(rows: Rows, node: exp.Expr, env: Env, gathered: Gathered) -> tuple[Rows, dict[str, Expr]]:
    """The rows with their window functions; in a subquery for each row of the query around it."""
    rows, partition = _by_outer(rows, node, env, "a window function")
    plan, names = gathered.rank(rows.plan, env, partition=partition)
    return replace(rows, plan=plan, single=False), names


def _by_outer(rows: Rows, node: exp.Expr, env: Env, what: str) -> tuple[Rows, tuple[Expr, ...]]:
    """What divides the rows of a subquery by the rows of the query around it."""
    outer = env.parent.plan if env.parent is not None else None
    rows = bind_outer(rows, outer, env.notes.alias)
    pairs = pulled(rows)
    if pairs is None:
        env.notes.obstacle(node, f"{what} in a subquery that names the query around it has no delta rule")
    return rows, tuple(own for own, _ in pairs or ())


def _renamed(value: Typed, names: Mapping[str, Expr]) -> Typed:
    return replace(value, expr=rename(value.expr, names))


def distinct(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """Each row once: grouped by all columns, without aggregates."""
    check_distinct(env.notes, node, ((field.name, field.value.type) for field in rows.visible))
    if rows.single:
        return rows
    outer = env.parent.plan if env.parent is not None else None
    rows = bind_outer(rows, outer, env.notes.alias)
    pairs = pulled(rows)
    if pairs is None:
        env.notes.obstacle(node, "SELECT DISTINCT that names the query around it has no delta rule")
    names = env.column_names([*(field.name for field in rows.visible), *("key" for _ in pairs or ())])
    shown = len(rows.visible)
    exprs = [*(field.value.expr for field in rows.visible), *(own for own, _ in pairs or ())]
    fields = tuple(
        replace(field, value=replace(field.value, expr=Column(name)))
        for name, field in zip(names[:shown], rows.visible, strict=True)
    )
    outside = tuple(
        equal(Column(name), far) for name, (_, far) in zip(names[shown:], pairs or (), strict=True)
    )
    groups = Aggregate(rows.plan, tuple(zip(names, exprs, strict=True)), ())
    return Rows(groups, fields, rows.open, outside)
