"""What all requests share: the project, what is remembered, who may ask, how many follow changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram

from headwater.clock import Clock
from headwater.serve.access.key_file import KeyFile
from headwater.serve.access.rates import Rates
from headwater.serve.http.opening import Opened, Opening
from headwater.serve.http.problems import Problem
from headwater.serve.http.remembered import Remembered
from headwater.serve.paging import Sorted
from headwater.serve.store.answering import Answering, QueryAnswer
from headwater.units import SECOND

__all__ = ["Serving", "Settings"]

ANSWERS = 512  # remembered at most
TABLE_BYTES = 256 * 1024 * 1024  # of views' rows, in order, in memory; a larger view is sorted for every page
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)  # of answers, as a histogram
MOST_READERS = 64  # of changes, at once


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is asked."""

    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()  # other names it is known by
    rate: float = 200.0  # requests a second of one key, or of one address


class Asked:
    """What queries took since the server started, for its metrics. Safe for many threads."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._operations = self._counter("headwater_store_operations", "Operations of the store")
        self._answers = self._counter("headwater_query_answers", "Answers given")
        self._breaches = self._counter("headwater_query_bound_exceeded", "Answers beyond their bound: bugs")
        self._seconds = Histogram(
            "headwater_query_seconds",
            "How long an answer took",
            ["query"],
            registry=self.registry,
            buckets=SECONDS,
        )

    def count(self, query: str, answer: QueryAnswer, seconds: float) -> None:
        self._answers.labels(query).inc()
        self._operations.labels(query).inc(answer.operations)
        self._seconds.labels(query).observe(seconds)
        if answer.bound is not None and answer.operations > answer.bound:
            self._breaches.labels(query).inc()

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(name, text, ["query"], registry=self.registry)


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

    asked: Asked = field(default_factory=Asked)

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
