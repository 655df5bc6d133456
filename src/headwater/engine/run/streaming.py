"""A table's stream in a run: started, looked at, and started again after a failure or with other columns.

A stream that fails keeps nobody else from going on.  Its batches are known by their numbers (streams.py), so
starting it again repeats nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from headwater.errors import HeadwaterError, brief
from headwater.model import Table
from headwater.storage.delta.damage import DAMAGED

__all__ = ["Streaming"]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Streaming:
    """`begin` starts the stream of a table. Used by the run's loop and its housekeeping, under a lock."""

    table: Table
    begin: Callable[[Table], StreamingQuery]
    error: str = ""  # why it could not be started
    _query: StreamingQuery | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start it; InputError if it is declared wrongly. What else fails, or is damaged: `problem`."""
        with self._lock:
            self._start()

    def _start(self) -> None:
        self.error = ""
        try:
            self._query = self.begin(self.table)
        except HeadwaterError as error:
            if error.code != DAMAGED:
                raise
            self.error = error.message
        except Exception as error:
            logger.exception("the stream of %s cannot be started", self.table.name)
            self.error = brief(error)

    @property
    def active(self) -> bool:
        """Whether it takes in rows, or is about to."""
        return self._query is not None and not self._fault(self._query) and self._query.isActive

    @property
    def problem(self) -> str:
        """What keeps it from taking in rows; "" if nothing does."""
        return self.error if self.error or self._query is None else self._fault(self._query)

    @staticmethod
    def _fault(query: StreamingQuery) -> str:
        """Why a query has failed; also if the JVM in which it ran is gone."""
        try:
            failure = None if query.isActive else query.exception()
        except (OSError, Py4JError) as error:
            return brief(error)
        return "" if failure is None else brief(failure)

    def revive(self) -> None:
        """Start it again if it has failed."""
        if self.problem:
            self._begin_anew()

    def restart(self, table: Table) -> None:
        """Go on with the table as it is declared now."""
        self.table = table
        self._begin_anew()

    def _begin_anew(self) -> None:
        with self._lock:
            self._stop()
            try:
                self._start()
            except HeadwaterError as error:
                self.error = error.message

    def stop(self) -> None:
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        query, self._query = self._query, None
        if query is None:
            return
        try:
            query.stop()
        except Exception:
            logger.warning("the stream of %s does not stop", self.table.name, exc_info=True)
