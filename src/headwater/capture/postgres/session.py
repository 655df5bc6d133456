"""A session with the server: the stream of changes, and snapshots beside it, a bounded step at a time.

    recover     tables behind the furthest one catch up to it, at the time it has (group.py)
    stream      rounds: peek -> commit to the timelines with the position -> advance the slot (rounds.py)
    snapshot    tables without a position are read at one point of the stream, while the others go on
    join        tables that have been read get what changed since, up to where the others are, and are
                committed together with them

What joins or recovers is committed once, when all has been applied: no reader sees a table at a point of
the stream at which another is not.  While a snapshot is read the slot stays before its position.

A table that cannot take a change leaves the stream; it is checked again from time to time, and joins again
by a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from headwater.capture.postgres import server
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.group import Group, Turns
from headwater.capture.postgres.remote import published_as
from headwater.capture.postgres.slot import check_tables, publish_tables
from headwater.capture.postgres.slot_record import SlotRecord
from headwater.capture.postgres.snapshot import Snapshot
from headwater.capture.postgres.stream.pgoutput import Decoded, Decoder
from headwater.capture.postgres.stream.rounds import Round
from headwater.capture.postgres.stream.stretch import Stretch
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.units import SECOND

__all__ = ["Session", "Step"]

IDLE_WAL = 16 * 1024 * 1024  # advance an idle slot once other databases have written this much
WAIT_ALONE = (
    2.0  # seconds that a step waits for the server to export a snapshot if there is nothing else to do
)
WAIT_BESIDE = 0.05
CHECK_AGAIN = 15 * SECOND
LOOK_EVERY = 2 * SECOND  # whether a table or its publication was altered, which the stream does not tell


@dataclass(frozen=True, slots=True)
class Step:
    """What a step did. `behind`: there is more to do now; `snapshot_rows`: committed when all are read."""

    changes: int
    behind: bool
    snapshot_rows: int
    state: str


class Session:
    """From a checked connection until it is closed. `failing`: the tables that are left out, and why."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        uri: str,
        slot: str,
        group: Group,
        record: SlotRecord,
        clock: Clock,
        failing: dict[str, InputError],
        tell: Callable[[str, str], None],
    ) -> None:
        self.failing = failing
        self.watermark = 0
        self._connection = connection
        self._uri = uri
        self._slot = slot
        self._group = group
        self._record = record
        self._clock = clock
        self._tell = tell
        self._confirmed = server.slot_position(connection, slot) or 0
        self._round: Round | None = None
        self._stretch = Stretch(group)
        self._snapshot: Snapshot | None = None
        self._joining: Snapshot | None = None
        self._recovered = False
        self._check_at = clock.monotonic() + CHECK_AGAIN
        self._published = published_as(connection, slot, group.tables)
        self._look_at = clock.monotonic() + LOOK_EVERY
        self._at = 0  # other sources have reached this time

    def step(self, at: int = 0) -> Step:
        """Read a piece of a snapshot, if one is under way, and a piece of the stream.

        Once the stream is read to its end, the tables are complete up to now, or up to `at` if that is later.
        """
        self._at = at
        self._stretch.keep_young()
        if self._snapshot is not None:
            self._snapshot.keep_young()
        rows = self._read_snapshot()
        changes, behind = self._follow()
        return Step(changes, behind or self._snapshot is not None, rows, self._state(behind))

    def close(self) -> None:
        self._connection.close()
        if self._round is not None:
            self._round.finish()
        self._stretch.discard()
        if self._snapshot is not None:
            self._snapshot.close()

    def _state(self, behind: bool) -> str:
        if self._snapshot is not None:
            return f"snapshot of {', '.join(self._snapshot.tables)}: {self._snapshot.rows:,} rows"
        return "catching up" if behind else ""

    def _read_snapshot(self) -> int:
        if self._snapshot is None:
            self._check_again()
            ready = [declared for declared in self._group.waiting if declared.table.name not in self.failing]
            if not ready:
                return 0
            self._snapshot = Snapshot(self._group, self._uri, self._slot, ready)
        if self._snapshot.over:
            return 0
        return self._snapshot.read(WAIT_BESIDE if self._group.streaming else WAIT_ALONE)

    def _check_again(self) -> None:
        """Try the tables again that were left out: what was wrong may have been mended in PostgreSQL."""
        if not self.failing or self._round is not None or self._clock.monotonic() < self._check_at:
            return
        self._check_at = self._clock.monotonic() + CHECK_AGAIN
        tables = [declared for declared in self._group.tables if declared.table.name in self.failing]
        self.failing.clear()
        self.failing |= check_tables(self._connection, self._group, tables)
        self.failing |= publish_tables(self._connection, self._group, self._slot)
        self._published |= published_as(self._connection, self._slot, tables)

    def _look(self) -> None:
        """Take out the tables that were made again, or whose publication was altered: changes may be lost."""
        if self._snapshot is not None or self._clock.monotonic() < self._look_at:
            return
        self._look_at = self._clock.monotonic() + LOOK_EVERY
        before = self._published
        self._published = published_as(self._connection, self._slot, self._group.tables)
        self._leave_out(
            {
                declared.table.name: _altered(declared)
                for declared in self._group.streaming
                if before[declared.table.name] != self._published[declared.table.name]
            }
        )

    def _follow(self) -> tuple[int, bool]:
        """Apply the next piece of the stream; how many changes it held, and whether more are waiting."""
        if self._round is None:
            self._begin_round()
        if self._round is None:
            return 0, False
        current = self._round
        decoded = current.decoder.decode(current.messages(), current.until)
        self._stretch.apply(decoded)
        self._note(decoded)
        current.end = max(current.end, decoded.end)
        if current.until is None:
            if not decoded.open:
                self._commit(current, decoded.committed_at)
            if current.over:
                self._end_round(current)
            return decoded.changes, not current.drained
        if not current.over:
            return decoded.changes, True
        self._catch_up(current, current.until)
        changes, behind = self._follow()
        return decoded.changes + changes, behind

    def _begin_round(self) -> None:
        self._look()
        furthest = self._group.furthest()
        if not self._recovered and furthest > self._confirmed:
            self._open_round(furthest)
        elif self._snapshot is not None and self._snapshot.over and self._snapshot.position is not None:
            self._joining = self._snapshot
            self._stretch = Stretch(self._group, self._snapshot.tables)
            self._open_round(max(furthest, self._snapshot.position))
        elif self._group.streaming:
            if not self._recovered:
                with self._group.turns() as turns:
                    self._store_times(turns)
            self._open_round(None)
        self._recovered = True

    def _open_round(self, until: int | None) -> None:
        now = max(self._clock.now(), self._at)
        self._round = Round(self._connection, self._slot, Decoder(self._since), now, until)

    def _since(self, schema: str, name: str) -> int | None:
        """The position from which a table's transactions are needed; None if it takes no part."""
        for declared in self._group.tables:
            if (declared.schema, declared.name) == (schema, name):
                joins = self._joining is not None and declared.table.name in self._joining.tables
                return self._joining.position if joins and self._joining else self._group.position(declared)
        return None

    def _note(self, decoded: Decoded) -> None:
        """Take out the tables that could not take their changes, before any position says that they did."""
        self._leave_out(self._stretch.left)
        for segment in decoded.segments:
            for code, text in self._group.news_of(segment.relation):
                self._tell(code, text)

    def _leave_out(self, tables: Mapping[str, InputError]) -> None:
        left = {name: error for name, error in tables.items() if name not in self.failing}
        for name, error in left.items():
            self._tell(error.code, f"{error.message}; the other tables go on")
            self.failing[name] = error
            self._check_at = 0
        if left:
            self._group.missed |= left.keys()
            self._record.miss(self._group.missed)

    def _commit(self, current: Round, committed_at: int) -> None:
        """Commit complete transactions, and move the watermark."""
        with self._group.turns() as turns:
            time = turns.floor
            if not self._stretch.empty:
                time = turns.time(committed_at, self._clock.now())
                self._stretch.commit(time, current.end)
            if current.drained:
                time = max(time, current.started_at)
            turns.store(time, self._group.streaming)
            self.watermark = max(self.watermark, time)
        self._stretch = Stretch(self._group)

    def _end_round(self, finished: Round) -> None:
        finished.finish()
        self._round = None
        idle = max(finished.end, finished.flushed) if finished.drained else finished.end
        if finished.end > self._confirmed or idle > self._confirmed + IDLE_WAL:
            self._advance(idle)

    def _catch_up(self, finished: Round, position: int) -> None:
        """All tables are at `position` now: those that were behind, and those that join."""
        finished.finish()
        self._round = None
        with self._group.turns() as turns:
            joined = self._joining
            now = self._clock.now()
            time = self._group.time_of(position) if joined is None else turns.time(now, now)
            self._stretch.commit(time, position)
            if joined is not None:
                self._group.missed -= joined.tables.keys() - self._stretch.left.keys()
            self._store_times(turns)
        self._stretch = Stretch(self._group)
        if joined is not None:
            self._joining = self._snapshot = None
            self._record.advance(self._confirmed, self._group.marks(), self._group.missed)
        self._advance(position)

    def _store_times(self, turns: Turns) -> None:
        streaming = self._group.streaming
        turns.store(max(self._group.timeline(declared).time() for declared in streaming), streaming)
        self.watermark = max(
            self.watermark, min(turns.held[declared.table.name].last for declared in streaming)
        )

    def _advance(self, position: int) -> None:
        """Let the server discard what is before `position`: all tables have it. First, record that."""
        if self._snapshot is not None:
            position = min(position, self._snapshot.position or 0)
        if position > self._confirmed:
            self._record.advance(position, self._group.marks(), self._group.missed)
            server.advance_slot(self._connection, self._slot, position)
            self._confirmed = position


def _altered(declared: Declared) -> InputError:
    return declared.read_anew(
        " or its publication was made again or altered",
        "What PostgreSQL did not send meanwhile is not known.",
    )
