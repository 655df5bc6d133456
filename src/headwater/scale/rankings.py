"""Rankings of a windowed aggregate: counters by epoch, kept incrementally, and a ranking at every refresh.

The ranking changes as time goes by and not only as data does, so no delta query can keep it (SI-3).
"""

from __future__ import annotations

from dataclasses import replace

from headwater.scale.aggregates import read_state
from headwater.scale.attributes import attributes_of
from headwater.scale.block import Base, Output, Query, Select
from headwater.scale.choose import ChosenView, keep_view
from headwater.scale.classes import Classes, equality
from headwater.scale.expr import Col, Expr, aliases_of, cols_of, params_of
from headwater.scale.plan import Index
from headwater.scale.promise import promise
from headwater.scale.refresh import (
    Periodic,
    cut_params,
    equal_values,
    for_all,
    lead_names,
    read_text,
)
from headwater.scale.refused import Refused
from headwater.scale.rewrite import aggregates_of, map_expr
from headwater.scale.settings import Settings, count_bound
from headwater.scale.viewdef import Candidate, build_view
from headwater.scale.windows import by_epochs, windows_of

__all__ = ["ranked_window"]


def ranked_window(query: Query, settings: Settings, name: str) -> Periodic:
    """GROUP BY over a time window, ranked by an aggregate: counters by epoch and a periodic top-k."""
    if not isinstance(query, Select) or not windows_of(query) or not query.group:
        raise Refused("it is not a windowed aggregate")
    most = count_bound(query.limit, settings)
    if most is None:
        raise Refused("its result has no bound: no LIMIT on the groups of a window")
    block, notes = by_epochs(query, first=True)
    core, counted, assumes = _counted(block, settings)
    view = build_view(counted, core, settings, f"{name}_counts")
    kept, below, _ = keep_view(view, settings)
    equal = equal_values(block)
    known = {one for value, _ in equal for one in params_of(value)} | cut_params(query)
    if query.params - known or attributes_of(block, frozenset(block.aliases)).reading:
        raise Refused("a parameter other than an equality cannot be a key of the refreshed view")
    ranking = _ranking(block, core, view)
    names = lead_names(block, equal)
    over = tuple((value, map_expr(column, view.mapping)) for value, column in equal)
    sql, key = for_all(ranking, over, {map_expr(column, view.mapping): one for column, one in names.items()})
    return Periodic(
        (), (*below, kept), name, sql, key, read_text(query, name, equal, names), 1, most, most,
        "each partition ranks its share of one window's counters",
        True, assumes | frozenset(notes) | view.assumes, frozenset(_delta_indexes(kept)),
    )  # fmt: skip


def _ranking(block: Select, core: frozenset[str], view: Candidate) -> Select:
    """The query over the counters, with the other sources fetched by key."""
    states: dict[Expr, Expr] = {one: read_state(one, view.mapping, True) for one in aggregates_of(block)}
    whole: dict[Expr, Expr] = {**view.mapping, **states}
    stays = [one for one in block.where if not aliases_of(one) <= core]
    return replace(
        block,
        sources=(Base(view.name, view.name), *(one for one in block.sources if one.alias not in core)),
        where=tuple(map_expr(one, view.mapping) for one in stays),
        outputs=tuple(Output(one.name, map_expr(one.expr, whole)) for one in block.outputs),
        group=tuple(map_expr(one, view.mapping) for one in block.group or ()),
        having=tuple(map_expr(one, whole) for one in block.having),
        order=tuple(replace(one, expr=map_expr(one.expr, whole)) for one in block.order),
    )


def _delta_indexes(view: ChosenView) -> set[Index]:
    return {index for one in view.maintenance for index in one.found.indexes}


def _counted(block: Select, settings: Settings) -> tuple[frozenset[str], Select, frozenset[str]]:
    """The sources that must be counted together; others are fetched by key at a refresh.

    A source is left out if nothing but keys ties it to the rest: conditions on it and groups of its columns
    are applied when the counters are ranked.
    """
    needed = {alias for one in _aggregate_arguments(block) for alias in aliases_of(one)}
    needed |= {alias for one in windows_of(block) for alias in aliases_of(one.column)}
    core = frozenset(block.aliases)
    assumes: frozenset[str] = frozenset()
    for _ in block.aliases:
        for alias in sorted(core - needed):
            rest = core - {alias}
            bare = _bare(block, core, alias)
            found = promise(bare, Classes.of(bare.where), settings, rest) if rest else None
            if found is not None and not _epoch_on(block, alias):
                core, assumes = rest, assumes | found.assumes
                break
    where = tuple(one for one in block.where if aliases_of(one) <= core or _is_tie(one))
    ties = [
        c
        for one in where
        if not aliases_of(one) <= core
        for c in sorted(cols_of(one), key=repr)
        if c.alias in core
    ]
    groups = [one for one in block.group or () if aliases_of(one) <= core]
    counted = replace(
        block,
        sources=tuple(one for one in block.sources if one.alias in core),
        where=tuple(one for one in where if aliases_of(one) <= core),
        outputs=tuple(
            Output(f"value_{number}", one) for number, one in enumerate(aggregates_of(block))
        ),
        group=tuple(dict.fromkeys((*groups, *ties))),
        having=(), order=(), limit=None, offset=None, left_joins=(),
    )  # fmt: skip
    return core, counted, assumes


def _epoch_on(block: Select, alias: str) -> bool:
    return any(
        alias in aliases_of(one) and not isinstance(side, Col)
        for one in block.where
        if (sides := equality(one))
        for side in sides
        if aliases_of(side) == {alias}
    )


def _is_tie(condition: Expr) -> bool:
    sides = equality(condition)
    return sides is not None and all(isinstance(one, Col) for one in sides)


def _bare(block: Select, core: frozenset[str], alias: str) -> Select:
    """The block without conditions on `alias` other than ties to the rest."""
    kept = tuple(
        one
        for one in block.where
        if aliases_of(one) <= core and (alias not in aliases_of(one) or _is_tie(one))
    )
    return replace(
        block, sources=tuple(one for one in block.sources if one.alias in core), where=kept, left_joins=()
    )


def _aggregate_arguments(block: Select) -> list[Expr]:
    return [value for one in aggregates_of(block) for value in one.arguments]
