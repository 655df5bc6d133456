"""Time windows by epochs, and the columns that a query itself treats as time.

    ts >= :now - 60000      the last minute      becomes    ts - ts % 60000 = :now - :now % 60000

A sliding window changes without any change of data, so no delta query can keep it.  An epoch's counter can be
kept: each row counts in the epoch it falls into, and a reader asks for the epoch of now.  The answer is that
of the window aligned to epochs; this is said with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    Subquery,
    call,
    walk,
)
from headwater.bounds.query.block import Base, Select, query_of
from headwater.bounds.query.forms.prepare import window_of

__all__ = ["Window", "by_epochs", "is_epoch", "slots_of", "tuple_window_columns", "windows_of"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of snake_case and camelCase
_PRESENT = {"now", "today"}
_UNITS = {
    "MICROSECOND": 1, "MILLISECOND": 10**3, "SECOND": 10**6, "MINUTE": 6 * 10**7, "HOUR": 36 * 10**8,
    "DAY": 864 * 10**8, "WEEK": 6048 * 10**8,
}  # fmt: skip
_FIXED = re.compile(rf"INTERVAL\s+'?(\d+)'?\s+({'|'.join(_UNITS)})S?'?", re.IGNORECASE)
_TIME = {"time", "timestamp", "date", "datetime", "instant", "epoch", "ms", "millis", "seconds"}


@dataclass(frozen=True, slots=True)
class Window:
    """`condition` keeps the rows whose `column` is at most `size` before `now`."""

    column: Column
    size: Expr
    now: Expr
    condition: Expr


def windows_of(block: Select) -> tuple[Window, ...]:
    """The conditions of WHERE that are time windows ending now."""
    return tuple(window for condition in block.where if (window := _window(condition)) is not None)


def _window(condition: Expr) -> Window | None:
    match condition:
        case Call("gt" | "gte", (Column() as column, Call("sub", (now, size)))) | Call(
            "lt" | "lte", (Call("sub", (now, size)), Column() as column)
        ) if _is_now(now) and _is_size(size):
            return Window(column, size, now, condition)
        case _:
            return None


def _is_now(expr: Expr) -> bool:
    """Is it a parameter that is named as the present time: :now, :nowMs, :today, :current_time?"""
    if not isinstance(expr, Parameter):
        return False
    words = [word.lower() for word in _WORD.findall(expr.name)]
    return not _PRESENT.isdisjoint(words) or (words[:1] == ["current"] and _TIME.issuperset(words[1:]))


def _is_size(expr: Expr) -> bool:
    return (isinstance(expr, Literal) and isinstance(expr.value, int)) or (
        isinstance(expr, Opaque) and expr.name == "interval" and not expr.arguments
    )


def _epoch(value: Expr, size: Expr) -> Expr:
    """The start of the epoch that a time falls into."""
    if isinstance(size, Literal) and not size.sql.upper().startswith("INTERVAL"):
        return call("sub", value, call("mod", value, size))
    return call("epoch", value, size)


def _part_of(size: Expr, slots: int) -> tuple[Expr, int]:
    """The size of an epoch, and how many of them make up a window: one, if it cannot be divided."""
    match size:
        case Literal(int() as units) if units % slots == 0:
            return number(units // slots), slots
        case Opaque(_, _, template) if (match := _FIXED.fullmatch(template.strip())) is not None:
            micros = int(match[1]) * _UNITS[match[2].upper()]
            if micros % slots:
                return Literal(micros, template), 1
            seconds = Decimal(micros // slots) / 1_000_000
            text = template if slots == 1 else f"INTERVAL '{seconds.normalize():f}' SECOND"
            return Literal(micros // slots, text), slots
        case _:
            return size, 1


def is_epoch(expr: Expr) -> bool:
    """Is it the start of the epoch that a column's time falls into?"""
    match expr:
        case Call("epoch", (Column(), _)):
            return True
        case Call("sub", (Column() as column, Call("mod", (same, _)))):
            return column == same
        case _:
            return False


def by_epochs(block: Select, first: bool, slots: int = 1) -> tuple[Select, tuple[str, ...]]:
    """The block with its windows as epochs, first (the epoch leads the view) or last; what it assumes.

    `slots`: how many epochs make up a window, if it can be divided.
    """
    windows = windows_of(block)
    replaced = {window.condition for window in windows}
    rest = [condition for condition in block.where if condition not in replaced]
    parts = [_part_of(window.size, slots) for window in windows]
    epochs = [
        call("eq", _epoch(window.column, size), _epoch(window.now, size))
        for window, (size, _) in zip(windows, parts, strict=True)
    ]
    where = (*epochs, *rest) if first else (*rest, *epochs)
    notes = tuple(_note(window, size, count) for window, (size, count) in zip(windows, parts, strict=True))
    return replace(block, where=tuple(dict.fromkeys(where))), notes


def _note(window: Window, size: Expr, count: int) -> str:
    which = "the one that holds now" if count == 1 else f"the {count} up to the one that holds now"
    return f"the window of {sql_of(window.column)} is answered by epochs of {sql_of(size)}: {which}"


def slots_of(block: Select, slots: int) -> int:
    """How many epochs make up the windows of a block: one if there are several windows, or odd ones."""
    windows = windows_of(block)
    return _part_of(windows[0].size, slots)[1] if len(windows) == 1 else 1


def tuple_window_columns(block: Select) -> Iterator[tuple[str, str]]:
    """(table, column) compared with MAX(key) - n: the query takes them for the order of insertion."""
    for condition in block.where:
        match condition:
            case Call("gt" | "gte", (Column(column, alias), value)):
                subqueries = [part for part in walk(value) if isinstance(part, Subquery)]
                windows = [subquery for subquery in subqueries if window_of(query_of(subquery)) is not None]
                source = next((source for source in block.sources if source.alias == alias), None)
                if windows and isinstance(source, Base):
                    yield source.table, column
