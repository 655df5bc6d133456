"""A query as the optimizer sees it: blocks of sources, conditions, outputs, an order and a limit.

    Select   one SELECT: sources joined by the conjunction `where` (inner joins are conditions like any
             other; a left join keeps its own), then grouping, DISTINCT, order, limit
    Union    several of them under one order and limit

Names are resolved: every column is `Column(name, alias)` with the spelling of its declaration, stars are
spread, and aliases are unique in the whole query, so blocks can be merged without renaming.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.facts import columns_in, in_order, parameters_of, substitute
from headwater.algebra.expressions.sql import AND_RANK, sql_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Parameter, Subquery, walk
from headwater.errors import Place

__all__ = [
    "RANK",
    "Base",
    "Derived",
    "LeftJoin",
    "Order",
    "Output",
    "Query",
    "Ranking",
    "Select",
    "Source",
    "Top",
    "Union",
    "conjunction_sql",
    "query_of",
]


@dataclass(frozen=True, slots=True)
class Base:
    """An occurrence of a table."""

    alias: str
    table: str
    place: Place | None = field(default=None, compare=False)

    @property
    def sql(self) -> str:
        return self.table if self.alias == self.table else f"{self.table} {self.alias}"


@dataclass(frozen=True, slots=True)
class Derived:
    """A subquery in FROM that keeps its own block, because it groups, limits or removes duplicates.

    `outer`: the columns of sources before it that it reads (LATERAL); it is computed for each of their rows.
    `whole`: it is computed before anything around it narrows it down (AS MATERIALIZED).
    """

    alias: str
    query: Query
    place: Place | None = field(default=None, compare=False)
    outer: tuple[Column, ...] = ()
    whole: bool = False

    @property
    def sql(self) -> str:
        return f"{'LATERAL ' if self.outer else ''}({self.query.sql}) {self.alias}"

    def substitute(self, names: Mapping[Expr, Expr]) -> Derived:
        outer = (column for old in self.outer for column in in_order(columns_in(names.get(old, old))))
        return replace(self, query=self.query.substitute(names), outer=tuple(outer))


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

    @property
    def sql(self) -> str:
        text = sql_of(self.expr)
        return (
            text
            if isinstance(self.expr, Column) and self.expr.name == self.name
            else f"{text} AS {self.name}"
        )


@dataclass(frozen=True, slots=True)
class Order:
    """`nulls_first`: NULLs come before all values in the result, in either direction."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = True

    @property
    def sql(self) -> str:
        """NULLS FIRST or LAST is written only where it differs from the default (first when ascending)."""
        text = sql_of(self.expr) + (" DESC" if self.descending else "")
        if self.nulls_first == self.descending:
            text += " NULLS FIRST" if self.nulls_first else " NULLS LAST"
        return text


RANK = Column("row_number", "$rank")  # a row's place in its partition, known once a Top is taken


@dataclass(frozen=True, slots=True)
class Ranking:
    """The output `name` is ROW_NUMBER() OVER (PARTITION BY partition ORDER BY order)."""

    name: str
    partition: tuple[Expr, ...]
    order: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Top:
    """Of the joined rows, the first `count` of each partition."""

    partition: tuple[Expr, ...]
    order: tuple[Order, ...]
    count: int

    def mapped(self, new: Callable[[Expr], Expr]) -> Top:
        order = tuple(replace(item, expr=new(item.expr)) for item in self.order)
        return Top(tuple(map(new, self.partition)), order, self.count)

    @property
    def sql(self) -> str:
        order = ", ".join(item.sql for item in self.order)
        by = ", ".join(map(sql_of, self.partition))
        return f" TOP {self.count} OF EACH ({by}) ORDER BY {order}"


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
    ranking: Ranking | None = None  # its only window function, if that is ROW_NUMBER
    top: Top | None = None  # taken before outputs, order and limit

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
        exprs = [*self.where, *self.having, *(self.group or ())]
        exprs += [output.expr for output in self.outputs] + [item.expr for item in self.order]
        exprs += [on for join in self.left_joins for on in join.on]
        if self.top is not None:
            exprs += [*self.top.partition, *(item.expr for item in self.top.order)]
        return (*exprs, *(count for count in (self.limit, self.offset) if count is not None))

    @property
    def params(self) -> frozenset[str]:
        names: frozenset[str] = frozenset()
        for expr in self.expressions():
            names |= parameters_of(expr)
        for source in self.sources:
            if isinstance(source, Derived):
                names |= source.query.params
        return names

    @property
    def aggregates(self) -> tuple[AggregateCall, ...]:
        """The distinct aggregates of its outputs, its order and HAVING."""
        exprs = [*(output.expr for output in self.outputs), *self.having, *(item.expr for item in self.order)]
        parts = (part for expr in exprs for part in walk(expr))
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, AggregateCall)))

    @property
    def subqueries(self) -> tuple[Subquery, ...]:
        return tuple(part for expr in self.expressions() for part in walk(expr) if isinstance(part, Subquery))

    @property
    def sql(self) -> str:
        """One line of SQL."""
        text = "SELECT " + ("DISTINCT " if self.distinct else "")
        text += ", ".join(output.sql for output in self.outputs) + self._from_sql()
        if self.where:
            text += f" WHERE {conjunction_sql(self.where)}"
        if self.group:
            text += " GROUP BY " + ", ".join(map(sql_of, self.group))
        if self.having:
            text += f" HAVING {conjunction_sql(self.having)}"
        text += self.top.sql if self.top is not None else ""
        text += _cut_sql(self.order, self.limit)
        return text if self.offset is None else f"{text} OFFSET {sql_of(self.offset)}"

    def _from_sql(self) -> str:
        optional = {join.alias for join in self.left_joins}
        text = ", ".join(source.sql for source in self.sources if source.alias not in optional)
        if self.sources:
            text = f" FROM {text}"
        for join in self.left_joins:
            text += f" LEFT JOIN {self.source(join.alias).sql} ON {conjunction_sql(join.on) or 'TRUE'}"
        return text

    def substitute(self, names: Mapping[Expr, Expr]) -> Select:
        """Replace columns and parameters everywhere."""
        sources = tuple(
            source.substitute(names) if isinstance(source, Derived) else source for source in self.sources
        )
        return replace(self.mapped(lambda expr: substitute(expr, names)), sources=sources)

    def mapped(self, new: Callable[[Expr], Expr]) -> Select:
        """Every expression that stands in it changed, not those of derived sources."""

        def maybe(expr: Expr | None) -> Expr | None:
            return None if expr is None else new(expr)

        return replace(
            self,
            where=tuple(map(new, self.where)),
            outputs=tuple(Output(output.name, new(output.expr)) for output in self.outputs),
            left_joins=tuple(LeftJoin(join.alias, tuple(map(new, join.on))) for join in self.left_joins),
            group=None if self.group is None else tuple(map(new, self.group)),
            having=tuple(map(new, self.having)),
            order=tuple(replace(item, expr=new(item.expr)) for item in self.order),
            limit=maybe(self.limit),
            offset=maybe(self.offset),
            ranking=None,
            top=None if self.top is None else self.top.mapped(new),
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
        names: frozenset[str] = frozenset()
        for branch in self.branches:
            names |= branch.params
        for count in (self.limit, self.offset):
            if isinstance(count, Parameter):
                names |= {count.name}
        return names

    @property
    def sql(self) -> str:
        word = {"all": " UNION ALL ", "distinct": " UNION "}.get(self.kind, f" {self.kind.upper()} ")
        text = word.join(branch.sql for branch in self.branches) + _cut_sql(self.order, self.limit)
        return text if self.offset is None else f"{text} OFFSET {sql_of(self.offset)}"

    def substitute(self, names: Mapping[Expr, Expr]) -> Union:
        return replace(self, branches=tuple(branch.substitute(names) for branch in self.branches))


Query = Select | Union


def conjunction_sql(conditions: Iterable[Expr]) -> str:
    return " AND ".join(sql_of(condition, AND_RANK) for condition in conditions)


def _cut_sql(order: tuple[Order, ...], limit: Expr | None) -> str:
    text = " ORDER BY " + ", ".join(item.sql for item in order) if order else ""
    return text if limit is None else f"{text} LIMIT {sql_of(limit)}"


def query_of(subquery: Subquery) -> Query:
    """The block inside a subquery; an expression knows only that it is one."""
    assert isinstance(subquery.query, Select | Union)
    return subquery.query
