"""A snapshot under the names of one plan: queries that share a table may call it differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bounds.plans.store import Entry, RangeRead
from headwater.serve.store.protocol import Snapshot

__all__ = ["Renamed"]


@dataclass(frozen=True, slots=True)
class Renamed:
    """Implements bounds.plans.store.Store."""

    snapshot: Snapshot
    names: Mapping[str, str]  # of the plan -> ids of tables

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        return self.snapshot.get(self.names[table], key)

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        return self.snapshot.multi_get(self.names[table], keys)

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        return self.snapshot.scan(wanted._replace(table=self.names[wanted.over.table]))
