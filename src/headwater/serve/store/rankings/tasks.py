"""Partitions of a ranking read by tasks elsewhere: each opens the store for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.model import Project
from headwater.serve.store.layout import StoredRanking
from headwater.serve.store.opening import open_store
from headwater.serve.store.protocol import StoredIndex, StoredTable
from headwater.serve.store.rankings.partitions import Partition, read_partition
from headwater.serve.store.rankings.refreshing import Buckets, ReadParts

__all__ = ["MapTasks", "PartitionTask", "read_by_tasks"]

MapTasks = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]  # engine/spark/tasks.py


@dataclass(frozen=True, slots=True)
class PartitionTask:
    """What a task needs to know to read some buckets."""

    project: Project
    parts: tuple[StoredTable | StoredIndex, ...]  # of the store, that it reads
    ranking: StoredRanking
    ends: tuple[Any, ...]

    def __call__(self, buckets: range) -> Partition:
        store = open_store(self.project)
        store.know(self.parts)
        try:
            with store.snapshot() as snapshot:
                return read_partition(snapshot, self.ranking.names, self.ranking.view, self.ends, buckets)
        finally:
            store.close()


def read_by_tasks(project: Project, parts: Sequence[StoredTable | StoredIndex], run: MapTasks) -> ReadParts:
    def read(ranking: StoredRanking, ends: Sequence[Any], buckets: Buckets) -> Sequence[Partition]:
        return run(PartitionTask(project, tuple(parts), ranking, tuple(ends)), buckets)

    return read
