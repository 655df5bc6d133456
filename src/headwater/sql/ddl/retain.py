"""RETAIN: what a source keeps.

    RETAIN CURRENT                                the rows that are, not how they came
    RETAIN INTERVAL '30' DAY [ON placed_at]       only rows whose TEMPORAL column is not older
    RETAIN INTERVAL '30' DAY KEEP DERIVED         the same, and views keep what they made of them

Rows that grow too old are deleted by the run, as a change like any other, and views see it as one.  With KEEP
DERIVED views do not see it: which views can go on without the rows is decided in catalog.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from headwater.errors import InputError
from headwater.model import Column, Retain, Table
from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import columns_among
from headwater.sql.parsing.words import Words

__all__ = ["RetainText", "check_not_referenced", "read_retain", "resolve_retain"]

INSTANTS = ("timestamp", "timestamp_ntz", "date")


@dataclass(frozen=True, slots=True)
class RetainText:
    """The clause as read: the column is resolved when all columns are known."""

    token: Token
    window: timedelta | None = None
    column: Token | None = None
    keep_derived: bool = False


def read_retain(words: Words) -> RetainText:
    """What follows RETAIN."""
    token = words.peek()
    if words.accept("CURRENT"):
        return RetainText(token)
    if not words.at("INTERVAL"):
        raise words.wrong(
            "HW111", f"expected CURRENT or INTERVAL, found {token}", choices=("CURRENT", "INTERVAL")
        )
    window, column = read_interval(words), None
    if words.at("ON") and not words.at("ON", "VIOLATION") and not words.at("ON", "OVERLOAD"):
        words.expect("ON")
        column = words.name("a TEMPORAL column")
    keep_derived = words.at("KEEP")
    if keep_derived:
        words.expect("KEEP")
        words.expect("DERIVED", after="KEEP")
    return RetainText(token, window, column, keep_derived)


def resolve_retain(
    words: Words, text: RetainText | None, table: str, columns: tuple[Column, ...], provider: str
) -> Retain:
    if text is None:
        return Retain()
    if text.window is None:
        return Retain(current=True)
    if provider == "postgres":
        raise words.wrong(
            "HW126",
            f'"{table}" is captured from PostgreSQL and cannot RETAIN an INTERVAL',
            text.token,
            detail="PostgreSQL decides which rows there are.",
            hint="delete old rows there, or filter them in a view",
        )
    column = _column(words, text, table, columns)
    return Retain(window=text.window, column=column, keep_derived=text.keep_derived)


def _column(words: Words, text: RetainText, table: str, columns: tuple[Column, ...]) -> str:
    instants = {column.name for column in columns if column.temporal and column.type in INSTANTS}
    if text.column is not None:
        names = [column.name for column in columns]
        (name,) = columns_among(words, [text.column], names, f'the table "{table}"')
        if name in instants:
            return name
    elif len(instants) == 1:
        return instants.pop()
    raise words.wrong(
        "HW126",
        f'"{table}" needs a TEMPORAL column to tell which rows are old',
        text.column or text.token,
        detail=f"Such columns here: {', '.join(sorted(instants)) or 'none'}.",
        hint="declare placed_at TIMESTAMP TEMPORAL, then RETAIN INTERVAL '30' DAY ON placed_at",
    )


def check_not_referenced(tables: list[Table]) -> None:
    """Rows that other tables reference cannot grow too old."""
    referenced = {key.table: table.name for table in tables for key in table.foreign_keys}
    for table in tables:
        if table.retain.window is not None and table.name in referenced:
            raise InputError(
                "HW126",
                f'"{table.name}" cannot RETAIN an INTERVAL: "{referenced[table.name]}" references it',
                place=table.place,
                detail="Deleting its old rows would break that foreign key.",
                hint="leave out RETAIN, or the REFERENCES",
            )
