"""Capture from one PostgreSQL database: prepare, snapshot, recover, then round after round.

    prepare    the server can replicate, tables and columns fit; publication, then slot, made if missing
    snapshot   tables without a position are read at one point of the stream, which becomes their position
    recover    tables behind the furthest one catch up to it, at the time it has (group.py)
    rounds     peek -> commit to the timelines with the position -> advance the slot (rounds.py)

Exactly once: a transaction is applied to a table if and only if its commit position is not before the one in
the table's log, and position and changes are in one Delta commit.  The slot may lag behind: it only keeps
what we might need.  A slot that is gone, or has lost its log, or belongs to another cluster, makes the tables
be compared with a new snapshot, and the difference becomes their next change.

The time of a stretch is the last transaction's commit time in PostgreSQL, if that is after everything before
and not in the future; so staleness counts from there.  The watermark of all tables moves to it, and, when
there was nothing more, to the moment the round began.

Errors never raise out of `poll`: they are reported, and the next tries wait longer and longer (30 s at most).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import psycopg

from headwater.capture.polling import Polled
from headwater.capture.postgres import server
from headwater.capture.postgres.declared import declare
from headwater.capture.postgres.failures import database_of, explained
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.pgoutput import Decoder
from headwater.capture.postgres.rounds import Round
from headwater.capture.postgres.slot_name import SlotName
from headwater.capture.postgres.snapshot import take_snapshot
from headwater.capture.trouble import storage_trouble
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError, InternalError
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["PostgresCapture"]

FIRST_WAIT = 500_000
LONGEST_WAIT = 30_000_000
IDLE_WAL = 16 * 1024 * 1024  # advance an idle slot when others have written this much


class PostgresCapture:
    def __init__(self, warehouse: Warehouse, project: str, tables: Sequence[Table], clock: Clock) -> None:
        ordered = sorted(tables, key=lambda table: table.name)
        self.uri = ordered[0].options.get("uri", "")
        _refuse_twice(ordered)
        self.group = Group(warehouse, clock, [declare(table) for table in ordered])
        self.slot_name = SlotName(warehouse.root, project, database_of(self.uri))
        self.slot = ""
        self._root = warehouse.root
        self._clock = clock
        self._connection: psycopg.Connection[Any] | None = None
        self._round: Round | None = None
        self._watermark = self.group.watermark()
        self._confirmed = 0
        self._wait = FIRST_WAIT
        self._try_at = 0
        self._error: HeadwaterError | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(one.table.name for one in self.group.tables)

    def watermark(self) -> int:
        """All tables of the database are complete up to here, and no transaction is there in part."""
        return self._watermark

    def poll(self) -> Polled:
        now = self._clock.now()
        if self._error is not None and now < self._try_at:
            return Polled(0, self._watermark, False, self._error, self._waiting(now))
        try:
            with storage_trouble("PostgreSQL's changes are not captured", self._root):
                polled = self._connected_poll()
            self._error, self._wait = None, FIRST_WAIT
            return polled
        except psycopg.Error as error:
            return self._failed(explained(error, self.uri))
        except HeadwaterError as error:
            return self._failed(error)
        except Exception as error:  # noqa: BLE001  (a bug of ours must not stop the run's other sources)
            shown = InternalError("HW889", f"the capture failed: {type(error).__name__}: {error}")
            shown.__cause__ = error
            return self._failed(shown)

    def prepare(self) -> None:
        """Connect and check; raises what is wrong. `poll` does it by itself, and retries."""
        try:
            self._prepare()
        except psycopg.Error as error:
            self.close()
            raise explained(error, self.uri) from error

    def close(self) -> None:
        self._round = None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def drop(self) -> list[str]:
        """Drop slot and publication in PostgreSQL; the next capture starts with a snapshot."""
        name = self.slot_name.known()
        if name is None:
            return []
        self.close()
        try:
            with server.connect(self.uri) as connection:
                dropped = server.drop_all(connection, name)
        except psycopg.Error as error:
            raise explained(error, self.uri) from error
        self.slot_name.forget()
        return dropped

    def _failed(self, error: HeadwaterError) -> Polled:
        self.close()
        self._error = error
        now = self._clock.now()
        self._try_at, self._wait = now + self._wait, min(self._wait * 2, LONGEST_WAIT)
        return Polled(0, self._watermark, False, error, self._waiting(now))

    def _waiting(self, now: int) -> str:
        return f"next try in {max(0, self._try_at - now) / 1e6:.1f} s"

    def _connected_poll(self) -> Polled:
        if self._connection is None:
            self._prepare()
        if self._round is None:
            self._round = self._new_round()
        return self._stretch(self._round)

    def _prepare(self) -> None:
        self.close()
        connection = server.connect(self.uri)
        try:
            server.require_logical(connection, self.uri)
            for declared in self.group.tables:
                declared.check(server.remote_table(connection, declared))
            self._have_slot(connection)
            self._snapshot(connection)
            self._recover(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _have_slot(self, connection: psycopg.Connection[Any]) -> None:
        """Publication first: a slot that is older than its publication cannot be decoded."""
        system = server.system_of(connection)
        self._name(self.slot_name.get(), system)
        missing = server.missing_from_publication(connection, self.slot, self.group.tables)
        position = server.slot_position(connection, self.slot)
        known = [one for one in self.group.tables if self.group.position(one) is not None]
        lost = position is None and known
        unpublished = any(one in missing for one in known)
        if lost or unpublished or (position is not None and len(missing) == len(self.group.tables)):
            server.drop_all(connection, self.slot)
            self._name(self.slot_name.renew(), system)
            missing, position = list(self.group.tables), None
        if missing:
            server.publish(connection, self.slot, missing)
        if position is None:
            server.create_slot(connection, self.slot)

    def _name(self, slot: str, system: str) -> None:
        self.slot = slot
        self.group.writer = f"postgres:{slot}:{system}"

    def _snapshot(self, connection: psycopg.Connection[Any]) -> None:
        wanted = [one for one in self.group.tables if self.group.position(one) is None]
        if not wanted:
            return
        name = f"{self.slot}_{secrets.token_hex(2)}"
        holder, position, snapshot = server.exported_snapshot(self.uri, name)
        with holder, self.group.turns() as turns:
            time = turns.time(self._clock.now(), self._clock.now())
            take_snapshot(self.group, connection, wanted, snapshot, position, time)

    def _recover(self, connection: psycopg.Connection[Any]) -> None:
        """Bring all tables to the furthest position any of them has, at the time it has there."""
        self._confirmed = server.slot_position(connection, self.slot) or 0
        furthest = self.group.furthest()
        with self.group.turns() as turns:
            if furthest > self._confirmed:
                again = self._open_round(connection, furthest)
                messages: list[bytes] = []
                while not again.over:
                    messages += again.messages()
                decoded = again.decoder.decode(messages, until=furthest)
                self.group.commit(decoded, self.group.time_of(furthest), furthest)
                again.finish()
            turns.store(max(self.group.timeline(one).time() for one in self.group.tables))
        if furthest > self._confirmed:
            self._advance(connection, furthest)
        self._watermark = self.group.watermark()

    def _new_round(self) -> Round:
        assert self._connection is not None
        return self._open_round(self._connection, None)

    def _open_round(self, connection: psycopg.Connection[Any], until: int | None) -> Round:
        decoder = Decoder(self.group.since)
        return Round(connection, self.slot, self.slot, decoder, self._clock.now(), until)

    def _stretch(self, current: Round) -> Polled:
        messages = current.messages()
        with self.group.turns() as turns:
            decoded = current.decoder.decode(messages)
            time = turns.floor
            if decoded.segments:
                time = turns.time(decoded.committed_at, self._clock.now())
                self.group.commit(decoded, time, decoded.end)
            current.end = max(current.end, decoded.end)
            if current.drained:
                time = max(time, current.started_at)
            turns.store(time)
            self._watermark = max(self._watermark, time)
        behind = not current.drained
        if current.over:
            self._end_round(current)
        state = "catching up" if behind else ""
        return Polled(decoded.changes, self._watermark, behind, None, state)

    def _end_round(self, finished: Round) -> None:
        assert self._connection is not None
        finished.finish()
        self._round = None
        idle = max(finished.end, finished.flushed) if finished.drained else finished.end
        if finished.end > self._confirmed or idle > self._confirmed + IDLE_WAL:
            self._advance(self._connection, idle)

    def _advance(self, connection: psycopg.Connection[Any], position: int) -> None:
        """The slot need not keep what is before `position`: all tables have it."""
        server.advance_slot(connection, self.slot, position)
        self._confirmed = position


def _refuse_twice(tables: Sequence[Table]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for table in tables:
        declared = declare(table)
        other = seen.setdefault((declared.schema, declared.name), table.name)
        if other != table.name:
            raise InputError(
                "HW872",
                f'tables "{other}" and "{table.name}" both capture {declared.schema}.{declared.name}',
                place=table.place,
                hint="Capture it once and make a view of it.",
            )
