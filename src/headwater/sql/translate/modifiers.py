"""What may follow a query: ORDER BY changes no rows, LIMIT does.

A stored view has no order, so ORDER BY alone (and SORT BY, DISTRIBUTE BY, CLUSTER BY) is checked for errors
and left out.  With LIMIT it decides which rows there are, which only a recomputation can tell.  LIMIT without
ORDER BY would take arbitrary rows.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.relations.scope import Rows

__all__ = ["check_modifiers"]


def check_modifiers(node: exp.Expr, rows: Rows, result: Rows, env: Env) -> None:
    """Check the modifiers and note those without a delta rule; `rows` is what the select list reads."""
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
            "LIMIT without ORDER BY cannot be used in a view: it takes arbitrary rows",
            hint="add ORDER BY",
        )
    env.notes.obstacle(order, "ORDER BY with LIMIT has no delta rule")


def _check_order(order: exp.Expr, rows: Rows, result: Rows, env: Env) -> None:
    names = {field.name.lower(): field.value for field in result.fields}
    reader = replace(env.expressions(rows, "ORDER BY", Collector()), aliases=names, aliases_first=True)
    obstacles = list(env.notes.obstacles)
    for item in order.expressions:
        target = item.this
        if isinstance(target, exp.Literal) and not target.is_string:
            if not result.open and not 1 <= int(target.name) <= len(result.fields):
                env.notes.fail(
                    "HW324", target, f"ORDER BY {target.name}: there are {len(result.fields)} columns"
                )
        elif not (isinstance(target, exp.Column) and target.name.lower() == "all"):
            reader.translate(target)
    env.notes.obstacles[:] = obstacles  # an order that is left out stands in nobody's way
