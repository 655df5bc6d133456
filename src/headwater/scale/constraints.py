"""The constraints of a table, and which changes of a batch break them.

Bounds rest on constraints, so they must hold: capture asks here before it appends a batch.  The caller
counts, for each constraint, the rows that the table already holds for the values in the batch (it has the
indexes); this file decides.  Pure: the batch is judged in order, each change on top of those accepted.

    keys        NOT NULL and one row for each value             UNIQUE: NULL is never equal to NULL
    limits      at most n rows for each value (NULL counts as a value: a range over NULLs is a range too)
    references  the referenced row exists, unless a column is NULL
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.model import Table

__all__ = ["Change", "Constraint", "Violation", "check_batch", "constraints_of"]

Row = Mapping[str, Any]
Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """At most `most` rows for each value of `columns`; or a reference to `table`(`referenced`)."""

    kind: str  # key, unique, limit, reference, not null
    columns: tuple[str, ...]
    most: int = 1
    table: str = ""
    referenced: tuple[str, ...] = ()

    def __str__(self) -> str:
        columns = ", ".join(self.columns)
        match self.kind:
            case "key":
                return f"PRIMARY KEY ({columns})"
            case "unique":
                return f"UNIQUE ({columns})"
            case "limit":
                return f"CARDINALITY LIMIT {self.most} ({columns})"
            case "reference":
                return f"FOREIGN KEY ({columns}) REFERENCES {self.table}"
            case _:
                return f"NOT NULL ({columns})"


@dataclass(frozen=True, slots=True)
class Change:
    row: Row
    weight: int  # +1 insert, -1 delete


@dataclass(frozen=True, slots=True)
class Violation:
    """The change at `position` of the batch breaks `constraint`."""

    position: int
    constraint: Constraint
    reason: str


def constraints_of(table: Table) -> tuple[Constraint, ...]:
    """Everything a table promises about its rows."""
    certain = [one.name for one in table.columns if not one.nullable or one.name in table.key]
    found = [Constraint("not null", (name,)) for name in certain]
    found += [Constraint("key", table.key)] if table.key else []
    found += [Constraint("unique", columns) for columns in table.unique]
    found += [Constraint("limit", one.columns, one.limit) for one in table.cardinalities]
    for one in table.foreign_keys:
        found.append(Constraint("reference", one.columns, 1, one.table, one.referenced))
    return tuple(found)


def check_batch(
    constraints: Iterable[Constraint],
    changes: Iterable[Change],
    count: Callable[[Constraint, Values], int],
    exists: Callable[[Constraint, Values], bool],
) -> tuple[Violation, ...]:
    """The changes to refuse.

    `count(constraint, values)`: rows of the table with these values before the batch; `exists`: is there a
    referenced row?  Deletes free their place for the inserts after them; refused inserts take none.
    """
    known = tuple(constraints)
    balance: dict[tuple[Constraint, Values], int] = {}
    found: list[Violation] = []
    for position, change in enumerate(changes):
        problem = None
        if change.weight > 0:
            problem = next(
                (v for one in known if (v := _broken(one, change, position, balance, count, exists))), None
            )
        if problem is not None:
            found.append(problem)
            continue
        for one in known:
            if one.kind in ("key", "unique", "limit"):
                place = (one, _values(one, change.row))
                balance[place] = balance.get(place, 0) + change.weight
    return tuple(found)


def _values(constraint: Constraint, row: Row) -> Values:
    return tuple(row.get(name) for name in constraint.columns)


def _broken(
    one: Constraint,
    change: Change,
    position: int,
    balance: Mapping[tuple[Constraint, Values], int],
    count: Callable[[Constraint, Values], int],
    exists: Callable[[Constraint, Values], bool],
) -> Violation | None:
    values = _values(one, change.row)
    shown = ", ".join(f"{name} = {value!r}" for name, value in zip(one.columns, values, strict=True))
    match one.kind:
        case "not null":
            return Violation(position, one, f"{one.columns[0]} is NULL") if values[0] is None else None
        case "reference":
            if None in values or exists(one, values):
                return None
            return Violation(position, one, f"no row of {one.table} has {shown}")
        case "unique" if None in values:
            return None
    held = count(one, values) + balance.get((one, values), 0)
    if held < one.most:
        return None
    return Violation(position, one, f"there are already {held} rows with {shown or 'any value'}")
