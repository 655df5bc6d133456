"""What all requests share: the project, what is remembered, who may ask, how many follow changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.clock import Clock
from headwater.serve.access.key_file import KeyFile
from headwater.serve.access.rates import Rates
from headwater.serve.http.opening import Opened, Opening
from headwater.serve.http.problems import Problem
from headwater.serve.http.queries.answered_queries import AnsweredQueries
from headwater.serve.http.remembered import Remembered
from headwater.serve.paging import Sorted
from headwater.serve.store.answering import Answering, QueryAnswer
from headwater.units import SECOND

__all__ = ["Serving", "Settings"]

ANSWERS = 512  # remembered at most
TABLE_BYTES = 256 * 1024 * 1024  # of views' rows, in order, in memory; a larger view is sorted for every page
MOST_READERS = 64  # of changes, at once


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is asked."""

    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()  # other names it is known by
    rate: float = 200.0  # requests a second of one key, or of one address


@dataclass(slots=True)
class Serving:
    opening: Opening
    clock: Clock
    settings: Settings = Settings()
    answers: Remembered = field(default_factory=lambda: Remembered(ANSWERS))
    tables: Remembered = field(default_factory=lambda: Remembered(TABLE_BYTES, _size))
    stopping: threading.Event = field(default_factory=threading.Event)
    rates: Rates = field(init=False)
    keys: KeyFile = field(init=False)
    _readers: int = 0

    asked: AnsweredQueries = field(default_factory=AnsweredQueries)

    def __post_init__(self) -> None:
        self.rates = Rates(self.settings.rate)
        self.keys = KeyFile(self.opened.warehouse.root)

    @property
    def opened(self) -> Opened:
        return self.opening.current()

    @property
    def answering(self) -> Answering | None:
        """What answers the declared queries; None if there are none. Opened once for a state of the files."""
        opened = self.opened
        if not opened.project.queries:
            return None
        return self.answers.answer(
            "answering", opened.fingerprint, lambda: Answering.open(opened.project, self.clock)
        )

    def counted(self, query: str, answer: Callable[[], QueryAnswer]) -> QueryAnswer:
        """Answer a query, and count what it took."""
        began = self.clock.monotonic()
        given = answer()
        self.asked.count(query, given, (self.clock.monotonic() - began) / SECOND)
        return given

    @contextmanager
    def reader(self) -> Iterator[None]:
        """A place among those who follow changes. Only the event loop's thread may ask for one."""
        if self._readers >= MOST_READERS:
            raise Problem("HW972", "too many readers follow changes already", 503, retry_after="10")
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1


def _size(table: tuple[int, Sorted]) -> float:
    return table[1].size
