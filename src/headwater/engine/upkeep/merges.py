"""Which files of a timeline are worth merging: decided from what is known about them, before any is read.

A change that deletes a row cancels with the change that inserted it, and both are stored until a merge puts
them together.  Where a delete finds its insert is not known without reading, but how many deletes there are
is: each stands for two rows that a merge of everything would remove.

    cancelling   the files with deletes, and those that can hold the rows they delete, are merged once more
                 than CANCELLED_SHARE of their rows would go.  A table of L rows under random updates is
                 merged after L/4 updates, so each update pays for reading six rows and writing four,
                 however large the table is and however long it lives.
    small        small files are merged once there are many, the smallest first.  A file larger than all
                 before it together waits, so a row is written anew only when its file doubles.  Larger files
                 with deletes join them: updates of the same few rows cancel here, without the rest.

Only changes that every reader has read are offered (compaction.py).  The bar: rows stored of those are at
most twice the rows that are, apart from a remainder of LEAST_ROWS.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from headwater.storage.delta.data_files import DataFile
from headwater.storage.timeline import TIME, WEIGHT, Range

__all__ = ["LEAST_ROWS", "MANY_FILES", "MANY_UNREAD", "FileFacts", "Merge", "choose_merges"]

# At a half, rows stored would reach twice those that are; a third leaves room for what comes between looks.
CANCELLED_SHARE = 1 / 3
LEAST_ROWS = 10_000  # fewer rows cost a push nothing, and a merge its commit: they wait for many files
MANY_FILES = 16
MANY_UNREAD = 128  # of a timeline that no stage reads again and again
SMALL_ROWS = 100_000
DRIVER_ROWS = 1_000_000  # what is merged in the driver's memory; more is left to Spark
DRIVER_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file and how many of its changes are deletes (have a negative weight)."""

    file: DataFile
    deletes: int

    @property
    def rows(self) -> int:
        return self.file.rows


@dataclass(frozen=True, slots=True)
class Merge:
    """Files to be replaced by their sum, and why. `large`: too much for the driver."""

    files: tuple[DataFile, ...]
    reason: str
    large: bool = False

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def choose_merges(files: Sequence[FileFacts], many: int = MANY_FILES, spark: bool = True) -> list[Merge]:
    """What to merge now, no file twice; without `spark`, only what the driver can merge.

    A table whose updates are worth a merge at every look may have many small files all the same.
    """
    cancelling = _cancelling(files)
    if cancelling is None or (cancelling.large and not spark):
        merges, rest = [], files
    else:
        taken = {file.relative for file in cancelling.files}
        merges, rest = [cancelling], [facts for facts in files if facts.file.relative not in taken]
    small = _small(rest, many)
    return merges if small is None else [*merges, small]


def _cancelling(files: Sequence[FileFacts]) -> Merge | None:
    deleting = [facts.file for facts in files if facts.deletes]
    if not deleting:
        return None
    hull = _hull(deleting)
    part = [facts for facts in files if facts.deletes or _within(facts.file, hull)]
    rows = sum(facts.rows for facts in part)
    if len(part) < 2 or rows < LEAST_ROWS or 2 * _pairs(part) <= CANCELLED_SHARE * rows:
        return None
    return _merge(part, "deletes cancel")


def _pairs(files: Sequence[FileFacts]) -> int:
    """How many deletes may meet their inserts: within a file that a push or a merge wrote they have met.

    Only the largest file is looked at closely: what it could not cancel before needs inserts of the others.
    """
    largest = max(files, key=lambda facts: facts.rows)
    inserts = sum(facts.rows - facts.deletes for facts in files)
    others = sum(facts.deletes for facts in files) - largest.deletes
    elsewhere = inserts - (largest.rows - largest.deletes)
    return min(inserts, min(largest.deletes, elsewhere) + others)


def _small(files: Sequence[FileFacts], many: int) -> Merge | None:
    by_size = sorted(files, key=lambda facts: facts.rows)
    small = [facts for facts in by_size if facts.rows < SMALL_ROWS]
    if len(small) < many:
        return None
    larger = (facts for facts in by_size if facts.rows >= SMALL_ROWS and facts.deletes)
    chosen: list[FileFacts] = []
    rows = size = 0
    for facts in (*small, *larger):
        waits = (len(chosen) >= many // 2 or facts.rows >= SMALL_ROWS) and facts.rows > rows
        if waits or rows + facts.rows > DRIVER_ROWS or size + facts.file.size > DRIVER_BYTES:
            break
        chosen.append(facts)
        rows, size = rows + facts.rows, size + facts.file.size
    return _merge(chosen, "many small files") if len(chosen) > 1 else None


def _merge(files: Iterable[FileFacts], reason: str) -> Merge:
    chosen = tuple(facts.file for facts in files)
    rows, size = sum(file.rows for file in chosen), sum(file.size for file in chosen)
    return Merge(chosen, reason, rows > DRIVER_ROWS or size > DRIVER_BYTES)


def _hull(files: Sequence[DataFile]) -> list[Range]:
    """Ranges within which all rows of the files lie, of columns without NULLs whose ranges are complete."""
    names = [name for name in files[0].minimum if name not in (WEIGHT, TIME)] if files else []
    hull = []
    for name in names:
        lows, highs = [file.minimum.get(name) for file in files], [file.maximum.get(name) for file in files]
        if all(file.nulls.get(name) == 0 for file in files) and all(map(_complete, (*lows, *highs))):
            hull.append(Range(name, min(lows), max(highs)))  # type: ignore[type-var]
    return hull


def _within(file: DataFile, hull: Sequence[Range]) -> bool:
    """Whether a row of the file may lie within the hull."""
    return all(file.may_hold(span.column, span.low, span.high) for span in hull)


def _complete(value: object) -> bool:
    """Whether a range with this end excludes all others: NaN is left out of the ranges of floats."""
    return isinstance(value, int | str | date | datetime) and not isinstance(value, bool)
