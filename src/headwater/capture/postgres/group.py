"""Tables captured together: one database, one slot, one time for each stretch of transactions.

A view may join tables that one PostgreSQL transaction changed, so all tables of a stretch are committed at
the same time t, in a fixed order, and the watermark moves to t only when the last has been.  Each table's log
records the position reached (as a transaction of the slot's name).  After a kill in between,

    x = the furthest position of any table,  t = the time that table has
    a table that is not at x, and had changes before x, gets them at time t

so history is as if there had been no kill; capture.py does that first (`behind`).  No time is ever visible at
which one table has a transaction and another lacks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from headwater.capture.append import open_source
from headwater.capture.batch import Rejection
from headwater.capture.current import Current
from headwater.capture.dead_letters import bury
from headwater.capture.postgres.apply import apply
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.pgoutput import Decoded
from headwater.capture.token import Token
from headwater.clock import Clock
from headwater.storage.delta_log import BEGINNING, NewFile
from headwater.storage.source_clock import Turn
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Group", "Turns"]


@dataclass(slots=True)
class Turns:
    """The turns of all tables held. `floor`: no table has a time after it."""

    held: dict[str, Turn]
    floor: int

    def time(self, wanted: int, now: int) -> int:
        """The wanted time if it is after everything and not in the future, else the nearest that is."""
        return min(max(wanted, self.floor + 1), max(now, self.floor + 1))

    def store(self, time: int) -> None:
        for turn in self.held.values():
            if time > turn.last:
                turn.store(time)


@dataclass(slots=True)
class Group:
    warehouse: Warehouse
    clock: Clock
    tables: Sequence[Declared]  # in the order of their names
    writer: str = ""  # the slot and the cluster it is in
    _current: dict[str, Current] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for declared in self.tables:
            self._current[declared.table.name] = Current(open_source(self.warehouse, declared.table))

    def timeline(self, declared: Declared) -> Timeline:
        return self.warehouse.source(declared.table.name)

    def current(self, declared: Declared) -> Current:
        return self._current[declared.table.name]

    def position(self, declared: Declared) -> int | None:
        """How far the table has come in this slot's stream; None if it has no snapshot yet."""
        return self.timeline(declared).log.transaction(self.writer)

    def furthest(self) -> int:
        return max((self.position(one) or 0 for one in self.tables), default=0)

    def time_of(self, position: int) -> int:
        """The time at which `position` was committed."""
        return max(self.timeline(one).time() for one in self.tables if self.position(one) == position)

    def since(self, schema: str, name: str) -> int | None:
        """The position from which a table's transactions are wanted; None if it is not ours."""
        found = [self.position(one) for one in self.tables if (one.schema, one.name) == (schema, name)]
        return min((one or 0 for one in found), default=None)

    def watermark(self) -> int:
        """What the clocks say: all tables are complete and whole up to here."""
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
            times = [self.timeline(one).time() for one in self.tables]
            yield Turns(held, max([*(turn.last for turn in held.values()), *times], default=BEGINNING))

    def commit(self, decoded: Decoded, time: int, position: int) -> None:
        """Commit whole transactions at one time. All files are written before the first commit."""
        written: list[tuple[Declared, list[NewFile]]] = []
        for declared in self.tables:
            segments = [
                one for one in decoded.segments
                if (one.relation.schema, one.relation.name) == (declared.schema, declared.name)
            ]  # fmt: skip
            if not segments or (self.position(declared) or 0) >= position:
                continue
            applied = apply(declared, segments, self.current(declared))
            self.letters(declared, applied.rejected, position)
            rows = applied.changes
            written.append((declared, [self.timeline(declared).write(rows, time)] if len(rows) else []))
        for declared, files in written:
            self.publish(declared, files, time, position)

    def publish(self, declared: Declared, files: Sequence[NewFile], time: int, position: int) -> None:
        self.timeline(declared).commit(time, files, transactions={self.writer: position})

    def letters(self, declared: Declared, rejected: Sequence[Rejection], position: int) -> None:
        token = Token(self.writer, position)
        bury(self.warehouse, declared.table.name, rejected, self.clock, token)

    def positions(self) -> Mapping[str, int | None]:
        return {one.table.name: self.position(one) for one in self.tables}
