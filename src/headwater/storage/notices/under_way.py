"""Pushes under way, told by a run to whoever watches from outside: a page, another process.

The file `under_way.json` in the warehouse is replaced when a push, or an action of it, begins or ends, and
counts only while a run is alive (run_lock.py).  It is news, not truth: a disk that cannot take it stops no
push.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from headwater.storage.records.run_lock import running
from headwater.storage.replace_text import replace_text

__all__ = ["NOTHING", "UnderWay", "WorkUnderWay", "read_under_way"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkUnderWay:
    """The views that are being pushed, and the stages that are computed for them at this moment."""

    views: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


NOTHING = WorkUnderWay()


def _path(root: str) -> str:
    return os.path.join(root, "under_way.json")


def read_under_way(root: str) -> WorkUnderWay:
    """What a run that is alive is doing; nothing if none is."""
    if running(root) is None:
        return NOTHING
    try:
        with open(_path(root), encoding="utf-8") as file:
            told = json.load(file)
    except FileNotFoundError:
        return NOTHING
    return WorkUnderWay(tuple(told["views"]), tuple(told["stages"]))


class UnderWay:
    """What the pushes of this process are doing. Safe for several threads."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._views: Counter[str] = Counter()
        self._stages: Counter[str] = Counter()
        self._told: WorkUnderWay | None = None

    @property
    def now(self) -> WorkUnderWay:
        with self._lock:
            return self._now()

    def begin(self) -> None:
        """Tell that nothing is under way: an earlier run may have been killed in the middle of something."""
        with self._lock:
            self._tell()

    @contextmanager
    def push(self, views: Collection[str]) -> Iterator[None]:
        with self._counted(self._views, sorted(views)):
            yield

    @contextmanager
    def action(self, stages: Sequence[str]) -> Iterator[None]:
        with self._counted(self._stages, stages):
            yield

    @contextmanager
    def _counted(self, counter: Counter[str], names: Sequence[str]) -> Iterator[None]:
        self._count(counter, names, 1)
        try:
            yield
        finally:
            self._count(counter, names, -1)

    def _count(self, counter: Counter[str], names: Sequence[str], by: int) -> None:
        with self._lock:
            for name in names:
                counter[name] += by
            self._tell()

    def _now(self) -> WorkUnderWay:
        return WorkUnderWay(tuple(sorted(+self._views)), tuple(sorted(+self._stages)))

    def _tell(self) -> None:
        now = self._now()
        if now == self._told:
            return
        try:
            replace_text(_path(self._root), json.dumps({"views": now.views, "stages": now.stages}))
        except OSError:
            logger.debug("what is under way cannot be told", exc_info=True)
        self._told = now
