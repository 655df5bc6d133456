"""A foreign key while a batch is resolved: a row of the pool needs a value, provides one, both or neither.

    at the referencing end   a row needs the value of its foreign key (none, if part of it is NULL)
    at the referenced end    a row provides a value that others may need
    a table with itself      has both, and a record may need what an earlier one provides

Values are numbers here, like all keys (codes.py); -1 means none.  The other table is looked up once in a
batch, for all its values, and only if a record needs it: updates that leave the keys alone never do.  A row
whose reference does not change is accepted even if that reference was broken before, as in SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.intake.codes import Codes, codes, has_null
from headwater.capture.intake.current import Current
from headwater.capture.intake.exact_cast import exact_cast
from headwater.capture.intake.foreign import Foreign, count_rows
from headwater.storage.as_python import column_as_python
from headwater.storage.timeline import WEIGHT

__all__ = ["Link", "link"]


@dataclass(slots=True)
class _Tally:
    """Rows of a table by number: the stored ones, counted on first use, plus changes."""

    stored_in: Current
    columns: Sequence[str]
    values: pa.Table
    numbers: Codes
    moved: dict[int, int] = field(default_factory=dict)
    stored: dict[int, int] | None = None

    def count(self, number: int) -> int:
        return self.all_stored().get(number, 0) + self.moved.get(number, 0)

    def move(self, number: int, by: int) -> None:
        if number >= 0:
            self.moved[number] = self.moved.get(number, 0) + by

    def all_stored(self) -> dict[int, int]:
        if self.stored is None:
            self.stored = self._read()
        return self.stored

    def _read(self) -> dict[int, int]:
        distinct, first = np.unique(self.numbers, return_index=True)
        wanted = self.values.take(pa.array(first[distinct >= 0]))
        present = count_rows(self.stored_in, wanted, self.columns)
        names = wanted.column_names
        both = codes(pa.concat_tables([wanted, present.select(names)]), names).tolist()
        number_of = dict(zip(both, distinct[distinct >= 0].tolist(), strict=False))
        weights = present.column(WEIGHT).to_pylist()
        return {number_of[code]: weight for code, weight in zip(both[len(wanted) :], weights, strict=True)}


@dataclass(slots=True)
class Link:
    """What each pool row `needs` and `provides`; how many rows need and provide a value, now."""

    foreign: Foreign
    pool: pa.Table
    needs: list[int]
    provides: list[int]
    needing: _Tally
    providing: _Tally

    def holds(self, count: int) -> bool:
        """Whether the first `count` rows of the pool need only what is stored."""
        wanted = {number for number in self.needs[:count] if number >= 0}
        return not wanted or wanted <= self.providing.all_stored().keys()

    def broken(self, replaced: int, added: int) -> str:
        """Why the key forbids replacing pool row `replaced` by `added` (-1: no row); "" if it does not."""
        needed, needed_before = self._needs(added), self._needs(replaced)
        provided, lost = self._provides(added), self._provides(replaced)
        if (
            needed >= 0
            and needed not in (needed_before, provided)
            and self.providing.count(needed) <= (needed == lost)
        ):
            return self._missing(added)
        if lost in (-1, provided):
            return ""
        still = self.needing.count(lost) - (needed_before == lost) + (needed == lost)
        return self._still_needed(replaced) if still > 0 else ""

    def move(self, row: int, weight: int) -> None:
        """Add or remove pool row `row`. With two tables only this one changes; the other is as stored."""
        if self.foreign.owner == self.foreign.key.table:
            self.needing.move(self.needs[row], weight)
            self.providing.move(self.provides[row], weight)

    def _needs(self, row: int) -> int:
        return self.needs[row] if row >= 0 else -1

    def _provides(self, row: int) -> int:
        return self.provides[row] if row >= 0 else -1

    def _missing(self, row: int) -> str:
        key = self.foreign.key
        value = f"{_column_text(self.foreign.owner, key.columns)} = {self._shown(row, key.columns)}"
        return f"{value}: there is no such {_column_text(key.table, key.referenced)}"

    def _still_needed(self, row: int) -> str:
        key = self.foreign.key
        value = f"{_column_text(key.table, key.referenced)} = {self._shown(row, key.referenced)}"
        return f"{value}: {_column_text(self.foreign.owner, key.columns)} still references it"

    def _shown(self, row: int, columns: Sequence[str]) -> str:
        values = [_text(column_as_python(self.pool.column(name).slice(row, 1))[0]) for name in columns]
        return values[0] if len(values) == 1 else f"({', '.join(values)})"


def link(foreign: Foreign, table: str, pool: pa.Table) -> Link:
    """The foreign key over `pool`, rows of `table`, which is either end of the key, or both."""
    key = foreign.key
    own = key.columns if foreign.owner == table else key.referenced
    kinds = [pool.schema.field(name).type for name in own]
    needs = _values(pool if foreign.owner == table else pool.slice(0, 0), key.columns, kinds)
    provides = _values(pool if key.table == table else pool.slice(0, 0), key.referenced, kinds)
    values = pa.concat_tables([needs, provides])
    numbers = codes(values, values.column_names)
    numbers[has_null(values, values.column_names)] = -1
    none = [-1] * len(pool)
    return Link(
        foreign, pool,
        numbers[: len(needs)].tolist() or none,
        numbers[len(needs) :].tolist() or none,
        _Tally(foreign.referencing, key.columns, values, numbers),
        _Tally(foreign.referenced, key.referenced, values, numbers),
    )  # fmt: skip


def _values(rows: pa.Table, columns: Sequence[str], kinds: Sequence[pa.DataType]) -> pa.Table:
    """The columns as the key's values: named by number, of one type whichever end they belong to."""
    if len(rows) == 0:
        return pa.table([pa.array([], kind) for kind in kinds], names=_numbered(kinds))
    pairs = zip(columns, kinds, strict=True)
    return pa.table([exact_cast(rows.column(name), kind) for name, kind in pairs], names=_numbered(kinds))


def _numbered(kinds: Sequence[pa.DataType]) -> list[str]:
    return [str(number) for number in range(len(kinds))]


def _column_text(table: str, columns: Sequence[str]) -> str:
    return f"{table}.{columns[0]}" if len(columns) == 1 else f"{table}.({', '.join(columns)})"


def _text(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
