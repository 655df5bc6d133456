"""Phase 4: queries that only a hot spot would answer, as staging and a periodic parallel refresh (SI-3).

An index led by a TEMPORAL column takes every insert at its end, on one machine.  Instead the rows are staged
hash-partitioned by primary key, sorted by time within each partition: inserts spread over all machines.  The
query becomes a view refreshed every minute, each partition reading only as much as the query's own cut or
window allows, or, if it has a parameter that is not an equality, a read of all partitions in parallel.

What is bounded is the serial work of one partition; the total grows with the number of partitions.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.scale.block import Base, Query, Select
from headwater.scale.derived import prune
from headwater.scale.expr import Col, params_of, sql_of
from headwater.scale.optimize import plan_query
from headwater.scale.plan import Index
from headwater.scale.refresh import (
    Equal,
    Periodic,
    Staging,
    cut_params,
    equal_values,
    for_all,
    lead_names,
    read_text,
)
from headwater.scale.settings import Settings
from headwater.scale.text import select_sql

__all__ = ["stage"]


def stage(query: Query, settings: Settings, name: str) -> Periodic | None:
    """A query whose bounded plan needs hot indexes, with each of them replaced by a staging view."""
    if not settings.temporal and not any(
        c.temporal for t in settings.catalog.tables.values() for c in t.columns
    ):
        return None
    query = prune(query) if isinstance(query, Select) else query
    found = plan_query(query, replace(settings, hot=True))
    hot = [one for one in sorted(found.indexes, key=repr) if _is_hot(one, settings)] if found else []
    if found is None or not hot:
        return None
    stagings = tuple(_staging(index, settings, name, number) for number, index in enumerate(hot))
    replaced = {one.table: one.name for one in stagings}
    equal = equal_values(query)
    asked = query.params - cut_params(query)
    keep = tuple(one for one in found.indexes if one not in hot)
    serial = found.bound.read
    if asked <= {one for value, _ in equal for one in params_of(value)}:
        names = lead_names(query, equal) if isinstance(query, Select) else {}
        sql, key = _refreshed(query, replaced, equal)
        return Periodic(
            stagings, (), name, sql, key, read_text(query, name, equal, names), 1, found.bound.rows, serial,
            f"each partition reads at most {serial} rows for a refresh", True, found.assumes, frozenset(keep),
        )  # fmt: skip
    text = _over(query, replaced)
    return Periodic(
        stagings, (), name, text, (), text, found.bound.operations, found.bound.rows, serial,
        f"each partition reads at most {serial} rows for a read; the partitions work in parallel", False,
        found.assumes, frozenset(keep),
    )  # fmt: skip


def _is_hot(index: Index, settings: Settings) -> bool:
    lead = index.parts[0].expr if index.parts else None
    return isinstance(lead, Col) and settings.is_hot(index.table, lead.name)


def _staging(index: Index, settings: Settings, name: str, number: int) -> Staging:
    """CREATE VIEW s SELECT HASH(key), time, the rest that is needed."""
    table = settings.catalog[index.table]
    parts = [sql_of(part.expr) for part in index.parts]
    held = [*parts, *(one for one in index.include if one not in parts)]
    key = f"HASH({', '.join(table.key or table.column_names)})"
    label = f"{name}_staging" if number == 0 else f"{name}_staging_{number + 1}"
    return Staging(label, index.table, f"SELECT {', '.join([key, *held])} FROM {index.table}", (key, *parts))


def _over(query: Query, replaced: dict[str, str]) -> str:
    return select_sql(_swap(query, replaced))


def _swap(query: Query, replaced: dict[str, str]) -> Query:
    """Staging views in place of their tables."""
    if not isinstance(query, Select):
        return replace(query, branches=tuple(_swap(one, replaced) for one in query.branches))
    sources = tuple(
        replace(one, table=replaced.get(one.table, one.table))
        if isinstance(one, Base)
        else replace(one, query=_swap(one.query, replaced))
        for one in query.sources
    )
    return replace(query, sources=sources)


def _refreshed(query: Query, replaced: dict[str, str], equal: Equal) -> tuple[str, tuple[str, ...]]:
    """The query over the staging views, for all values of its equality parameters at once."""
    swapped = _swap(query, replaced)
    if not isinstance(swapped, Select) or not equal:
        return select_sql(swapped), tuple(query.columns)
    return for_all(swapped, equal, lead_names(swapped, equal))
