"""Aggregates of a joined child, as a subquery of each parent row.

    SELECT p.id, COUNT(t.id) FROM projects p LEFT JOIN tasks t ON t.project = p.id GROUP BY p.id
    SELECT p.id, (SELECT COUNT(t.id) FROM tasks t WHERE t.project = p.id) FROM projects p

The second form has a LIMIT over parents, not over groups, and a subquery that can have a view of its own.
The two are the same if the groups hold a key of every parent (one group is one row) and all aggregates are
over the child alone.  The same is done for a child that is aggregated first, in a subquery of FROM grouped by
what it is joined on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.algebra.expressions.build import ZERO
from headwater.algebra.expressions.facts import aliases_of, columns_in, has_subquery, in_order
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Column,
    Expr,
    Subquery,
    call,
    replace_largest,
)
from headwater.bounds.query.block import Base, Derived, LeftJoin, Output, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import equality

__all__ = ["with_child_subqueries"]


def with_child_subqueries(block: Select, catalog: Catalog) -> Select | None:
    """The block with aggregates of a left-joined child as scalar subqueries; None if it has no such form."""
    for join in block.left_joins:
        source = block.source(join.alias)
        changed = (
            _of_groups(block, join, source, catalog)
            if isinstance(source, Base)
            else _of_derived(block, join, source, catalog)
        )
        if changed is not None:
            return changed
    return None


def _of_groups(block: Select, join: LeftJoin, child: Base, catalog: Catalog) -> Select | None:
    if not block.group or block.distinct or len(block.left_joins) != 1 or block.windowed:
        return None
    if any(map(has_subquery, block.group)):
        return None
    if not _are_of_child(block.aggregates, child.alias) or not _tells_parents_apart(
        block, child.alias, catalog
    ):
        return None
    values: dict[Expr, Expr] = {
        aggregate: _value(child, join.on, aggregate) for aggregate in block.aggregates
    }
    outer = [*block.where, *(output.expr for output in block.outputs), *block.having, *block.group]
    outer += [item.expr for item in block.order]
    if any(child.alias in aliases_of(replace_largest(expr, values)) for expr in outer):
        return None  # something else reads the child
    return replace(
        block,
        sources=tuple(source for source in block.sources if source != child),
        left_joins=(),
        where=(*block.where, *(replace_largest(condition, values) for condition in block.having)),
        outputs=tuple(Output(output.name, replace_largest(output.expr, values)) for output in block.outputs),
        group=None,
        having=(),
        order=tuple(replace(item, expr=replace_largest(item.expr, values)) for item in block.order),
    )


def _are_of_child(aggregates: tuple[AggregateCall, ...], child: str) -> bool:
    """Every aggregate reads the child alone; COUNT(*) would count a parent without children as one."""
    return bool(aggregates) and all(
        aggregate.arguments and all(aliases_of(value) == {child} for value in aggregate.arguments)
        for aggregate in aggregates
    )


def _tells_parents_apart(block: Select, child: str, catalog: Catalog) -> bool:
    """Do the groups hold a key of every other source, so that one group is one row of them?"""
    for source in block.sources:
        if source.alias == child:
            continue
        columns = (part for part in block.group or () if isinstance(part, Column))
        held = [column.name for column in columns if column.alias == source.alias]
        if not isinstance(source, Base) or not catalog.identifies(source.table, held):
            return False
    return True


def _value(child: Base, conditions: tuple[Expr, ...], aggregate: AggregateCall) -> Expr:
    inner = Select((child,), conditions, (Output(aggregate.function, aggregate),), group=())
    outer = (
        column for condition in conditions for column in columns_in(condition) if column.alias != child.alias
    )
    return Subquery("scalar", inner, None, in_order(set(outer)))


def _of_derived(block: Select, join: LeftJoin, derived: Derived, catalog: Catalog) -> Select | None:
    """LEFT JOIN (SELECT k, COUNT(*) AS n FROM t GROUP BY k) d ON d.k = p.id: d.n as a subquery of p."""
    inner = derived.query
    if not isinstance(inner, Select) or not inner.group or inner.having or inner.distinct or inner.windowed:
        return None
    if inner.limit is not None or inner.offset is not None or len(inner.sources) != 1 or inner.left_joins:
        return None
    outputs = {Column(output.name, derived.alias): output.expr for output in inner.outputs}
    ties = list(_ties(join, derived, outputs))
    if {tie for tie, _ in ties} != set(inner.group) or len(ties) != len(join.on):
        return None
    child = inner.sources[0]
    where = (*inner.where, *(call("eq", tie, outer) for tie, outer in ties))
    values: dict[Expr, Expr] = {}
    for column, expr in outputs.items():
        value = _derived_value(child, where, expr, catalog)
        if value is not None:
            values[column] = value
    rest = replace(
        block,
        sources=tuple(source for source in block.sources if source != derived),
        left_joins=tuple(other for other in block.left_joins if other != join),
        outputs=tuple(Output(output.name, replace_largest(output.expr, values)) for output in block.outputs),
    )
    return None if any(derived.alias in aliases_of(expr) for expr in rest.expressions()) else rest


def _ties(join: LeftJoin, derived: Derived, outputs: dict[Column, Expr]) -> Iterator[tuple[Expr, Expr]]:
    """What the subquery is grouped by, and what each is joined with."""
    for condition in join.on:
        for inner, outer in (
            pair for sides in [equality(condition)] if sides for pair in (sides, sides[::-1])
        ):
            if isinstance(inner, Column) and inner in outputs and derived.alias not in aliases_of(outer):
                yield outputs[inner], outer


def _derived_value(
    child: Base | Derived, where: tuple[Expr, ...], expr: Expr, catalog: Catalog
) -> Expr | None:
    """An aggregate of one group; where there is no group it is NULL, and a count of no rows is 0."""
    if not isinstance(expr, AggregateCall) or not isinstance(child, Base):
        return None
    if expr.function == "count" and any(_may_be_null(child, value, catalog) for value in expr.arguments):
        return None  # a group whose values are all NULL counts 0, no group is NULL
    value = _value(child, where, expr)
    return call("nullif", value, ZERO) if expr.function == "count" else value


def _may_be_null(child: Base, value: Expr, catalog: Catalog) -> bool:
    return not isinstance(value, Column) or catalog.nullable(child.table, value.name)
