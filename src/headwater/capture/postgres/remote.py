"""What PostgreSQL's catalog says about tables and a publication."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.stream.pgoutput import type_text
from headwater.errors import InputError

__all__ = [
    "Partition", "Published", "RemoteColumn", "RemoteTable", "publication", "published_as",
    "remote_table", "require_publishing",
]  # fmt: skip

_HEADER = 4  # what PostgreSQL adds to a numeric's type modifier


@dataclass(frozen=True, slots=True)
class RemoteColumn:
    """A column's type (of a domain, the type it is based on), its category, and a numeric's digits."""

    type: str
    category: str = ""
    digits: tuple[int, int] | None = None  # precision and scale of numeric(p,s)

    def __str__(self) -> str:
        return self.type if self.digits is None else f"{self.type}({self.digits[0]},{self.digits[1]})"


@dataclass(frozen=True, slots=True)
class Partition:
    """A leaf of a partitioned table. `kind`: r(elation) or f(oreign table)."""

    name: str
    kind: str
    identity: str


@dataclass(frozen=True, slots=True)
class RemoteTable:
    """A table: its columns by name, its replica identity, and what may hinder."""

    columns: Mapping[str, RemoteColumn]
    identity: str  # d, n, f or i
    key: tuple[str, ...]  # of the replica identity
    types: Mapping[str, str] = field(default_factory=dict)  # column name -> its type as `type_text` writes it
    generated: frozenset[str] = frozenset()
    partitions: tuple[Partition, ...] = ()  # leaves; none if the table is not partitioned
    inherited: bool = False  # other tables inherit from it
    logged: bool = True
    hides_rows: bool = False  # row level security applies to us
    grant: str = ""  # what lets us read it, if we may not
    oid: int = 0
    unique: tuple[frozenset[str], ...] = ()  # the columns of which no two rows have the same values

    def types_of(self, columns: Iterable[str]) -> dict[str, str]:
        return {column: self.types[column] for column in columns if column in self.types}


@dataclass(frozen=True, slots=True)
class Published:
    """A publication: the operations it leaves out, its members, and each table as it is sent."""

    left_out: tuple[str, ...]
    via_root: bool
    members: frozenset[tuple[str, str]]  # (schema, table)
    tables: Mapping[tuple[str, str], tuple[tuple[str, ...], str]]  # (schema, table) -> (columns, row filter)

    def holds(self, declared: Declared) -> bool:
        table = (declared.schema, declared.name)
        return table in self.members or table in self.tables


def remote_table(connection: psycopg.Connection[Any], declared: Declared) -> RemoteTable:
    relation = connection.execute(
        "SELECT c.oid, c.relreplident::text, c.relkind::text, c.relpersistence::text, "
        "row_security_active(c.oid), "
        "c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid), "
        "CASE WHEN NOT has_schema_privilege(n.oid, 'USAGE') "
        "THEN format('GRANT USAGE ON SCHEMA %%I TO %%I', n.nspname, current_user) "
        "WHEN NOT has_any_column_privilege(c.oid, 'SELECT') "
        "THEN format('GRANT SELECT ON %%I.%%I TO %%I', n.nspname, c.relname, current_user) ELSE '' END "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = %s",
        (declared.schema, declared.name),
    ).fetchone()
    if relation is None or relation[2] not in "rp":
        raise InputError(
            "HW883", f"there is no table {declared.schema}.{declared.name} in PostgreSQL",
            place=declared.table.place, hint="OPTIONS (table 'schema.name'); views cannot be captured.",
        )  # fmt: skip
    oid, identity, kind, persistence, hides_rows, inherited, grant = relation
    columns = connection.execute(
        "SELECT a.attname, t.typname, t.typcategory::text, a.atttypid::bigint, a.atttypmod, "
        "a.attgenerated::text, CASE WHEN d.typtype = 'd' THEN d.typtypmod ELSE a.atttypmod END "
        "FROM pg_attribute a JOIN pg_type d ON d.oid = a.atttypid "
        "JOIN pg_type t ON t.oid = CASE WHEN d.typtype = 'd' THEN d.typbasetype ELSE d.oid END "
        "WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped",
        (oid,),
    ).fetchall()
    return RemoteTable(
        columns={
            name: RemoteColumn(base, category, _digits(base, modifier))
            for name, base, category, *_, modifier in columns
        },
        identity=identity,
        key=_key(connection, oid, identity),
        types={name: type_text(type_oid, modifier) for name, _, _, type_oid, modifier, *_ in columns},
        generated=frozenset(name for name, *_, generated, _ in columns if generated),
        partitions=_partitions(connection, oid) if kind == "p" else (),
        inherited=inherited,
        logged=persistence == "p",
        hides_rows=hides_rows,
        grant=grant,
        oid=oid,
        unique=_unique(connection, oid),
    )


def _digits(kind: str, modifier: int) -> tuple[int, int] | None:
    """Precision and scale of a numeric column as the catalog packs them; None if it has none."""
    if kind != "numeric" or modifier < _HEADER:
        return None
    packed = modifier - _HEADER
    scale = packed & 0x7FF
    return packed >> 16 & 0xFFFF, scale - 0x800 if scale & 0x400 else scale


def _key(connection: psycopg.Connection[Any], oid: int, identity: str) -> tuple[str, ...]:
    """The columns of the replica identity. A key that is checked only at the commit cannot be one."""
    rows = connection.execute(
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
        "AND a.attnum = ANY(i.indkey) WHERE i.indrelid = %s AND i.indimmediate "
        "AND CASE %s WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END",
        (oid, identity),
    ).fetchall()
    return tuple(name for (name,) in rows)


def _unique(connection: psycopg.Connection[Any], oid: int) -> tuple[frozenset[str], ...]:
    """The columns of each unique index over all rows."""
    rows = connection.execute(
        "SELECT array_agg(a.attname::text) FROM pg_index i "
        "CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, position) "
        "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum "
        "WHERE i.indrelid = %s AND i.indisunique AND i.indisvalid AND i.indpred IS NULL "
        "AND i.indexprs IS NULL AND k.position <= i.indnkeyatts GROUP BY i.indexrelid",
        (oid,),
    ).fetchall()
    return tuple(frozenset(names) for (names,) in rows)


def published_as(
    connection: psycopg.Connection[Any], name: str, tables: Sequence[Declared]
) -> dict[str, tuple[Any, ...]]:
    """By table: what is another as soon as it, its publication or its place there was made or altered."""
    rows = connection.execute(
        "SELECT n.nspname::text, c.relname::text, c.oid, p.xmin::text, r.xmin::text FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_publication p ON p.pubname = %s "
        "LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = c.oid "
        "WHERE (n.nspname::text, c.relname::text) IN (SELECT * FROM unnest(%s::text[], %s::text[]))",
        (name, [table.schema for table in tables], [table.name for table in tables]),
    ).fetchall()
    found = {(schema, table): tuple(marks) for schema, table, *marks in rows}
    return {table.table.name: found.get((table.schema, table.name), ()) for table in tables}


def _partitions(connection: psycopg.Connection[Any], oid: int) -> tuple[Partition, ...]:
    rows = connection.execute(
        "SELECT p.relid::regclass::text, c.relkind::text, c.relreplident::text "
        "FROM pg_partition_tree(%s::oid::regclass) p JOIN pg_class c ON c.oid = p.relid WHERE p.isleaf "
        "AND p.relid <> %s::oid::regclass ORDER BY 1",
        (oid, oid),
    ).fetchall()
    return tuple(Partition(*row) for row in rows)


def publication(connection: psycopg.Connection[Any], name: str) -> Published | None:
    """The publication of that name; None if there is none."""
    options = connection.execute(
        "SELECT pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot FROM pg_publication "
        "WHERE pubname = %s",
        (name,),
    ).fetchone()
    if options is None:
        return None
    operations = ("insert", "update", "delete", "truncate")
    left_out = tuple(operation for operation, sent in zip(operations, options[:4], strict=True) if not sent)
    members = connection.execute(
        "SELECT n.nspname::text, c.relname::text FROM pg_publication_rel r "
        "JOIN pg_publication p ON p.oid = r.prpubid JOIN pg_class c ON c.oid = r.prrelid "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE p.pubname = %s",
        (name,),
    ).fetchall()
    return Published(left_out, options[4], frozenset(members), _published_tables(connection, name))


def require_publishing(connection: psycopg.Connection[Any], name: str, tables: Sequence[Declared]) -> None:
    """Raise InputError, with what to do, if we may not add the tables to the publication or create it."""
    user, may_create, owner, superuser = connection.execute(
        "SELECT current_user::text, has_database_privilege(current_database(), 'CREATE'), "
        "(SELECT pg_has_role(pubowner, 'USAGE') FROM pg_publication WHERE pubname = %s), "
        "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)",
        (name,),
    ).fetchone() or ("", False, None, False)
    foreign = [table.full_name for table in tables if not _owns(connection, table)]
    if superuser or ((may_create if owner is None else owner) and not foreign):
        return
    listed = ", ".join(table.full_name for table in tables)
    statement = (
        f"CREATE PUBLICATION {name} FOR TABLE {listed} WITH (publish_via_partition_root = true)"
        if owner is None
        else f"ALTER PUBLICATION {name} ADD TABLE {listed}"
    )
    reason = f"does not own {', '.join(foreign)}" if foreign else "has no right to that in the database"
    raise InputError(
        "HW876",
        f'the user "{user}" may not publish the tables: it {reason}',
        place=tables[0].table.place,
        hint=f"As their owner or a superuser: {statement}",
    )


def _owns(connection: psycopg.Connection[Any], declared: Declared) -> bool:
    owner = connection.execute(
        "SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s",
        (declared.schema, declared.name),
    ).fetchone()
    return owner is not None and bool(owner[0])


def _published_tables(
    connection: psycopg.Connection[Any], name: str
) -> dict[tuple[str, str], tuple[tuple[str, ...], str]]:
    if connection.info.server_version < 150000:  # without row filters and column lists
        rows = connection.execute(
            "SELECT schemaname::text, tablename::text FROM pg_publication_tables WHERE pubname = %s", (name,)
        ).fetchall()
        return dict.fromkeys(rows, ((), ""))
    rows = connection.execute(
        "SELECT schemaname::text, tablename::text, attnames::text[], rowfilter FROM pg_publication_tables "
        "WHERE pubname = %s",
        (name,),
    ).fetchall()
    return {(schema, table): (tuple(columns or ()), where or "") for schema, table, columns, where in rows}
