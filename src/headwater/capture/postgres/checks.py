"""Whether a PostgreSQL table can be captured as declared, asked before anything is captured. Pure.

An error names the remedy, as SQL where there is one.  What works and yet has a limit that a user should
know is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.remote import Partition, Published, RemoteColumn, RemoteTable
from headwater.errors import InputError

__all__ = ["check_publication", "check_table", "holds_all", "holds_some", "warnings_of"]

_DIGITS = {"tinyint": 2, "smallint": 4, "int": 9, "bigint": 18}  # that a value of the type can always have
_WIDER = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("double", "float")
_INTEGERS = {"int2": ("smallint", 5), "int4": ("int", 10), "int8": ("bigint", 19), "oid": ("bigint", 10)}
_FITS: Mapping[str, tuple[str, ...]] = {
    "float4": ("float", "double"),
    "float8": ("double",),
    "bool": ("boolean",),
    "date": ("date",),
    "timestamptz": ("timestamp",),
    "timestamp": ("timestamp_ntz", "timestamp"),
    "bytea": ("binary",),
}
_MOST_DIGITS = 38  # of a decimal
_UNLIKE_ANY = "ACR"  # categories without a type of ours: arrays, composites, ranges
_IDENTITIES = {"d": "DEFAULT", "n": "NOTHING", "f": "FULL", "i": "USING INDEX"}


def check_table(declared: Declared, remote: RemoteTable, server_version: int, stored: bool = False) -> None:
    """Raise InputError if the table cannot be captured as declared.

    If rows are `stored`, their types cannot change any more: where PostgreSQL's has been altered to a wider
    one, what fits is captured, and the rest is rejected and counted.
    """
    if remote.grant:
        raise InputError(
            "HW876", f"{declared.full_name} may not be read", place=declared.table.place, hint=remote.grant
        )
    for column in declared.table.columns:
        _check_column(declared, column.name, column.type, remote, holds_some if stored else holds_all)
    if server_version < 180000:
        _check_generated(declared, remote)
    _check_identity(declared, remote)
    _check_unique(declared, remote)
    _check_rows(declared, remote)
    for partition in remote.partitions:
        _check_partition(declared, remote, partition)


def check_publication(declared: Declared, remote: RemoteTable, name: str, published: Published) -> None:
    """Raise InputError if the publication leaves out changes, rows or columns of the table."""
    if published.left_out:
        raise InputError(
            "HW886", f"the publication {name} leaves out {', '.join(published.left_out)}",
            hint=f"ALTER PUBLICATION {name} SET (publish = 'insert, update, delete, truncate')",
        )  # fmt: skip
    if remote.partitions and not published.via_root:
        raise InputError(
            "HW886",
            f"the publication {name} sends changes of {declared.full_name} under the names of its partitions",
            place=declared.table.place,
            hint=f"ALTER PUBLICATION {name} SET (publish_via_partition_root = true)",
        )
    columns, row_filter = published.tables.get((declared.schema, declared.name), ((), ""))
    anew = (
        f"ALTER PUBLICATION {name} DROP TABLE {declared.full_name}; "
        f"ALTER PUBLICATION {name} ADD TABLE {declared.full_name}"
    )
    if row_filter:
        raise InputError(
            "HW886",
            f"the publication {name} sends only some rows of {declared.full_name}: WHERE {row_filter}",
            place=declared.table.place, hint=f"{anew}; or filter in a view.",
        )  # fmt: skip
    absent = [column for column in declared.remote_columns if columns and column not in columns]
    if absent:
        raise InputError(
            "HW887" if absent[0] in remote.generated else "HW886",
            f'the publication {name} leaves out the column "{absent[0]}" of {declared.full_name}',
            place=declared.table.place, hint=anew,
        )  # fmt: skip


def warnings_of(declared: Declared, remote: RemoteTable | None) -> list[tuple[str, str]]:
    """Limits of capturing this table, as (code, text)."""
    if remote is None or not remote.partitions:
        return []
    return [
        (
            "HW954",
            f"{declared.full_name} is partitioned: PostgreSQL does not replicate ATTACH, DETACH or TRUNCATE "
            "of one partition; after that, `headwater capture DIR --drop` lets the next run compare all rows",
        )
    ]


def _check_column(
    declared: Declared,
    name: str,
    kind: str,
    remote: RemoteTable,
    holds: Callable[[str, RemoteColumn], bool],
) -> None:
    column = remote.columns.get(declared.remote(name))
    if column is None:
        raise declared.absent(name, remote.columns)
    if not holds(kind, column):
        fits = _fitting(column)
        remedy = f"declare {name} {fits[0].upper()}" if fits else "no type can hold it, leave it out"
        raise InputError(
            "HW874",
            f'column "{name}" of table "{declared.table.name}" is {kind}, in PostgreSQL it is {column}: '
            f"{remedy}",
            place=declared.table.place,
            detail="Its rows would be rejected.",
            hint=f"It can also be captured as {', '.join(fits[1:])}." if fits[1:] else "",
        )


def holds_all(kind: str, column: RemoteColumn) -> bool:
    """Whether a declared type can hold what PostgreSQL's may.

    A numeric without precision may hold anything: any decimal will do, and what does not fit is rejected.
    """
    if column.category in _UNLIKE_ANY:
        return False
    base, _, rest = kind.partition("(")
    if base == "string" or base in _FITS.get(column.type, ()):
        return True
    if column.type not in _INTEGERS and column.type != "numeric":
        return False
    if base in _FLOATS:
        return True
    if base == "decimal":
        precision, scale = (int(number) for number in rest.rstrip(")").split(","))
        before, after = _digits_of(column) or (0, 0)
        return before <= precision - scale and after <= scale
    if column.type in _INTEGERS:
        return base in _WIDER[_WIDER.index(_INTEGERS[column.type][0]) :]
    digits = _digits_of(column)
    return digits is not None and digits[1] <= 0 and digits[0] <= _DIGITS.get(base, 0)


def holds_some(kind: str, column: RemoteColumn) -> bool:
    """Whether a declared type can hold some of the values: any type of numbers holds some numbers."""
    numbers = column.type in _INTEGERS or column.type == "numeric"
    base = kind.partition("(")[0]
    return holds_all(kind, column) or (numbers and (base in _DIGITS or base == "decimal"))


def _digits_of(column: RemoteColumn) -> tuple[int, int] | None:
    """How many digits a number may have before and after the point; None if any number of them."""
    if column.type in _INTEGERS:
        return _INTEGERS[column.type][1], 0
    return None if column.digits is None else (column.digits[0] - column.digits[1], max(column.digits[1], 0))


def _fitting(column: RemoteColumn) -> tuple[str, ...]:
    """The types that can hold a column, the most exact first; none of an array, for example."""
    if column.category in _UNLIKE_ANY:
        return ()
    if column.type in _INTEGERS:
        return (*_WIDER[_WIDER.index(_INTEGERS[column.type][0]) :], "double", "string")
    if column.type != "numeric":
        return (*_FITS.get(column.type, ()), "string")
    if (digits := _digits_of(column)) is None:
        return f"decimal({_MOST_DIGITS},10)", "decimal with other digits", "double", "string"
    before, after = digits
    if before + after > _MOST_DIGITS:
        return "string", "double"
    return f"decimal({max(before, 0) + after},{after})", "double", "string"


def _check_generated(declared: Declared, remote: RemoteTable) -> None:
    generated = [column for column in declared.remote_columns if column in remote.generated]
    if generated:
        raise InputError(
            "HW887",
            f'"{generated[0]}" of {declared.full_name} is generated, and PostgreSQL does not replicate it',
            place=declared.table.place,
            hint="Leave it out of the declaration and compute it in a view.",
        )


def _check_identity(declared: Declared, remote: RemoteTable) -> None:
    if remote.identity == "n" or (remote.identity != "f" and not remote.key):
        raise InputError(
            "HW875",
            f"{declared.full_name} has no key that PostgreSQL could send with a change",
            place=declared.table.place,
            detail="In a publication its updates and deletes would fail.",
            hint=f"{declared.identity_full}, or give it a PRIMARY KEY that is not deferrable.",
        )
    if remote.identity != "f":
        declared.local_key(remote.key)


def _check_unique(declared: Declared, remote: RemoteTable) -> None:
    """Views rely on a declared key: one that PostgreSQL does not keep would make their rows wrong."""
    for key in filter(None, (declared.table.key, *declared.table.unique)):
        columns = [declared.remote(name) for name in key]
        if not any(index <= {*columns} for index in remote.unique):
            listed = ", ".join(columns)
            raise InputError(
                "HW875",
                f"{declared.full_name} has no unique index on {listed}, which are declared as a key",
                place=declared.table.place,
                hint=f"ALTER TABLE {declared.full_name} ADD UNIQUE ({listed}), or do not declare the key.",
            )


def _check_rows(declared: Declared, remote: RemoteTable) -> None:
    if not remote.logged:
        raise InputError(
            "HW888", f"{declared.full_name} is UNLOGGED: its changes are not in the server's log",
            place=declared.table.place, hint=f"ALTER TABLE {declared.full_name} SET LOGGED",
        )  # fmt: skip
    if remote.inherited:
        raise InputError(
            "HW888",
            f"other tables inherit from {declared.full_name}; their changes come under their own names",
            place=declared.table.place,
            hint="Capture the tables that inherit from it, each by itself, and UNION ALL them in a view.",
        )
    if remote.hides_rows:
        raise InputError(
            "HW888", f"row level security hides rows of {declared.full_name} from a snapshot",
            place=declared.table.place, hint="Let the user of the uri see all rows: ALTER ROLE ... BYPASSRLS",
        )  # fmt: skip


def _check_partition(declared: Declared, remote: RemoteTable, partition: Partition) -> None:
    if partition.kind == "f":
        raise InputError(
            "HW888", f"{partition.name}, a partition of {declared.full_name}, is a foreign table",
            place=declared.table.place,
            detail="PostgreSQL does not replicate its changes.",
            hint="Capture its own database, or the other partitions as tables of their own.",
        )  # fmt: skip
    if partition.identity != remote.identity:
        wanted = _IDENTITIES[remote.identity]
        raise InputError(
            "HW888",
            f"{partition.name}, a partition of {declared.full_name}, has another replica identity: "
            f"{_IDENTITIES[partition.identity]} instead of {wanted}",
            place=declared.table.place,
            hint=f"ALTER TABLE {partition.name} REPLICA IDENTITY {wanted}",
        )
