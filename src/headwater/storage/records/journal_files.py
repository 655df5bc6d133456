"""Fewer, larger files for the tables that only grow, a day at a time; and old days dropped.

Only files of the same day are merged, neighbours in time, so that files do not overlap and a reader finds
the newest rows in the newest file.  While a day lasts its small files wait until there are many; once it is
over it is merged to as few files as `MOST_ROWS` and `MOST_BYTES` allow.  A row is written anew only when its
file at least doubles.  Rows are dropped with their whole file, in one commit that reads nothing.

Only the run that holds the project's run lock may call this.  Tables with other writers (dead letters, the
ledger of files) are merged while their clock's turn is held, so that nobody writes meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files
from headwater.storage.records.journal import AT, day_of, files_between
from headwater.storage.timeline import new_file_name

__all__ = ["MANY_FILES", "drop_before", "merge_days"]

MANY_FILES = 32  # of a day that is not over
MOST_ROWS = 2_000_000  # of a file
MOST_BYTES = 128 * 1024 * 1024


def merge_days(log: DeltaLog, now: int, column: str = AT) -> int:
    """Merge the small files of each day; returns how many files went."""
    before = len(files_between(log, column=column))
    for day, files in _by_day(files_between(log, column=column), column):
        for group in _groups(files, over=day < day_of(now)):
            _merge(log, group, column)
    return before - len(files_between(log, column=column))


def drop_before(log: DeltaLog, instant: int, now: int, column: str = AT) -> int:
    """Drop the files whose rows are all older; returns how many there were."""
    old = [
        file
        for file in files_between(log, column=column)
        if (newest := file.maximum.get(column)) is not None and newest < instant
    ]
    if old:
        log.commit(max(now, log.time() + 1), removed=old)
    return len(old)


def _by_day(files: Sequence[DataFile], column: str) -> Iterator[tuple[int, list[DataFile]]]:
    """The files of each day; those that span days, or have no statistics, stay as they are."""
    ordered = sorted(files, key=lambda file: _days(file, column))
    for (first, last), of_day in groupby(ordered, key=lambda file: _days(file, column)):
        if first == last and first >= 0:
            yield first, sorted(of_day, key=lambda file: (file.minimum[column], file.maximum[column]))


def _days(file: DataFile, column: str) -> tuple[int, int]:
    first, last = file.minimum.get(column), file.maximum.get(column)
    return (-1, -1) if first is None or last is None else (day_of(first), day_of(last))


def _groups(files: Sequence[DataFile], over: bool) -> Iterator[list[DataFile]]:
    """Neighbours to merge.  Until the day is over, none is larger than all the newer ones of its group."""
    enough = 2 if over else MANY_FILES
    group: list[DataFile] = []
    for file in reversed(files):
        rows, size = sum(member.rows for member in group), sum(member.size for member in group)
        full = rows + file.rows > MOST_ROWS or size + file.size > MOST_BYTES
        if group and (full or (not over and file.rows > rows)):
            yield from [group] if len(group) >= enough else ()
            group = []
        group.append(file)
    if len(group) >= enough:
        yield group


def _merge(log: DeltaLog, files: Sequence[DataFile], column: str) -> bool:
    schema = log.schema()
    rows = read_files([file.path for file in files], schema)
    newest = max(int(file.maximum[column]) for file in files)
    merged = write_parquet(log.path, new_file_name(newest), rows.sort_by(column))
    return log.rewrite([merged], files, {})
