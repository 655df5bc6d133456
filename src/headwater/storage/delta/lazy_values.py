"""Statistics of many files as Arrow columns: a column becomes Python's when one of its values is asked for.

A log of 50,000 files with 20 columns has two million bounds, of which a push asks for those of a few columns
and an append for none.  As Python objects they take seconds to make and most of a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from headwater.storage.as_python import column_as_python

__all__ = ["LazyColumns", "LazyValues"]


class LazyColumns:
    """Columns of equal length; None for a value that is NULL, or that Python cannot hold (a far year)."""

    __slots__ = ("_arrow", "_python")

    def __init__(self, columns: Mapping[str, pa.ChunkedArray]) -> None:
        self._arrow = columns
        self._python: dict[str, list[Any]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._arrow)

    def column(self, name: str) -> list[Any]:
        if name not in self._python:
            self._python[name] = column_as_python(self._arrow[name], lambda _: None)
        return self._python[name]


class LazyValues(Mapping[str, Any]):
    """A row of columns, with some values given."""

    __slots__ = ("_columns", "_given", "_row")

    def __init__(self, columns: LazyColumns, row: int, given: Mapping[str, Any]) -> None:
        self._columns, self._row, self._given = columns, row, given

    def __getitem__(self, name: str) -> Any:
        return self._given[name] if name in self._given else self._columns.column(name)[self._row]

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._columns.names), **self._given})

    def __len__(self) -> int:
        return len({*self._columns.names, *self._given})
