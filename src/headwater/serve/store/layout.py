"""What the store must hold for a query: tables, indexes and views, each under a name that says what it is.

The name of a part is a digest of everything that its content depends on.  So queries share what they need in
common, a changed declaration makes a new part beside the old one, and a part that no query names any more can
go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.tree import Column
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.plan import (
    Cut,
    Dedupe,
    Extremes,
    Filter,
    Group,
    Index,
    Nested,
    Plan,
    Probe,
    Project,
    Sets,
    Setup,
    index_text,
)  # fmt: skip
from headwater.bounds.plans.store import ROWID
from headwater.bounds.query.block import Base
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.views.choose import ChosenView
from headwater.serve.store.protocol import StoredIndex, StoredTable
from headwater.serve.store.rankings.ranked_view import RankedView, ranked_view
from headwater.serve.store.rankings.record import REFRESHES

__all__ = ["Layout", "StoredRanking", "StoredView", "index_id", "layout_of", "layouts_of", "whole_layout"]


@dataclass(frozen=True, slots=True)
class StoredView:
    """A view that the store keeps by its delta queries, over the tables that it is made from."""

    table: StoredTable
    chosen: ChosenView
    sources: tuple[str, ...]  # the ids of the tables in its definition, occurrence by occurrence
    names: Mapping[str, str]  # names in its delta queries -> ids of tables
    catalog: Catalog


@dataclass(frozen=True, slots=True)
class StoredRanking:
    """A ranking that is refreshed from counters."""

    table: StoredTable
    view: RankedView
    counters: str  # the id of the view that counts
    names: Mapping[str, str]  # names in its plans -> ids of tables
    relations: frozenset[str]  # that it is made from


@dataclass(frozen=True, slots=True)
class Layout:
    names: Mapping[str, str]  # names in the plan -> ids of tables
    tables: tuple[StoredTable, ...] = ()  # of relations
    views: tuple[StoredView, ...] = ()  # each after those that it needs
    indexes: tuple[StoredIndex, ...] = ()
    rankings: tuple[StoredRanking, ...] = ()
    relations: frozenset[str] = field(init=False)
    parts: tuple[StoredTable | StoredIndex, ...] = field(init=False)

    def __post_init__(self) -> None:
        rankings = (*(ranking.table for ranking in self.rankings), *((REFRESHES,) if self.rankings else ()))
        parts = (*self.tables, *(view.table for view in self.views), *self.indexes, *rankings)
        object.__setattr__(self, "relations", frozenset(table.relation for table in self.tables))
        object.__setattr__(self, "parts", parts)


def layout_of(answer: Answer, identities: Mapping[str, str] | None = None) -> Layout:
    """What a query needs; nothing if it has no bounded plan.

    `identities`: what, beside its columns, tells a relation from an earlier one of the same name.
    """
    bounded, catalog = answer.bounded_plan, answer.catalog
    if bounded is None or catalog is None:
        return Layout({})
    chosen = answer.choice.views if answer.choice is not None else ()
    ranked = ranked_view(answer)
    if ranked is not None and answer.periodic is not None:
        chosen = answer.periodic.counters
    own = {view.candidate.name for view in chosen}
    plan = bounded.plan if ranked is None else ranked.lookup.plan
    read = {probe.index.table for probe in _probes(plan)}
    for view in chosen:
        read |= {source.table for source in view.candidate.definition.sources if isinstance(source, Base)}
        for upkeep in view.maintenance:
            read |= {probe.index.table for probe in _probes(upkeep.bounded_plan.plan)}
    names: dict[str, str] = {}
    tables: list[StoredTable] = []
    for name in sorted(read - own):
        table = _table(name, catalog, (identities or {}).get(name, ""))
        names[name] = table.id
        tables.append(table)
    views = list(_views(chosen, names, catalog))
    whole = names | {view.chosen.candidate.name: view.table.id for view in views}
    rankings = () if ranked is None else (_ranking(ranked, whole, tables),)
    whole |= {ranking.view.table.name: ranking.table.id for ranking in rankings}
    needed = (*answer.indexes, *((ranked.staging, *ranked.lookup.indexes) if ranked is not None else ()))
    indexes = {stored.id: stored for index in needed for stored in _index(index, whole, catalog)}
    return Layout(whole, tuple(tables), tuple(views), tuple(indexes.values()), rankings)


def layouts_of(answers: Mapping[str, Answer], versions: Mapping[str, str]) -> dict[str, Layout]:
    """What each query needs; a view of the project is told from an earlier one by its version."""
    return {name: layout_of(answer, versions) for name, answer in answers.items()}


def whole_layout(layouts: Mapping[str, Layout]) -> Layout:
    """All that several queries need, each part once."""
    tables: dict[str, StoredTable] = {}
    views: dict[str, StoredView] = {}
    indexes: dict[str, StoredIndex] = {}
    rankings: dict[str, StoredRanking] = {}
    for layout in layouts.values():
        rankings |= {ranking.table.id: ranking for ranking in layout.rankings}
        tables |= {table.id: table for table in layout.tables}
        views |= {view.table.id: view for view in layout.views if view.table.id not in views}
        indexes |= {index.id: index for index in layout.indexes}
    return Layout(
        {}, tuple(tables.values()), tuple(views.values()), tuple(indexes.values()), tuple(rankings.values())
    )


def _ranking(view: RankedView, names: Mapping[str, str], tables: list[StoredTable]) -> StoredRanking:
    shown = (view.leads, view.outputs, view.having, view.order, view.lookup.plan, view.most, view.slots)
    digest = _digest("p", *map(repr, shown), *sorted(names.values()))
    table = StoredTable(digest, view.table.name, view.table.column_names, view.table.key)
    whole = {**names, view.table.name: table.id}
    relations = frozenset(source.relation for source in tables)
    return StoredRanking(table, view, names[view.counters], whole, relations)


def _views(
    chosen: tuple[ChosenView, ...], names: Mapping[str, str], catalog: Catalog
) -> Iterator[StoredView]:
    known = dict(names)
    for view in chosen:
        candidate = view.candidate
        sources = tuple(
            known[source.table] for source in candidate.definition.sources if isinstance(source, Base)
        )
        columns = candidate.table.column_names
        said = (candidate.definition.sql, *sources, *candidate.table.key, *columns, str(candidate.grouped))
        table = StoredTable(_digest("v", *said), candidate.name, columns, candidate.table.key)
        known[candidate.name] = table.id
        yield StoredView(table, view, sources, known, catalog)


def _table(name: str, catalog: Catalog, identity: str) -> StoredTable:
    table = catalog[name]
    described = (f"{column.name} {column.type}" for column in table.columns)
    key = table.key or (ROWID,)
    return StoredTable(_digest("t", name, identity, *described, *key), name, table.column_names, key)


def _index(index: Index, names: Mapping[str, str], catalog: Catalog) -> Iterator[StoredIndex]:
    if index.primary or index.table not in names:
        return
    table = names[index.table]
    key = catalog[index.table].key or (ROWID,)
    held = dict.fromkeys(
        (*(part.expr.name for part in index.parts if isinstance(part.expr, Column)), *key, *index.include)
    )
    yield StoredIndex(index_id(index, table), table, index, tuple(held))


def index_id(index: Index, table: str) -> str:
    """The id of an index of the table with that id, whatever a plan calls the table."""
    order = (f"{part.descending}{part.nulls_first}" for part in index.parts)
    return _digest("i", index_text(replace(index, table=table)), *order)


def _digest(kind: str, *texts: str) -> str:
    digest = hashlib.blake2b("\0".join(texts).encode(), digest_size=10)
    return f"{kind}_{digest.hexdigest()}"


def _probes(plan: Plan) -> Iterator[Probe]:
    """Every read of the store that a plan can make."""
    match plan:
        case Probe(child):
            yield plan
            yield from _probes(child)
        case Filter(child, _, _, subplans) | Project(child, _, _, _, subplans):
            yield from _probes(child)
            for subplan in subplans:
                yield from _probes(subplan.plan)
        case Nested(child, _, inner):
            yield from _probes(child)
            yield from _probes(inner)
        case Cut(child) | Group(child):
            yield from _probes(child)
        case Dedupe(branches) | Sets(branches):
            for branch in branches:
                yield from _probes(branch)
        case Extremes(plans):
            for _, inner in plans:
                yield from _probes(inner)
        case Setup(values, child):
            for _, inner in values:
                yield from _probes(inner)
            yield from _probes(child)
