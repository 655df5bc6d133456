"""Phase 3: the delta queries of a view, and a bound on the work of one change.

For each occurrence of a table in the view's definition, the changed row takes the occurrence's place; its
values become parameters.  What remains is a smaller query, planned like any other.  If it has no bounded plan
it may get a view of its own; the number of sources falls each time, so this ends.

A self-join has one delta query for each occurrence.  Run after an insert (before a delete) they find every
row of the view that holds the changed row in some occurrence; for a grouped view each later occurrence leaves
out the rows that an earlier one has counted.  An update is a delete and an insert.

The delta query of a view with MIN or MAX also reads the extreme of the changed row's group, as it is after
the change: after a delete, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.algebra.expressions.build import FALSE
from headwater.algebra.expressions.partial_states import state_of_row
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Parameter,
    call,
    disjunction,
)
from headwater.bounds.query.block import Base, Output, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.views.definition import Candidate
from headwater.bounds.views.extremes import read_again
from headwater.bounds.views.partial_states import is_extreme
from headwater.bounds.views.refused import Refused

__all__ = ["DeltaQuery", "delta_queries"]

_PLUS_ONE = Literal(1, "+1")


@dataclass(frozen=True, slots=True)
class DeltaQuery:
    """What to run when a row of `table` in the role `alias` is inserted or deleted."""

    table: str
    alias: str
    block: Select
    grouped: bool

    @property
    def sql(self) -> str:
        return self.block.sql


def delta_queries(view: Candidate, catalog: Catalog) -> tuple[DeltaQuery, ...]:
    """One for each occurrence, in order."""
    queries = []
    seen: list[Base] = []
    for source in view.definition.sources:
        assert isinstance(source, Base)
        queries.append(
            DeltaQuery(source.table, source.alias, _delta(view, source, seen, catalog), view.grouped)
        )
        seen.append(source)
    return tuple(queries)


def _delta(view: Candidate, source: Base, seen: list[Base], catalog: Catalog) -> Select:
    row: dict[Expr, Expr] = {
        Column(name, source.alias): Parameter(name) for name in catalog[source.table].column_names
    }
    block = view.definition
    where = list(block.where)
    if view.grouped:
        where += [_other_row(other, source, catalog) for other in seen if other.table == source.table]
    outputs = tuple(
        output if output.expr in view.key else _increment(output, source, view) for output in block.outputs
    )
    remaining = tuple(other for other in block.sources if other.alias != source.alias)
    small = replace(block, sources=remaining, where=tuple(where), outputs=outputs, group=None)
    return _simplified(small.substitute(row))


def _increment(output: Output, source: Base, view: Candidate) -> Output:
    """What one row adds to a partial state: +1, or + the value; an extreme is read again."""
    if not isinstance(output.expr, AggregateCall):
        return output
    if is_extreme(output.expr):
        return Output(output.name, read_again(output.expr, source, view.definition, view.key))
    return Output(output.name, state_of_row(output.expr, _PLUS_ONE))


def _other_row(earlier: Base, source: Base, catalog: Catalog) -> Expr:
    """The condition that the earlier occurrence is a different row from the changed one."""
    key = catalog[source.table].key
    if not key:
        raise Refused(f"{source.table} has no primary key, so a self-join of it cannot be counted")
    parts = (call("neq", Column(name, earlier.alias), Column(name, source.alias)) for name in key)
    return disjunction(tuple(parts)) or FALSE


def _simplified(block: Select) -> Select:
    """Drop conditions that always hold, such as :docId = :docId, and repetitions."""
    kept: list[Expr] = []
    for condition in dict.fromkeys(block.where):
        match condition:
            case Call("eq", (left, right)) if left == right:
                kept.append(call("not_null", left))
            case _:
                kept.append(condition)
    return replace(block, where=tuple(dict.fromkeys(kept)))
