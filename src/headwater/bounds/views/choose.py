"""Phases 1 to 3 together: the view that makes a query bounded, or every reason why there is none.

    construct the view (viewdef)  ->  bound its storage (dependencies)  ->  bound its maintenance (maintain)
    ->  plan the rewritten query over it

A choice is only made when all four succeed.  Among choices the cheapest to read wins, then the cheapest to
keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, walk
from headwater.bounds.plans.optimize import extreme, plan_query
from headwater.bounds.plans.plan import Extremes, Index, Project
from headwater.bounds.plans.subplans import BoundedPlan
from headwater.bounds.query.block import Base, Query, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.dependencies import Storage, storage_bound
from headwater.bounds.query.forms.child_aggregates import with_child_subqueries
from headwater.bounds.query.forms.derived import push_down
from headwater.bounds.query.forms.newest import newest_groups
from headwater.bounds.query.forms.parts import parts_of, split_aggregates
from headwater.bounds.query.forms.prepare import join_forms, listed
from headwater.bounds.query.forms.semi_joins import with_grouped_partners
from headwater.bounds.query.heat import hot_part
from headwater.bounds.query.settings import Settings
from headwater.bounds.views.attributes import adjacent
from headwater.bounds.views.definition import Candidate, build_view, core_choices
from headwater.bounds.views.maintain import DeltaQuery, delta_queries
from headwater.bounds.views.partial_choices import partial_choices
from headwater.bounds.views.partial_states import is_extreme
from headwater.bounds.views.refused import Refused

__all__ = ["Choice", "ChosenView", "Maintenance", "choose_view", "keep_view"]


@dataclass(frozen=True, slots=True)
class Maintenance:
    """A delta query with its plan; `writes` to the view follow from each of its rows."""

    delta: DeltaQuery
    bounded_plan: BoundedPlan
    writes: int

    @property
    def operations(self) -> int:
        return self.bounded_plan.bound.operations + self.writes


@dataclass(frozen=True, slots=True)
class ChosenView:
    candidate: Candidate
    storage: Storage
    maintenance: tuple[Maintenance, ...]

    @property
    def sql(self) -> str:
        return self.candidate.definition.sql

    @property
    def reads_again(self) -> bool:
        """Does it hold extremes?  Then its delta queries run when the changed row has come or gone."""
        return any(is_extreme(output.expr) for output in self.candidate.definition.outputs)


@dataclass(frozen=True, slots=True)
class Choice:
    """Views in the order in which they are built, and the query rewritten over the last one."""

    views: tuple[ChosenView, ...]
    rewritten: Query
    bounded_plan: BoundedPlan
    catalog: Catalog

    @property
    def indexes(self) -> frozenset[Index]:
        kept = self.bounded_plan.indexes
        for view in self.views:
            for upkeep in view.maintenance:
                kept |= upkeep.bounded_plan.indexes
        return kept

    @property
    def assumes(self) -> frozenset[str]:
        kept = self.bounded_plan.assumes
        for view in self.views:
            kept |= view.candidate.assumes
            for upkeep in view.maintenance:
                kept |= upkeep.bounded_plan.assumes
        return kept

    @property
    def cost(self) -> tuple[int, ...]:
        kept = sum(upkeep.operations for view in self.views for upkeep in view.maintenance)
        return (*self.bounded_plan.cost, kept)


def choose_view(query: Query, settings: Settings, name: str) -> Choice:
    """The cheapest choice; raises Refused with the most helpful reason if there is none."""
    if not isinstance(query, Select):
        raise Refused("a view is made for one SELECT, and this is a union of several")
    if query.top is not None:
        raise Refused("the first rows of each group are not kept as a view")
    reasons: list[Refused] = []
    choices: list[Choice] = []
    for block, extremum in _blocks(query, settings.catalog):
        for core in core_choices(block, settings):
            try:
                choices.append(_finished(_try(block, core, settings, name), query, extremum))
            except Refused as refusal:
                reasons.append(refusal)
    if choices:
        return min(choices, key=lambda choice: choice.cost)
    inner = views_of_parts(query, settings, name)
    if inner is not None:
        return inner
    partial = _of_part(query, settings, name)
    if partial is not None:
        return partial
    raise reasons[0] if reasons else Refused("no set of its sources can be kept as a view")


def _of_part(query: Select, settings: Settings, name: str) -> Choice | None:
    """The cheapest view of some of the sources that makes the join with the others bounded."""
    choices: list[Choice] = []
    block = listed(query)
    for core in partial_choices(block):
        try:
            choices.append(_try(block, core, settings, name, partial=True))
        except Refused:
            continue
    return min(choices, key=lambda choice: choice.cost, default=None)


def views_of_parts(query: Select, settings: Settings, name: str) -> Choice | None:
    """Views for the parts of a query: its subqueries, each of its aggregates by itself, or its groups."""
    query = push_down(query)
    forms = (split_aggregates(query), newest_groups(query, settings.catalog))
    block = next(filter(None, forms), None) or with_child_subqueries(query, settings.catalog) or query
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
    bounded = plan_query(block, inside) if views else None
    return None if bounded is None else Choice(tuple(views), block, bounded, inside.catalog)


def _finished(choice: Choice, query: Select, extremum: AggregateCall | None) -> Choice:
    """MIN or MAX of no rows is one row, NULL."""
    if extremum is None:
        return choice
    bound = replace(choice.bounded_plan.bound, rows=1)
    plan = Project(Extremes(((extremum, choice.bounded_plan.plan),), bound), query.outputs, bound)
    return replace(choice, bounded_plan=replace(choice.bounded_plan, plan=plan, bound=bound))


def _blocks(query: Select, catalog: Catalog) -> Iterator[tuple[Select, AggregateCall | None]]:
    """The query's own form; DISTINCT as groups; MIN and MAX of no group as the first row of an order.

    IN and EXISTS are joins, or groups of joined rows.
    """
    if query.distinct and query.group is None and not query.windowed:
        shown = tuple(dict.fromkeys(output.expr for output in query.outputs))
        query = replace(query, distinct=False, group=shown)
    partners = with_grouped_partners(listed(query), catalog)
    if partners is not None:
        yield partners, None
    for block in join_forms(listed(query), catalog):
        aggregates = [
            part for output in block.outputs for part in walk(output.expr) if isinstance(part, AggregateCall)
        ]
        alone = block.group == () and len(block.outputs) == 1 and aggregates == [block.outputs[0].expr]
        if alone and aggregates[0].function in ("min", "max"):
            yield extreme(block, aggregates[0]), aggregates[0]
        else:
            yield block, None


def _try(block: Select, core: frozenset[str], settings: Settings, name: str, partial: bool = False) -> Choice:
    view = build_view(block, core, settings, name, partial)
    kept, below, catalog = keep_view(view, settings)
    inside = replace(settings, catalog=catalog)
    bounded = plan_query(view.rewritten, replace(inside, secondary=False)) or plan_query(
        view.rewritten, inside
    )
    if bounded is None:
        raise Refused(_unread(view, block))
    return Choice((*below, kept), view.rewritten, bounded, catalog)


def keep_view(
    view: Candidate, settings: Settings, spread: bool = False
) -> tuple[ChosenView, tuple[ChosenView, ...], Catalog]:
    """Prove that a view stays small and cheap to keep; also the views its deltas need, and the catalog.

    `spread`: its rows are partitioned by a hash, so that its order makes no hot spot.
    """
    if not spread:
        _refuse_hot(view, settings)
    storage = _storage(view, settings)
    below: list[ChosenView] = []
    catalog = settings.catalog
    kept: list[Maintenance] = []
    for delta in delta_queries(view, settings.catalog):
        bounded, more, catalog = _plan_delta(view, delta, replace(settings, catalog=catalog))
        below += more
        kept.append(Maintenance(delta, bounded, bounded.bound.rows))
    return ChosenView(view, storage, tuple(kept)), tuple(below), catalog.with_tables(view.table)


def _refuse_hot(view: Candidate, settings: Settings) -> None:
    def table_of(column: Column) -> str | None:
        source = view.definition.source(column.alias)
        return source.table if isinstance(source, Base) else None

    def is_temporal(column: Column) -> bool:
        table = table_of(column)
        return table is not None and settings.is_hot(table, column.name)

    def has_few_values(part: Expr) -> bool:
        if not isinstance(part, Column):
            return False
        table = table_of(part)
        return table is not None and settings.catalog.few_values(table, part.name) is not None

    part = None if settings.hot else hot_part(view.key, is_temporal, has_few_values)
    if part is not None:
        raise Refused(f"the view would be led by {sql_of(part)}, which grows with time: a hot spot", hot=True)


def _storage(view: Candidate, settings: Settings) -> Storage:
    storage = storage_bound(view.definition, view.key, settings.catalog, view.grouped)
    if storage is None:
        tables = ", ".join(
            dict.fromkeys(source.table for source in view.definition.sources if isinstance(source, Base))
        )
        raise Refused(
            f"the view {_columns(view)} could grow faster than every one of its tables ({tables}): "
            "no key of one of them determines, through keys and cardinality limits, all others"
        )
    return storage


def _columns(view: Candidate) -> str:
    return "(" + ", ".join(sql_of(column) for column in view.key) + ")"


def _plan_delta(
    view: Candidate, delta: DeltaQuery, settings: Settings
) -> tuple[BoundedPlan, tuple[ChosenView, ...], Catalog]:
    bounded = plan_query(delta.block, replace(settings, assume=False)) or plan_query(delta.block, settings)
    if bounded is not None:
        return bounded, (), settings.catalog
    try:
        choice = choose_view(delta.block, settings, f"{view.name}_for_{delta.alias}")
    except Refused as refusal:
        raise Refused(
            f"keeping the view {_columns(view)} has no bound: "
            f"one change of {delta.table} needs {_short(delta)}",
            refusal.hot,
        ) from refusal
    return choice.bounded_plan, choice.views, choice.catalog


def _short(delta: DeltaQuery) -> str:
    text = delta.sql
    start = text.find(" FROM ")
    return "SELECT ..." + text[start:] if start > 0 and len(text) > 120 else text


def _unread(view: Candidate, block: Select) -> str:
    """Why the view, though it could be kept, does not answer the query in bounded work."""
    ranged = view.attributes.ranged
    order: tuple[Expr, ...] = tuple(item.expr for item in block.order)
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
