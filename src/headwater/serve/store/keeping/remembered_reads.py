"""A store that does not change for a while, asked each question once: many rows meet the same others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import Entry, RangeRead, Store

__all__ = ["RememberedReads"]


@dataclass(frozen=True, slots=True)
class RememberedReads:
    """Implements bounds.plans.store.Store."""

    store: Store
    _rows: dict[Any, Entry | None] = field(default_factory=dict)
    _ranges: dict[Any, tuple[Index, Sequence[Entry]]] = field(default_factory=dict)

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        if (table, key) not in self._rows:
            self._rows[table, key] = self.store.get(table, key)
        return self._rows[table, key]

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        unknown = [key for key in keys if (table, key) not in self._rows]
        for key, row in zip(unknown, self.store.multi_get(table, unknown), strict=True):
            self._rows[table, key] = row
        return [self._rows[table, key] for key in keys]

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        asked = (id(wanted.over), *wanted[1:])
        if asked not in self._ranges:
            # The index too: an id is its own as long as it lives.
            self._ranges[asked] = (wanted.over, self.store.scan(wanted))
        return self._ranges[asked][1]
