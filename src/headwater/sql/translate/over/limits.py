"""ORDER BY with LIMIT and OFFSET: rows numbered in that order, and those with the right numbers.

    ORDER BY x DESC LIMIT 10 OFFSET 5      Filter [n > 5] of Filter [n <= 15] of Over [] order [x DESC] [n]

The rows up to the limit are what is stored: new rows compete with those alone.  LIMIT without ORDER BY would
take arbitrary rows and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE, number
from headwater.algebra.expressions.compile import NotEvaluable, compile_expr
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, call
from headwater.algebra.plans.framing import Order, OverCall
from headwater.algebra.plans.keys import keys_of
from headwater.algebra.plans.nodes import Filter, Over, Plan, Scan
from headwater.sql.translate.env import Env
from headwater.sql.translate.over.functions import read_order
from headwater.sql.translate.over.ties import warn_of_ties
from headwater.sql.translate.relations.correlation import bind_outer, pulled
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["is_computed", "limited", "wants_limit"]


def is_computed(item: exp.Expr) -> bool:
    """Is an item of ORDER BY neither a position nor ALL, which stands alone?"""
    node = item.this
    position = isinstance(node, exp.Literal) and not node.is_string
    alone = item.parent is None or len(item.parent.expressions) == 1
    return not position and not (alone and isinstance(node, exp.Var) and node.name.lower() == "all")


def wants_limit(rows: Rows, node: exp.Expr, env: Env) -> bool:
    """Does a query cut its rows?  LIMIT ALL does not; a cut that takes any of several rows is refused."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if isinstance(limit, exp.Limit) and limit.expression.name.upper() == "ALL":
        limit = None
    cut = limit or offset
    if cut is None:
        return False
    if node.args.get("order") is None and not _is_any(rows, node, env):
        env.notes.fail(
            "HW320",
            cut,
            "LIMIT without ORDER BY cannot be used in a view: it takes arbitrary rows",
            hint="add ORDER BY",
        )
    return True


def _is_any(rows: Rows, node: exp.Expr, env: Env) -> bool:
    """Is there one row at most, or is none wanted?  Then it takes no order to say which."""
    limit = node.args.get("limit")
    written = limit.expression if isinstance(limit, exp.Limit) else None
    none = isinstance(written, exp.Literal) and written.name == "0"
    return none or _at_most_one(rows, env)


def _at_most_one(rows: Rows, env: Env) -> bool:
    keys = keys_of(rows.plan, lambda relation: env.notes.keys.get(relation, ()))
    return not rows.correlated and frozenset() in keys


def limited(rows: Rows, node: exp.Expr, env: Env, values: Sequence[Typed] | None) -> Rows:
    """The rows that the limit leaves; `values` are those of the order, which are else read over the rows."""
    first, last = _bounds(node, env)
    if first == 0 and (last is None or last > 0) and (rows.single or _at_most_one(rows, env)):
        return rows
    if (last is not None and last <= first) or node.args.get("order") is None:
        return replace(rows, plan=Filter(rows.plan, FALSE), single=False)
    order = node.args["order"]
    ordered = tuple(_order(order, rows, env, values))
    outer = env.parent.plan if env.parent is not None else None
    rows = bind_outer(rows, outer, env.notes.alias)
    pairs = pulled(rows)
    if pairs is None:
        env.notes.obstacle(order, "LIMIT in a subquery that names the query around it has no delta rule")
    partition = tuple(own for own, _ in pairs or ())
    (name,) = env.column_names(["row_number"], rows.plan)
    numbered = OverCall(AggregateCall(name, "row_number", (), "row_number()"))
    over = Over(rows.plan, partition, ordered, (numbered,))
    shown = [field.value.expr for field in rows.visible]
    warn_of_ties(env.notes, over, numbered, order, shown)
    plan: Plan = over
    if last is not None:
        plan = Filter(plan, call("lte", Column(name), number(last)))
    if first:
        plan = Filter(plan, call("gt", Column(name), number(first)))
    return replace(rows, plan=plan, single=False)


def _bounds(node: exp.Expr, env: Env) -> tuple[int, int | None]:
    """After which row to begin, and the last row; None for all."""
    offset = _number(node.args.get("offset"), env) or 0
    limit = node.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.name.upper() == "ALL":
        limit = None
    count = _number(limit, env)
    return offset, None if count is None else offset + count


def _number(node: exp.Expr | None, env: Env) -> int | None:
    if node is None:
        return None
    written = node.args.get("expression") or node.args.get("count")
    if isinstance(written, exp.Literal) and written.name.isdigit():
        return int(written.name)
    if written is None or written.find(exp.Query, exp.Column) is not None:
        env.notes.fail("HW113", node, "LIMIT and OFFSET take a number that is the same for all rows")
    value = env.expressions(Rows(Scan("", "", ()), ()), "LIMIT").translate(written)
    try:
        number_of_rows = compile_expr(value.expr, ())(())
    except (NotEvaluable, ArithmeticError):
        number_of_rows = None
    if isinstance(number_of_rows, int) and number_of_rows >= 0:
        return number_of_rows
    env.notes.obstacle(node, "this way of computing a LIMIT has no delta rule")
    return 0


def _order(order: exp.Expr, rows: Rows, env: Env, values: Sequence[Typed] | None) -> list[Order]:
    names = {field.name.lower(): field.value for field in rows.fields}
    reader = replace(env.expressions(rows, "ORDER BY"), aliases=names, aliases_first=True)
    waiting = list(values) if values is not None else None
    items: list[Order] = []
    for item in order.expressions:
        if is_computed(item):
            value = reader.translate(item.this) if waiting is None else waiting.pop(0)
            items.append(read_order(reader, item, value))
        elif isinstance(item.this, exp.Literal):
            items.append(read_order(reader, item, _at(item.this, rows, env)))
        else:
            items += [read_order(reader, item, field.value) for field in rows.visible]
    return [item for item in items if not _constant(item.expr)] or items[:1]


def _constant(expr: Expr) -> bool:
    return not isinstance(expr, Column) and not getattr(expr, "arguments", ())


def _at(node: exp.Expr, rows: Rows, env: Env) -> Typed:
    position = int(node.name) if node.name.isdigit() else 0
    if not 1 <= position <= len(rows.visible):
        env.notes.fail("HW324", node, f"ORDER BY {node.name}: there are {len(rows.visible)} columns")
    return rows.visible[position - 1].value
