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

__all__ = ["Window", "by_epochs", "is_epoch", "tuple_window_columns", "windows_of"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of snake_case and camelCase
_PRESENT = {"now", "today"}
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
    if isinstance(size, Literal):
        return call("sub", value, call("mod", value, size))
    return call("epoch", value, size)


def is_epoch(expr: Expr) -> bool:
    """Is it the start of the epoch that a column's time falls into?"""
    match expr:
        case Call("epoch", (Column(), _)):
            return True
        case Call("sub", (Column() as column, Call("mod", (same, _)))):
            return column == same
        case _:
            return False


def by_epochs(block: Select, first: bool) -> tuple[Select, tuple[str, ...]]:
    """The block with its windows as epochs, first (the epoch leads the view) or last; what it assumes."""
    windows = windows_of(block)
    replaced = {window.condition for window in windows}
    rest = [condition for condition in block.where if condition not in replaced]
    epochs = [
        call("eq", _epoch(window.column, window.size), _epoch(window.now, window.size)) for window in windows
    ]
    where = (*epochs, *rest) if first else (*rest, *epochs)
    notes = tuple(
        f"the window of {sql_of(window.column)} is answered by epochs of {sql_of(window.size)}: "
        "the one that holds now"
        for window in windows
    )
    return replace(block, where=tuple(dict.fromkeys(where))), notes


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
