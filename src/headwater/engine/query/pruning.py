"""Skip files that cannot match: a delta's join keys have a range, and so has every column equal to one.

    delta orders(id 9,000,000..9,000,999)  join  items on items.order_id = orders.id

reads only the files of items whose statistics overlap that range.  Rows that a WINDOW wants close in time
have one too: the delta's, longer by the window at both ends.  Ranges come from the Delta log's statistics of
the delta's own files, so they cost nothing to obtain.  Keys that grow with time prune almost
everything, random keys prune nothing, and no file is skipped that could match.

Time is such a key: the windows and fragments that a delta touches lie around the times of its rows.

    delta quotes(at 12:00:00 .. 12:00:09)     windows of a minute that it touches: 11:59:00 .. 12:01:09
                                              fragments of at most 5 s:            11:59:55 .. 12:00:14

The range of a window's column holds its windows whole, from start to end; the rows in them have such times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.expressions.equalities import equality_classes
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal
from headwater.algebra.plans.nodes import (
    Aggregate,
    Filter,
    Join,
    Negate,
    Plan,
    Project,
    Restrict,
    Scan,
    Union,
    Version,
    Windows,
)
from headwater.algebra.weaving.edges import edges_in
from headwater.engine.query.filter_ranges import narrower
from headwater.engine.query.relations import Relations
from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.statistics import START, is_window
from headwater.storage.timeline import Range

__all__ = [
    "computed_ranges",
    "join_ranges",
    "passed",
    "range_of",
    "restrict_ranges",
    "scan_ranges",
    "window_ranges",
]


def restrict_ranges(relations: Relations, keys: Sequence[Expr], by: Plan) -> dict[str, Range]:
    """Ranges of columns that follow from `keys`, which must occur in the columns of `by`, in order."""
    ranges: dict[str, Range] = {}
    for key, column in zip(keys, by.columns, strict=False):
        match key:
            case Column(name):
                span = range_of(relations, by, column, True)
            case Call("fragment", (Column(name), *_)):
                span = _widened(range_of(relations, by, column, True), timedelta(), _longest(key))
            case _:
                continue
        if span is not None:
            ranges[name] = Range(name, *span)
    return ranges


def computed_ranges(rows: pa.Table, keys: Sequence[Expr], columns: Sequence[str]) -> dict[str, Range]:
    """Ranges of columns that must occur among computed rows; windows lie between the first and the last."""
    ranges: dict[str, Range] = {}
    for key, column in zip(keys, columns, strict=False):  # without keys, only whether there are rows matters
        values = rows.column(column).combine_chunks()
        if not isinstance(key, Column) or values.null_count or not len(values):
            continue
        window = is_window(values.type)
        ends = (pc.struct_field(values, field) for field in (START, "end")) if window else (values, values)
        try:
            low, high = (
                pc.min_max(end)[which].as_py() for end, which in zip(ends, ("min", "max"), strict=True)
            )
        except (pa.ArrowNotImplementedError, ValueError, OverflowError):  # no order, or a far year
            continue
        if _ordered(low) and _ordered(high):
            ranges[key.name] = Range(key.name, low, high)
    return ranges


def window_ranges(node: Windows, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges of the columns of windows, as ranges of the columns below them."""
    below = {name: span for name, span in ranges.items() if name != node.name}
    span = ranges.get(node.name)
    if span is not None and isinstance(node.time, Column) and node.time.name not in below:
        below[node.time.name] = Range(node.time.name, span.low, span.high)
    return below


def _longest(fragment: Call) -> timedelta:
    """No fragment is longer than the shortest distance between edges of one class."""
    return timedelta(microseconds=min(modulus for _, modulus in edges_in(fragment)))


def _widened(span: tuple[Any, Any] | None, before: timedelta, after: timedelta) -> tuple[Any, Any] | None:
    """A range of instants, made longer; none if it is of anything else."""
    if span is None or not all(isinstance(bound, datetime) for bound in span):
        return None
    try:
        return span[0] - before, span[1] + after
    except OverflowError:  # before the year 1, after the year 9999
        return None


def join_ranges(relations: Relations, plan: Join) -> dict[str, Range]:
    """Ranges of the columns that a join equates with a column of a delta."""
    ranges: dict[str, Range] = {}
    for group in _equal_columns(plan.conditions):
        spans = [
            span
            for child in plan.inputs
            for column in child.columns
            if column in group and (span := range_of(relations, child, column)) is not None
        ]
        if spans:
            low, high = max(low for low, _ in spans), min(high for _, high in spans)
            ranges |= {column: Range(column, low, high) for column in group}
    return _window_ranges(relations, plan) | ranges


def _window_ranges(relations: Relations, plan: Join) -> dict[str, Range]:
    """Ranges of the columns that lie within an interval of a column of a delta, before and after it.

    a <= b + INTERVAL x  and  b <= a + INTERVAL y        a lies in [least b - y, greatest b + x]
    """
    after = {
        (late, early): length
        for condition in plan.conditions
        for late, early, length in _at_most_after(condition)
    }
    ranges: dict[str, Range] = {}
    for (late, early), length in after.items():
        back = after.get((early, late))
        span = None if back is None else _span(relations, plan, early)
        if back is None or span is None or not all(isinstance(end, datetime) for end in span):
            continue
        with suppress(OverflowError):  # at the end of the calendar
            ranges[late] = narrower(Range(late, span[0] - back, span[1] + length), ranges.get(late))
    return ranges


def _at_most_after(condition: Expr) -> Iterator[tuple[str, str, timedelta]]:
    match condition:
        case Call("lte", (Column(late), Call("add", (Column(early), Literal(timedelta() as length)), _)), _):
            yield late, early, length


def _span(relations: Relations, plan: Join, column: str) -> tuple[Any, Any] | None:
    owner = next((child for child in plan.inputs if column in child.columns), None)
    return None if owner is None else range_of(relations, owner, column)


def scan_ranges(relations: Relations, scan: Scan, ranges: Mapping[str, Range]) -> list[Range]:
    """Ranges of a scan's columns, as ranges of the stored columns."""
    stored = (
        {f"{scan.alias}.{name}": relations.stored_name(scan, name) for name in scan.names} if ranges else {}
    )
    return [Range(stored[name], span.low, span.high) for name, span in ranges.items() if name in stored]


def passed(items: tuple[tuple[str, Expr], ...], ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges of a projection's columns, as ranges of the columns below it."""
    return {expr.name: ranges[name] for name, expr in items if name in ranges and isinstance(expr, Column)}


def range_of(
    relations: Relations,
    plan: Plan,
    column: str,
    nulls_match: bool = False,
    within: Mapping[str, Range] | None = None,
) -> tuple[Any, Any] | None:
    """Least and greatest value of a column of a delta, if its files' statistics have them.

    In a join a NULL matches nothing; where it does (`nulls_match`), a column with NULLs has no range.  With
    ranges of the plan's columns (`within`), relations count as well as deltas: of a relation that a delta is
    joined with, only the files that the delta can match.
    """

    def below(child: Plan, name: str, ranges: Mapping[str, Range] | None = within) -> tuple[Any, Any] | None:
        return range_of(relations, child, name, nulls_match, ranges)

    match plan:
        case Scan(alias=alias, version=version) if version is Version.DELTA or within is not None:
            files = relations.part(plan, scan_ranges(relations, plan, within or {})).files
            return _range_in(files, relations.stored_name(plan, column[len(alias) + 1 :]), nulls_match)
        case Restrict(_, keys, by) if Column(column) in keys:
            narrowed = below(by, by.columns[keys.index(Column(column))], None)
            return below(plan.child, column) if narrowed is None else narrowed
        case Restrict(child, keys, by) if within is not None:
            wanted = restrict_ranges(relations, keys, by)
            if column in wanted:
                return wanted[column].low, wanted[column].high
            return below(child, column, {**within, **wanted})
        case Filter(child) | Restrict(child) | Negate(child):
            return below(child, column)
        case Windows(child, name) if column != name:
            return below(child, column)
        case Windows(child, time=Column(time)):
            times = range_of(relations, child, time, False, within)
            return _widened(times, plan.size, plan.size)
        case Union(inputs):
            return _hull([below(child, column) for child in inputs])
        case Project(child, items) | Aggregate(child, items):
            source = dict(items).get(column)
            passing = None if within is None else passed(items, within)
            match source:
                case Column(name):
                    return below(child, name, passing)
                case Call("fragment", (Column(name), *_)):
                    return _widened(below(child, name, passing), _longest(source), timedelta())
                case _:
                    return None
        case Join(inputs):
            equal = join_ranges(relations, plan)
            if column in equal:  # of a relation, too, if a delta is joined with it
                return equal[column].low, equal[column].high
            owner = next((child for child in inputs if column in child.columns), None)
            ranges = None if within is None else {**within, **equal}
            return None if owner is None else below(owner, column, ranges)
        case _:
            return None


def _range_in(files: Sequence[DataFile], name: str, without_nulls: bool) -> tuple[Any, Any] | None:
    """The range of a stored column by the files' statistics; none if one of them does not know it."""
    lows = [file.minimum.get(name) for file in files]
    highs = [file.maximum.get(name) for file in files]
    if without_nulls and any(file.nulls.get(name) != 0 for file in files):
        return None
    if not files or not all(_ordered(value) for value in (*lows, *highs)):
        return None
    return min(lows), max(highs)  # type: ignore[type-var]


def _hull(spans: Sequence[tuple[Any, Any] | None]) -> tuple[Any, Any] | None:
    """The least range that holds all of them; none if one is not known."""
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _ordered(value: object) -> bool:
    # Statistics of instants and decimals may be rounded outwards, which is fine for ranges. Texts compare
    # by code point in Parquet and Python alike.
    return isinstance(value, int | float | str | date | datetime | Decimal) and not isinstance(value, bool)


def _equal_columns(conditions: Sequence[Expr]) -> Iterator[frozenset[str]]:
    """Classes of columns that the conditions make equal."""
    pairs: list[tuple[str, str]] = []
    for condition in conditions:
        match condition:
            case Call("eq", (Column(left), Column(right)), _):
                pairs.append((left, right))
    return (frozenset(columns) for columns in equality_classes(pairs))
