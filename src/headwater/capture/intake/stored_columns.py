"""A source's stored columns follow its declaration, as far as rows that are stored allow.

    a new column        is added; rows stored before hold its DEFAULT, or NULL
    any other change    is refused with what to do: stored rows cannot be read under it
    no row is stored    any declaration will do, also after a first capture that rejected all its rows

PostgreSQL's ALTER TABLE ADD COLUMN comes through here too: `fit_columns` with the table as declared then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from headwater.capture.intake.texts import default_of
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.added_columns import AddedColumn, add_columns
from headwater.storage.delta.types import arrow_schema, arrow_type, spark_type
from headwater.storage.timeline import TIME, Timeline, change_schema

__all__ = ["OTHERWISE_STORED", "Difference", "difference", "fit_columns"]

OTHERWISE_STORED = "HW845"


@dataclass(frozen=True, slots=True)
class Difference:
    """How a declaration differs from what is stored."""

    added: tuple[Column, ...] = ()
    dropped: tuple[str, ...] = ()
    retyped: tuple[Column, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.dropped or self.retyped)


def difference(stored: pa.Schema, table: Table) -> Difference:
    kinds: Mapping[str, pa.DataType] = {column.name: column.type for column in stored}
    declared = set(table.column_names)
    return Difference(
        tuple(column for column in table.columns if column.name not in kinds),
        tuple(name for name in kinds if name not in declared),
        tuple(
            column
            for column in table.columns
            if column.name in kinds and kinds[column.name] != arrow_type(column.type)
        ),
    )


def fit_columns(timeline: Timeline, table: Table) -> None:
    """Let an existing timeline have the columns that its table declares; InputError if it cannot.

    Only for who holds the source's clock.
    """
    changed = difference(timeline.columns(), table)
    if not changed:
        return
    snapshot = timeline.snapshot()
    if not snapshot.files:
        if not _declared_anew(timeline, table, snapshot.version):
            fit_columns(timeline, table)
        return
    _refuse(table, timeline.columns(), changed)
    fields = arrow_schema(changed.added)
    add_columns(
        timeline,
        [AddedColumn(field, default_of(column)) for field, column in zip(fields, changed.added, strict=True)],
    )


def _declared_anew(timeline: Timeline, table: Table, version: int) -> bool:
    schema = change_schema(arrow_schema(table.columns)).append(timeline.log.schema().field(TIME))
    return timeline.log.alter(schema, version)


def _refuse(table: Table, stored: pa.Schema, changed: Difference) -> None:
    """Raise if rows that are stored cannot be read under the declaration."""
    listed = f"Stored: {', '.join(f'{column.name} {spark_type(column.type)}' for column in stored)}."
    required = [column for column in changed.added if not column.nullable and column.default is None]
    if changed.dropped:
        message, hint = _dropped(table, changed.dropped[0])
    elif changed.retyped:
        column = changed.retyped[0]
        message, hint = _retyped(table, column, spark_type(stored.field(column.name).type))
    elif required:
        message, hint = _required(table, required[0])
    else:
        return
    raise InputError(OTHERWISE_STORED, message, place=table.place, detail=listed, hint=hint)


def _dropped(table: Table, name: str) -> tuple[str, str]:
    return (
        f'table "{table.name}" no longer declares its column "{name}", and rows are stored with it',
        f"Declare {name} again. To rename it, let views say SELECT {name} AS new_name; to drop it, let no "
        "view read it. Or give the new table another name and feed it anew.",
    )


def _retyped(table: Table, column: Column, stored: str) -> tuple[str, str]:
    return (
        f'column "{column.name}" of table "{table.name}" is declared as {column.type} and stored as {stored}',
        f"Declare it as {stored} and cast it in views, or add a column of another name and type.",
    )


def _required(table: Table, column: Column) -> tuple[str, str]:
    return (
        f'the new column "{column.name}" of table "{table.name}" is NOT NULL, and rows are stored already',
        f"Give it a DEFAULT (what those rows hold), or let it be NULL: {column.name} {column.type}.",
    )
