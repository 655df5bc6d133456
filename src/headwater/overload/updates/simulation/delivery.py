"""The four ways in which updates come in and results go out (UpStream, Figure 1), over one queue.

    input   output
    push    push     arrivals are enqueued; when the processor is free, a result is sent to the application
    push    pull     arrivals are enqueued; a result is computed when the application asks for a key
    pull    push     the processor fetches what is new from the source when it is free, and sends results
    pull    pull     nothing moves until the application asks: fetch, then compute

A source is a function that returns what is new since the last call; a sink takes a result; a query maps the
newest row to a result.  The paper, and Headwater's capture, are push-push.  A pulled key jumps the queue,
because a reader is waiting for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from headwater.overload.updates.queue.cells import KeyCells, KeyIndex
from headwater.overload.updates.queue.orders import InPlace

__all__ = ["Mode", "Pipeline", "Row"]

Row = tuple[Hashable, object]  # a key and its newest value


class Mode(StrEnum):
    """Who moves the data: the side that has it (push) or the side that needs it (pull)."""

    PUSH = "push"
    PULL = "pull"


@dataclass(slots=True)
class Pipeline:
    """A continuous query between a source and an application, in one of the four models."""

    query: Callable[[object], object]
    input: Mode = Mode.PUSH
    output: Mode = Mode.PUSH
    source: Callable[[], Iterable[Row]] = tuple
    sink: Callable[[Hashable, object], None] = lambda key, result: None
    results: dict[Hashable, object] = field(default_factory=dict)
    _index: KeyIndex = field(default_factory=KeyIndex)
    _order: InPlace = field(default_factory=lambda: InPlace(KeyCells()))
    _newest: dict[Hashable, object] = field(default_factory=dict)

    def push(self, key: Hashable, value: object) -> None:
        """An update arrives (push input); it replaces a waiting older update of its key in place."""
        if self.input is not Mode.PUSH:
            raise ValueError("this pipeline pulls its input: it has a source and takes no arrivals")
        self._enqueue(key, value)

    def _enqueue(self, key: Hashable, value: object) -> None:
        number = self._index.number(key)
        if key not in self._newest:
            self._order.enter(number, 0.0)
        self._newest[key] = value

    def step(self) -> Hashable | None:
        """The processor is free (push output): process one key and send its result; None if nothing waits."""
        if self.output is not Mode.PUSH:
            raise ValueError("this pipeline's application pulls: ask it with read()")
        self._fetch()
        if not len(self._order):
            return None
        key: Hashable = self._index.values[self._order.take(0.0)]
        self.sink(key, self._process(key))
        return key

    def read(self, key: Hashable) -> object:
        """The application asks (pull output): its newest result, computed now if an update waits."""
        if self.output is not Mode.PULL:
            raise ValueError("this pipeline pushes results: give it a sink and call step()")
        self._fetch()
        if key in self._newest:
            self._order.remove(self._index.number(key))
            return self._process(key)
        return self.results.get(key)

    def _fetch(self) -> None:
        if self.input is Mode.PULL:
            for key, value in self.source():
                self._enqueue(key, value)

    def _process(self, key: Hashable) -> object:
        result = self.results[key] = self.query(self._newest.pop(key))
        return result

    @property
    def waiting(self) -> int:
        return len(self._order)
