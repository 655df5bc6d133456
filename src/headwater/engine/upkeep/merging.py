"""Files of a timeline read, summed up and written as one, in the driver's memory, not yet committed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.engine.upkeep.merges import Merge
from headwater.storage.delta.data_files import BEGINNING, DataFile, NewFile
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.zset import consolidate

__all__ = ["MergeLarge", "Merged", "deletes_of", "merge_on_driver"]


@dataclass(frozen=True, slots=True)
class Merged:
    """The files that hold the sum of others, and how long that kept a core busy, at most."""

    files: tuple[NewFile, ...]
    core_seconds: float

    @property
    def rows(self) -> int:
        return sum(file.statistics.rows for file in self.files)


# Merges more than the driver can hold: the relation, its timeline, the files, and the time that the sum gets.
# None if it was stopped.
MergeLarge = Callable[[str, Timeline, Merge, int], Merged | None]


def merge_on_driver(timeline: Timeline, merge: Merge, newest: int) -> Merged:
    """The sum of the files as one file as of `newest`; none if everything cancels."""
    start = time.perf_counter()
    part = Slice(merge.files, BEGINNING - 1, newest)
    # Insertions alone cannot cancel: putting them together is enough, and much cheaper than summing them up.
    changes = timeline.read(part) if part.inserts_only else consolidate(timeline.read(part))
    files = (timeline.write(changes, newest),) if changes.num_rows else ()
    return Merged(files, time.perf_counter() - start)


def deletes_of(file: DataFile) -> int:
    """How many changes of a file have a negative weight: from the log if all are of one sign."""
    least, greatest = file.minimum.get(WEIGHT), file.maximum.get(WEIGHT)
    if least is not None and least > 0:
        return 0
    if greatest is not None and greatest < 0:
        return file.rows
    return _deletes_in(file.path)


@lru_cache(maxsize=20_000)
def _deletes_in(path: str) -> int:
    """Files never change, so the column is read once; it takes a few bytes, since weights repeat."""
    with pq.ParquetFile(path) as file:
        batches = file.iter_batches(columns=[WEIGHT])
        return sum(pc.sum(pc.less(batch.column(WEIGHT), 0)).as_py() or 0 for batch in batches)
