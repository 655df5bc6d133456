"""The parts of a query that can have views of their own.

A subquery that depends on a row of the outer query is, with the row's columns as parameters, a query like any
other: the count of a post's comments beside the post.  Several aggregates without a group are as many
queries: a count is kept in one view, a maximum is read from the end of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.scale.block import Derived, Output, Query, Select
from headwater.scale.expr import Aggregate, Expr, Param, SubQuery, cols_of, transform, walk

__all__ = ["Part", "parts_of", "split_aggregates"]


@dataclass(frozen=True, slots=True)
class Part:
    """A subquery of a block, alone: columns of the outer row are parameters in it."""

    subquery: SubQuery | Derived
    alone: Query
    names: tuple[tuple[Expr, Expr], ...]  # (parameter, outer column)

    def replaced(self, block: Select, rewritten: Query) -> Select:
        """The block with the part read from its view."""
        inner = rewritten.substitute(dict(self.names))
        if isinstance(self.subquery, Derived):
            new = replace(self.subquery, query=inner)
            return replace(
                block, sources=tuple(new if one == self.subquery else one for one in block.sources)
            )
        old = self.subquery
        changed = SubQuery(old.kind, inner, old.operand, old.outer)

        def step(part: Expr) -> Expr:
            return changed if part == old else part

        def new_expr(expr: Expr) -> Expr:
            return transform(expr, step)

        return replace(
            block,
            where=tuple(map(new_expr, block.where)),
            having=tuple(map(new_expr, block.having)),
            outputs=tuple(Output(one.name, new_expr(one.expr)) for one in block.outputs),
        )


def parts_of(block: Select) -> Iterator[Part]:
    for source in block.sources:
        if isinstance(source, Derived):
            yield Part(source, source.query, ())
    for one in dict.fromkeys(block.subqueries):
        names: dict[Expr, Expr] = {col: Param(f"{col.alias}_{col.name}") for col in one.outer}
        back = tuple((param, col) for col, param in names.items())
        yield Part(one, one.query.substitute(names), back)


def split_aggregates(block: Select) -> Select | None:
    """SELECT COUNT(*), MAX(x) FROM ... as two scalar subqueries; None if it is not of that form."""
    found = [part for one in block.outputs for part in walk(one.expr) if isinstance(part, Aggregate)]
    if block.group != () or block.having or len(set(found)) < 2 or block.limit is not None or block.order:
        return None

    def step(part: Expr) -> Expr:
        if not isinstance(part, Aggregate):
            return part
        alone = replace(block, outputs=(Output(part.function, part),))
        return SubQuery("scalar", alone, None, ())

    outputs = tuple(Output(one.name, transform(one.expr, step)) for one in block.outputs)
    if any(cols_of(one.expr) for one in outputs):
        return None
    return Select((), (), outputs)
