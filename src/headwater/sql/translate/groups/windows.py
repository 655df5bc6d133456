"""window(time, size, slide, offset): time windows as an operator of the plan.

Spark allows one window expression in a query, in the select list or GROUP BY; a row then appears once
for every window it falls into.  Sizes are constant texts such as '10 minutes', or whole microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from sqlglot import exp

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Windows
from headwater.sql.parsing.intervals import MICROSECONDS
from headwater.sql.translate.env import Env
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.calls import window_time
from headwater.sql.translate.scalars.operators import cast_to
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

__all__ = ["add_windows", "duration", "own_nodes"]

_WINDOW = re.compile(r"struct<start:timestamp\w*,\s*end:timestamp\w*>", re.IGNORECASE)
_PIECE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)


def own_nodes(node: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression, without those of subqueries in it."""
    return node.walk(prune=lambda part: isinstance(part, exp.Query) and part is not node)


def add_windows(rows: Rows, parts: list[exp.Expr], env: Env) -> tuple[Rows, dict[exp.Expr, Typed]]:
    """Put the window that `parts` call into the plan; map each call to the column that stands for it."""
    calls = [
        call
        for part in parts
        for call in own_nodes(part)
        if isinstance(call, exp.Anonymous) and call.name.lower() == "window"
    ]
    columns: dict[exp.Expr, Typed] = {}
    windows: dict[tuple[object, ...], Typed] = {}
    for call in calls:
        time, key = _arguments(rows, call, env)
        if key not in windows:
            if windows:
                env.notes.fail("HW309", call, "a query can have only one window(...), as in Spark")
            name = env.notes.alias("window")
            size, slide, offset = key[1:]
            rows = Rows(
                Windows(rows.plan, name, time.expr, size, slide, offset),
                rows.fields, rows.open, rows.correlated,
            )  # fmt: skip
            instant = "timestamp_ntz" if time.type == "timestamp_ntz" else "timestamp"
            windows[key] = Typed(Column(name), f"struct<start:{instant},end:{instant}>", nullable=False)
        columns[call] = windows[key]
    return rows, columns


def _arguments(
    rows: Rows, node: exp.Expr, env: Env
) -> tuple[Typed, tuple[object, timedelta, timedelta, timedelta]]:
    given = node.expressions
    if not 2 <= len(given) <= 4:
        env.notes.fail(
            "HW309", node, f"window takes 2 to 4 arguments, not {len(given)}",
            hint="window(time, '10 minutes', '5 minutes', '0 minutes'): time, size, slide, offset",
        )  # fmt: skip
    time = env.expressions(rows, "window").translate(given[0])
    if _WINDOW.fullmatch(time.type):  # windows of windows
        time = window_time(env.notes, time, given[0])
    if family(time.type) in ("date", "string"):
        time = cast_to(time, "timestamp")
    elif time.type and family(time.type) not in ("timestamp", "void"):
        env.notes.fail("HW308", given[0], f"window needs a timestamp, not a {time.type}")
    size = duration(env.notes, given[1])
    slide = duration(env.notes, given[2]) if len(given) > 2 else size
    offset = duration(env.notes, given[3]) if len(given) > 3 else timedelta()
    _check(env.notes, node, size, slide, offset)
    return time, (time.expr, size, slide, offset)


def _check(notes: Notes, node: exp.Expr, size: timedelta, slide: timedelta, offset: timedelta) -> None:
    if size <= timedelta() or slide <= timedelta():
        notes.fail("HW309", node, "a window's size and slide must be longer than zero")
    if slide > size:
        notes.fail("HW309", node, "a window's slide cannot be longer than its size")
    if abs(offset) >= slide:
        notes.fail("HW309", node, "a window's offset must be shorter than its slide")


def duration(notes: Notes, node: exp.Expr) -> timedelta:
    """'1 hour 30 minutes', or a whole number of microseconds."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return timedelta(microseconds=int(node.name))
    if not isinstance(node, exp.Literal):
        notes.fail("HW309", node, "a window's size must be a text", hint="write it as '10 minutes'")
    written = re.sub(r"^\s*interval\b", "", node.name, flags=re.IGNORECASE)
    pieces = _PIECE.findall(written)
    units = [unit.lower().removesuffix("s") for _, unit in pieces]
    if not pieces or _PIECE.sub("", written).strip() or any(unit not in MICROSECONDS for unit in units):
        hint = (
            "months and years have no fixed length"
            if {"month", "year"} & set(units)
            else "write '10 minutes'"
        )
        notes.fail("HW309", node, f"'{node.name}' is not a window's size", hint=hint)
    total = sum(float(count) * MICROSECONDS[unit] for (count, _), unit in zip(pieces, units, strict=True))
    return timedelta(microseconds=round(total))
