"""What else follows the timelines, beside the views: a sink is told how far sources are captured.

The store of the project's queries is one (serve/store/keeping).  A run need not know what a sink does with
the changes, only how far it has read each relation: history that it lacks is not compacted away, and small
files are not merged across a time at which it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from headwater.catalog import Catalog

__all__ = ["MapTasks", "NoSink", "Sink"]

MapTasks = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]


class Sink(Protocol):
    def keep(self, catalog: Catalog, captured: Mapping[str, int], settle: bool = False) -> None:
        """Follow the timelines up to where sources are complete; `settle`: for the last time."""
        ...

    def read_up_to(self, relation: str) -> int | None:
        """Up to here a relation has been read, for good; None: it is not read."""
        ...

    def gathering(self, relation: str) -> AbstractContextManager[int | None]:
        """Held while changes of a relation become one: up to where it has been read, or is about to be."""
        ...

    def use_tasks(self, run: MapTasks) -> None:
        """From now on, `run` does a function over several items at once."""
        ...

    def close(self) -> None: ...


class NoSink:
    def keep(self, catalog: Catalog, captured: Mapping[str, int], settle: bool = False) -> None:
        return

    def read_up_to(self, relation: str) -> int | None:
        return None

    def gathering(self, relation: str) -> AbstractContextManager[int | None]:
        return nullcontext(None)

    def use_tasks(self, run: MapTasks) -> None:
        return

    def close(self) -> None:
        return
