"""Tables captured together: one database, one slot, one time for each stretch of transactions.

A view may join tables that one PostgreSQL transaction changed, so all tables of a stretch are committed at
the same time t, in a fixed order, and the watermark moves to t only after the last of them.  Each table's
log records the position reached (as a transaction of the slot's name).  After a kill in between,

    x = the furthest position of any table,  t = the time of that table
    a table that is not at x, and had changes before x, gets them at time t

so history is as if there had been no kill; capture.py does that first.  At no visible time does one table
have a transaction that another lacks.

A table that has no snapshot yet, or has left the stream (`missed`), has no position: the stream passes it
by, and its watermark stands still, until a snapshot of it has been read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from headwater.capture.dead_letters import write_dead_letters
from headwater.capture.intake.append import open_source
from headwater.capture.intake.batch import Rejection
from headwater.capture.intake.current import Current
from headwater.capture.intake.token import Token
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.remote import RemoteColumn, RemoteTable
from headwater.capture.postgres.slot_record import Mark
from headwater.capture.postgres.stream.pending import Pending
from headwater.capture.postgres.stream.pgoutput import Relation
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.storage.delta.delta_log import BEGINNING, NewFile
from headwater.storage.source_clock import Turn
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Group", "Turns"]


@dataclass(slots=True)
class Turns:
    """The turns of all tables, held. `floor`: no table has a later time. `committed` tells a table's own."""

    held: dict[str, Turn]
    floor: int
    committed: Callable[[Declared], int]

    def time(self, wanted: int, now: int) -> int:
        """The wanted time if it is after `floor` and not in the future, else the nearest time that is."""
        return min(max(wanted, self.floor + 1), max(now, self.floor + 1))

    def store(self, time: int, tables: Sequence[Declared]) -> None:
        for declared in tables:
            turn = self.held[declared.table.name]
            if time > turn.last:
                turn.declare(time)
            if (committed := self.committed(declared)) > turn.committed:
                turn.note_commit(committed)


@dataclass(slots=True)
class Group:
    """The tables of one database, their timelines and the positions they have reached."""

    warehouse: Warehouse
    clock: Clock
    tables: Sequence[Declared]  # ordered by name
    writer: str = ""  # identifies the slot and the cluster it is in
    missed: set[str] = field(default_factory=set)
    remote: dict[str, RemoteTable] = field(default_factory=dict)  # as the server describes them
    _current: dict[str, Current] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for declared in self.tables:
            self._current[declared.table.name] = Current(open_source(self.warehouse, declared.table))

    def timeline(self, declared: Declared) -> Timeline:
        return self.warehouse.source(declared.table.name)

    def pending(self, declared: Declared) -> Pending:
        return Pending(
            self.timeline(declared),
            self._current[declared.table.name],
            os.path.join(self.warehouse.staging(self.warehouse.root), "postgres"),
            declared.table.key,
        )

    def logged_position(self, declared: Declared) -> int | None:
        """The position in the table's log; None if it has none in this slot's stream."""
        return self.timeline(declared).log.transaction(self.writer)

    def position(self, declared: Declared) -> int | None:
        """How far the table is in this slot's stream; None if it needs a snapshot first."""
        return None if declared.table.name in self.missed else self.logged_position(declared)

    @property
    def streaming(self) -> list[Declared]:
        """The tables that take part in the stream."""
        return [declared for declared in self.tables if self.position(declared) is not None]

    @property
    def waiting(self) -> list[Declared]:
        """The tables that need a snapshot first."""
        return [declared for declared in self.tables if self.position(declared) is None]

    def held(self) -> dict[str, int]:
        """The watermarks of the tables that do not take part in the stream."""
        return {
            declared.table.name: self.warehouse.clock(declared.table.name).last() or BEGINNING
            for declared in self.waiting
        }

    def furthest(self) -> int:
        return max((self.position(declared) or 0 for declared in self.tables), default=0)

    def time_of(self, position: int) -> int:
        """The time at which `position` was committed."""
        reached = [declared for declared in self.tables if self.position(declared) == position]
        return max(self.timeline(declared).time() for declared in reached)

    def watermark(self) -> int:
        """The time up to which all tables are complete, according to their clocks."""
        with self.turns() as turns:
            return min((turn.last for turn in turns.held.values()), default=BEGINNING)

    @contextmanager
    def turns(self) -> Iterator[Turns]:
        with ExitStack() as stack:
            held: dict[str, Turn] = {}
            for declared in self.tables:
                name = declared.table.name
                turn = stack.enter_context(self.warehouse.clock(name).turn())
                assert turn is not None
                held[name] = turn
            times = [self.timeline(declared).time() for declared in self.tables]
            floor = max([*(turn.last for turn in held.values()), *times], default=BEGINNING)
            yield Turns(held, floor, lambda declared: self.timeline(declared).time())

    def publish(self, declared: Declared, files: Sequence[NewFile], time: int, position: int) -> None:
        self.timeline(declared).commit(time, files, transactions={self.writer: position})

    def reject(self, declared: Declared, rejected: Sequence[Rejection], position: int) -> None:
        token = Token(self.writer, position)
        write_dead_letters(self.warehouse, declared.table.name, rejected, self.clock, token)

    def marks(self) -> dict[str, Mark]:
        """The tables as they are now, for the slot's record."""
        return {
            declared.table.name: Mark(
                self.position(declared) or 0,
                self.types(declared),
                {column.name: column.type for column in declared.table.columns},
            )
            for declared in self.streaming
        }

    def types(self, declared: Declared) -> dict[str, str]:
        """PostgreSQL's types of the captured columns."""
        return self.remote[declared.table.name].types_of(declared.remote_columns)

    def news_of(self, relation: Relation) -> Iterator[tuple[str, str]]:
        """Columns that a table has gained in PostgreSQL and that are not captured, each once."""
        for declared in self.tables:
            described = self.remote.get(declared.table.name)
            if described is None or not declared.captures(relation):
                continue
            gained = [column for column in relation.columns if column not in described.columns]
            if gained:
                self.remote[declared.table.name] = replace(
                    described, columns={**described.columns, **dict.fromkeys(gained, RemoteColumn(""))}
                )
                yield (
                    "HW951",
                    f"{declared.full_name} has a new column in PostgreSQL, {', '.join(gained)}, which is not "
                    "captured; declare it to capture it",
                )

    def renamed(self, declared: Declared, passed: Sequence[Relation]) -> InputError | None:
        """What is wrong if changes were passed by that are a table's own, under another name."""
        described = self.remote.get(declared.table.name)
        for relation in passed:
            if described is not None and described.oid == relation.oid and not declared.captures(relation):
                return InputError(
                    "HW950",
                    f"{declared.full_name} was renamed to {relation.schema}.{relation.name} in PostgreSQL",
                    place=declared.table.place,
                    hint="Give it its name back, or write OPTIONS (table '...'): a new snapshot follows.",
                )
        return None

    def require_types(self, declared: Declared, relation: Relation) -> None:
        """Raise if a captured column has another type than when the table was last read as a whole.

        PostgreSQL converts all rows when a type is altered, and does not send them.
        """
        now = dict(zip(relation.columns, relation.types, strict=True))
        for column, kind in self.types(declared).items():
            if now.get(column, kind) != kind:
                raise declared.read_anew(
                    f': the type of "{column}" was altered',
                    "PostgreSQL does not send the rows that it converted.",
                )
