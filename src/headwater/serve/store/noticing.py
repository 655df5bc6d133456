"""A snapshot that takes note of the rows that an answer is made from, for those who learn from reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.bounds.plans.store import Entry, RangeRead, Store

__all__ = ["Noticing"]


@dataclass(frozen=True, slots=True)
class Noticing:
    """Implements bounds.plans.store.Store. `relations`: those whose rows are noticed."""

    store: Store
    relations: Collection[str]
    noticed: defaultdict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        entry = self.store.get(table, key)
        self._notice(table, (entry,))
        return entry

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        entries = self.store.multi_get(table, keys)
        self._notice(table, entries)
        return entries

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        entries = self.store.scan(wanted)
        self._notice(wanted.table or wanted.over.table, entries)
        return entries

    def _notice(self, table: str, entries: Sequence[Entry | None]) -> None:
        if table in self.relations:
            self.noticed[table] += [entry for entry in entries if entry is not None]
