"""The query over a view: columns of its sources become columns of the view, aggregates stored states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headwater.scale.aggregates import read_state
from headwater.scale.attributes import Attributes
from headwater.scale.block import Base, LeftJoin, Output, Select
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Fn,
    Lit,
    aliases_of,
    call,
    walk,
)

__all__ = ["aggregates_of", "map_expr", "rewrite"]


def aggregates_of(block: Select) -> tuple[Aggregate, ...]:
    exprs = [*(one.expr for one in block.outputs), *block.having, *(one.expr for one in block.order)]
    return tuple(dict.fromkeys(part for one in exprs for part in walk(one) if isinstance(part, Aggregate)))


def map_expr(expr: Expr, mapping: Mapping[Expr, Expr]) -> Expr:
    """Replace the largest parts that the view stores."""
    if expr in mapping:
        return mapping[expr]
    match expr:
        case Fn(name, arguments, template, volatile):
            return Fn(name, tuple(map_expr(one, mapping) for one in arguments), template, volatile)
        case Aggregate(function, arguments, template, distinct):
            return Aggregate(function, tuple(map_expr(one, mapping) for one in arguments), template, distinct)
        case _:
            return expr


def rewrite(
    block: Select,
    definition: Select,
    columns: Mapping[Expr, str],
    found: Attributes,
    name: str,
    mapping: dict[Expr, Expr],
    grouped: bool,
) -> Select:
    """The query with the view in place of its sources."""
    inside = frozenset(definition.aliases)
    fetched = tuple(one for one in block.sources if one.alias not in inside)
    where: list[Expr] = [
        call("eq", Col(name, columns[member]), value)
        for group in found.classes.groups
        for member in group
        if member in columns
        for value in group
        if not aliases_of(value) and not isinstance(value, Lit)
    ]
    where += [*found.classes.checks(frozenset()), *(one for one in block.where if not aliases_of(one))]
    where += [map_expr(one, mapping) for one in found.reading]
    where += [map_expr(one, mapping) for one in block.where if not aliases_of(one) <= inside]
    joins = tuple(
        LeftJoin(one.alias, tuple(map_expr(on, mapping) for on in one.on)) for one in block.left_joins
    )
    plain = replace(
        block,
        sources=(Base(name, name), *fetched),
        where=tuple(dict.fromkeys(where)),
        left_joins=joins,
    )
    if not grouped:
        return _mapped(plain, mapping)
    again = block.group == () or bool(found.listed)
    states: dict[Expr, Expr] = {one: read_state(one, mapping, again) for one in aggregates_of(block)}
    whole: dict[Expr, Expr] = {**mapping, **states}
    if again:
        return replace(
            _mapped(plain, whole), group=tuple(map_expr(one, mapping) for one in block.group or ())
        )
    moved = replace(
        plain, where=(*plain.where, *(map_expr(one, whole) for one in block.having)), group=None, having=()
    )
    return _mapped(moved, whole)


def _mapped(block: Select, mapping: Mapping[Expr, Expr]) -> Select:
    return replace(
        block,
        outputs=tuple(Output(one.name, map_expr(one.expr, mapping)) for one in block.outputs),
        order=tuple(replace(one, expr=map_expr(one.expr, mapping)) for one in block.order),
        having=tuple(map_expr(one, mapping) for one in block.having),
    )
