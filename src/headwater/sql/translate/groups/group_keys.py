"""What GROUP BY groups by: expressions, positions, names of select items, ALL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr
from headwater.sql.parsing.names import same_name
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.items import Item
from headwater.sql.translate.groups.windows import own_nodes
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.calls import function_of
from headwater.sql.translate.scalars.expressions import Expressions
from headwater.sql.translate.scalars.spark_functions import AGGREGATES
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["Keys", "group_keys", "has_aggregate", "key_nodes"]

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
    by_sets: bool = False  # by ROLLUP, CUBE or GROUPING SETS


def group_keys(
    rows: Rows, node: exp.Expr, items: Sequence[Item], env: Env, ready: Mapping[exp.Expr, Typed]
) -> Keys:
    """What GROUP BY says; without it, the one empty set."""
    group = node.args.get("group")
    if group is None:
        return Keys((), (frozenset(),))
    reader = replace(env.expressions(rows, "GROUP BY"), ready=ready)
    if group.args.get("all"):
        keys = [_item(item, reader) for item in items if not has_aggregate(item.node)]
        return _numbered([[tuple(keys)]])
    parts = _parts(group)

    def read(key: exp.Expr) -> Typed:
        return _key(key, items, reader, env)

    # GROUP BY a, b GROUPING SETS ((b), (a)): the order of the keys is that before the sets.
    before = [] if any(isinstance(part, _SETS) for part in group.expressions) else group.expressions
    listed = [key for part in before for key in _flat(part, read)]
    numbered = _numbered([_alternatives(part, read) for part in parts], listed)
    return replace(numbered, by_sets=any(isinstance(part, _SETS) for part in parts))


def _numbered(parts: list[list[tuple[Typed, ...]]], listed: Sequence[Typed] = ()) -> Keys:
    """Every choice of one alternative of each part is a set; the keys come in the order of what is listed."""
    chosen = [[key for alternative in choice for key in alternative] for choice in product(*parts)]
    different: dict[Expr, Typed] = {key.expr: key for key in listed}
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


def _bare(node: exp.Expr) -> exp.Expr:
    """What stands in brackets; those of (SELECT ...) belong to it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _key(node: exp.Expr, items: Sequence[Item], reader: Expressions, env: Env) -> Typed:
    bare = _bare(node)
    if isinstance(bare, exp.Literal) and not bare.is_string:
        return _item(_at(bare, items, env), reader)
    named = _named(bare, items, reader.scope.fields)
    return reader.translate(bare) if named is None else _item(named, reader)


def _named(node: exp.Expr, items: Sequence[Item], fields: Sequence[Field]) -> Item | None:
    """The select item that a name means which is no column."""
    if not isinstance(node, exp.Column) or len(node.parts) != 1:
        return None
    if any(same_name(field.name, node.name) and not field.hidden for field in fields):
        return None
    named = (item for item in items if same_name(item.name, node.name) and not item.implicit)
    return next(named, None)


def key_nodes(node: exp.Expr, items: Sequence[Item], rows: Rows) -> Iterator[exp.Expr]:
    """The expressions that GROUP BY groups by, positions and names of select items as what they mean."""
    group = node.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        yield from (item.node for item in items if not has_aggregate(item.node))
        return
    waiting = _parts(group)
    while waiting:
        part = _bare(waiting.pop())
        named = _named(part, items, rows.fields)
        if isinstance(part, (*_SETS, exp.Tuple)):
            waiting += part.expressions
        elif isinstance(part, exp.Literal) and part.name.isdigit() and 1 <= int(part.name) <= len(items):
            yield items[int(part.name) - 1].node
        else:
            yield part if named is None else named.node


def _at(node: exp.Expr, items: Sequence[Item], env: Env) -> Item:
    position = int(node.name) if node.name.isdigit() else 0
    if not 1 <= position <= len(items):
        env.notes.fail("HW324", node, f"GROUP BY {node.name}: the select list has {len(items)} items")
    return items[position - 1]


def _item(item: Item, reader: Expressions) -> Typed:
    return item.value or reader.translate(item.node)
