"""What GROUP BY groups by: expressions, positions, names of select items, ALL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.sql.parsing.names import same_name
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.items import Item
from headwater.sql.translate.groups.windows import own_nodes
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.calls import function_of
from headwater.sql.translate.scalars.expressions import Expressions
from headwater.sql.translate.scalars.spark_functions import AGGREGATES
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["group_keys", "has_aggregate"]

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def has_aggregate(node: exp.Expr) -> bool:
    """Is there an aggregate in the expression, apart from those of OVER and of subqueries?"""
    return any(
        isinstance(part, exp.Anonymous) and function_of(part) in AGGREGATES and not _is_over(part)
        for part in own_nodes(node)
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
        keys = [_item(item, reader) for item in items if not has_aggregate(item.node)]
    else:
        keys = [_key(written, items, reader, env) for written in _written_keys(group, env)]
    different: dict[object, Typed] = {}
    for key in keys:
        different.setdefault(key.expr, key)
    return tuple(different.values())


def _written_keys(group: exp.Expr, env: Env) -> list[exp.Expr]:
    """The expressions of GROUP BY; those of ROLLUP and its like count too, and are an obstacle."""
    sets = [node for name in ("rollup", "cube", "grouping_sets") for node in group.args.get(name) or ()]
    nodes = [*group.expressions, *sets]
    for node in nodes:
        if isinstance(node, _SETS):
            culprit = node if node.expressions else group
            env.notes.obstacle(culprit, "ROLLUP, CUBE and GROUPING SETS have no delta rule")
    return [key for node in nodes for key in _flat(node)]


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
        named = [item for item in items if same_name(item.name, bare.name) and not item.implicit]
        if named:
            return _item(named[0], reader)
    return reader.translate(bare)


def _unresolved(node: exp.Column, reader: Expressions) -> bool:
    return not any(same_name(field.name, node.name) and not field.hidden for field in reader.scope.fields)


def _at(node: exp.Expr, items: Sequence[Item], env: Env) -> Item:
    position = int(node.name) if node.name.isdigit() else 0
    if not 1 <= position <= len(items):
        env.notes.fail("HW324", node, f"GROUP BY {node.name}: the select list has {len(items)} items")
    return items[position - 1]


def _item(item: Item, reader: Expressions) -> Typed:
    return item.value or reader.translate(item.node)
