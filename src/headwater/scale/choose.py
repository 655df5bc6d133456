"""Phases 1 to 3 together: the view that makes a query bounded, or every reason why there is none.

    construct the view (viewdef)  ->  bound its storage (dependencies)  ->  bound its maintenance (maintain)
    ->  plan the rewritten query over it

A choice is only made when all four succeed.  Among choices the cheapest to read wins, then the cheapest to
keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.scale.attributes import adjacent
from headwater.scale.block import Base, Query, Select
from headwater.scale.catalog import Catalog
from headwater.scale.dependencies import Storage, storage_bound
from headwater.scale.expr import Aggregate, Col, Expr, sql_of, walk
from headwater.scale.maintain import DeltaQuery, delta_queries
from headwater.scale.optimize import extreme, plan_query
from headwater.scale.parts import parts_of, split_aggregates
from headwater.scale.plan import Extremes, Index, Project
from headwater.scale.prepare import join_forms, listed
from headwater.scale.refused import Refused
from headwater.scale.settings import Settings
from headwater.scale.subplans import Found
from headwater.scale.text import select_sql
from headwater.scale.viewdef import Candidate, build_view, core_choices

__all__ = ["Choice", "ChosenView", "Maintenance", "choose_view", "keep_view"]


@dataclass(frozen=True, slots=True)
class Maintenance:
    """A delta query with its plan; `writes` to the view follow from each of its rows."""

    delta: DeltaQuery
    found: Found
    writes: int

    @property
    def operations(self) -> int:
        return self.found.bound.operations + self.writes


@dataclass(frozen=True, slots=True)
class ChosenView:
    candidate: Candidate
    storage: Storage
    maintenance: tuple[Maintenance, ...]

    @property
    def sql(self) -> str:
        return select_sql(self.candidate.definition)


@dataclass(frozen=True, slots=True)
class Choice:
    """Views, in the order they are made, and the query over the last one."""

    views: tuple[ChosenView, ...]
    rewritten: Query
    found: Found
    catalog: Catalog

    @property
    def indexes(self) -> frozenset[Index]:
        kept = self.found.indexes
        for view in self.views:
            for one in view.maintenance:
                kept |= one.found.indexes
        return kept

    @property
    def assumes(self) -> frozenset[str]:
        kept = self.found.assumes
        for view in self.views:
            kept |= view.candidate.assumes
            for one in view.maintenance:
                kept |= one.found.assumes
        return kept

    @property
    def cost(self) -> tuple[int, ...]:
        kept = sum(one.operations for view in self.views for one in view.maintenance)
        return (*self.found.cost, kept)


def choose_view(query: Query, settings: Settings, name: str) -> Choice:
    """The best choice; Refused with the most telling reason if there is none."""
    if not isinstance(query, Select):
        raise Refused("a view is made for one SELECT, and this is a union of several")
    reasons: list[Refused] = []
    choices: list[Choice] = []
    for block, extremum in _blocks(query, settings.catalog):
        for core in core_choices(block, settings):
            try:
                choices.append(_finished(_try(block, core, settings, name), query, extremum))
            except Refused as refusal:
                reasons.append(refusal)
    if choices:
        return min(choices, key=lambda one: one.cost)
    inner = views_of_parts(query, settings, name)
    if inner is not None:
        return inner
    raise reasons[0] if reasons else Refused("no set of its sources can be kept as a view")


def views_of_parts(query: Select, settings: Settings, name: str) -> Choice | None:
    """Views for the parts of a query: its subqueries, or each of its aggregates by itself."""
    block = split_aggregates(query) or query
    views: list[ChosenView] = []
    inside = settings
    for number, part in enumerate(parts_of(block)):
        if plan_query(part.alone, inside) is not None:
            continue
        try:
            choice = choose_view(part.alone, inside, f"{name}_{number + 1}" if number else name)
        except Refused:
            return None
        views += choice.views
        inside = replace(inside, catalog=choice.catalog)
        block = part.replaced(block, choice.rewritten)
    found = plan_query(block, inside) if views else None
    return None if found is None else Choice(tuple(views), block, found, inside.catalog)


def _finished(choice: Choice, query: Select, extremum: Aggregate | None) -> Choice:
    """MIN or MAX of no rows is one row, NULL."""
    if extremum is None:
        return choice
    bound = replace(choice.found.bound, rows=1)
    plan = Project(Extremes(((extremum, choice.found.plan),), bound), query.outputs, bound)
    return replace(choice, found=replace(choice.found, plan=plan, bound=bound))


def _blocks(query: Select, catalog: Catalog) -> Iterator[tuple[Select, Aggregate | None]]:
    """The query's own form; MIN and MAX of no group as the first row of an order."""
    for block in join_forms(listed(query), catalog):
        found = [part for one in block.outputs for part in walk(one.expr) if isinstance(part, Aggregate)]
        alone = block.group == () and len(block.outputs) == 1 and found == [block.outputs[0].expr]
        if alone and found[0].function in ("min", "max"):
            yield extreme(block, found[0]), found[0]
        else:
            yield block, None


def _try(block: Select, core: frozenset[str], settings: Settings, name: str) -> Choice:
    view = build_view(block, core, settings, name)
    kept, below, catalog = keep_view(view, settings)
    inside = replace(settings, catalog=catalog)
    found = plan_query(view.rewritten, replace(inside, secondary=False)) or plan_query(view.rewritten, inside)
    if found is None:
        raise Refused(_unread(view, block))
    return Choice((*below, kept), view.rewritten, found, catalog)


def keep_view(view: Candidate, settings: Settings) -> tuple[ChosenView, tuple[ChosenView, ...], Catalog]:
    """Prove that a view stays small and cheap to keep; with the views its deltas need and the catalog."""
    _refuse_hot(view, settings)
    storage = _storage(view, settings)
    below: list[ChosenView] = []
    catalog = settings.catalog
    kept: list[Maintenance] = []
    for delta in delta_queries(view, settings.catalog):
        found, more, catalog = _plan_delta(view, delta, replace(settings, catalog=catalog))
        below += more
        kept.append(Maintenance(delta, found, found.bound.rows))
    return ChosenView(view, storage, tuple(kept)), tuple(below), catalog.with_tables(view.table)


def _refuse_hot(view: Candidate, settings: Settings) -> None:
    lead = view.key[0]
    if not settings.hot and isinstance(lead, Col):
        source = view.definition.source(lead.alias)
        if isinstance(source, Base) and settings.is_hot(source.table, lead.name):
            raise Refused(
                f"the view would be led by {sql_of(lead)}, which grows with time: a hot spot", hot=True
            )


def _storage(view: Candidate, settings: Settings) -> Storage:
    found = storage_bound(view.definition, view.key, settings.catalog, view.grouped)
    if found is None:
        tables = ", ".join(
            dict.fromkeys(one.table for one in view.definition.sources if isinstance(one, Base))
        )
        raise Refused(
            f"the view {_columns(view)} could grow faster than every one of its tables ({tables}): "
            "no key of one of them determines, through keys and cardinality limits, all others"
        )
    return found


def _columns(view: Candidate) -> str:
    return "(" + ", ".join(sql_of(one) for one in view.key) + ")"


def _plan_delta(
    view: Candidate, delta: DeltaQuery, settings: Settings
) -> tuple[Found, tuple[ChosenView, ...], Catalog]:
    found = plan_query(delta.block, replace(settings, assume=False)) or plan_query(delta.block, settings)
    if found is not None:
        return found, (), settings.catalog
    try:
        choice = choose_view(delta.block, settings, f"{view.name}_for_{delta.alias}")
    except Refused as refusal:
        raise Refused(
            f"keeping the view {_columns(view)} has no bound: "
            f"one change of {delta.table} needs {_short(delta)}",
            refusal.hot,
        ) from refusal
    return choice.found, choice.views, choice.catalog


def _short(delta: DeltaQuery) -> str:
    text = delta.sql
    start = text.find(" FROM ")
    return "SELECT ..." + text[start:] if start > 0 and len(text) > 120 else text


def _unread(view: Candidate, block: Select) -> str:
    """Why the view, though it could be kept, does not answer the query in bounded work."""
    ranged = view.attributes.ranged
    order: tuple[Expr, ...] = tuple(one.expr for one in block.order)
    if not adjacent(ranged, order):
        if len(ranged) > 1:
            return (
                "ranges of two attributes, "
                + " and ".join(map(sql_of, ranged))
                + ", are not one piece of any order"
            )
        return f"it ranges over {sql_of(ranged[0])} but is ordered by {sql_of(order[0])}"
    if block.limit is None:
        return "its result has no bound: no LIMIT, and no cardinality limit on what the parameters leave open"
    return "the rows that answer it do not lie together in any view"
