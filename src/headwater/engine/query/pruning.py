"""Skip files that cannot match: a delta's join keys have a range, and so has every column equal to one.

    delta orders(id 9,000,000..9,000,999)  join  items on items.order_id = orders.id

reads only the files of items whose statistics overlap that range.  Rows that a WINDOW wants close in time
have one too: the delta's, longer by the window at both ends.  Ranges come from the Delta log's statistics of
the delta's own files, so they cost nothing to obtain.  Keys that grow with time prune almost
everything, random keys prune nothing, and no file is skipped that could match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

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
)
from headwater.engine.query.relations import Relations
from headwater.storage.timeline import Range

__all__ = ["join_ranges", "passed", "range_of", "restrict_ranges", "scan_ranges"]


def restrict_ranges(relations: Relations, keys: Sequence[Expr], by: Plan) -> dict[str, Range]:
    """Ranges of those `keys` that are columns, which must occur in the columns of `by`, in order."""
    return {
        key.name: Range(key.name, *span)
        for key, column in zip(keys, by.columns, strict=False)
        if isinstance(key, Column) and (span := range_of(relations, by, column, True)) is not None
    }


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
            ranges[late] = _narrower(Range(late, span[0] - back, span[1] + length), ranges.get(late))
    return ranges


def _at_most_after(condition: Expr) -> Iterator[tuple[str, str, timedelta]]:
    match condition:
        case Call("lte", (Column(late), Call("add", (Column(early), Literal(timedelta() as length)), _)), _):
            yield late, early, length


def _span(relations: Relations, plan: Join, column: str) -> tuple[Any, Any] | None:
    owner = next((child for child in plan.inputs if column in child.columns), None)
    return None if owner is None else range_of(relations, owner, column)


def _narrower(span: Range, other: Range | None) -> Range:
    if other is None:
        return span
    return Range(span.column, max(span.low, other.low), min(span.high, other.high))


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
            name = relations.stored_name(plan, column[len(alias) + 1 :])
            lows = [file.minimum.get(name) for file in files]
            highs = [file.maximum.get(name) for file in files]
            if nulls_match and any(file.nulls.get(name) != 0 for file in files):
                return None
            if not files or not all(_ordered(value) for value in (*lows, *highs)):
                return None
            return min(lows), max(highs)  # type: ignore[type-var]
        case Filter(child) | Restrict(child) | Negate(child):
            return below(child, column)
        case Union(inputs):
            spans = [below(child, column) for child in inputs]
            if any(span is None for span in spans):
                return None
            return min(span[0] for span in spans if span), max(span[1] for span in spans if span)
        case Project(child, items) | Aggregate(child, items):
            source = dict(items).get(column)
            if not isinstance(source, Column):
                return None
            return below(child, source.name, None if within is None else passed(items, within))
        case Join(inputs):
            equal = join_ranges(relations, plan)
            if column in equal:  # of a relation, too, if a delta is joined with it
                return equal[column].low, equal[column].high
            owner = next((child for child in inputs if column in child.columns), None)
            ranges = None if within is None else {**within, **equal}
            return None if owner is None else below(owner, column, ranges)
        case _:
            return None


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
