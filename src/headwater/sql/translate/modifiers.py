"""What may follow a query: ORDER BY changes no rows, LIMIT does.

A stored view has no order, so ORDER BY alone (and SORT BY, DISTRIBUTE BY, CLUSTER BY) is looked at for errors
and left out.  With LIMIT it decides which rows there are, and nothing but a recomputation knows them.  LIMIT
without ORDER BY would take any rows.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.sql.translate.collector import Collector
from headwater.sql.translate.env import Env
from headwater.sql.translate.scope import Rows

__all__ = ["check_modifiers"]


def check_modifiers(node: exp.Expr, rows: Rows, result: Rows, env: Env) -> None:
    """Note what has no delta rule, and find the errors in it; `rows` is what the select list read."""
    if node.args.get("qualify"):
        env.notes.obstacle(node.args["qualify"], "QUALIFY has no delta rule")
    order = node.args.get("order")
    if order is not None:
        _check_order(order, rows, result, env)
    cut = node.args.get("limit") or node.args.get("offset")
    if cut is None:
        return
    if order is None:
        env.notes.fail(
            "HW320",
            cut,
            "LIMIT without ORDER BY cannot stand in a view: it takes any rows",
            hint="add ORDER BY",
        )
    env.notes.obstacle(order, "ORDER BY with LIMIT has no delta rule")


def _check_order(order: exp.Expr, rows: Rows, result: Rows, env: Env) -> None:
    names = {one.name.lower(): one.value for one in result.fields}
    reader = replace(env.expressions(rows, "ORDER BY", Collector()), aliases=names, aliases_first=True)
    obstacles = list(env.notes.obstacles)
    for one in order.expressions:
        target = one.this
        if isinstance(target, exp.Literal) and not target.is_string:
            if not result.open and not 1 <= int(target.name) <= len(result.fields):
                env.notes.fail(
                    "HW324", target, f"ORDER BY {target.name}: there are {len(result.fields)} columns"
                )
        elif not (isinstance(target, exp.Column) and target.name.lower() == "all"):
            reader.translate(target)
    env.notes.obstacles[:] = obstacles  # an order that is left out stands in nobody's way
