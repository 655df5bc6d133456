"""What may follow a query: ORDER BY alone changes no rows.

A stored view has no order, so ORDER BY alone (and SORT BY, DISTRIBUTE BY, CLUSTER BY) is checked for errors
and left out.  With LIMIT it decides which rows there are (over/limits).
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.over.limits import is_computed, limited, wants_limit
from headwater.sql.translate.relations.scope import Rows

__all__ = ["check_order", "modified"]


def modified(node: exp.Expr, result: Rows, env: Env) -> Rows:
    """The rows of a query in brackets or of a set operation, with what follows it."""
    if wants_limit(result, node, env):
        return limited(result, node, env, None)
    if node.args.get("order") is not None:
        check_order(node.args["order"], result, result, env)
    return result


def check_order(order: exp.Expr, rows: Rows, result: Rows, env: Env) -> None:
    """Check an order that is left out; `rows` is what the select list reads."""
    names = {field.name.lower(): field.value for field in result.fields}
    reader = env.expressions(rows, "ORDER BY", Collector(), Gathered())
    reader = replace(reader, aliases=names, aliases_first=True)
    obstacles, warnings = list(env.notes.obstacles), list(env.notes.warnings)
    for item in order.expressions:
        target = item.this
        if is_computed(item):
            reader.translate(target)
        elif isinstance(target, exp.Literal) and not result.open and not _is_place(target, result):
            env.notes.fail("HW324", target, f"ORDER BY {target.name}: there are {len(result.fields)} columns")
    env.notes.obstacles[:] = obstacles  # an order that is left out stands in nobody's way
    env.notes.warnings[:] = warnings


def _is_place(node: exp.Expr, rows: Rows) -> bool:
    return node.name.isdigit() and 1 <= int(node.name) <= len(rows.fields)
