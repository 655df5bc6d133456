"""What stores that speak SQL have in common; how they connect and what a transaction is, each says itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from headwater.serve.store.backends.batches import Record
from headwater.serve.store.backends.connected import Connected
from headwater.serve.store.backends.filling import filling
from headwater.serve.store.backends.shapes import Shapes
from headwater.serve.store.protocol import Filling, Part, Snapshot, Writing

__all__ = ["SqlStore"]


class SqlStore(ABC):
    __slots__ = ()

    shapes: Shapes

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Snapshot]: ...

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Writing]: ...

    def times(self) -> dict[str, int]:
        with self.snapshot() as snapshot:
            return snapshot.times()

    def filling(self, part: str) -> AbstractContextManager[Filling]:
        return filling(self, part)

    def write_records(self, part: str, records: Sequence[Record]) -> None:
        with self.transaction() as writing:
            assert isinstance(writing, Connected)
            writing.connection.executemany(self.shapes.shape(part).insert, records)

    def know(self, parts: Iterable[Part]) -> None:
        self.shapes.know(parts)
