"""Keys of groups as numbers: of the keys that a change has, whatever their types and however many columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headwater.engine.push.driver.numbers import Integers, TooLarge

__all__ = ["KeyCodes", "can_be_key"]

MOST_CODES = 2**40


def can_be_key(kind: pa.DataType) -> bool:
    """Values that Arrow and Spark find equal alike: no floating-point numbers, nothing nested."""
    return not (pa.types.is_nested(kind) or pa.types.is_floating(kind))


@dataclass(frozen=True, slots=True)
class KeyCodes:
    """Numbers of the keys of some rows, without gaps; `names` are their columns there."""

    rows: pa.Table
    names: Sequence[str]
    values: list[pa.Array] = field(init=False)
    codes: Integers = field(init=False)  # of the rows
    known: Integers = field(init=False)  # mixed numbers of all keys, ascending

    def __post_init__(self) -> None:
        values = [pc.unique(self.rows[name]) for name in self.names]
        if prod(map(len, values)) >= MOST_CODES:
            raise TooLarge
        object.__setattr__(self, "values", values)
        known, codes = np.unique(self._mixed(self.rows, self.names)[0], return_inverse=True)
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "codes", codes.astype(np.int64))

    def of(self, rows: pa.Table, names: Sequence[str]) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """The numbers of the keys of other rows, and which of them have one."""
        mixed, there = self._mixed(rows, names)
        at = np.minimum(np.searchsorted(self.known, mixed), max(0, len(self.known) - 1))
        same = self.known[at] == mixed if len(self.known) else np.zeros(len(mixed), np.bool_)
        return at.astype(np.int64), there & same

    def _mixed(self, rows: pa.Table, names: Sequence[str]) -> tuple[Integers, npt.NDArray[np.bool_]]:
        mixed = np.zeros(rows.num_rows, np.int64)
        there = np.ones(rows.num_rows, np.bool_)
        for name, values in zip(names, self.values, strict=True):
            at = pc.index_in(rows[name], value_set=values).to_numpy()
            at = (
                np.where(np.isnan(at), -1, at).astype(np.int64)
                if at.dtype.kind == "f"
                else at.astype(np.int64)
            )
            there &= at >= 0
            mixed = mixed * max(1, len(values)) + np.maximum(at, 0)
        return mixed, there

    def columns(self, codes: Integers) -> list[pa.Array]:
        """The keys of these numbers, a column for each name."""
        mixed, columns = self.known[codes], []
        for values in reversed(self.values):
            mixed, at = np.divmod(mixed, max(1, len(values)))
            columns.append(values.take(pa.array(at)))
        return columns[::-1]
