"""Windows of rows as SQL: each row once for every window that it falls into.

    windows               of one view, or of all members of a family
    aggregate_in_windows  the groups of such rows, of which most lie in the same windows

A window of a hundred slides holds each row a hundred times.  Rows of one slide lie in the same windows, so a
family adds them up first, and what goes into a hundred windows is one row for each group and slide:

    20 fragments, slide 10 s     20 x 100 rows to add up      2 or 3 panes: 3 x 100 rows
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from headwater.algebra.expressions.tree import Column, columns_of, spark_sql
from headwater.algebra.plans.nodes import Aggregate, Plan, Restrict, Windows
from headwater.clock import micros
from headwater.engine.query.operators import weighted_outputs
from headwater.engine.query.query import Query, quoted
from headwater.storage.timeline import WEIGHT

__all__ = ["aggregate_in_windows", "windows", "windows_wanted", "worth_panes"]

FEW_WINDOWS = 4  # that a row falls into: Spark may write them out
# How to merge what has been added up; a state of anything else is not that of its parts.
_MERGED = {
    "count": "sum",
    "sum": "sum",
    "gained_min": "min",
    "gained_max": "max",
    "lost_min": "min",
    "lost_max": "max",
}


def windows(query: Query, node: Windows) -> Query:
    """Each row once for every window it falls into.

    Spark writes a projection for each of them, and compiles a hundred for a window of a hundred slides.  So
    beyond a few, the last window is asked for, and the others are counted back from it.
    """
    if node.member:
        return _of_many(query, node)
    overlap = -(-node.size // node.slide)
    if overlap > FEW_WINDOWS:
        return _counted_back(query, node, overlap)
    window = _window(node, node.size)
    return query.select([*((name, quoted(name)) for name in node.child.columns), (node.name, window)])


def _window(node: Windows, size: timedelta) -> str:
    lengths = ", ".join(f"'{micros(part)} microseconds'" for part in (size, node.slide, node.offset))
    return f"window({spark_sql(node.time)}, {lengths})"


def _counted_back(query: Query, node: Windows, overlap: int) -> Query:
    """Whatever the type of the time, with a time zone or without, and whatever the session's is."""
    size, slide = micros(node.size), micros(node.slide)
    columns = ", ".join(quoted(name) for name in (*node.child.columns, WEIGHT))
    last = f"SELECT {columns}, {spark_sql(node.time)} AS _at, {_window(node, node.slide)} AS _last"
    start = f"timestampadd(MICROSECOND, -{slide}L * _back, _last.start)"
    end = f"timestampadd(MICROSECOND, {size}L - {slide}L * _back, _last.start)"
    window = f"named_struct('start', {start}, 'end', {end})"
    text = (
        f"(SELECT {columns}, {window} AS {quoted(node.name)} FROM ({last} FROM {query.text})"
        f" LATERAL VIEW explode(sequence(0L, {overlap - 1}L)) _windows AS _back WHERE {end} > _at)"
    )
    return Query(text, node.columns)


def _of_many(query: Query, node: Windows) -> Query:
    """The windows of all members.  Their lengths are rows, not text: what Spark compiles is the same for all.

    As window() has it for a TIMESTAMP: multiples of the slide since 1970, plus the offset, in microseconds.
    """
    names = [quoted(name) for name in (*node.child.columns, WEIGHT)]
    return Query(_exploded(_last_windows(query.text, node, names), node, names), node.columns)


def _last_windows(rows: str, node: Windows, names: Sequence[str]) -> str:
    """Rows beside each member in whose windows they lie: where the last of them starts, and how many."""
    members = ", ".join(
        f"({number}, {micros(size)}L, {micros(slide)}L, {micros(offset)}L)"
        for number, (size, slide, offset) in enumerate(node.members)
    )
    lengths = f"(SELECT * FROM VALUES {members} AS _lengths(_number, _size, _slide, _offset))"
    timed = f"(SELECT *, unix_micros({spark_sql(node.time)}) AS _at FROM {rows})"
    last = (
        f"(SELECT /*+ BROADCAST(m) */ {', '.join(names)}, _number, _size, _slide, _at,"
        f" _at - pmod(_at - _offset, _slide) AS _last FROM {timed} AS r CROSS JOIN {lengths} AS m)"
    )
    count = "(_last - (_at - _size) - 1) DIV _slide AS _back"
    return (
        f"(SELECT {', '.join(names)}, _number, _size, _slide, _last, {count} FROM {last}"
        " WHERE _last > _at - _size)"
    )


def _exploded(last: str, node: Windows, names: Sequence[str]) -> str:
    window = "named_struct('start', timestamp_micros(_start), 'end', timestamp_micros(_start + _size))"
    return (
        f"(SELECT {', '.join(names)}, {window} AS {quoted(node.name)}, _number AS {quoted(node.member)}"
        f" FROM {last} LATERAL VIEW explode(sequence(_last, _last - _back * _slide, -_slide))"
        " _windows AS _start)"
    )


def worth_panes(plan: Aggregate) -> bool:
    """Whether rows of the same windows can be added up before they are put there, and it pays."""
    child = plan.child
    if (
        not isinstance(child, Windows)
        or not child.member
        or child.overlap <= FEW_WINDOWS * len(child.lengths)
    ):
        return False
    made = {child.name, child.member}
    below = [expr for _, expr in plan.keys if not (isinstance(expr, Column) and expr.name in made)]
    for call in plan.aggregates:
        below += [*call.arguments, *([] if call.where is None else [call.where])]
    mergeable = all(call.function in _MERGED and not call.distinct for call in plan.aggregates)
    return mergeable and not any(columns_of(expr) & made for expr in below)


def aggregate_in_windows(query: Query, plan: Aggregate, merged_above: bool = False) -> Query:
    """Weighted sums of rows in windows: by the windows that they lie in first, then by window.

    `merged_above`: who reads them merges them, so a window may have a row of each pane.
    """
    node = plan.child
    assert isinstance(node, Windows)
    made = {node.name, node.member}
    keys = [
        (name, expr, quoted(expr.name) if isinstance(expr, Column) and expr.name in made else f"_group{at}")
        for at, (name, expr) in enumerate(plan.keys)
    ]
    computed = [(by, spark_sql(expr)) for _, expr, by in keys if by.startswith("_group")]
    rows, sums = weighted_outputs(query, plan.aggregates)
    rows = rows.select([*((name, quoted(name)) for name in rows.columns), *computed])
    names = [*map(quoted, rows.columns), WEIGHT]
    groups = [by for by, _ in computed]
    parts = [f"_part{at}" for at in range(len(sums))]
    by = ", ".join([*groups, "_number", "_size", "_slide", "_last", "_back"])
    added = ", ".join(f"{text} AS {part}" for text, part in zip(sums, parts, strict=True))
    panes = f"(SELECT {by}, {added} FROM {_last_windows(rows.text, node, names)} GROUP BY {by})"
    merged = [
        f"{part if merged_above else f'{_MERGED[call.function]}({part})'} AS {quoted(call.name)}"
        for call, part in zip(plan.aggregates, parts, strict=True)
    ]
    listed = ", ".join([*(f"{by} AS {quoted(name)}" for name, _, by in keys), *merged])
    by = "" if merged_above else f" GROUP BY {', '.join(by for _, _, by in keys)}"
    text = f"(SELECT {listed}, 1L AS {WEIGHT} FROM {_exploded(panes, node, [*groups, *parts])}{by})"
    return Query(text, plan.columns)


def windows_wanted(plan: Restrict, first: Collection[Plan]) -> Windows | None:
    """The windows, if the keys are computed `first` and name them: rows need not go into all of theirs."""
    names = {key.name for key in plan.keys if isinstance(key, Column)}
    child = plan.child
    if plan.by not in first or not isinstance(child, Windows):
        return None
    return child if {child.name, child.member} - {""} <= names else None
