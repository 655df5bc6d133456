"""A table as declared in the project against the table it stands for in PostgreSQL.

    CREATE TABLE events (id BIGINT PRIMARY KEY, uid BIGINT)
      USING postgres OPTIONS (uri 'postgresql://...', table 'public.user_events', rename 'uid=user_id')

Columns are matched by name; the project may leave columns out.  Whether PostgreSQL's type can become the
declared one is asked before anything is captured; values are read from PostgreSQL's text format, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.capture.postgres.pgoutput import Relation
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["Declared", "RemoteTable", "declare"]

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = (*_INTEGERS, "decimal", "float", "double")
_FITS: Mapping[str, tuple[str, ...]] = {
    "int2": _NUMBERS,
    "int4": _NUMBERS,
    "int8": _NUMBERS,
    "oid": _INTEGERS,
    "numeric": _NUMBERS,
    "float4": ("float", "double"),
    "float8": ("double",),
    "bool": ("boolean",),
    "date": ("date",),
    "timestamptz": ("timestamp",),
    "timestamp": ("timestamp_ntz", "timestamp"),
    "bytea": ("binary",),
}


@dataclass(frozen=True, slots=True)
class RemoteTable:
    """What PostgreSQL's catalog says: column name -> (type name, type category), and its replica identity."""

    columns: Mapping[str, tuple[str, str]]
    identity: str  # d, n, f or i
    key: tuple[str, ...]  # of the replica identity


@dataclass(frozen=True, slots=True)
class Declared:
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
    def _full(self) -> str:
        return f"ALTER TABLE {self.schema}.{self.name} REPLICA IDENTITY FULL"

    def local_key(self, relation: Relation) -> tuple[str, ...]:
        """The columns of the replica identity by their declared names."""
        return self._local(relation.key)

    def _local(self, key: tuple[str, ...]) -> tuple[str, ...]:
        local = {self.remote(name): name for name in self.table.column_names}
        missing = [name for name in key if name not in local]
        if missing:
            raise InputError(
                "HW875",
                f'table "{self.table.name}" lacks "{missing[0]}" of the key of {self.schema}.{self.name}',
                place=self.table.place,
                hint=f"Declare it, or in PostgreSQL: {self._full}.",
            )
        return tuple(local[name] for name in key)

    def check(self, remote: RemoteTable) -> None:
        """Raise what is wrong before anything is captured."""
        for column in self.table.columns:
            self._check_column(column.name, column.type, remote.columns)
        if remote.identity == "n" or (remote.identity != "f" and not remote.key):
            raise InputError(
                "HW875",
                f"{self.schema}.{self.name} has no key that PostgreSQL could send with a change",
                place=self.table.place,
                detail="In a publication its updates and deletes would fail.",
                hint=f"{self._full}, or give it a PRIMARY KEY.",
            )
        if remote.identity != "f":
            self._local(remote.key)

    def place_of(self, column: str, names: Sequence[str]) -> int:
        """Where PostgreSQL's rows have a declared column."""
        if self.remote(column) not in names:
            raise self._absent(column, names)
        return names.index(self.remote(column))

    def _absent(self, column: str, names: Iterable[str]) -> InputError:
        return InputError(
            "HW873",
            f'{self.schema}.{self.name} has no column "{self.remote(column)}"',
            place=self.table.place,
            hint=did_you_mean(self.remote(column), names),
        )

    def _check_column(self, name: str, kind: str, columns: Mapping[str, tuple[str, str]]) -> None:
        found = columns.get(self.remote(name))
        if found is None:
            raise self._absent(name, columns)
        remote_type, category = found
        base = kind.partition("(")[0]
        if category in "ACR" or (base != "string" and base not in _FITS.get(remote_type, ())):
            fits = ", ".join((*_FITS.get(remote_type, ()), "string")) if category not in "ACR" else "no type"
            raise InputError(
                "HW874",
                f'column "{name}" of table "{self.table.name}" is {kind}, in PostgreSQL it is {remote_type}',
                place=self.table.place,
                hint=f"It can be captured as {fits}.",
            )


def declare(table: Table) -> Declared:
    """What the table's options say."""
    if "uri" not in table.options:
        raise InputError(
            "HW872", f'table "{table.name}" needs a uri', place=table.place,
            hint="USING postgres OPTIONS (uri 'postgresql://user@host/database', table 'public.orders')",
        )  # fmt: skip
    schema, _, name = table.options.get("table", table.name).rpartition(".")
    return Declared(table, schema or "public", name, _renames(table))


def _renames(table: Table) -> Mapping[str, str]:
    renamed = {}
    for part in filter(None, (part.strip() for part in table.options.get("rename", "").split(","))):
        local, equals, remote = (piece.strip() for piece in part.partition("="))
        if not equals or table.column(local) is None:
            raise InputError(
                "HW873", f'table "{table.name}": "{part}" renames no column', place=table.place,
                hint="OPTIONS (rename 'declared=in_postgresql, ...')",
            )  # fmt: skip
        renamed[local] = remote
    return renamed
