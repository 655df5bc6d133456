"""Append records to a source: checked, typed, in order, and in one commit at one time.

    parse (no lock) -> take the source's turn -> resolve against what is there -> dead letters -> commit

While the turn is held no other writer of this source, in this or any other process, can commit, so what was
looked up stays true.  All accepted records of a call become visible at once: `kill -9` at any moment leaves
all of them or none.  With a token a retry commits nothing twice; without one, a caller that was killed cannot
know and should ask with a token next time.

FOREIGN KEYs are tested against the other tables as they are in that moment (foreign.py).  An Appender knows
the keys that its table declares; those that reference it only if it is given the project's `tables`.

Sources captured from PostgreSQL refuse appends: it is their authority.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from headwater.capture.arrow_rows import arrow_batch
from headwater.capture.batch import Batch, Record, Rejection
from headwater.capture.changes import json_records, records_batch
from headwater.capture.current import Current
from headwater.capture.dead_letters import bury
from headwater.capture.foreign import Foreign, foreign_keys
from headwater.capture.resolve import Resolved, resolve
from headwater.capture.token import Token
from headwater.capture.trouble import storage_trouble
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.model import Table
from headwater.storage.source_clock import Turn
from headwater.storage.timeline import Timeline
from headwater.storage.types import arrow_schema
from headwater.storage.warehouse import Warehouse

__all__ = ["Appended", "Appender", "append", "append_file", "open_source"]


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a call. `time` is the commit time, None if nothing was committed."""

    accepted: int
    rejected: int
    time: int | None = None
    reasons: tuple[Rejection, ...] = ()
    warned: int = 0  # accepted although a limit or foreign key was broken: ON VIOLATION WARN
    repeated: bool = False  # the token had been committed before


def open_source(warehouse: Warehouse, table: Table) -> Timeline:
    """The source's timeline, made if it is not there."""
    timeline = warehouse.source(table.name)
    declared = arrow_schema(table.columns)
    if not timeline.exists():
        timeline.create(declared, f"source {table.name}")
    stored = {column.name: column.type for column in timeline.columns()}
    if stored != {column.name: column.type for column in declared}:
        raise InputError(
            "HW845",
            f'table "{table.name}" is stored with other columns than it declares now',
            place=table.place,
            detail=f"Stored: {', '.join(f'{name} {kind}' for name, kind in stored.items())}.",
            hint="Declare it as it is stored, or give the new table another name and feed it anew.",
        )
    return timeline


@dataclass(slots=True)
class Appender:
    """A writer of one source. It remembers columns of files it has read; see current.py."""

    warehouse: Warehouse
    table: Table
    clock: Clock
    tables: Mapping[str, Table] = field(default_factory=dict)  # those that may reference this one
    current: Current = field(init=False)
    foreign: tuple[Foreign, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.current = Current(self.warehouse.source(self.table.name))
        self.foreign = foreign_keys(self.warehouse, self.table, self.tables, self.current)

    def append(
        self,
        records: Iterable[Mapping[str, Any]] | pa.Table,
        token: Token | None = None,
        strict: bool = False,
    ) -> Appended:
        """Append rows or envelopes (changes.py) given as mappings, or rows as an Arrow table.

        With `strict`, one wrong record raises and nothing is written.
        """
        if isinstance(records, pa.Table):
            return self.append_batch(arrow_batch(self.table, records), token, strict)
        numbered = (Record(number, record) for number, record in enumerate(records, start=1))
        return self.append_batch(records_batch(self.table, numbered), token, strict)

    def append_json(
        self,
        lines: Iterable[bytes],
        token: Token | None = None,
        strict: bool = False,
        file: str | None = None,
    ) -> Appended:
        """Append JSON lines; `file` is named in dead letters."""
        records = json_records(self.table, lines, strict, file)
        return self.append_batch(records_batch(self.table, records), token, strict)

    def append_batch(self, batch: Batch, token: Token | None = None, strict: bool = False) -> Appended:
        """Append records that were typed before."""
        _refuse_foreign(self.table)
        _refuse_rejected(batch.rejected, strict)
        with storage_trouble(f'table "{self.table.name}" takes no records', self.warehouse.root):
            return self._commit(batch, token, strict)

    def _commit(self, batch: Batch, token: Token | None, strict: bool) -> Appended:
        timeline = open_source(self.warehouse, self.table)
        with self.warehouse.clock(self.table.name).turn() as turn:
            assert turn is not None
            if token is not None and token.reached(timeline.log):
                return Appended(0, 0, repeated=True)
            resolved = resolve(self.table, batch, self.current.rows, self.current.counts, self.foreign)
            rejected = _all_rejected(batch, resolved)
            _refuse_rejected(rejected, strict)
            bury(self.warehouse, self.table.name, rejected, self.clock, token)
            accepted = len(batch) - len(resolved.reasons)
            time = self._write(timeline, turn, resolved, token) if accepted or token else None
        return Appended(accepted, len(rejected), time, rejected, resolved.warned)

    def _write(self, timeline: Timeline, turn: Turn, resolved: Resolved, token: Token | None) -> int:
        time = max(turn.take(self.clock.now()), timeline.time() + 1)
        timeline.append(resolved.changes, time, transactions=token.transactions() if token else None)
        turn.store(time)
        return time


def append(
    warehouse: Warehouse,
    table: Table,
    records: Iterable[Mapping[str, Any]] | pa.Table,
    clock: Clock,
    token: Token | None = None,
    strict: bool = False,
    tables: Mapping[str, Table] | None = None,
) -> Appended:
    """Append once; see Appender, which is faster for many calls."""
    return Appender(warehouse, table, clock, tables or {}).append(records, token, strict)


def append_file(
    warehouse: Warehouse,
    table: Table,
    path: str,
    clock: Clock,
    token: Token | None = None,
    strict: bool = False,
    tables: Mapping[str, Table] | None = None,
) -> Appended:
    """Append a file of JSON lines: what `headwater ingest` does."""
    try:
        with open(path, "rb") as lines:
            return Appender(warehouse, table, clock, tables or {}).append_json(lines, token, strict, path)
    except OSError as error:
        if error.filename != path:
            raise
        raise InputError("HW853", f"{path} cannot be read", detail=error.strerror or str(error)) from error


def _refuse_foreign(table: Table) -> None:
    if table.provider == "postgres":
        raise InputError(
            "HW854",
            f'table "{table.name}" is captured from PostgreSQL and takes no records',
            hint="Write to PostgreSQL; the change arrives by replication.",
        )


def _refuse_rejected(rejected: tuple[Rejection, ...], strict: bool) -> None:
    if strict and rejected:
        first = rejected[0]
        raise InputError(
            "HW855",
            f"record {first.line} is wrong: {first.reason}",
            detail=f"{first.text[:200]}\n{len(rejected)} record(s) rejected; strict, so nothing was written.",
        )


def _all_rejected(batch: Batch, resolved: Resolved) -> tuple[Rejection, ...]:
    """Rejections of parsing and resolving, by line."""
    records = batch.records
    found = [records[position].rejected(reason) for position, reason in resolved.reasons.items()]
    return tuple(sorted((*batch.rejected, *found), key=lambda one: (one.file or "", one.line)))
