"""What a piece of the replication stream changes in a table's timeline.

PostgreSQL is the authority: nothing is checked against keys or limits.  What it does not send is looked up:

    REPLICA IDENTITY FULL      every update and delete brings the complete old row: -old +new, no lookup
    DEFAULT or USING INDEX     only keys are sent: the current row is looked up by its key
    TRUNCATE                   retracts all current rows (by the caller); changes before it no longer matter
    TOASTed and unchanged      the value is taken from the replaced row, or from the row that one had it from

A row that the declared types cannot hold (an infinite timestamp, a NULL in a NOT NULL column) becomes a dead
letter and is left out.  Whether a row can be held depends on the row alone, so its deletion is left out as
well, and the timeline stays equal to those rows of the PostgreSQL table that the declaration can hold.  A row
that can be held again, and has a value that is not sent, takes its table out of the stream (InputError): the
table is compared with a new snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.intake.batch import Rejection, row_schema
from headwater.capture.intake.codes import codes, has_null
from headwater.capture.intake.texts import typed_texts
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.stream.pgoutput import Kind, Segment
from headwater.errors import InputError
from headwater.model import Column
from headwater.storage.as_python import as_python
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

__all__ = ["Applied", "Lookup", "apply", "typed_rows"]

Lookup = Callable[[pa.Table, Sequence[str]], pa.Table]  # (rows, key) -> the current rows with these keys


@dataclass(frozen=True, slots=True)
class Applied:
    """The net changes (rows and `_weight`), and the rows that the declaration cannot hold.

    `truncated`: all rows from before are gone; the changes are those since.
    """

    changes: pa.Table
    rejected: tuple[Rejection, ...]
    truncated: bool = False


@dataclass(slots=True)
class _Piece:
    """Consecutive segments: typed rows, and each change as positions of its rows in [new; old]."""

    kinds: list[int]
    new_at: list[int]
    old_at: list[int]
    rows: pa.Table
    wrong: dict[int, str]  # rows that cannot be held -> the reason
    unchanged: dict[int, list[str]]  # columns of a new row that were not sent
    full: bool


@dataclass(slots=True)
class _Touched:
    """The pool rows added and retracted, and where values come from that were not sent."""

    rows: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    origin: dict[str, dict[int, int]] = field(default_factory=dict)  # column -> row -> row that has the value
    rejected: list[tuple[int, str]] = field(default_factory=list)

    def add(self, row: int, weight: int) -> None:
        self.rows.append(row)
        self.weights.append(weight)


def apply(declared: Declared, segments: Sequence[Segment], current_rows: Lookup) -> Applied:
    """The net changes (rows and `_weight`) of the segments of one table, whose rows one key identifies."""
    piece = _piece(declared, segments)
    truncated = _forget_truncated(piece)
    if piece.full:
        pool, touched = piece.rows, _with_old_rows(piece)
    else:
        pool, touched = _by_key(declared, piece, segments, current_rows, truncated)
    rejected = [_rejection(declared, pool, row, reason) for row, reason in touched.rejected]
    changes, unheld = _held(declared, _taken(pool, touched))
    inserts = all(weight > 0 for weight in touched.weights)
    return Applied(changes if inserts else consolidate(changes), (*rejected, *unheld), truncated)


def typed_rows(
    declared: Declared, columns: Sequence[Sequence[bytes | None]], names: Sequence[str]
) -> tuple[pa.Table, dict[int, str]]:
    """Columns of texts, in PostgreSQL's order `names`, as the declared columns; and reasons by row."""
    arrays = []
    reasons: dict[int, str] = {}
    for column in declared.table.columns:
        texts, bad = _as_text(column, columns[declared.position_of(column.name, names)])
        array, wrong = typed_texts(column, texts)
        arrays.append(array)
        for position, reason in (*bad.items(), *wrong.items()):
            reasons.setdefault(position, reason)
    return pa.table(arrays, schema=row_schema(declared.table)), reasons


def _as_text(column: Column, values: Sequence[bytes | None]) -> tuple[pa.Array, dict[int, str]]:
    raw = pa.array(values, pa.binary())
    try:
        return raw.cast(pa.string()), {}
    except pa.ArrowInvalid:
        bad: dict[int, str] = {}
        texts: list[str | None] = []
        for position, value in enumerate(values):
            try:
                texts.append(None if value is None else value.decode())
            except UnicodeDecodeError:
                texts.append(None)
                bad[position] = f'column "{column.name}": the bytes are not UTF-8'
        return pa.array(texts, pa.string()), bad


def _piece(declared: Declared, segments: Sequence[Segment]) -> _Piece:
    news = [typed_rows(declared, segment.new, segment.relation.columns) for segment in segments]
    olds = [typed_rows(declared, segment.old, segment.relation.columns) for segment in segments]
    wrong: dict[int, str] = {}
    unchanged: dict[int, list[str]] = {}
    kinds: list[int] = []
    new_at: list[int] = []
    old_at: list[int] = []
    local = {declared.remote(name): name for name in declared.table.column_names}
    new_start, old_start = 0, sum(len(rows) for rows, _ in news)
    for segment, (new, new_wrong), (old, old_wrong) in zip(segments, news, olds, strict=True):
        kinds += segment.kinds
        new_at += [-1 if at < 0 else at + new_start for at in segment.new_at]
        old_at += [-1 if at < 0 else at + old_start for at in segment.old_at]
        wrong |= {at + new_start: reason for at, reason in new_wrong.items()}
        wrong |= {at + old_start: reason for at, reason in old_wrong.items()}
        for row, position in segment.unchanged:
            name = local.get(segment.relation.columns[position])
            if name is not None:
                unchanged.setdefault(row + new_start, []).append(name)
        new_start += len(new)
        old_start += len(old)
    rows = pa.concat_tables([*(rows for rows, _ in news), *(rows for rows, _ in olds)])
    full = segments[0].relation.identity == "f"
    return _Piece(kinds, new_at, old_at, rows, wrong, unchanged, full)


def _forget_truncated(piece: _Piece) -> bool:
    """Drop the changes before the last TRUNCATE; False if there is none."""
    if Kind.TRUNCATE not in piece.kinds:
        return False
    after = len(piece.kinds) - piece.kinds[::-1].index(Kind.TRUNCATE)
    del piece.kinds[:after], piece.new_at[:after], piece.old_at[:after]
    return True


def _with_old_rows(piece: _Piece) -> _Touched:
    touched = _Touched()
    for new, old in zip(piece.new_at, piece.old_at, strict=True):
        if old >= 0 and old not in piece.wrong:
            touched.add(old, -1)
        if new < 0:
            continue
        if new in piece.wrong:
            touched.rejected.append((new, piece.wrong[new]))
            continue
        for name in piece.unchanged.get(new, ()):
            touched.origin.setdefault(name, {})[new] = old
        touched.add(new, 1)
    return touched


def _by_key(
    declared: Declared, piece: _Piece, segments: Sequence[Segment], current_rows: Lookup, truncated: bool
) -> tuple[pa.Table, _Touched]:
    key = declared.local_key(segments[0].relation.key)
    named = _named_rows(piece)
    present = current_rows(named.slice(0, 0) if truncated else named, key).drop_columns([WEIGHT])
    pool = pa.concat_tables([present.cast(piece.rows.schema), piece.rows])
    return pool, _walk(declared, piece, codes(pool, key).tolist(), len(present))


def _named_rows(piece: _Piece) -> pa.Table:
    """A row for each update and delete, with the key of the row that it replaces."""
    named = [
        old if old >= 0 else new
        for kind, new, old in zip(piece.kinds, piece.new_at, piece.old_at, strict=True)
        if kind != Kind.INSERT
    ]
    return piece.rows.take(pa.array(named, pa.int64()))


def _walk(declared: Declared, piece: _Piece, numbers: list[int], start: int) -> _Touched:
    """Go through the changes in order; `start` is where the piece's own rows begin in the pool."""
    touched = _Touched()
    holders = {numbers[row]: row for row in range(start)}
    wrong, unchanged = piece.wrong, piece.unchanged
    for new, old in zip(piece.new_at, piece.old_at, strict=True):
        before = None
        if old < 0 or old not in wrong:
            before = holders.pop(numbers[start + (old if old >= 0 else new)], None)
        if before is not None:
            touched.add(before, -1)
        if new < 0:
            continue
        row = start + new
        if new in wrong:
            touched.rejected.append((row, wrong[new]))
            continue
        if new in unchanged and before is None:
            raise _unknown(declared, unchanged[new])
        for name in unchanged.get(new, ()):
            origin = touched.origin.setdefault(name, {})
            origin[row] = origin.get(before, before) if before is not None else row
        touched.add(row, 1)
        holders[numbers[row]] = row
    return touched


def _unknown(declared: Declared, columns: Sequence[str]) -> InputError:
    """A row can be held from now on, and part of it comes from when it could not."""
    return declared.read_anew(
        f': "{columns[0]}" of a row that could not be held before is not known',
        "PostgreSQL does not send a large value again that an update leaves alone.",
    )


def _taken(pool: pa.Table, touched: _Touched) -> pa.Table:
    """The touched rows with their weights; values that were not sent come from the rows that have them."""
    indices = np.array(touched.rows, np.int64)
    columns = []
    for name in pool.column_names:
        origin = touched.origin.get(name)
        positions = (
            indices if not origin else np.array([origin.get(row, row) for row in touched.rows], np.int64)
        )
        columns.append(pool.column(name).take(pa.array(positions)))
    weights = pa.array(np.array(touched.weights, np.int64))
    return pa.table(
        [*columns, weights], schema=pool.schema.append(pa.field(WEIGHT, pa.int64(), nullable=False))
    )


def _held(declared: Declared, changes: pa.Table) -> tuple[pa.Table, list[Rejection]]:
    """The changes without rows that have a forbidden NULL; and those rows, rejected."""
    required = [column.name for column in declared.table.columns if not column.nullable]
    missing = has_null(changes, required)
    if not missing.any():
        return changes, []
    lost = changes.filter(pa.array(missing & (changes.column(WEIGHT).to_numpy() > 0)))
    rejected = [
        _rejection(declared, lost, row, "NULL in a column that is declared NOT NULL")
        for row in range(len(lost))
    ]
    return changes.filter(pa.array(~missing)), rejected


def _rejection(declared: Declared, rows: pa.Table, row: int, reason: str) -> Rejection:
    values: dict[str, Any] = as_python(rows.slice(row, 1))[0]
    values.pop(WEIGHT, None)
    return Rejection(0, str(values), reason, f"postgres:{declared.schema}.{declared.name}")
