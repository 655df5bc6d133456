"""What a periodic refresh consists of, and its SQL.

A query with equality parameters is refreshed for all their values at once: the attributes they equal become
key columns, and a LIMIT becomes a rank within them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.algebra.expressions.facts import aliases_of, parameters_of
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Column, Expr
from headwater.bounds.plans.plan import Index
from headwater.bounds.query.block import Derived, Output, Query, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes, equality
from headwater.bounds.views.choose import ChosenView

__all__ = [
    "PERIOD",
    "Equal",
    "Periodic",
    "Ranking",
    "Staging",
    "cut_params",
    "equal_values",
    "for_all",
    "lead_names",
    "read_text",
]

PERIOD = "1 MINUTE"

Equal = tuple[tuple[Expr, Expr], ...]  # (value of parameters, the attribute it must equal)


@dataclass(frozen=True, slots=True)
class Staging:
    """Rows of `table` by hash of the key, then by the temporal column."""

    name: str
    table: str
    sql: str
    key: tuple[str, ...]
    writes: int = 1


@dataclass(frozen=True, slots=True)
class Periodic:
    """An SI-3 answer: what is staged or counted, the refreshed view, and how it is read."""

    stagings: tuple[Staging, ...]
    counters: tuple[ChosenView, ...]
    name: str
    sql: str
    key: tuple[str, ...]
    rewritten: str
    operations: int  # of a read
    rows: int
    serial: int  # rows that one partition reads for a refresh (or a parallel read)
    serial_text: str
    refreshed: bool
    assumes: frozenset[str] = frozenset()
    indexes: frozenset[Index] = frozenset()
    ranking: Ranking | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a refresh computes from counters by epoch: `block` over them, for all values that `equal` asks."""

    block: Select
    equal: Equal
    epoch: Expr  # the counters' column that the windows' epochs are in
    slots: int  # epochs in a window
    catalog: Catalog  # with the counters


def cut_params(query: Query) -> set[str]:
    cuts = [query.limit, query.offset]
    if isinstance(query, Select):
        for source in query.sources:
            if isinstance(source, Derived):
                cuts += [source.query.limit, source.query.offset]
    return {name for cut in cuts if cut is not None for name in parameters_of(cut)}


def equal_values(query: Query) -> Equal:
    """Values of parameters that attributes must equal: a refreshed view can be keyed by those attributes."""
    if not isinstance(query, Select):
        return ()
    equal = []
    for group in Classes.of(query.where).groups:
        column = next((member for member in group if aliases_of(member)), None)
        values = [member for member in group if not aliases_of(member) and parameters_of(member)]
        if column is not None:
            equal += [(value, column) for value in values]
    return tuple(equal)


def lead_names(block: Select, equal: Equal) -> dict[Expr, str]:
    """A name for each attribute that a parameter equals, different from the outputs' names."""
    taken = {
        output.name.lower() for output in block.outputs if all(output.expr != column for _, column in equal)
    }
    names: dict[Expr, str] = {}
    for _, column in equal:
        wanted = column.name if isinstance(column, Column) else "epoch"
        if wanted.lower() in taken and isinstance(column, Column):
            wanted = f"{column.alias}{column.name}"
        names[column] = wanted
    return names


def for_all(block: Select, equal: Equal, names: dict[Expr, str]) -> tuple[str, tuple[str, ...]]:
    """Parameters become key columns; a LIMIT becomes a rank within them."""
    leads = tuple(names)
    values = {value for value, _ in equal}
    where = tuple(condition for condition in block.where if not set(equality(condition) or ()) & values)
    shown = {output.expr for output in block.outputs}
    extra = tuple(Output(names[lead], lead) for lead in leads if lead not in shown)
    scores = tuple(
        Output(f"score_{number + 1}", item.expr)
        for number, item in enumerate(block.order)
        if item.expr not in shown
    )
    group = None if block.group is None else tuple(dict.fromkeys((*leads, *block.group)))
    outputs = (*extra, *block.outputs, *scores)
    text = replace(block, where=where, outputs=outputs, group=group, order=(), limit=None).sql
    if block.limit is not None:
        by = ", ".join(map(sql_of, leads))
        order = (
            ", ".join(sql_of(item.expr) + (" DESC" if item.descending else "") for item in block.order) or by
        )
        rank = f"ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS place"
        text = text.replace("SELECT ", f"SELECT {rank}, ", 1)
        text = f"SELECT * FROM ({text}) WHERE place <= {sql_of(block.limit)}"
    return text, (*names.values(), *(("place",) if block.limit is not None else ()))


def read_text(query: Query, name: str, equal: Equal, names: dict[Expr, str]) -> str:
    where = " AND ".join(f"{names[column]} = {sql_of(value)}" for value, column in equal)
    text = f"SELECT {', '.join(query.columns)} FROM {name}" + (f" WHERE {where}" if where else "")
    if equal and query.limit is not None:
        text += f" ORDER BY place LIMIT {sql_of(query.limit)}"
    return text
