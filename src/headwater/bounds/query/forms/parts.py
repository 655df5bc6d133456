"""The parts of a query that can have views of their own.

A subquery that depends on a row of the outer query is, with the row's columns as parameters, a query like any
other: the count of a post's comments beside the post.  Several aggregates without a group are as many
queries: a count is kept in one view, a maximum is read from the end of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.algebra.expressions.facts import columns_in
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Column,
    Expr,
    Parameter,
    Subquery,
    transform,
    walk,
)
from headwater.bounds.query.block import Derived, Output, Query, Select, query_of

__all__ = ["Part", "parts_of", "split_aggregates"]


@dataclass(frozen=True, slots=True)
class Part:
    """A subquery taken out of its block: columns of the outer row become parameters."""

    subquery: Subquery | Derived
    alone: Query
    names: tuple[tuple[Expr, Expr], ...]  # (parameter, outer column)

    def replaced(self, block: Select, rewritten: Query) -> Select:
        """The block with the part read from its view."""
        inner = rewritten.substitute(dict(self.names))
        if isinstance(self.subquery, Derived):
            new = replace(self.subquery, query=inner)
            return replace(
                block, sources=tuple(new if source == self.subquery else source for source in block.sources)
            )
        old = self.subquery
        changed = Subquery(old.kind, inner, old.operand, old.outer)

        def step(part: Expr) -> Expr:
            return changed if part == old else part

        return replace(block.mapped(lambda expr: transform(expr, step)), ranking=block.ranking)


def parts_of(block: Select) -> Iterator[Part]:
    for source in block.sources:
        if isinstance(source, Derived):
            yield _part(source, source.query, source.outer)
    for subquery in dict.fromkeys(block.subqueries):
        yield _part(subquery, query_of(subquery), subquery.outer)


def _part(owner: Subquery | Derived, query: Query, outer: tuple[Column, ...]) -> Part:
    names: dict[Expr, Expr] = {col: Parameter(f"{col.alias}_{col.name}") for col in outer}
    back = tuple((param, col) for col, param in names.items())
    return Part(owner, query.substitute(names), back)


def split_aggregates(block: Select) -> Select | None:
    """SELECT COUNT(*), MAX(x) FROM ... as two scalar subqueries; None if it is not of that form."""
    aggregates = [
        part for output in block.outputs for part in walk(output.expr) if isinstance(part, AggregateCall)
    ]
    if (
        block.group != ()
        or block.having
        or len(set(aggregates)) < 2
        or block.limit is not None
        or block.order
    ):
        return None

    def step(part: Expr) -> Expr:
        if not isinstance(part, AggregateCall):
            return part
        alone = replace(block, outputs=(Output(part.function, part),))
        return Subquery("scalar", alone, None, ())

    outputs = tuple(Output(output.name, transform(output.expr, step)) for output in block.outputs)
    if any(columns_in(output.expr) for output in outputs):
        return None
    return Select((), (), outputs)
