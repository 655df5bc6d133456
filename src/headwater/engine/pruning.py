"""Skip what cannot match: the range of a delta's join keys, and through equal columns of everything joined.

    delta orders(id 9,000,000..9,000,999)  join  items on items.order_id = orders.id

reads only the files of items whose statistics overlap that range.  Ranges come from the Delta log's
statistics of the delta's own files, so finding them costs nothing; keys that grow with time prune almost
everything, keys spread at random prune nothing, and nothing is ever skipped that could match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from headwater.algebra.expressions import Call, Column, Expr
from headwater.algebra.nodes import (
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
from headwater.engine.relations import Relations
from headwater.storage.timeline import Range

__all__ = ["join_ranges", "passed", "range_of", "restrict_ranges", "scan_ranges"]


def restrict_ranges(relations: Relations, keys: Sequence[Expr], by: Plan) -> dict[str, Range]:
    """Ranges of `keys`, columns that must occur in the columns of `by`, in order."""
    return {
        key.name: Range(key.name, *known)
        for key, column in zip(keys, by.columns, strict=False)
        if isinstance(key, Column) and (known := range_of(relations, by, column, True)) is not None
    }


def join_ranges(relations: Relations, plan: Join) -> dict[str, Range]:
    """Ranges of the columns that a join makes equal to a column of a delta."""
    ranges: dict[str, Range] = {}
    for group in _equal_columns(plan.conditions):
        found = [
            one
            for child in plan.inputs
            for column in child.columns
            if column in group and (one := range_of(relations, child, column)) is not None
        ]
        if found:
            low, high = max(one[0] for one in found), min(one[1] for one in found)
            ranges |= {column: Range(column, low, high) for column in group}
    return ranges


def scan_ranges(relations: Relations, scan: Scan, ranges: Mapping[str, Range]) -> list[Range]:
    """Ranges of a scan's columns as ranges of what is stored."""
    own = {f"{scan.alias}.{name}": relations.stored_name(scan, name) for name in scan.names} if ranges else {}
    return [Range(own[name], one.low, one.high) for name, one in ranges.items() if name in own]


def passed(items: tuple[tuple[str, Expr], ...], ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges of a projection's columns as ranges of the columns they are taken from."""
    return {expr.name: ranges[name] for name, expr in items if name in ranges and isinstance(expr, Column)}


def range_of(
    relations: Relations,
    plan: Plan,
    column: str,
    nulls_match: bool = False,
    within: Mapping[str, Range] | None = None,
) -> tuple[Any, Any] | None:
    """Least and greatest value of a column of a delta, if its files' statistics tell.

    In a join a NULL meets nothing; where it does (`nulls_match`), a column with NULLs has no range.  If
    something is known of the columns of the plan (`within`), relations are looked at besides deltas: of a
    relation that a delta is joined with, only the files count that the delta can meet.
    """

    def below(child: Plan, name: str, known: Mapping[str, Range] | None = within) -> tuple[Any, Any] | None:
        return range_of(relations, child, name, nulls_match, known)

    match plan:
        case Scan(alias=alias, version=version) if version is Version.DELTA or within is not None:
            files = relations.part(plan, scan_ranges(relations, plan, within or {})).files
            name = relations.stored_name(plan, column[len(alias) + 1 :])
            lows = [file.minimum.get(name) for file in files]
            highs = [file.maximum.get(name) for file in files]
            if nulls_match and any(file.nulls.get(name) != 0 for file in files):
                return None
            if not files or not all(_orderly(value) for value in (*lows, *highs)):
                return None
            return min(lows), max(highs)  # type: ignore[type-var]
        case Filter(child) | Restrict(child) | Negate(child):
            return below(child, column)
        case Union(inputs):
            found = [below(one, column) for one in inputs]
            if any(one is None for one in found):
                return None
            return min(one[0] for one in found if one), max(one[1] for one in found if one)
        case Project(child, items) | Aggregate(child, items):
            source = dict(items).get(column)
            if not isinstance(source, Column):
                return None
            return below(child, source.name, None if within is None else passed(items, within))
        case Join(inputs):
            equal = join_ranges(relations, plan)
            if column in equal:  # also of a relation that a delta is joined with
                return equal[column].low, equal[column].high
            owner = next((one for one in inputs if column in one.columns), None)
            known = None if within is None else {**within, **equal}
            return None if owner is None else below(owner, column, known)
        case _:
            return None


def _orderly(value: object) -> bool:
    # Statistics of instants and decimals may have been rounded outwards: fine for ranges. Texts compare
    # by code point in Parquet and Python alike.
    return isinstance(value, int | float | str | date | datetime | Decimal) and not isinstance(value, bool)


def _equal_columns(conditions: Sequence[Expr]) -> Iterator[frozenset[str]]:
    """Classes of columns that the conditions make equal."""
    groups: list[set[str]] = []
    for condition in conditions:
        match condition:
            case Call("eq", (Column(left), Column(right)), _):
                touched = [group for group in groups if left in group or right in group]
                groups = [group for group in groups if group not in touched]
                groups.append({left, right}.union(*touched))
    return (frozenset(group) for group in groups)
