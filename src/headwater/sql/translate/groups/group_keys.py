"""What GROUP BY groups by: expressions, positions, names of select items, ALL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr
from headwater.sql.parsing.names import same_name
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.items import Item
from headwater.sql.translate.groups.windows import own_nodes
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.calls import function_of
from headwater.sql.translate.scalars.expressions import Expressions
from headwater.sql.translate.scalars.spark_functions import AGGREGATES
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["Keys", "group_keys", "has_aggregate"]

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


@dataclass(frozen=True, slots=True)
class Keys:
    """The different keys, in order, and the sets of them to group by, one after the other."""

    keys: tuple[Typed, ...]
    sets: tuple[frozenset[int], ...]


def group_keys(
    rows: Rows, node: exp.Expr, items: Sequence[Item], env: Env, windows: Mapping[exp.Expr, Typed]
) -> Keys:
    """What GROUP BY says; without it, the one empty set."""
    group = node.args.get("group")
    if group is None:
        return Keys((), (frozenset(),))
    reader = replace(env.expressions(rows, "GROUP BY"), windows=windows)
    if group.args.get("all"):
        keys = [_item(item, reader) for item in items if not has_aggregate(item.node)]
        return _numbered([[tuple(keys)]])
    return _numbered(
        [_alternatives(part, lambda key: _key(key, items, reader, env)) for part in _parts(group)]
    )


def _numbered(parts: list[list[tuple[Typed, ...]]]) -> Keys:
    """Every choice of one alternative of each part is a set."""
    chosen = [[key for alternative in choice for key in alternative] for choice in product(*parts)]
    different: dict[Expr, Typed] = {}
    for part in parts:
        for key in (key for alternative in part for key in alternative):
            different.setdefault(key.expr, key)
    places = {expr: place for place, expr in enumerate(different)}
    sets = tuple(frozenset(places[key.expr] for key in keys) for keys in chosen)
    return Keys(tuple(different.values()), sets)


def _parts(group: exp.Expr) -> list[exp.Expr]:
    """The parts of GROUP BY: keys, and ROLLUP, CUBE and GROUPING SETS, also as `a, b WITH ROLLUP`."""
    sets = [node for name in ("rollup", "cube", "grouping_sets") for node in group.args.get(name) or ()]
    listed = [node for node in sets if node.expressions]
    if listed and group.expressions and not any(isinstance(part, _SETS) for part in group.expressions):
        return (
            listed
            if any(isinstance(node, exp.GroupingSets) for node in listed)
            else [*group.expressions, *listed]
        )
    if len(sets) > len(listed):
        return [type(sets[0])(expressions=group.expressions)]
    return [*group.expressions, *listed]


def _alternatives(part: exp.Expr, read: Callable[[exp.Expr], Typed]) -> list[tuple[Typed, ...]]:
    """The sets of keys that a part stands for; a plain key is one set."""
    match part:
        case exp.Rollup():
            steps = [_flat(step, read) for step in part.expressions]
            return [_together(steps[:count]) for count in range(len(steps), -1, -1)]
        case exp.Cube():
            steps = [_flat(step, read) for step in part.expressions]
            return [
                _together([step for step, in_set in zip(steps, choice, strict=True) if in_set])
                for choice in product((True, False), repeat=len(steps))
            ]
        case exp.GroupingSets():
            return [
                alternative
                for inner in part.expressions
                for alternative in (
                    _alternatives(inner, read) if isinstance(inner, _SETS) else [_flat(inner, read)]
                )
            ]
        case _:
            return [_flat(part, read)]


def _together(steps: Sequence[tuple[Typed, ...]]) -> tuple[Typed, ...]:
    return tuple(key for step in steps for key in step)


def _flat(node: exp.Expr, read: Callable[[exp.Expr], Typed]) -> tuple[Typed, ...]:
    """(a, b) in GROUP BY are two keys."""
    if isinstance(node, exp.Tuple):
        return tuple(key for part in node.expressions for key in _flat(part, read))
    return (read(node),)


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
