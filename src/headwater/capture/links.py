"""A foreign key while a batch is resolved: a row of the pool needs a value, gives one, both or neither.

    at the referencing end   a row needs what its foreign key says (nothing, with a NULL in it)
    at the referenced end    a row gives what others may need
    a table of itself        has both, and what one record gives the next may need

Values are numbers here, as all keys are (codes.py); -1 is none.  The other table is looked up once in a batch
for all its values, and only if some record asks: updates that leave the keys alone never do.  A row that
keeps the reference it had is let be, as in SQL, even if that was broken before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.codes import Codes, codes, has_null
from headwater.capture.current import Current
from headwater.capture.fitted import fitted
from headwater.capture.foreign import Foreign, count_rows
from headwater.storage.timeline import WEIGHT

__all__ = ["Link", "link"]


@dataclass(slots=True)
class _Tally:
    """How many rows of a table there are for each number: those stored, read when first asked, and since."""

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
        found = count_rows(self.stored_in, wanted, self.columns)
        names = wanted.column_names
        both = codes(pa.concat_tables([wanted, found.select(names)]), names).tolist()
        number_of = dict(zip(both, distinct[distinct >= 0].tolist(), strict=False))
        weights = found.column(WEIGHT).to_pylist()
        return {number_of[one]: weight for one, weight in zip(both[len(wanted) :], weights, strict=True)}


@dataclass(slots=True)
class Link:
    """What each pool row `needs` and `gives`; how many rows need and give a value, now."""

    foreign: Foreign
    pool: pa.Table
    needs: list[int]
    gives: list[int]
    needing: _Tally
    giving: _Tally

    def holds(self, count: int) -> bool:
        """Whether the first `count` rows of the pool need only what is stored."""
        wanted = {number for number in self.needs[:count] if number >= 0}
        return not wanted or wanted <= self.giving.all_stored().keys()

    def broken(self, replaced: int, added: int) -> str:
        """Why the key forbids that pool row `added` takes the place of `replaced` (-1: no row)."""
        needed, kept = self._needs(added), self._needs(replaced)
        given, gone = self._gives(added), self._gives(replaced)
        if needed >= 0 and needed not in (kept, given) and self.giving.count(needed) <= (needed == gone):
            return self._missing(added)
        if gone in (-1, given):
            return ""
        left = self.needing.count(gone) - (kept == gone) + (needed == gone)
        return self._still_needed(replaced) if left > 0 else ""

    def move(self, row: int, weight: int) -> None:
        """Pool row `row` comes or goes. Of two tables, only this one changes; the other is as stored."""
        if self.foreign.owner == self.foreign.key.table:
            self.needing.move(self.needs[row], weight)
            self.giving.move(self.gives[row], weight)

    def _needs(self, row: int) -> int:
        return self.needs[row] if row >= 0 else -1

    def _gives(self, row: int) -> int:
        return self.gives[row] if row >= 0 else -1

    def _missing(self, row: int) -> str:
        key = self.foreign.key
        mine = f"{_place(self.foreign.owner, key.columns)} = {self._shown(row, key.columns)}"
        return f"{mine}: there is no such {_place(key.table, key.referenced)}"

    def _still_needed(self, row: int) -> str:
        key = self.foreign.key
        mine = f"{_place(key.table, key.referenced)} = {self._shown(row, key.referenced)}"
        return f"{mine}: {_place(self.foreign.owner, key.columns)} still references it"

    def _shown(self, row: int, columns: Sequence[str]) -> str:
        values = [_text(self.pool.column(name)[row].as_py()) for name in columns]
        return values[0] if len(values) == 1 else f"({', '.join(values)})"


def link(foreign: Foreign, table: str, pool: pa.Table) -> Link:
    """The foreign key over the rows of `pool`, which are rows of `table`: either end of it, or both."""
    key = foreign.key
    mine = key.columns if foreign.owner == table else key.referenced
    kinds = [pool.schema.field(name).type for name in mine]
    needs = _values(pool if foreign.owner == table else pool.slice(0, 0), key.columns, kinds)
    gives = _values(pool if key.table == table else pool.slice(0, 0), key.referenced, kinds)
    values = pa.concat_tables([needs, gives])
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
    """The columns as the key's values: numbered, of one type whichever end they are of."""
    if len(rows) == 0:
        return pa.table([pa.array([], kind) for kind in kinds], names=_numbered(kinds))
    pairs = zip(columns, kinds, strict=True)
    return pa.table([fitted(rows.column(name), kind) for name, kind in pairs], names=_numbered(kinds))


def _numbered(kinds: Sequence[pa.DataType]) -> list[str]:
    return [str(number) for number in range(len(kinds))]


def _place(table: str, columns: Sequence[str]) -> str:
    return f"{table}.{columns[0]}" if len(columns) == 1 else f"{table}.({', '.join(columns)})"


def _text(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
