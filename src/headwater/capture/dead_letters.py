"""Rejected records, in one Delta table for all sources, so that nothing sent to Headwater is lost.

    time     when it was rejected, in microseconds     table   the source it was meant for
    file     the file it came from, if any             line    its line there, counting from 1
    record   its text as it came                       reason  why it was rejected
    header   of a line of CSV: the columns' names      count   how many rows it stands for

Dead letters are committed before the accepted records of the same call, under the same token: a call that is
killed in between and retried writes neither twice.  A killed call without a token leaves its dead letters
behind.  The letters of a call have one time, which no other call's have; a run merges files day by day and
drops them by age (`retention.dead_letters`).  Other ways out are `retry_letters` and `discard_letters`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.intake.batch import Rejection
from headwater.capture.intake.token import BatchId, Recorded, Token
from headwater.clock import Clock
from headwater.errors import redact
from headwater.storage.delta.data_files import DataFile
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files
from headwater.storage.timeline import new_file_name
from headwater.storage.warehouse import Warehouse

__all__ = [
    "DEAD_LETTERS", "LONGEST", "DeadLetter", "newest_letters", "read_letters", "remove_letters",
    "write_dead_letters",
]  # fmt: skip

DEAD_LETTERS = "dead_letters"
LONGEST = 100_000  # characters stored of a record

_SCHEMA = pa.schema(
    [
        pa.field("time", pa.int64(), nullable=False),
        pa.field("table", pa.string(), nullable=False),
        pa.field("file", pa.string()),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("record", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("header", pa.string()),
        pa.field("count", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A stored rejection."""

    time: int
    table: str
    file: str | None
    line: int
    record: str
    reason: str
    header: str | None = None
    count: int = 1


def write_dead_letters(
    warehouse: Warehouse,
    table: str,
    rejected: Sequence[Rejection],
    clock: Clock,
    token: Token | BatchId | None = None,
) -> None:
    """Store rejected records; only once if there is a token."""
    if not rejected:
        return
    log = warehouse.system(DEAD_LETTERS)
    own = None if token is None else token.within(table)
    with warehouse.clock(f"${DEAD_LETTERS}").turn() as turn:
        assert turn is not None
        if not log.exists():
            log.create(_SCHEMA, "records that were rejected, with the reason")
        if own is not None and own.recorded(log) is not None:
            return
        log.widen(_SCHEMA)
        time = max(turn.take(clock.now()), log.time() + 1)
        written = write_parquet(log.path, new_file_name(time), _letters(table, rejected, time))
        recorded = Recorded(rejected=len(rejected), time=time)
        log.commit(time, [written], transactions=own.transactions(log, recorded) if own else None)
        turn.store(time)


def _letters(table: str, rejected: Sequence[Rejection], time: int) -> pa.Table:
    count = len(rejected)
    return pa.table(
        {
            "time": [time] * count,
            "table": [table] * count,
            "file": pa.array([record.file for record in rejected], pa.string()),
            "line": [record.line for record in rejected],
            "record": [_storable(record.text[:LONGEST]) for record in rejected],
            "reason": [_storable(redact(record.reason)) for record in rejected],
            "header": pa.array([record.header for record in rejected], pa.string()),
            "count": [record.count for record in rejected],
        },
        schema=_SCHEMA,
    )


def _storable(text: str) -> str:
    """Text without halves of surrogate pairs, which JSON can write and UTF-8 cannot."""
    return text.encode(errors="replace").decode()


def read_letters(warehouse: Warehouse, table: str | None = None) -> list[DeadLetter]:
    """The dead letters of a table, or of all, oldest first."""
    log = warehouse.system(DEAD_LETTERS)
    files = [] if not log.exists() else _files_of(log, table)
    if not files:
        return []
    condition = None if table is None else pc.field("table") == table
    rows = _read(files, condition)
    ordered = rows.sort_by([("time", "ascending"), ("line", "ascending")])
    return [DeadLetter(**{**row, "count": row["count"] or 1}) for row in ordered.to_pylist()]


def newest_letters(warehouse: Warehouse, table: str | None, enough: int) -> list[DeadLetter]:
    """The newest dead letters, oldest first: as many files back as it takes to have enough."""
    log = warehouse.system(DEAD_LETTERS)
    files = [] if not log.exists() else _files_of(log, table)
    condition = None if table is None else pc.field("table") == table
    rows: list[DeadLetter] = []
    for file in sorted(files, key=lambda file: file.maximum.get("time") or 0, reverse=True):
        letters = _read([file], condition).to_pylist()
        rows += [DeadLetter(**{**row, "count": row["count"] or 1}) for row in letters]
        if len(rows) >= enough:
            break
    return sorted(rows, key=lambda letter: (letter.time, letter.line))[-enough:]


def remove_letters(
    warehouse: Warehouse, clock: Clock, table: str | None = None, times: Collection[int] | None = None
) -> int:
    """Remove the letters of a table, or of all; with `times`, only those. Returns how many rows they were."""
    log = warehouse.system(DEAD_LETTERS)
    if not log.exists():
        return 0
    with warehouse.clock(f"${DEAD_LETTERS}").turn() as turn:
        assert turn is not None
        goes = _chosen(table, times)
        removed, kept, rows = [], [], 0
        for file in _files_of(log, table):
            content = _read([file])
            stays = content.filter(pc.invert(goes))
            if len(stays) == len(content):
                continue
            removed.append(file)
            rows += _count(content) - _count(stays)
            if len(stays):
                newest = pc.max(stays.column("time")).as_py()
                kept.append(write_parquet(log.path, new_file_name(newest), stays))
        if removed:
            time = max(turn.take(clock.now()), log.time() + 1)
            log.commit(time, kept, removed)
            turn.store(time)
    return rows


def _chosen(table: str | None, times: Collection[int] | None) -> pc.Expression:
    chosen = pc.scalar(True)
    if table is not None:
        chosen = chosen & (pc.field("table") == table)
    if times is not None:
        chosen = chosen & pc.field("time").isin(pa.array(sorted(times), pa.int64()))
    return chosen


def _count(letters: pa.Table) -> int:
    return sum(count or 1 for count in letters.column("count").to_pylist())


def _read(files: Sequence[DataFile], where: pc.Expression | None = None) -> pa.Table:
    """Letters of earlier versions lack the newer columns, which are null then."""
    return read_files([file.path for file in files], _SCHEMA, where=where)


def _files_of(log: DeltaLog, table: str | None) -> list[DataFile]:
    return [file for file in log.snapshot().files if table is None or file.may_hold("table", table, table)]
