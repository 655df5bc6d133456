"""Views over shared parts: one stage of fragments (or of finer groups), and views that merge them.

    v1  SELECT symbol, window(at, '6 s', '2 s'), max(price) ... GROUP BY symbol, window(...)
    v2  SELECT window(at, '8 s', '4 s'), count(*) ...           GROUP BY window(...)

    stage  quotes~1f0c   Aggregate [fragment = fragment(at, 0, 2 s), symbol] [count(1), max1 = max(price)]
    stage  v1            Aggregate [symbol, window] [max(max1)]   over Windows [fragment] 6 s every 2 s
    stage  v2            Aggregate [window]         [sum of counts] over Windows [fragment] 8 s every 4 s

A fragment lies between two edges, and both ends of every window are edges; so a window holds a fragment
whole, or nothing of it, and it holds a fragment exactly if it holds the fragment's start.  That is why
`Windows` over the starts of fragments assigns fragments to windows, and no other operator is needed: both
stages are aggregates like any other, kept by the delta rules that are there.  What the delta touches is
computed anew from fragments, never from the source, where states only merge.

Views may differ in windows, keys and filters.  The stage has the keys of all of them, and each view adds up
those that it does not ask for.  A filter that all views have is applied below; any other is applied above,
to the keys if it is about them, else to a key that says whether a row passes.  Rows without a time are kept
(a view without windows counts them) and fall into no window.

Invariant: a view's stage has the columns, and so the stored states, that it has when it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    columns_of,
    conjunction,
    conjuncts,
    replace_largest,
)
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Scan, Windows
from headwater.algebra.plans.walks import scan_rows
from headwater.algebra.weaving.edges import covers, edges_in
from headwater.algebra.weaving.ending import age_of, since
from headwater.algebra.weaving.grouping import Grouping, Window
from headwater.algebra.weaving.parts import parts_of

__all__ = ["filters_of", "parts_relation", "woven"]


def woven(grouping: Grouping, name: str, parts: Aggregate) -> Aggregate | None:
    """The grouping over a stored stage of parts, if that holds all it needs; it reads no more than that."""
    applied = tuple(part for part in filters_of(parts.child) if since(part) is None)
    if parts_relation(parts) != grouping.relation or not set(applied) <= set(grouping.filters):
        return None
    if not _old_enough(grouping, parts):
        return None
    names: dict[Expr, Expr] = {expr: Column(key) for key, expr in parts.keys}
    column, start = "", ""
    if grouping.window is not None:
        start = _fragment_column(grouping.window, parts)
        if not start:
            return None
        column = _free(grouping.window.column, parts.columns)
        names[Column(grouping.window.column)] = Column(column)
    left = tuple(condition for condition in grouping.filters if condition not in applied)
    condition = conjunction(tuple(replace_largest(part, names) for part in left))
    keys = tuple((key, replace_largest(expr, names)) for key, expr in grouping.keys)
    calls = _merged(grouping, parts)
    if calls is None:
        return None
    read = {start} - {""}
    for expr in (
        *(expr for _, expr in keys),
        *(() if condition is None else (condition,)),
        *_arguments(calls),
    ):
        read |= columns_of(expr)
    if not read - {column} <= set(parts.columns):
        return None
    rows: Plan = scan_rows(name, [each for each in parts.columns if each in read])
    if grouping.window is not None:
        window = grouping.window
        rows = Windows(rows, column, Column(start), window.size, window.slide, window.offset)
    return Aggregate(rows if condition is None else Filter(rows, condition), keys, calls)


def _arguments(calls: Iterable[AggregateCall]) -> Iterable[Expr]:
    return (argument for call in calls for argument in call.arguments)


def parts_relation(parts: Aggregate) -> str:
    node = parts.child
    while isinstance(node, Filter):
        node = node.child
    assert isinstance(node, Scan)
    return node.relation


def _old_enough(grouping: Grouping, parts: Aggregate) -> bool:
    """Whether the stage has all rows that windows of the view hold, however old."""
    allowed = [oldest for part in filters_of(parts.child) if (oldest := since(part)) is not None]
    needed = age_of(grouping)
    return not allowed or (needed is not None and needed <= min(allowed))


def filters_of(node: Plan) -> tuple[Expr, ...]:
    filters: tuple[Expr, ...] = ()
    while isinstance(node, Filter):
        filters += conjuncts(node.condition)
        node = node.child
    return filters


def _fragment_column(window: Window, parts: Aggregate) -> str:
    """The column of fragments of this window's time, if every edge of the window is an edge of theirs."""
    for name, expr in parts.keys:
        if isinstance(expr, Call) and expr.function == "fragment" and expr.arguments[0] == window.time:
            return name if covers(edges_in(expr), window.edges) else ""
    return ""


def _merged(grouping: Grouping, parts: Aggregate) -> tuple[AggregateCall, ...] | None:
    columns = {replace(state, name=""): state.name for state in parts.aggregates}
    merged: list[AggregateCall] = []
    for call in grouping.aggregates:
        needed = parts_of(call)
        if needed is None or not all(state in columns for state in needed.states):
            return None
        merged.append(needed.merged(call.name, tuple(columns[state] for state in needed.states)))
    return tuple(merged)


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name
