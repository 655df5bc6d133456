"""What a periodic refresh consists of, and its SQL.

A query with equality parameters is refreshed for all their values at once: the attributes they equal become
key columns, and a LIMIT becomes a rank within them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.scale.block import Derived, Output, Query, Select
from headwater.scale.choose import ChosenView
from headwater.scale.classes import Classes, equality
from headwater.scale.expr import Col, Expr, aliases_of, params_of, sql_of
from headwater.scale.plan import Index
from headwater.scale.text import select_sql

__all__ = [
    "PERIOD",
    "Equal",
    "Periodic",
    "Staging",
    "cut_params",
    "equal_values",
    "for_all",
    "lead_names",
    "read_text",
]

PERIOD = "1 MINUTE"


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


def cut_params(query: Query) -> set[str]:
    cuts = [query.limit, query.offset]
    if isinstance(query, Select):
        for source in query.sources:
            if isinstance(source, Derived):
                cuts += [source.query.limit, source.query.offset]
    return {name for one in cuts if one is not None for name in params_of(one)}


Equal = tuple[tuple[Expr, Expr], ...]  # (value of parameters, the attribute it must equal)


def equal_values(query: Query) -> Equal:
    """Values of parameters that attributes must equal: a refreshed view can be keyed by those attributes."""
    if not isinstance(query, Select):
        return ()
    found = []
    for group in Classes.of(query.where).groups:
        column = next((one for one in group if aliases_of(one)), None)
        values = [one for one in group if not aliases_of(one) and params_of(one)]
        if column is not None:
            found += [(value, column) for value in values]
    return tuple(found)


def lead_names(block: Select, equal: Equal) -> dict[Expr, str]:
    """A name for each attribute that a parameter equals, different from the outputs' names."""
    taken = {one.name.lower() for one in block.outputs if all(one.expr != column for _, column in equal)}
    names: dict[Expr, str] = {}
    for _, column in equal:
        wanted = column.name if isinstance(column, Col) else "epoch"
        if wanted.lower() in taken and isinstance(column, Col):
            wanted = f"{column.alias}{column.name}"
        names[column] = wanted
    return names


def for_all(block: Select, equal: Equal, names: dict[Expr, str]) -> tuple[str, tuple[str, ...]]:
    """Parameters become key columns; a LIMIT becomes a rank within them."""
    leads = tuple(names)
    values = {value for value, _ in equal}
    where = tuple(one for one in block.where if not set(equality(one) or ()) & values)
    shown = {one.expr for one in block.outputs}
    extra = tuple(Output(names[one], one) for one in leads if one not in shown)
    scores = tuple(
        Output(f"score_{number + 1}", one.expr)
        for number, one in enumerate(block.order)
        if one.expr not in shown
    )
    group = None if block.group is None else tuple(dict.fromkeys((*leads, *block.group)))
    outputs = (*extra, *block.outputs, *scores)
    text = select_sql(replace(block, where=where, outputs=outputs, group=group, order=(), limit=None))
    if block.limit is not None:
        by = ", ".join(map(sql_of, leads))
        order = ", ".join(sql_of(one.expr) + (" DESC" if one.descending else "") for one in block.order) or by
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
