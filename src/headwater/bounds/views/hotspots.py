"""Phase 4: queries that only a hot spot would answer, as staging and a periodic parallel refresh (SI-3).

An index led by a TEMPORAL column takes every insert at its end, on one machine.  Instead the rows are staged
hash-partitioned by primary key, sorted by time within each partition: inserts spread over all machines.  The
query becomes a view refreshed every minute, each partition reading only as much as the query's own cut or
window allows, or, if it has a parameter that is not an equality, a read of all partitions in parallel.

What is bounded is the serial work of one partition; the total grows with the number of partitions.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.facts import parameters_of
from headwater.algebra.expressions.sql import sql_of
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.unanswered import unanswered
from headwater.bounds.query.block import Base, Query, Select
from headwater.bounds.query.forms.derived import prune
from headwater.bounds.query.settings import Settings
from headwater.bounds.views.refresh import (
    Equal,
    Periodic,
    Staging,
    cut_params,
    equal_values,
    for_all,
    lead_names,
    read_text,
)

__all__ = ["stage"]


def stage(query: Query, settings: Settings, name: str) -> Periodic | None:
    """A query whose bounded plan needs hot indexes, with each of them replaced by a staging view."""
    if not settings.temporal and not any(
        c.temporal for t in settings.catalog.tables.values() for c in t.columns
    ):
        return None
    query = prune(query) if isinstance(query, Select) else query
    bounded = plan_query(query, replace(settings, hot=True))
    hot = [index for index in sorted(bounded.indexes, key=repr) if index.hot] if bounded else []
    if bounded is None or not hot or unanswered(bounded.plan) is not None:
        return None
    stagings = tuple(_staging(index, settings, name, number) for number, index in enumerate(hot))
    replaced = {staging.table: staging.name for staging in stagings}
    equal = equal_values(query)
    asked = query.params - cut_params(query)
    keep = tuple(index for index in bounded.indexes if index not in hot)
    serial = bounded.bound.read
    if asked <= {name for value, _ in equal for name in parameters_of(value)}:
        names = lead_names(query, equal) if isinstance(query, Select) else {}
        sql, key = _refreshed(query, replaced, equal)
        return Periodic(
            stagings, (), name, sql, key, read_text(query, name, equal, names), 1, bounded.bound.rows, serial,
            f"each partition reads at most {serial} rows for a refresh", True, bounded.assumes,
            frozenset(keep),
        )  # fmt: skip
    text = _over(query, replaced)
    return Periodic(
        stagings, (), name, text, (), text, bounded.bound.operations, bounded.bound.rows, serial,
        f"each partition reads at most {serial} rows for a read; the partitions work in parallel", False,
        bounded.assumes, frozenset(keep),
    )  # fmt: skip


def _staging(index: Index, settings: Settings, name: str, number: int) -> Staging:
    """CREATE VIEW s SELECT HASH(key), time, the rest that is needed."""
    table = settings.catalog[index.table]
    parts = [sql_of(part.expr) for part in index.parts]
    held = [*parts, *(name for name in index.include if name not in parts)]
    key = f"HASH({', '.join(table.key or table.column_names)})"
    label = f"{name}_staging" if number == 0 else f"{name}_staging_{number + 1}"
    return Staging(label, index.table, f"SELECT {', '.join([key, *held])} FROM {index.table}", (key, *parts))


def _over(query: Query, replaced: dict[str, str]) -> str:
    return _swap(query, replaced).sql


def _swap(query: Query, replaced: dict[str, str]) -> Query:
    """Staging views in place of their tables."""
    if not isinstance(query, Select):
        return replace(query, branches=tuple(_swap(branch, replaced) for branch in query.branches))
    sources = tuple(
        replace(source, table=replaced.get(source.table, source.table))
        if isinstance(source, Base)
        else replace(source, query=_swap(source.query, replaced))
        for source in query.sources
    )
    return replace(query, sources=sources)


def _refreshed(query: Query, replaced: dict[str, str], equal: Equal) -> tuple[str, tuple[str, ...]]:
    """The query over the staging views, for all values of its equality parameters at once."""
    swapped = _swap(query, replaced)
    if not isinstance(swapped, Select) or not equal:
        return swapped.sql, tuple(query.columns)
    return for_all(swapped, equal, lead_names(swapped, equal))
