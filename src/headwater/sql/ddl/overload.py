"""ON OVERLOAD UPDATES, OVERLOAD WEIGHT and REFRESH WEIGHT: which updates of a table are shown first.

ON OVERLOAD UPDATES best                                   the policy
ON OVERLOAD UPDATES best WINDOWS LAZY [ON quoted_at]       whole windows of a key are shown, the newest first
OVERLOAD WEIGHT = 3                                        of the time that it divides with others, as much as
                                                           three of weight 1; of an adapted join as well
REFRESH WEIGHT (symbol) FROM watchlist (symbol, weight)    how much the staleness of a key matters: a table
                                                           of the project says so; 1 for keys that it lacks
REFRESH WEIGHT (symbol) BY READS                           the same, learnt from how often keys are read
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.algebra.stages.choosing import own_column
from headwater.errors import InputError, Place, did_you_mean
from headwater.model import (
    Column,
    ReadWeight,
    RefreshWeight,
    Table,
    Updates,
    View,
    WholeWindows,
    Windowed,
)
from headwater.sql.ddl.clauses import WHOLE_WINDOWS, whole_windows
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.types import family
from headwater.sql.parsing.words import Words

__all__ = [
    "check_every_change",
    "check_own_columns",
    "check_updates",
    "read_overload",
    "read_overload_weight",
    "read_weight",
    "resolve_weights",
]


@dataclass(frozen=True, slots=True)
class OverloadText:
    """The clause as read: the column of its windows is resolved when all columns are known."""

    updates: Updates = Updates.APPEND
    windows: WholeWindows | None = None
    column: str = ""  # ON quoted_at
    token: Token | None = field(default=None, compare=False)  # of WINDOWS


def read_overload(words: Words) -> OverloadText:
    """What follows ON OVERLOAD: UPDATES best [WINDOWS LAZY [ON quoted_at]]."""
    updates = _read_policy(words)
    token = words.peek()
    if not words.accept("WINDOWS"):
        return OverloadText(updates)
    semantics = words.name("LAZY or EAGER")
    kinds = [kind.value for kind in WholeWindows]
    if semantics.text.lower() not in kinds:
        message = f"expected LAZY or EAGER after WINDOWS, found {semantics}"
        raise words.wrong("HW111", message, semantics, choices=["LAZY", "EAGER"])
    column = ""
    if words.at("ON") and not words.at("ON", "VIOLATION") and not words.at("ON", "OVERLOAD"):
        words.expect("ON")
        token = words.name("a TEMPORAL column")
        column = token.text
    return OverloadText(updates, WholeWindows(semantics.text.lower()), column, token)


def resolve_windows(
    words: Words, text: OverloadText, table: str, columns: Sequence[Column], update_key: Sequence[str]
) -> Windowed | None:
    """By which column a table has windows: its TEMPORAL timestamp, or the one that is named."""
    if text.windows is None:
        return None
    instants = [
        column.name
        for column in columns
        if column.temporal and column.type == "timestamp" and column.name not in update_key
    ]
    name = spelling(text.column, instants) if text.column else None
    if not text.column and len(instants) == 1:
        name = instants[0]
    if name is None:
        raise words.wrong(
            "HW141",
            f'"{table}" needs a TEMPORAL column to tell in which window a row is',
            text.token,
            detail=f"Such columns here: {', '.join(instants) or 'none'}. One that is part of the UPDATE KEY"
            " would make a key of every row.",
            hint=f"declare quoted_at TIMESTAMP TEMPORAL, then WINDOWS {text.windows.name} ON quoted_at",
        )
    if text.updates is Updates.APPEND:
        raise words.wrong(
            "HW141",
            f'"{table}" takes everything under overload and has no windows to choose among',
            text.token,
            hint=f"write ON OVERLOAD UPDATES best WINDOWS {text.windows.name}",
        )
    return Windowed(text.windows, name)


def _read_policy(words: Words) -> Updates:
    words.expect("UPDATES", after="ON OVERLOAD")
    policies = [policy.value for policy in Updates]
    token = words.name("a policy")
    if token.word in WHOLE_WINDOWS:
        raise whole_windows(words, token)
    if token.text.lower() not in policies:
        hint = f"the policies are {', '.join(policies)}"
        raise words.wrong(
            "HW111", f'there is no policy of updates "{token.text}"', token, choices=policies, hint=hint
        )
    return Updates(token.text.lower())


def read_overload_weight(words: Words) -> float:
    """What follows OVERLOAD WEIGHT: a number above 0."""
    token = words.peek()
    weight = float(words.amount("an OVERLOAD WEIGHT"))
    if weight <= 0:
        hint = "with a weight of 1 it gets a third of what another gets with 3"
        raise words.wrong("HW111", "an OVERLOAD WEIGHT must be above 0", token, hint=hint)
    return weight


def read_weight(words: Words) -> RefreshWeight | ReadWeight:
    """What follows REFRESH WEIGHT: (symbol) FROM watchlist (symbol, weight), or [(symbol)] BY READS."""
    place = words.place(words.peek())
    columns = words.names("key column") if words.at("(") else []
    if not columns or words.at("BY"):
        words.expect("BY", "READS", after="the key columns" if columns else "REFRESH WEIGHT")
        return ReadWeight(tuple(column.text for column in columns), place)
    if not words.at("FROM"):
        hint = "write FROM a_table (key, weight), or BY READS"
        message = f"expected FROM or BY READS after the key columns, found {words.peek()}"
        raise words.wrong("HW100", message, hint=hint)
    words.expect("FROM")
    table, place = words.name("a table"), words.place(words.peek())
    named = words.names("column")
    if len(named) != len(columns) + 1:
        raise words.wrong(
            "HW100",
            f"expected {len(columns)} key columns of {table.text} and its weight, found {len(named)} columns",
            named[0],
            hint=f"write FROM {table.text} ({', '.join(column.text for column in columns)}, weight)",
        )
    *keys, weight = (token.text for token in named)
    return RefreshWeight(tuple(column.text for column in columns), table.text, tuple(keys), weight, place)


def check_updates(
    words: Words,
    table: str,
    update_key: tuple[str, ...],
    updates: Updates,
    weight: RefreshWeight | ReadWeight | None,
    token: Token,
    shares: bool = False,
) -> None:
    """Only update streams have updates to choose among; only `best` asks what they are worth.

    `shares`: it has an OVERLOAD WEIGHT.
    """
    if updates is not Updates.APPEND and not update_key:
        raise words.wrong(
            "HW117",
            f'the table "{table}" chooses among updates, but has no UPDATE KEY',
            token,
            detail="Only where a row replaces the one before it may an older one be skipped.",
            hint="write UPDATE KEY (column) after the columns, or leave out ON OVERLOAD",
        )
    if weight is not None and updates is not Updates.BEST:
        raise words.wrong(
            "HW117",
            f'the table "{table}" has a REFRESH WEIGHT that nothing asks for',
            token,
            hint="write ON OVERLOAD UPDATES best, or leave out REFRESH WEIGHT",
        )
    if shares and updates is Updates.APPEND:
        raise words.wrong(
            "HW117",
            f'the table "{table}" has an OVERLOAD WEIGHT, but takes everything under overload',
            token,
            detail="Only tables that choose among their updates divide the time of a push with others.",
            hint="write ON OVERLOAD UPDATES best, or leave out OVERLOAD WEIGHT",
        )


def check_own_columns(words: Words, columns: Sequence[Token]) -> None:
    """What waits is stored with columns of its own beside the table's."""
    for column in columns:
        if own_column(column.text):
            raise words.wrong(
                "HW109",
                f'"{column.text}" is one of Headwater\'s own columns where updates are chosen among',
                column,
                hint="choose another name, or leave out ON OVERLOAD",
            )


def resolve_weights(tables: list[Table]) -> list[Table]:
    """The tables with the columns of their weights in their declared spelling."""
    by_name = {table.name: table for table in tables}
    return [
        table if table.weight is None else replace(table, weight=_resolved(table, table.weight, by_name))
        for table in tables
    ]


def _resolved(
    table: Table, weight: RefreshWeight | ReadWeight, tables: dict[str, Table]
) -> RefreshWeight | ReadWeight:
    if isinstance(weight, ReadWeight):
        return _by_reads(table, weight)
    name = spelling(weight.table, tables)
    if name is None:
        raise InputError(
            "HW122",
            f'there is no table "{weight.table}"',
            place=weight.place,
            hint=did_you_mean(weight.table, tables),
        )
    columns = tuple(_column(table, column, weight) for column in weight.columns)
    _check_number(tables[name], weight)
    keys = tuple(_column(tables[name], column, weight) for column in weight.keys)
    value = _column(tables[name], weight.weight, weight)
    for column, key in zip(columns, keys, strict=True):
        own, other = table.column(column), tables[name].column(key)
        if (
            column not in table.update_key
            or own is None
            or other is None
            or family(own.type) != family(other.type)
        ):
            raise InputError(
                "HW122",
                f"{table.name}.{column} cannot be weighed by {name}.{key}",
                place=weight.place,
                detail="Weights are of update keys, and of the same type.",
            )
    return replace(weight, table=name, columns=columns, keys=keys, weight=value)


def _check_number(table: Table, weight: RefreshWeight) -> None:
    column = table.column(_column(table, weight.weight, weight))
    if column is not None and family(column.type) != "number":
        raise InputError(
            "HW122",
            f"{table.name}.{column.name} is {column.type}, but a weight is a number",
            place=weight.place,
            hint="declare it DOUBLE",
        )


def _by_reads(table: Table, weight: ReadWeight) -> ReadWeight:
    columns = tuple(_column(table, column, weight) for column in weight.columns) or table.update_key
    other = [column for column in columns if column not in table.update_key]
    if other or len(set(columns)) < len(columns):
        raise InputError(
            "HW122",
            f"{table.name}.{(other or columns)[0]} cannot be weighed by reads",
            place=weight.place,
            detail="Weights are of update keys, each column once.",
            hint="write REFRESH WEIGHT BY READS: reads of whole keys are counted",
        )
    return replace(weight, columns=columns)


def _column(table: Table, column: str, weight: RefreshWeight | ReadWeight) -> str:
    name = spelling(column, table.column_names)
    if name is None:
        message = f'the table "{table.name}" has no column "{column}"'
        hint = did_you_mean(column, table.column_names)
        raise InputError("HW122", message, place=weight.place, hint=hint)
    return name


def check_every_change(
    tables: Iterable[Table], views: Iterable[View], reads: Mapping[str, Mapping[str, Place]]
) -> None:
    """A view that must not miss a change cannot read one that shows what was chosen.

    `views` in dependency order; `reads`: what each reads, and where.
    """
    choosing = {table.name for table in tables if table.chooses}
    chosen: dict[str, str] = {}  # of a view that shows what is chosen: of which table
    for view in views:
        for name, place in reads[view.name].items():
            table = name if name in choosing and not view.every_change else chosen.get(name)
            if table is not None and view.every_change:
                raise InputError(
                    "HW140",
                    f'"{view.name}" is to read EVERY CHANGE, but "{name}" shows what is chosen of "{table}"',
                    place=place,
                    hint=f'declare "{name}" REFRESH EVERY CHANGE as well, or read "{table}" itself',
                )
            if table is not None:
                chosen.setdefault(view.name, table)
