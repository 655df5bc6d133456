"""Capture from one PostgreSQL database: check, then a step of the stream and of a snapshot with every poll.

    open       check that the server can replicate and the tables fit; have publication and slot (slot.py)
    step       snapshots beside the stream, and the stream itself (session.py)

Exactly once: a transaction is applied to a table if and only if its commit position is not before the one
in the table's log, and position and changes are in one Delta commit.  The slot may lag behind: it only
retains what might still be needed.  How far it may be is recorded in the warehouse before it is advanced
(slot_record.py). If what lies between the slot and the warehouse is lost, the tables are compared with a
new snapshot, and the difference becomes their next change.

The time of a stretch is the commit time of its last transaction in PostgreSQL, if that is after everything
earlier and not in the future; staleness counts from there.  The watermark of all tables of the stream moves
to it, and, once nothing more is waiting, to the moment the round began.  Tables that wait for a snapshot
have watermarks of their own, which stand still.

`poll` never raises: errors are reported in its result, and retries back off up to 30 s.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import psycopg

from headwater.capture.polling import Polled
from headwater.capture.postgres import server
from headwater.capture.postgres.address import address_of
from headwater.capture.postgres.checks import warnings_of
from headwater.capture.postgres.declared import declare
from headwater.capture.postgres.failures import database_of, explained
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.lag import max_slot_lag
from headwater.capture.postgres.session import Session
from headwater.capture.postgres.slot import check_tables, drop_slot_of, have_slot, tables_to_compare
from headwater.capture.postgres.slot_record import Note, SlotRecord
from headwater.capture.storage_errors import storage_errors
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError, InternalError
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["PostgresCapture"]

logger = logging.getLogger(__name__)

FIRST_WAIT = 500_000
LONGEST_WAIT = 30_000_000


class PostgresCapture:
    """The tables of one database, captured through one replication slot."""

    def __init__(self, warehouse: Warehouse, project: str, tables: Sequence[Table], clock: Clock) -> None:
        ordered = sorted(tables, key=lambda table: table.name)
        _refuse_twice(ordered)
        self.uri = address_of(ordered[0])
        self.group = Group(warehouse, clock, [declare(table) for table in ordered])
        self.record = SlotRecord(warehouse.root, project, database_of(self.uri))
        self.slot = ""
        self._max_lag = max_slot_lag(ordered)
        self._root = warehouse.root
        self._clock = clock
        self._session: Session | None = None
        self._watermark = self.group.watermark()
        self._wait = FIRST_WAIT
        self._try_at = 0
        self._error: HeadwaterError | None = None
        self._news: list[str] = []

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(declared.table.name for declared in self.group.tables)

    def watermark(self) -> int:
        """The tables of the stream are complete up to here, and no transaction is visible in part."""
        return self._watermark

    def poll(self, at: int = 0) -> Polled:
        now = self._clock.monotonic()
        if self._error is not None and now < self._try_at:
            return self._unpolled(self._error, now)
        try:
            with storage_errors("PostgreSQL's changes are not captured", self._root):
                polled = self._connected_poll(at)
            self._error, self._wait = None, FIRST_WAIT
            return polled
        except psycopg.Error as error:
            return self._failed(explained(error, self.uri))
        except HeadwaterError as error:
            return self._failed(error)
        except Exception as error:  # noqa: BLE001  (a bug here must not stop the run's other sources)
            shown = InternalError("HW889", f"the capture failed: {type(error).__name__}: {error}")
            shown.__cause__ = error
            return self._failed(shown)

    def prepare(self) -> None:
        """Connect and check; raises what is wrong. `poll` does this by itself, and retries."""
        try:
            session = self._open()
        except psycopg.Error as error:
            self.close()
            raise explained(error, self.uri) from error
        for failure in session.failing.values():
            raise failure

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def drop(self) -> list[str]:
        """Drop slot and publication in PostgreSQL; the next capture starts with a snapshot."""
        self.close()
        return drop_slot_of(self.record, self.uri)

    def _failed(self, error: HeadwaterError) -> Polled:
        logger.warning("capturing %s failed: %s", ", ".join(self.tables), error.message, exc_info=True)
        self.close()
        self._error = error
        now = self._clock.monotonic()
        self._try_at, self._wait = now + self._wait, min(self._wait * 2, LONGEST_WAIT)
        return self._unpolled(error, now)

    def _unpolled(self, error: HeadwaterError, now: int) -> Polled:
        state = f"next try in {max(0, self._try_at - now) / 1e6:.1f} s"
        return Polled(
            0, self._watermark, False, error, state, held=self.group.held(), notes=self._take_news()
        )

    def _connected_poll(self, at: int) -> Polled:
        session = self._session or self._open()
        step = session.step(at)
        self._watermark = max(self._watermark, session.watermark)
        return Polled(
            step.changes,
            self._watermark,
            step.behind,
            next(iter(session.failing.values()), None),
            step.state,
            self.group.held(),
            self._take_news(),
            step.snapshot_rows,
        )

    def _open(self) -> Session:
        self.close()
        self.uri = address_of(self.group.tables[0].table)
        connection = server.connect(self.uri)
        try:
            self._session = self._checked(connection)
        except BaseException:
            connection.close()
            raise
        return self._session

    def _checked(self, connection: psycopg.Connection[tuple[object, ...]]) -> Session:
        group = self.group
        server.require_logical(connection, self.uri)
        failing = check_tables(connection, group, group.tables)
        if len(failing) == len(group.tables):
            raise next(iter(failing.values()))
        self.slot, refused = have_slot(connection, group, self.record, self._max_lag, self._tell)
        failing |= refused
        record = self.record.get()
        missed = tables_to_compare(group, record, self._tell) | failing.keys()
        group.missed = missed & {*self.tables}
        if missed != {*record.missed}:
            self.record.miss(missed)
        for declared in group.waiting:
            for code, text in warnings_of(declared, group.remote.get(declared.table.name)):
                self._tell(code, text)
        return Session(connection, self.uri, self.slot, group, self.record, self._clock, failing, self._tell)

    def _tell(self, code: str, text: str) -> None:
        """Something that a user should know: shown by the run, logged, and stored for `headwater capture`."""
        logger.warning("%s: %s", code, text)
        self.record.note(Note(self._clock.now(), code, text))
        self._news.append(f"{code}: {text}")

    def _take_news(self) -> tuple[str, ...]:
        news, self._news = tuple(self._news), []
        return news


def _refuse_twice(tables: Sequence[Table]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for table in tables:
        declared = declare(table)
        other = seen.setdefault((declared.schema, declared.name), table.name)
        if other != table.name:
            raise InputError(
                "HW884",
                f'tables "{other}" and "{table.name}" both capture {declared.schema}.{declared.name}',
                place=table.place,
                hint="Capture it once and make a view of it.",
            )
