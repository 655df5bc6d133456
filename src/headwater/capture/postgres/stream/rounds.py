"""A round: one call of pg_logical_slot_peek_binary_changes, read a piece at a time.

Every peek decodes the server's log again from the slot's restart point, which moves slowly, so one peek
serves many pieces.  The server holds the result of the call (on disk if it is large) while we read and
commit, and the slot is advanced once, at the end.  Nothing is lost by that: each table's log says how far
it is.

COPY sends the rows as fast as they are taken and no faster, so memory holds one piece: complete
transactions, or part of a single one that is larger than a piece.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import sql

from headwater.capture.postgres import server
from headwater.capture.postgres.stream.pgoutput import Decoder

__all__ = ["Round"]

MOST_MESSAGES = 500_000  # of a round; the transaction that exceeds it is still complete
PIECE = 50_000  # messages
PIECE_BYTES = 16 * 1024 * 1024
_COMMIT = ord("C")


class Round:
    """One peek at the slot, from its start to `finish`; with `until`, all there is up to that position."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        slot: str,
        decoder: Decoder,
        now: int,
        until: int | None = None,
    ) -> None:
        self.decoder = decoder
        self.until = until
        self.started_at = now  # whatever committed before is in this round, unless the limit cuts it short
        self.flushed = server.flushed(connection)
        self.end = 0
        self._rest: list[bytes] = []
        self._received = 0
        self._exhausted = False
        self._messages = self._peek(connection, slot)

    def messages(self) -> list[bytes]:
        """The next piece: up to its last commit if it holds one; empty at the end."""
        messages, size = self._rest, sum(map(len, self._rest))
        self._rest = []
        while len(messages) < PIECE and size < PIECE_BYTES:
            message = next(self._messages, None)
            if message is None:
                self._exhausted = True
                return messages
            messages.append(message)
            size += len(message)
        last = _last_commit(messages)
        if last >= 0:
            self._rest = messages[last + 1 :]
            del messages[last + 1 :]
        return messages

    @property
    def over(self) -> bool:
        return self._exhausted and not self._rest

    @property
    def drained(self) -> bool:
        """Whether the round saw everything there was when it began."""
        return self.over and (self.until is not None or self._received < MOST_MESSAGES)

    def finish(self) -> None:
        with suppress(psycopg.Error):  # of a COPY that is cut off because the connection is closed
            self._messages.close()

    def _peek(self, connection: psycopg.Connection[Any], slot: str) -> Generator[bytes]:
        peek = sql.SQL(
            "COPY (SELECT data FROM pg_logical_slot_peek_binary_changes({}, {}, {}, "
            "'proto_version', '1', 'publication_names', {})) TO STDOUT (FORMAT binary)"
        ).format(
            slot,
            sql.SQL("NULL") if self.until is None else sql.SQL("'0/0'::pg_lsn + {}").format(self.until),
            MOST_MESSAGES if self.until is None else None,
            slot,
        )
        with connection.cursor() as cursor, cursor.copy(peek) as copy:
            copy.set_types(["bytea"])
            for (message,) in copy.rows():
                self._received += 1
                yield message


def _last_commit(messages: list[bytes]) -> int:
    for position in range(len(messages) - 1, -1, -1):
        if messages[position][0] == _COMMIT:
            return position
    return -1
