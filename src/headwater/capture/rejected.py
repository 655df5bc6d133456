"""How many rows of each source were rejected and wait as dead letters, and whether that is too many.

Files of dead letters never change, so each is counted once; most are counted by the statistics in the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.capture.dead_letters import DEAD_LETTERS
from headwater.errors import shown_folder
from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.reading import parquet_files
from headwater.storage.warehouse import Warehouse

__all__ = ["TOO_MANY", "Rejected", "RejectedRows", "rejected_rows"]

TOO_MANY = 0.01  # the share of a source's rows from which on every screen warns


@dataclass(frozen=True, slots=True)
class Rejected:
    """The rejected rows of a source, beside the changes that it stores."""

    table: str
    rows: int
    stored: int = 0

    @property
    def share(self) -> float:
        return self.rows / (self.rows + self.stored) if self.rows else 0.0

    @property
    def too_many(self) -> bool:
        return self.share > TOO_MANY

    def __str__(self) -> str:
        rows = "1 row was" if self.rows == 1 else f"{self.rows:,} rows were"
        return f"{self.table}: {rows} rejected ({_percent(self.share)} of all)"

    def warning(self, folder: str) -> str:
        """The same with what it means, and what to do."""
        is_or_are = "is" if self.rows == 1 else "are"
        listing = f"headwater dead-letters {shown_folder(folder)} {self.table}"
        return f"{self} and {is_or_are} in no view; {listing} says why"


def _percent(share: float) -> str:
    """Never 100 % if some were accepted, nor 0 % if some were rejected."""
    return f"{share:.0%}" if 0.01 <= share <= 0.99 or share == 1 else f"{share:.2%}"


@dataclass(slots=True)
class RejectedRows:
    """Counts dead letters by source; remembers the files it has counted."""

    warehouse: Warehouse
    _of_file: dict[str, Counter[str]] = field(default_factory=dict, init=False)

    def by_table(self, tables: Iterable[str]) -> dict[str, Rejected]:
        """The sources among `tables` of which rows were rejected."""
        counts = self._counts()
        return {
            table: Rejected(table, counts[table], self.warehouse.source(table).snapshot().rows)
            for table in tables
            if counts[table]
        }

    def _counts(self) -> Counter[str]:
        files = self.warehouse.system(DEAD_LETTERS).snapshot().files
        self._of_file = {
            file.path: self._of_file[file.path] if file.path in self._of_file else _counted(file)
            for file in files
        }
        return sum(self._of_file.values(), Counter[str]())


def _counted(file: DataFile) -> Counter[str]:
    """The rows of each table in one file: as the log says if they are alike, else read."""
    table, count = _only(file, "table"), _only(file, "count")
    if table is not None and count is not None:
        return Counter({table: file.rows * count})
    return _read(file.path)


def _only(file: DataFile, column: str) -> Any:
    """The one value that a column has in a file; None if there may be others."""
    least, greatest = file.minimum.get(column), file.maximum.get(column)
    return least if least == greatest and not file.nulls.get(column) else None


def _read(path: str) -> Counter[str]:
    """The same from the file itself; a letter of an earlier version stands for one row."""
    letters = parquet_files(path)
    columns = ["table"] + (["count"] if "count" in letters.schema.names else [])
    rows = letters.to_table(columns=columns)
    counts = rows.column("count").to_pylist() if len(columns) == 2 else [1] * len(rows)
    counted: Counter[str] = Counter()
    for table, count in zip(rows.column("table").to_pylist(), counts, strict=True):
        counted[table] += count or 1
    return counted


def rejected_rows(warehouse: Warehouse, tables: Iterable[str]) -> dict[str, Rejected]:
    """The sources of which rows were rejected, counted once."""
    return RejectedRows(warehouse).by_table(tables)
