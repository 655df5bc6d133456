"""A snapshot that the server exports, with its position in the replication stream.

A temporary slot does both.  The server creates it once the transactions that are open have ended, which may
take long, so the answer is asked for without waiting, and other tables are captured meanwhile.
"""

from __future__ import annotations

import select
from contextlib import suppress

import psycopg
from psycopg import pq, sql

from headwater.capture.postgres.failures import CaptureError
from headwater.capture.postgres.stream.pgoutput import lsn_number

__all__ = ["Export"]


class Export:
    """A session that exports a snapshot and holds it open until `close`.

    Exactly those writing transactions whose commit position is before its position are in the snapshot.
    """

    def __init__(self, uri: str, name: str) -> None:
        self._session = psycopg.connect(
            uri, autocommit=True, replication="database", connect_timeout=10, application_name="headwater"
        )
        command = sql.SQL("CREATE_REPLICATION_SLOT {} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')")
        try:
            self._session.pgconn.send_query(command.format(sql.Identifier(name)).as_bytes(self._session))
        except BaseException:
            self._session.close()
            raise

    def result(self, wait: float) -> tuple[int, str] | None:
        """The position, and the name for SET TRANSACTION SNAPSHOT; None if the server is not ready yet."""
        connection = self._session.pgconn
        connection.consume_input()
        if connection.is_busy():
            select.select([connection.socket], [], [], wait)
            connection.consume_input()
            if connection.is_busy():
                return None
        answer = connection.get_result()
        if answer is None:
            raise CaptureError("HW878", "PostgreSQL gave no snapshot")
        if answer.status != pq.ExecStatus.TUPLES_OK:
            raise psycopg.errors.error_from_result(answer)
        position, name = answer.get_value(0, 1), answer.get_value(0, 2)
        if position is None or name is None:
            raise CaptureError("HW878", "PostgreSQL gave no snapshot")
        return lsn_number(position.decode()), name.decode()

    def close(self) -> None:
        """Let the snapshot go; whoever has imported it keeps it."""
        if not self._session.closed:
            with suppress(psycopg.Error):
                if self._session.pgconn.is_busy():
                    self._session.cancel_safe(timeout=5)
            self._session.close()
