"""A round: one call of pg_logical_slot_peek_binary_changes, read in stretches of whole transactions.

Every peek decodes the server's log again from the slot's restart point, which moves slowly; so one peek
serves many stretches.  The server keeps the result of the call (on disk if it is large) while we fetch and
commit, and the slot is advanced once, at the end.  Nothing is lost by that: each table's log says how far it
has come.
"""

from __future__ import annotations

from typing import Any

import psycopg

from headwater.capture.postgres import server
from headwater.capture.postgres.pgoutput import Decoder

__all__ = ["Round"]

MOST_MESSAGES = 500_000
FETCH = 25_000
_COMMIT = ord("C")


class Round:
    def __init__(
        self,
        connection: psycopg.Connection[Any],
        slot: str,
        publication: str,
        decoder: Decoder,
        now: int,
        until: int | None = None,
    ) -> None:
        self.decoder = decoder
        self.started_at = now  # what committed before is in this round, unless it is cut short
        self.flushed = server.flushed(connection)
        self.end = 0
        self._connection = connection
        self._rest: list[bytes] = []
        self._received = 0
        self._limit = None if until is not None else MOST_MESSAGES
        self._exhausted = False
        connection.execute("BEGIN")
        self._cursor: psycopg.ServerCursor[Any] = psycopg.ServerCursor(connection, "headwater_round")
        self._cursor.execute(
            "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, "
            "CASE WHEN %s::bigint IS NULL THEN NULL ELSE '0/0'::pg_lsn + %s::bigint END, %s, "
            "'proto_version', '1', 'publication_names', %s)",
            (slot, until, until, self._limit, publication),
            binary=True,
        )

    def messages(self) -> list[bytes]:
        """The next whole transactions, some thousands of changes; empty at the end."""
        gathered = self._rest
        self._rest = []
        while not self._exhausted:
            rows = self._cursor.fetchmany(FETCH)
            self._exhausted = len(rows) < FETCH
            self._received += len(rows)
            fresh = [row[0] for row in rows]
            last = _last_commit(fresh)
            if last < 0:
                gathered += fresh
                continue
            gathered += fresh[: last + 1]
            self._rest = fresh[last + 1 :]
            break
        return gathered

    @property
    def over(self) -> bool:
        return self._exhausted and not self._rest

    @property
    def drained(self) -> bool:
        """Whether the round saw all there was when it began."""
        return self.over and (self._limit is None or self._received < self._limit)

    def finish(self) -> None:
        self._cursor.close()
        self._connection.execute("COMMIT")


def _last_commit(messages: list[bytes]) -> int:
    for position in range(len(messages) - 1, -1, -1):
        if messages[position][0] == _COMMIT:
            return position
    return -1
