"""Dead letters tried again, after the declaration, the other table or the file has been mended; or given up.

The letters of each call are appended as they came, oldest first, under a token made of their time, and then
removed.  What is rejected again is a new dead letter.  A retry that is killed in between is repeated without
harm: the token says which letters were appended already.

A table captured from PostgreSQL is compared with a new snapshot by the next run instead: what it holds now
counts, not what it held when the row was rejected.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from headwater.capture.dead_letters import LONGEST, DeadLetter, read_letters, remove_letters
from headwater.capture.files.csv_rows import csv_rows_batch
from headwater.capture.files.folder import CHANGED, read_content
from headwater.capture.files.parsing import parsed, rejected_file
from headwater.capture.intake.append import Appender
from headwater.capture.intake.batch import Batch, Record, Rejection, joined, no_rows
from headwater.capture.intake.changes import json_records, records_batch
from headwater.capture.intake.token import Token
from headwater.capture.messages import message_records
from headwater.clock import Clock
from headwater.model import Project, Table
from headwater.storage.records.run_lock import run_lock
from headwater.storage.warehouse import Warehouse

__all__ = ["Retried", "retry_letters"]

_WRITER = "dead-letters"


@dataclass(frozen=True, slots=True)
class Retried:
    """What became of a table's dead letters. `next_run`: the next run compares the table with PostgreSQL."""

    table: str
    accepted: int = 0
    rejected: int = 0
    next_run: bool = False


def retry_letters(project: Project, warehouse: Warehouse, clock: Clock, table: Table) -> Retried:
    """Append the dead letters of a table again."""
    if table.provider == "postgres":
        return _compare_at_next_run(project, warehouse, clock, table)
    appender = Appender(warehouse, table, clock, project.tables)
    letters = read_letters(warehouse, table.name)
    accepted = rejected = 0
    times = []
    for time, group in groupby(letters, key=lambda letter: letter.time):
        batch = joined(list(_batches(table, list(group))))
        appended = appender.append_batch(batch, Token(_WRITER, time))
        accepted += appended.accepted
        rejected += appended.rejected
        times.append(time)
    remove_letters(warehouse, clock, table.name, times)
    return Retried(table.name, accepted, rejected)


def _compare_at_next_run(project: Project, warehouse: Warehouse, clock: Clock, table: Table) -> Retried:
    from headwater.capture.postgres.address import address_of
    from headwater.capture.postgres.failures import database_of
    from headwater.capture.postgres.slot_record import SlotRecord

    with run_lock(warehouse.root, clock.now()):  # a run writes the same record
        record = SlotRecord(warehouse.root, project.name, database_of(address_of(table)))
        if (stored := record.read()) is not None:
            record.miss({*stored.missed, table.name})
        remove_letters(warehouse, clock, table.name)
    return Retried(table.name, next_run=True)


def _batches(table: Table, letters: Sequence[DeadLetter]) -> Iterator[Batch]:
    """The letters of one call in their order, those that are read alike together."""
    for (read, header, file), group in groupby(
        letters, key=lambda letter: (_reader(letter), letter.header, letter.file)
    ):
        yield read(table, list(group), header, file)


def _reader(letter: DeadLetter) -> Callable[[Table, list[DeadLetter], str | None, str | None], Batch]:
    whole_file = letter.line == 0 and not letter.record and letter.file and letter.reason != CHANGED
    if whole_file:
        return _files_again
    if not letter.record or len(letter.record) >= LONGEST:
        return _still_rejected
    return _records_again if letter.header is None else _csv_again


def _files_again(table: Table, letters: list[DeadLetter], _: str | None, file: str | None) -> Batch:
    """A file that was rejected as a whole is read again."""
    path = file or ""
    try:
        batch = parsed(table, read_content(path).content, path)
    except OSError as error:
        batch = rejected_file(table, path, error.strerror or str(error))
    return batch


def _csv_again(table: Table, letters: list[DeadLetter], header: str | None, file: str | None) -> Batch:
    names = next(csv.reader([header or ""]))
    if unknown := [name for name in names if name not in table.column_names]:
        return _still_rejected(table, letters, header, file, f'unknown column "{unknown[0]}"')
    rows = [(letter.line, next(csv.reader(io.StringIO(letter.record, newline="")))) for letter in letters]
    return csv_rows_batch(table, names, rows, file)


def _records_again(table: Table, letters: list[DeadLetter], _: str | None, file: str | None) -> Batch:
    """Rows and envelopes of JSON; those of a stream may have fields that the table does not declare."""
    return records_batch(table, (_record(table, letter, file) for letter in letters))


def _record(table: Table, letter: DeadLetter, file: str | None) -> Record:
    text = letter.record.encode()
    if table.provider == "stream":
        [record] = message_records(table, [text], file or "")
    else:
        [record] = json_records(table, [text], file=file)
    return record._replace(line=letter.line)


def _still_rejected(
    table: Table, letters: list[DeadLetter], header: str | None, file: str | None, reason: str = ""
) -> Batch:
    """Letters that cannot be tried again: what was rejected is not stored, or not all of it."""
    rejections = [
        Rejection(letter.line, letter.record, reason or letter.reason, file, header, letter.count)
        for letter in letters
    ]
    return no_rows(table, rejections)
