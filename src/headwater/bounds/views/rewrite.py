"""The query over a view: columns of its sources become columns of the view, aggregates stored states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from headwater.algebra.expressions.facts import aliases_of
from headwater.algebra.expressions.tree import (
    Column,
    Expr,
    Literal,
    call,
    replace_largest,
)
from headwater.bounds.query.block import Base, LeftJoin, Output, Select
from headwater.bounds.views.attributes import Attributes
from headwater.bounds.views.partial_states import read_state

__all__ = ["rewrite"]


def rewrite(
    block: Select,
    definition: Select,
    columns: Mapping[Expr, str],
    attributes: Attributes,
    name: str,
    mapping: dict[Expr, Expr],
    grouped: bool,
) -> Select:
    """The query with the view in place of its sources."""
    inside = frozenset(definition.aliases)
    fetched = tuple(source for source in block.sources if source.alias not in inside)
    outside = [condition for condition in block.where if not aliases_of(condition) <= inside]
    where = [
        *_bound_columns(attributes, columns, name),
        *attributes.classes.checks(frozenset()),
        *(condition for condition in block.where if not aliases_of(condition)),
        *_over_view((*attributes.reading, *outside), mapping),
    ]
    over_view = replace(
        block,
        sources=(Base(name, name), *fetched),
        where=tuple(dict.fromkeys(where)),
        left_joins=tuple(LeftJoin(join.alias, _over_view(join.on, mapping)) for join in block.left_joins),
    )
    return _finished(over_view, attributes, mapping) if grouped else _shown(over_view, mapping)


def _bound_columns(attributes: Attributes, columns: Mapping[Expr, str], name: str) -> list[Expr]:
    """Each column of the view that equals a parameter, as an equality with it."""
    return [
        call("eq", Column(columns[member], name), value)
        for group in attributes.classes.groups
        for member in group
        if member in columns
        for value in group
        if not aliases_of(value) and not isinstance(value, Literal)
    ]


def _finished(block: Select, attributes: Attributes, mapping: Mapping[Expr, Expr]) -> Select:
    """Aggregates from stored states; where several groups of the view make one of the query, added up."""
    merged = block.group == () or bool(attributes.listed)
    whole = dict(mapping)
    whole |= {aggregate: read_state(aggregate, mapping, merged) for aggregate in block.aggregates}
    if merged:
        return replace(_shown(block, whole), group=_over_view(block.group or (), mapping))
    where = (*block.where, *_over_view(block.having, whole))
    return _shown(replace(block, where=where, group=None, having=()), whole)


def _over_view(exprs: Iterable[Expr], mapping: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    return tuple(replace_largest(expr, mapping) for expr in exprs)


def _shown(block: Select, mapping: Mapping[Expr, Expr]) -> Select:
    """Outputs, order and HAVING over the view."""
    return replace(
        block,
        outputs=tuple(Output(output.name, replace_largest(output.expr, mapping)) for output in block.outputs),
        order=tuple(replace(item, expr=replace_largest(item.expr, mapping)) for item in block.order),
        having=_over_view(block.having, mapping),
    )
