"""A run that is asked to stop stops within seconds, whatever it waits for.

    Spark that starts, a server that does not answer    is left to itself, in a thread of its own
    a push under way                                    has some seconds to end; then its jobs are cancelled

Nothing is lost either way: what was committed is in the Delta logs, and the next run goes on from there.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["StoppedError", "all_unless_stopped", "cancelled_after_grace", "unless_stopped"]

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.05
GRACE_S = 5.0
T = TypeVar("T")


class StoppedError(Exception):
    """The run was asked to stop before it had begun."""


def unless_stopped(work: Callable[[], T], stop: threading.Event) -> T:
    """What `work` returns or raises; StoppedError if `stop` is set before, and the work is left to itself."""
    results = all_unless_stopped([work], stop)
    if results is None:
        raise StoppedError
    return results[0]


def all_unless_stopped(works: Sequence[Callable[[], T]], stop: threading.Event) -> list[T] | None:
    """What all return, each in a thread of its own; None if `stop` is set before. Raises what one raises."""
    results: dict[int, T] = {}
    errors: list[BaseException] = []

    def do(number: int, work: Callable[[], T]) -> None:
        try:
            results[number] = work()
        except BaseException as error:  # noqa: BLE001 - raised by the caller's thread
            errors.append(error)

    threads = [
        threading.Thread(target=do, args=(number, work), daemon=True) for number, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(LOOK_EVERY_S)
            if stop.is_set() and thread.is_alive():
                return None
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(works))]


@contextmanager
def cancelled_after_grace(
    stop: threading.Event, cancel: Callable[[], object], grace_s: float = GRACE_S
) -> Iterator[None]:
    """While this is entered, `cancel` is called again and again once `stop` has been set for `grace_s`."""
    ended = threading.Event()

    def watch() -> None:
        while not stop.wait(LOOK_EVERY_S):
            if ended.is_set():
                return
        while not ended.wait(grace_s):
            try:
                cancel()
            except Exception:
                logger.warning("Spark's jobs cannot be cancelled", exc_info=True)

    threading.Thread(target=watch, name="stopping", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
