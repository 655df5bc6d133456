"""Time windows by epochs, and the columns that a query itself treats as time.

    ts >= :now - 60000      the last minute      becomes    ts - ts % 60000 = :now - :now % 60000

A sliding window changes without any change of data, so no delta query can keep it.  An epoch's counter can be
kept: each row counts in the epoch it falls into, and a reader asks for the epoch of now.  The answer is that
of the window aligned to epochs; this is said with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.scale.block import Base, Select
from headwater.scale.expr import Col, Expr, Fn, Lit, Param, SubQuery, call, sql_of, walk
from headwater.scale.prepare import window_of
from headwater.scale.settings import Settings

__all__ = ["Window", "by_epochs", "tuple_window_columns", "windows_of"]


@dataclass(frozen=True, slots=True)
class Window:
    """`condition` keeps the rows whose `column` is at most `size` before `now`."""

    column: Col
    size: Expr
    now: Expr
    condition: Expr


def windows_of(block: Select) -> tuple[Window, ...]:
    """The conditions of WHERE that are time windows ending now."""
    return tuple(found for one in block.where if (found := _window(one)) is not None)


def _window(condition: Expr) -> Window | None:
    match condition:
        case Fn("gt" | "gte", (Col() as column, Fn("sub", (now, size)))) if _is_now(now) and _is_size(size):
            return Window(column, size, now, condition)
        case Fn("lt" | "lte", (Fn("sub", (now, size)), Col() as column)) if _is_now(now) and _is_size(size):
            return Window(column, size, now, condition)
        case _:
            return None


def _is_now(expr: Expr) -> bool:
    return isinstance(expr, Param) and any(word in expr.name.lower() for word in ("now", "today", "current"))


def _is_size(expr: Expr) -> bool:
    return (isinstance(expr, Lit) and isinstance(expr.value, int)) or (
        isinstance(expr, Fn) and expr.name == "interval" and not expr.arguments
    )


def epoch(value: Expr, size: Expr) -> Expr:
    """The start of the epoch that a time falls into."""
    if isinstance(size, Lit):
        return call("sub", value, call("mod", value, size))
    return call("epoch", value, size)


def by_epochs(block: Select, first: bool) -> tuple[Select, tuple[str, ...]]:
    """The block with its windows as epochs, first (the epoch leads the view) or last; what it assumes."""
    found = windows_of(block)
    rest = [one for one in block.where if all(one != window.condition for window in found)]
    epochs = [call("eq", epoch(one.column, one.size), epoch(one.now, one.size)) for one in found]
    where = (*epochs, *rest) if first else (*rest, *epochs)
    notes = tuple(
        f"the window of {sql_of(one.column)} is answered by epochs of {sql_of(one.size)}: "
        "the one that holds now"
        for one in found
    )
    return replace(block, where=tuple(dict.fromkeys(where))), notes


def tuple_window_columns(block: Select, settings: Settings) -> Iterator[tuple[str, str]]:
    """(table, column) compared with MAX(key) - n: the query takes them for the order of insertion."""
    for condition in block.where:
        match condition:
            case Fn("gt" | "gte", (Col(alias, column), value)):
                subqueries = [part for part in walk(value) if isinstance(part, SubQuery)]
                known = [one for one in subqueries if window_of(one.query, settings.catalog) is not None]
                source = next((one for one in block.sources if one.alias == alias), None)
                if known and isinstance(source, Base):
                    yield source.table, column
