"""A query as the optimizer sees it: blocks of sources, conditions, outputs, an order and a limit.

    Select   one SELECT: sources joined by the conjunction `where` (inner joins are conditions like any
             other; a left join keeps its own), then grouping, DISTINCT, order, limit
    Union    several of them under one order and limit

Names are resolved: every column is `Col(alias, name)` with the spelling of its declaration, stars are
spread, and aliases are unique in the whole query, so blocks can be merged without renaming.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headwater.errors import Place
from headwater.scale.expr import Expr, Param, SubQuery, params_of, substitute, walk

__all__ = ["Base", "Derived", "LeftJoin", "Order", "Output", "Query", "Select", "Source", "Union"]


@dataclass(frozen=True, slots=True)
class Base:
    """An occurrence of a table."""

    alias: str
    table: str
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """A subquery in FROM that keeps its own block, because it groups, cuts or removes doubles."""

    alias: str
    query: Query
    place: Place | None = field(default=None, compare=False)


Source = Base | Derived


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """The source `alias` is optional: rows without a partner under `on` stay, with NULLs."""

    alias: str
    on: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Order:
    """`nulls_last` is relative to the ascending order where NULL is smallest."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class Select:
    sources: tuple[Source, ...]
    where: tuple[Expr, ...]
    outputs: tuple[Output, ...]
    left_joins: tuple[LeftJoin, ...] = ()
    group: tuple[Expr, ...] | None = None  # None: no grouping; (): one group of everything
    having: tuple[Expr, ...] = ()
    distinct: bool = False
    order: tuple[Order, ...] = ()
    limit: Expr | None = None
    offset: Expr | None = None
    windowed: bool = False  # has window functions: nothing may be cut before them

    @property
    def aliases(self) -> tuple[str, ...]:
        return tuple(source.alias for source in self.sources)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(output.name for output in self.outputs)

    def source(self, alias: str) -> Source:
        return next(source for source in self.sources if source.alias == alias)

    def left_join(self, alias: str) -> LeftJoin | None:
        return next((join for join in self.left_joins if join.alias == alias), None)

    def expressions(self) -> tuple[Expr, ...]:
        """Every expression that stands in it, not those of derived sources."""
        found = [*self.where, *self.having, *(self.group or ())]
        found += [output.expr for output in self.outputs] + [order.expr for order in self.order]
        found += [on for join in self.left_joins for on in join.on]
        return (*found, *(one for one in (self.limit, self.offset) if one is not None))

    @property
    def params(self) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        for expr in self.expressions():
            found |= params_of(expr)
        for source in self.sources:
            if isinstance(source, Derived):
                found |= source.query.params
        return found

    @property
    def subqueries(self) -> tuple[SubQuery, ...]:
        return tuple(part for one in self.expressions() for part in walk(one) if isinstance(part, SubQuery))

    def substitute(self, names: Mapping[Expr, Expr]) -> Select:
        """Replace columns and parameters everywhere."""

        def new(expr: Expr) -> Expr:
            return substitute(expr, names)

        def maybe(expr: Expr | None) -> Expr | None:
            return None if expr is None else new(expr)

        return replace(
            self,
            sources=tuple(
                replace(one, query=one.query.substitute(names)) if isinstance(one, Derived) else one
                for one in self.sources
            ),
            where=tuple(map(new, self.where)),
            outputs=tuple(Output(one.name, new(one.expr)) for one in self.outputs),
            left_joins=tuple(LeftJoin(one.alias, tuple(map(new, one.on))) for one in self.left_joins),
            group=None if self.group is None else tuple(map(new, self.group)),
            having=tuple(map(new, self.having)),
            order=tuple(replace(one, expr=new(one.expr)) for one in self.order),
            limit=maybe(self.limit),
            offset=maybe(self.offset),
        )


@dataclass(frozen=True, slots=True)
class Union:
    """`kind` is all, distinct, intersect or except; order items refer to the first branch's outputs."""

    branches: tuple[Query, ...]
    kind: str
    order: tuple[Order, ...] = ()
    limit: Expr | None = None
    offset: Expr | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.branches[0].columns

    @property
    def params(self) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        for branch in self.branches:
            found |= branch.params
        for cut in (self.limit, self.offset):
            if isinstance(cut, Param):
                found |= {cut.name}
        return found

    def substitute(self, names: Mapping[Expr, Expr]) -> Union:
        return replace(self, branches=tuple(branch.substitute(names) for branch in self.branches))


Query = Select | Union
