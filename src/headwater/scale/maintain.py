"""Phase 3: the delta queries of a view, and a bound on the work of one change.

For each occurrence of a table in the view's definition, the changed row takes the occurrence's place; its
values become parameters.  What remains is a smaller query, planned like any other.  If it has no bounded plan
it may get a view of its own; the number of sources falls each time, so this ends.

A self-join has one delta query for each occurrence.  Run after an insert (before a delete) they find every
row of the view that holds the changed row in some occurrence; for a grouped view each later occurrence leaves
out the rows that an earlier one has counted.  An update is a delete and an insert.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.scale.block import Base, Output, Select
from headwater.scale.catalog import Catalog
from headwater.scale.expr import Aggregate, Col, Expr, Fn, Lit, Param, call
from headwater.scale.refused import Refused
from headwater.scale.text import select_sql
from headwater.scale.viewdef import Candidate

__all__ = ["DeltaQuery", "delta_queries"]


@dataclass(frozen=True, slots=True)
class DeltaQuery:
    """What to run when a row of `table` in the role `alias` is inserted or deleted."""

    table: str
    alias: str
    block: Select
    grouped: bool

    @property
    def sql(self) -> str:
        return select_sql(self.block)


def delta_queries(view: Candidate, catalog: Catalog) -> tuple[DeltaQuery, ...]:
    """One for each occurrence, in order."""
    found = []
    seen: list[Base] = []
    for source in view.definition.sources:
        assert isinstance(source, Base)
        found.append(
            DeltaQuery(source.table, source.alias, _delta(view, source, seen, catalog), view.grouped)
        )
        seen.append(source)
    return tuple(found)


def _delta(view: Candidate, source: Base, seen: list[Base], catalog: Catalog) -> Select:
    row: dict[Expr, Expr] = {
        Col(source.alias, name): Param(name) for name in catalog[source.table].column_names
    }
    block = view.definition
    where = list(block.where)
    if view.grouped:
        where += [_other_row(one, source, catalog) for one in seen if one.table == source.table]
    outputs = tuple(Output(one.name, _increment(one.expr)) for one in block.outputs)
    remaining = tuple(one for one in block.sources if one.alias != source.alias)
    small = replace(block, sources=remaining, where=tuple(where), outputs=outputs, group=None)
    return _simplified(small.substitute(row))


def _increment(expr: Expr) -> Expr:
    """A partial state's share of one row: +1, or + the value."""
    match expr:
        case Aggregate("count", ()):
            return Lit(1, "+1")
        case Aggregate("count", (value,)):
            one, none = Lit(1, "+1"), Lit(0, "0")
            return Fn("case", (call("not_null", value), one, none), "CASE WHEN {0} THEN {1} ELSE {2} END")
        case Aggregate("sum", (value,)):
            return value
        case _:
            return expr


def _other_row(earlier: Base, source: Base, catalog: Catalog) -> Expr:
    """The earlier occurrence holds another row than the changed one."""
    key = catalog[source.table].key
    if not key:
        raise Refused(f"{source.table} has no primary key, so a self-join of it cannot be counted")
    parts = [call("neq", Col(earlier.alias, name), Col(source.alias, name)) for name in key]
    whole: Expr = parts[0]
    for part in parts[1:]:
        whole = call("or", whole, part)
    return whole


def _simplified(block: Select) -> Select:
    """Conditions that hold by themselves, such as :docId = :docId, go; equal ones are said once."""
    kept: list[Expr] = []
    for one in dict.fromkeys(block.where):
        match one:
            case _ if getattr(one, "name", "") == "eq" and len(set(getattr(one, "arguments", ()))) == 1:
                (side,) = set(getattr(one, "arguments", ()))
                kept.append(call("not_null", side))
            case _:
                kept.append(one)
    return replace(block, where=tuple(dict.fromkeys(kept)))
