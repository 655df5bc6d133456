"""The stage that several groupings share: partial states by fragment of time and by the keys of all.

A filter that all groupings have is applied here, and if all retain their windows for a time, so is the age
of the rows that they need (ending.py).  Any other is applied above: to the keys if it is about
them, else to a key that says whether a row passes.  Rows without a time are kept (a view without windows
counts them); they lie in no window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

from headwater.algebra.expressions.build import fragment
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    columns_of,
    conjunction,
    spark_sql,
)
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Scan
from headwater.algebra.stages.stage import StageKind
from headwater.algebra.stages.states import ROW_COUNT, plain_names
from headwater.algebra.weaving.edges import Edges, least
from headwater.algebra.weaving.ending import oldest_of, young_enough
from headwater.algebra.weaving.grouping import Grouping, Window
from headwater.algebra.weaving.parts import is_additive

__all__ = ["edges_of", "parts_plan", "stage_kind"]

FRAGMENT = "fragment"


def edges_of(groupings: Iterable[Grouping]) -> Edges:
    """The edges of all their windows."""
    windows = (grouping.window for grouping in groupings if grouping.window is not None)
    return least(edge for window in windows for edge in window.edges)


def parts_plan(
    groupings: Iterable[Grouping], edges: Edges = (), oldest: timedelta | None = None
) -> Aggregate:
    """The stage that serves all these groupings of one relation, the same in whatever order they come.

    `edges` may be more than their own, and `oldest`, the age of the oldest row that is needed, greater.
    """
    groupings = tuple(groupings)
    keys = dict.fromkeys(key for grouping in groupings for key in grouping.plain_keys)
    common = _common(groupings)
    keys |= dict.fromkeys(_passing(groupings, common, keys))
    parts = dict.fromkeys(part for grouping in groupings for part in grouping.parts)
    states = dict.fromkeys(sorted(parts, key=repr))
    if all(map(is_additive, states)):
        states = {replace(ROW_COUNT, name=""): None} | states
    ordered = sorted(keys, key=spark_sql)
    window = next((grouping.window for grouping in groupings if grouping.window is not None), None)
    if window is not None:
        ordered = [fragment(window.time, edges or edges_of(groupings)), *ordered]
    names = plain_names([*map(_key_name, ordered), *map(_state_name, states)])
    calls = zip(names[len(ordered) :], states, strict=True)
    return Aggregate(
        _rows(groupings, (*common, *_ending(groupings, window, oldest)), window),
        tuple(zip(names, ordered, strict=False)),
        tuple(replace(state, name=name) for name, state in calls),
    )


def _common(groupings: tuple[Grouping, ...]) -> tuple[Expr, ...]:
    """The filters that all groupings have and that are not about windows."""
    shared = frozenset.intersection(*(frozenset(_row_filters(grouping)) for grouping in groupings))
    return tuple(sorted(shared, key=spark_sql))


def _ending(
    groupings: tuple[Grouping, ...], window: Window | None, oldest: timedelta | None
) -> Iterator[Expr]:
    """The condition that rows which no view needs any more are left out by, if there are such rows."""
    own = oldest_of(groupings)
    if own is not None and window is not None:
        yield young_enough(window.time, own if oldest is None else max(own, oldest))


def _row_filters(grouping: Grouping) -> Iterator[Expr]:
    column = "" if grouping.window is None else grouping.window.column
    return (condition for condition in grouping.filters if column not in columns_of(condition))


def _passing(
    groupings: tuple[Grouping, ...], common: tuple[Expr, ...], keys: Iterable[Expr]
) -> Iterator[Expr]:
    """The filters that only some groupings have and that are not about the keys: keys that say who passes."""
    known = {key.name for key in keys if isinstance(key, Column)}
    for grouping in groupings:
        for condition in _row_filters(grouping):
            if condition not in common and not columns_of(condition) <= known:
                yield condition


def _rows(groupings: tuple[Grouping, ...], common: tuple[Expr, ...], window: Window | None) -> Plan:
    """The rows that are grouped: the columns that something reads, filtered by what all ask for."""
    relation = groupings[0].relation
    read = {name for grouping in groupings for expr in grouping.expressions() for name in columns_of(expr)}
    read |= columns_of(window.time) if window is not None else frozenset()
    columns = {grouping.window.column for grouping in groupings if grouping.window is not None}
    names = sorted(name.removeprefix(f"{relation}.") for name in read - columns)
    scan = Scan(relation, relation, tuple(names))
    condition = conjunction(common)
    return scan if condition is None else Filter(scan, condition)


def _key_name(expr: Expr) -> str:
    match expr:
        case Column(name):
            return name.rsplit(".", 1)[-1]
        case Call("fragment"):
            return FRAGMENT
        case _:
            return "key1"


def _state_name(state: AggregateCall) -> str:
    return ROW_COUNT.name if not state.arguments else f"_{state.function}1"


def stage_kind(plan: Aggregate) -> StageKind:
    """How a stage of parts is kept."""
    return StageKind.LINEAR if all(map(is_additive, plan.aggregates)) else StageKind.GROUPS
