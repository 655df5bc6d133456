"""A table as declared in the project against the table it captures in PostgreSQL.

    CREATE TABLE events (id BIGINT PRIMARY KEY, uid BIGINT)
      USING postgres OPTIONS (uri 'postgresql://...', table 'public.user_events', rename 'uid=user_id')

Columns are matched by name; the project may leave columns out.  Whether the table can be captured as
declared is checked before anything is captured (checks.py); values are read from PostgreSQL's text format,
exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.capture.postgres.stream.pgoutput import Relation
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["Declared", "check_address", "declare"]


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared table with the PostgreSQL table and columns it captures."""

    table: Table
    schema: str
    name: str
    renamed: Mapping[str, str] = field(default_factory=dict)  # declared -> PostgreSQL's

    def remote(self, column: str) -> str:
        return self.renamed.get(column, column)

    @property
    def remote_columns(self) -> tuple[str, ...]:
        return tuple(self.remote(name) for name in self.table.column_names)

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def identity_full(self) -> str:
        return f"ALTER TABLE {self.full_name} REPLICA IDENTITY FULL"

    def read_anew(self, said: str, detail: str) -> InputError:
        """Why the table is compared with a new snapshot: the stream alone does not tell all of it."""
        return InputError(
            "HW950",
            f"{self.full_name}{said}",
            place=self.table.place,
            detail=detail,
            hint="A new snapshot of the table is taken.",
        )

    def captures(self, relation: Relation) -> bool:
        return (relation.schema, relation.name) == (self.schema, self.name)

    def local_key(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """The columns of the replica identity by their declared names."""
        local = {self.remote(name): name for name in self.table.column_names}
        missing = [name for name in key if name not in local]
        if missing:
            raise InputError(
                "HW875",
                f'table "{self.table.name}" lacks "{missing[0]}" of the key of {self.schema}.{self.name}',
                place=self.table.place,
                hint=f"Declare it, or in PostgreSQL: {self.identity_full}.",
            )
        return tuple(local[name] for name in key)

    def position_of(self, column: str, names: Sequence[str]) -> int:
        """The position of a declared column in PostgreSQL's rows, whose columns are `names`."""
        if self.remote(column) not in names:
            raise self.absent(column, names)
        return names.index(self.remote(column))

    def absent(self, column: str, names: Iterable[str]) -> InputError:
        return InputError(
            "HW873",
            f'{self.schema}.{self.name} has no column "{self.remote(column)}"',
            place=self.table.place,
            hint=did_you_mean(self.remote(column), names),
        )


def declare(table: Table) -> Declared:
    """The PostgreSQL table that a table's options name."""
    if table.options.keys().isdisjoint(("uri", "uri_file")):
        raise InputError(
            "HW872", f'table "{table.name}" needs a uri', place=table.place,
            hint="USING postgres OPTIONS (uri 'postgresql://user@host/database', table 'public.orders')",
        )  # fmt: skip
    schema, _, name = table.options.get("table", table.name).rpartition(".")
    return Declared(table, schema or "public", name, _renames(table))


def check_address(table: Table) -> None:
    """Raise an InputError unless the uri is one of PostgreSQL's; secrets are not looked up here."""
    from headwater.capture.postgres.failures import database_of

    uri = table.options.get("uri", "")
    if uri and "${" not in uri:
        try:
            database_of(uri)
        except InputError as error:
            message = f'table "{table.name}": {error.message}'
            raise InputError(error.code, message, place=table.place, hint=error.hint) from None


def _renames(table: Table) -> Mapping[str, str]:
    renamed = {}
    for part in filter(None, (part.strip() for part in table.options.get("rename", "").split(","))):
        local, equals, remote = (piece.strip() for piece in part.partition("="))
        if not equals or table.column(local) is None:
            raise InputError(
                "HW885", f'table "{table.name}": "{part}" renames no column', place=table.place,
                hint="OPTIONS (rename 'declared=in_postgresql, ...')",
            )  # fmt: skip
        renamed[local] = remote
    return renamed
