"""What GROUP BY groups by: expressions, positions, names of select items, ALL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.sql.translate.calls import function_of
from headwater.sql.translate.env import Env
from headwater.sql.translate.expressions import Expressions
from headwater.sql.translate.items import Item
from headwater.sql.translate.scope import Rows, Typed
from headwater.sql.translate.spark_functions import AGGREGATES
from headwater.sql.translate.windows import own_nodes

__all__ = ["group_keys", "has_aggregate"]

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def has_aggregate(node: exp.Expr) -> bool:
    """Is there an aggregate in the expression, apart from those of OVER and of subqueries?"""
    return any(
        isinstance(one, exp.Anonymous) and function_of(one) in AGGREGATES and not _is_over(one)
        for one in own_nodes(node)
    )


def _is_over(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def group_keys(
    rows: Rows, node: exp.Expr, items: Sequence[Item], env: Env, windows: Mapping[exp.Expr, Typed]
) -> tuple[Typed, ...]:
    """The different keys, in order."""
    group = node.args.get("group")
    if group is None:
        return ()
    reader = replace(env.expressions(rows, "GROUP BY"), windows=windows)
    if group.args.get("all"):
        keys = [_item(one, reader) for one in items if not has_aggregate(one.node)]
    else:
        keys = [_key(one, items, reader, env) for one in _written(group, env)]
    found: dict[object, Typed] = {}
    for key in keys:
        found.setdefault(key.expr, key)
    return tuple(found.values())


def _written(group: exp.Expr, env: Env) -> list[exp.Expr]:
    """The expressions of GROUP BY; those of ROLLUP and its like count too, and are an obstacle."""
    found: list[exp.Expr] = []
    sets = [one for key in ("rollup", "cube", "grouping_sets") for one in group.args.get(key) or ()]
    for one in [*group.expressions, *sets]:
        if isinstance(one, _SETS):
            env.notes.obstacle(
                one if one.expressions else group, "ROLLUP, CUBE and GROUPING SETS have no delta rule"
            )
            found += [inner for part in one.expressions for inner in _flat(part)]
        else:
            found += _flat(one)
    return found


def _flat(node: exp.Expr) -> list[exp.Expr]:
    """(a, b) in GROUP BY are two keys."""
    if isinstance(node, (*_SETS, exp.Tuple)):
        return [inner for part in node.expressions for inner in _flat(part)]
    return [node]


def _key(node: exp.Expr, items: Sequence[Item], reader: Expressions, env: Env) -> Typed:
    bare = node.unnest()
    if isinstance(bare, exp.Literal) and not bare.is_string:
        return _item(_at(bare, items, env), reader)
    if isinstance(bare, exp.Column) and len(bare.parts) == 1 and _unresolved(bare, reader):
        named = [one for one in items if one.name.lower() == bare.name.lower() and not one.implicit]
        if named:
            return _item(named[0], reader)
    return reader.translate(bare)


def _unresolved(node: exp.Column, reader: Expressions) -> bool:
    known = any(one.name.lower() == node.name.lower() and not one.hidden for one in reader.scope.fields)
    return not known


def _at(node: exp.Expr, items: Sequence[Item], env: Env) -> Item:
    position = int(node.name) if node.name.isdigit() else 0
    if not 1 <= position <= len(items):
        env.notes.fail("HW324", node, f"GROUP BY {node.name}: the select list has {len(items)} items")
    return items[position - 1]


def _item(item: Item, reader: Expressions) -> Typed:
    return item.value or reader.translate(item.node)
