"""Rankings of a windowed aggregate: counters by epoch, kept incrementally, and a ranking at every refresh.

The ranking changes as time goes by and not only as data does, so no delta query can keep it (SI-3).
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.facts import aliases_of, columns_in, in_order, parameters_of
from headwater.algebra.expressions.tree import Column, Expr, replace_largest
from headwater.bounds.plans.plan import Index
from headwater.bounds.query.block import Base, Output, Query, Select
from headwater.bounds.query.classes import Classes, equality
from headwater.bounds.query.lossless import lossless
from headwater.bounds.query.settings import Settings, count_bound
from headwater.bounds.query.windows import Window, by_epochs, slots_of, windows_of
from headwater.bounds.views.attributes import attributes_of
from headwater.bounds.views.choose import ChosenView, keep_view
from headwater.bounds.views.definition import Candidate, build_view
from headwater.bounds.views.partial_states import read_state
from headwater.bounds.views.refresh import (
    Equal,
    Periodic,
    Ranking,
    cut_params,
    equal_values,
    for_all,
    lead_names,
    read_text,
)
from headwater.bounds.views.refused import Refused

__all__ = ["ranked_window"]

SLOTS = 12  # epochs in a window: a ranking is behind its window by at most one of them


def ranked_window(query: Query, settings: Settings, name: str) -> Periodic:
    """GROUP BY over a time window, ranked by an aggregate: counters by epoch and a periodic top-k."""
    if not isinstance(query, Select) or not windows_of(query) or not query.group:
        raise Refused("it is not a windowed aggregate")
    if query.subqueries or not all(isinstance(source, Base) for source in query.sources):
        raise Refused("a refresh ranks tables, and this query reads a subquery")
    most = count_bound(query.limit, settings)
    if most is None:
        raise Refused("its result has no bound: no LIMIT on the groups of a window")
    slots = slots_of(query, SLOTS)  # two windows must agree on their epoch
    block, notes = by_epochs(query, first=True, slots=slots)
    core, counted, assumes = _counted(block, settings)
    view = build_view(counted, core, settings, f"{name}_counts")
    kept, below, catalog = keep_view(view, settings, spread=True)
    equal = equal_values(block)
    given = {name for value, _ in equal for name in parameters_of(value)} | cut_params(query)
    if query.params - given or attributes_of(block, frozenset(block.aliases)).reading:
        raise Refused("a parameter other than an equality cannot be a key of the refreshed view")
    ranking = _ranking(block, core, view)
    names = lead_names(block, equal)
    over = tuple((value, replace_largest(column, view.mapping)) for value, column in equal)
    sql, key = for_all(
        ranking, over, {replace_largest(column, view.mapping): lead for column, lead in names.items()}
    )
    return Periodic(
        (), (*below, kept), name, sql, key, read_text(query, name, equal, names), 1, most, most,
        "each partition ranks its share of one window's counters",
        True, assumes | frozenset(notes) | view.assumes, frozenset(_delta_indexes(kept)),
        Ranking(ranking, over, _epoch_column(over, windows_of(query)), slots, catalog),
    )  # fmt: skip


def _epoch_column(equal: Equal, windows: tuple[Window, ...]) -> Expr:
    """The counters' column that must equal the epoch of now."""
    now = {name for window in windows for name in parameters_of(window.now)}
    return next(column for value, column in equal if parameters_of(value) & now)


def _ranking(block: Select, core: frozenset[str], view: Candidate) -> Select:
    """The query over the counters, with the other sources fetched by key."""
    states: dict[Expr, Expr] = {
        aggregate: read_state(aggregate, view.mapping, True) for aggregate in block.aggregates
    }
    whole: dict[Expr, Expr] = {**view.mapping, **states}
    stays = [condition for condition in block.where if not aliases_of(condition) <= core]
    return replace(
        block,
        sources=(
            Base(view.name, view.name),
            *(source for source in block.sources if source.alias not in core),
        ),
        where=tuple(replace_largest(condition, view.mapping) for condition in stays),
        outputs=tuple(Output(output.name, replace_largest(output.expr, whole)) for output in block.outputs),
        group=tuple(replace_largest(member, view.mapping) for member in block.group or ()),
        having=tuple(replace_largest(condition, whole) for condition in block.having),
        order=tuple(replace(item, expr=replace_largest(item.expr, whole)) for item in block.order),
    )


def _delta_indexes(view: ChosenView) -> set[Index]:
    return {index for upkeep in view.maintenance for index in upkeep.bounded_plan.indexes}


def _counted(block: Select, settings: Settings) -> tuple[frozenset[str], Select, frozenset[str]]:
    """The sources that must be counted together, the block that counts them, and what this assumes."""
    core, assumes = _core(block, settings)
    ties = [
        column
        for condition in block.where
        if _is_tie(condition) and not aliases_of(condition) <= core
        for column in in_order(columns_in(condition))
        if column.alias in core
    ]
    groups = [expr for expr in block.group or () if aliases_of(expr) <= core]
    counted = replace(
        block,
        sources=tuple(source for source in block.sources if source.alias in core),
        where=tuple(condition for condition in block.where if aliases_of(condition) <= core),
        outputs=tuple(
            Output(f"value_{number}", aggregate) for number, aggregate in enumerate(block.aggregates)
        ),
        group=tuple(dict.fromkeys((*groups, *ties))),
        having=(), order=(), limit=None, offset=None, left_joins=(),
    )  # fmt: skip
    return core, counted, assumes


def _core(block: Select, settings: Settings) -> tuple[frozenset[str], frozenset[str]]:
    """The sources without those that can be fetched by key at a refresh, and what this assumes.

    A source is left out if nothing but keys ties it to the rest: conditions on it and groups of its columns
    are applied when the counters are ranked.
    """
    needed = {alias for argument in _aggregate_arguments(block) for alias in aliases_of(argument)}
    needed |= {alias for window in windows_of(block) for alias in aliases_of(window.column)}
    core = frozenset(block.aliases)
    assumes: frozenset[str] = frozenset()
    for _ in block.aliases:
        for alias in sorted(core - needed):
            rest = core - {alias}
            bare = _bare(block, core, alias)
            sure = lossless(bare, Classes.of(bare.where), settings, rest) if rest else None
            if sure is not None and not _epoch_on(block, alias):
                core, assumes = rest, assumes | sure.assumes
                break
    return core, assumes


def _epoch_on(block: Select, alias: str) -> bool:
    return any(
        alias in aliases_of(condition) and not isinstance(side, Column)
        for condition in block.where
        if (sides := equality(condition))
        for side in sides
        if aliases_of(side) == {alias}
    )


def _is_tie(condition: Expr) -> bool:
    sides = equality(condition)
    return sides is not None and all(isinstance(side, Column) for side in sides)


def _bare(block: Select, core: frozenset[str], alias: str) -> Select:
    """The block without conditions on `alias` other than ties to the rest."""
    kept = tuple(
        condition
        for condition in block.where
        if aliases_of(condition) <= core and (alias not in aliases_of(condition) or _is_tie(condition))
    )
    return replace(
        block,
        sources=tuple(source for source in block.sources if source.alias in core),
        where=kept,
        left_joins=(),
    )


def _aggregate_arguments(block: Select) -> list[Expr]:
    return [value for aggregate in block.aggregates for value in aggregate.arguments]
