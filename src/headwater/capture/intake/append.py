"""Append records to a source: checked, typed, in order, in one commit with one time.

    parse (no lock) -> take the source's turn -> resolve against current rows -> dead letters -> commit

While the turn is held no other writer of this source, in this or any other process, can commit, so what was
looked up stays true.  All accepted records of a call become visible at once: after a `kill -9` either all of
them are there or none.  With a token or a batch id (token.py) a retry commits nothing twice; without one, a
caller that was killed cannot tell whether its records were committed.

FOREIGN KEYs are tested against the other tables as they are at that moment (foreign.py).  An Appender knows
the keys that its table declares; keys that reference it only if it is given the project's `tables`.

Rows that a WATERMARK finds too late are rejected before they are resolved (lateness.py).

Sources captured from PostgreSQL refuse appends: PostgreSQL is their only writer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.dead_letters import write_dead_letters
from headwater.capture.intake.arrow_rows import arrow_batch
from headwater.capture.intake.batch import Batch, Operation, Record, Rejection
from headwater.capture.intake.changes import json_records, records_batch
from headwater.capture.intake.current import Current
from headwater.capture.intake.foreign import Foreign, foreign_keys
from headwater.capture.intake.resolve import Resolved, resolve
from headwater.capture.intake.stored_columns import difference, fit_columns
from headwater.capture.intake.token import BatchId, Recorded, Token
from headwater.capture.lateness import without_late
from headwater.capture.storage_errors import storage_errors
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.model import Table
from headwater.storage.delta.types import arrow_schema
from headwater.storage.restored import renew_if_restored
from headwater.storage.source_clock import Turn
from headwater.storage.timeline import COLLAPSED, WEIGHT, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Appended", "Appender", "Refuse", "append", "open_source"]

Refuse = Callable[[Batch, tuple[Rejection, ...]], None]  # raises if so many rejections are too many


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of a call. `time` is the commit time, None if nothing was committed."""

    accepted: int
    rejected: int
    time: int | None = None
    reasons: tuple[Rejection, ...] = ()
    warned: int = 0  # accepted although a limit or foreign key was broken: ON VIOLATION WARN
    repeated: bool = False  # the token or batch id had been committed before; the counts are those of then


def open_source(warehouse: Warehouse, table: Table) -> Timeline:
    """The source's timeline, created if it does not exist, with the columns that the table declares.

    Columns declared since it was stored are added; InputError (HW845) if it differs in any other way.
    """
    timeline, clock = warehouse.source(table.name), warehouse.clock(table.name)
    committed = clock.committed()
    behind = timeline.time() < committed  # looks at the log, to which another process may have added columns
    if behind or not timeline.exists() or difference(timeline.columns(), table):
        with clock.turn() as turn:
            assert turn is not None
            _open_in_turn(timeline, table, turn)
    return timeline


def _open_in_turn(timeline: Timeline, table: Table, turn: Turn) -> None:
    if not timeline.exists():
        timeline.create(arrow_schema(table.columns), f"source {table.name}")
    timeline.snapshot()
    fit_columns(timeline, table)
    renew_if_restored(timeline, turn)


@dataclass(slots=True)
class Appender:
    """A writer of one source. It caches columns of files it has read; see current.py."""

    warehouse: Warehouse
    table: Table
    clock: Clock
    tables: Mapping[str, Table] = field(default_factory=dict)  # may reference this table
    current: Current = field(init=False)
    foreign: tuple[Foreign, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.current = Current(self.warehouse.source(self.table.name))
        self.foreign = foreign_keys(self.warehouse, self.table, self.tables, self.current)

    def append(
        self,
        records: Iterable[Mapping[str, Any]] | pa.Table,
        token: Token | BatchId | None = None,
        strict: bool = False,
    ) -> Appended:
        """Append rows or envelopes (changes.py) given as mappings, or rows as an Arrow table.

        With `strict`, a single wrong record raises and nothing is written.
        """
        if isinstance(records, pa.Table):
            return self.append_batch(arrow_batch(self.table, records), token, strict)
        numbered = (Record(number, record) for number, record in enumerate(records, start=1))
        return self.append_batch(records_batch(self.table, numbered), token, strict)

    def append_json(
        self,
        lines: Iterable[bytes],
        token: Token | BatchId | None = None,
        strict: bool = False,
        file: str | None = None,
    ) -> Appended:
        """Append JSON lines; `file` is named in dead letters."""
        records = json_records(self.table, lines, strict, file)
        return self.append_batch(records_batch(self.table, records), token, strict)

    def append_batch(
        self,
        batch: Batch,
        token: Token | BatchId | None = None,
        strict: bool = False,
        refuse: Refuse | None = None,
    ) -> Appended:
        """Append records that are typed already; `refuse` may raise before anything is written."""
        _refuse_captured(self.table)
        refuse = refuse or partial(_refuse_rejected, strict)
        refuse(batch, batch.rejected)
        with storage_errors(f'table "{self.table.name}" takes no records', self.warehouse.root):
            return self._commit(batch, token, refuse)

    def _commit(self, batch: Batch, token: Token | BatchId | None, refuse: Refuse) -> Appended:
        timeline = self.warehouse.source(self.table.name)
        with self.warehouse.clock(self.table.name).turn() as turn:
            assert turn is not None
            _open_in_turn(timeline, self.table, turn)
            if token is not None and (before := token.recorded(timeline.log)) is not None:
                return Appended(before.accepted, before.rejected, before.time, repeated=True)
            batch = without_late(self.table, batch, timeline.snapshot().files)
            resolved = resolve(self.table, batch, self.current.rows, self.current.counts, self.foreign)
            rejected = _all_rejected(batch, resolved)
            refuse(batch, rejected)
            write_dead_letters(self.warehouse, self.table.name, rejected, self.clock, token)
            accepted = len(batch) - len(resolved.reasons)
            recorded = Recorded(accepted, len(rejected))
            collapsed = _collapsed(self.table, batch, resolved)
            time = (
                self._write(timeline, turn, resolved, token, recorded, collapsed)
                if accepted or token
                else None
            )
        return Appended(accepted, len(rejected), time, rejected, resolved.warned)

    def _write(
        self,
        timeline: Timeline,
        turn: Turn,
        resolved: Resolved,
        token: Token | BatchId | None,
        recorded: Recorded,
        collapsed: int,
    ) -> int:
        time = max(turn.take(self.clock.now()), timeline.time() + 1)
        numbers = {} if token is None else token.transactions(timeline.log, replace(recorded, time=time))
        if collapsed:
            numbers = {**numbers, COLLAPSED: (timeline.log.transaction(COLLAPSED) or 0) + collapsed}
        timeline.append(resolved.changes, time, transactions=numbers)
        turn.store(time)
        return time


def append(
    warehouse: Warehouse,
    table: Table,
    records: Iterable[Mapping[str, Any]] | pa.Table,
    clock: Clock,
    token: Token | BatchId | None = None,
    strict: bool = False,
    tables: Mapping[str, Table] | None = None,
) -> Appended:
    """Append once; see Appender, which is faster for many calls."""
    return Appender(warehouse, table, clock, tables or {}).append(records, token, strict)


def _collapsed(table: Table, batch: Batch, resolved: Resolved) -> int:
    """Updates that are accepted and not stored: a newer one is in their batch, or they change nothing."""
    if not table.update_key:
        return 0
    rejected = sum(batch.operations[at] != Operation.DELETE for at in resolved.reasons)
    updates = int((batch.operations != Operation.DELETE).sum()) - int(rejected)
    stored = pc.sum(pc.max_element_wise(resolved.changes[WEIGHT], 0)).as_py() or 0
    return max(0, updates - int(stored))


def _refuse_captured(table: Table) -> None:
    if table.provider == "postgres":
        raise InputError(
            "HW854",
            f'table "{table.name}" is captured from PostgreSQL and takes no records',
            hint="Write to PostgreSQL; the change arrives by replication.",
        )


def _refuse_rejected(strict: bool, _batch: Batch, rejected: tuple[Rejection, ...]) -> None:
    if strict and rejected:
        first = rejected[0]
        raise InputError(
            "HW855",
            f"record {first.line} is wrong: {first.reason}",
            detail=f"{first.text[:200]}\n{len(rejected)} record(s) rejected; strict, so nothing was written.",
        )


def _all_rejected(batch: Batch, resolved: Resolved) -> tuple[Rejection, ...]:
    """What parsing and resolving rejected, by line."""
    records = batch.records
    unresolved = [records[position].rejected(reason) for position, reason in resolved.reasons.items()]
    return tuple(sorted((*batch.rejected, *unresolved), key=lambda letter: (letter.file or "", letter.line)))
