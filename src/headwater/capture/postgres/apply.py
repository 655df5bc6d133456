"""What a stretch of replication changes in a table's timeline.

PostgreSQL is the authority: nothing is checked against keys or limits.  What it does not send is looked up:

    REPLICA IDENTITY FULL      every update and delete brings the whole old row: -old +new, no lookup at all
    DEFAULT or USING INDEX     only keys come: the current row is looked up in the timeline by its key
    TRUNCATE                   retracts all rows there are; what came before it no longer matters
    TOASTed and unchanged      the value is taken from the row that is replaced, or the one that had it from

A row that the declared types cannot hold (an infinite timestamp, a NULL in a NOT NULL column) becomes a dead
letter and is left out.  Whether a row can be held depends on the row alone, so its deletion is left out too,
and the timeline stays equal to those rows of the PostgreSQL table that the declaration can hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.batch import Rejection, row_schema
from headwater.capture.codes import codes, has_null
from headwater.capture.current import Current
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.pgoutput import Kind, Segment
from headwater.capture.texts import typed_texts
from headwater.model import Column
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

__all__ = ["Applied", "apply", "typed_rows"]


@dataclass(frozen=True, slots=True)
class Applied:
    changes: pa.Table
    rejected: tuple[Rejection, ...]


@dataclass(slots=True)
class _Stretch:
    """Segments one after the other: typed rows, and each change as numbers of rows in [new; old]."""

    kinds: list[int]
    new_at: list[int]
    old_at: list[int]
    rows: pa.Table
    wrong: dict[int, str]  # rows that cannot be held, with the reason
    unchanged: dict[int, list[str]]  # columns of a new row that were not sent
    full: bool


@dataclass(slots=True)
class _Touched:
    rows: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    origin: dict[str, dict[int, int]] = field(default_factory=dict)  # column -> row -> row that has the value
    rejected: list[tuple[int, str]] = field(default_factory=list)

    def add(self, row: int, weight: int) -> None:
        self.rows.append(row)
        self.weights.append(weight)


def apply(declared: Declared, segments: Sequence[Segment], current: Current) -> Applied:
    """The net changes (rows and `_weight`) of the segments of one table."""
    stretch = _stretch(declared, segments)
    before, empty = _truncated(stretch, current)
    if stretch.full:
        pool, touched = stretch.rows, _with_old_rows(stretch)
    else:
        pool, touched = _by_key(declared, stretch, segments, current, empty)
    rejected = [_letter(declared, pool, row, reason) for row, reason in touched.rejected]
    changes, letters = _held(declared, _taken(pool, touched))
    whole = pa.concat_tables([before.cast(changes.schema), changes]) if len(before) else changes
    simple = not len(before) and all(weight > 0 for weight in touched.weights)
    return Applied(whole if simple else consolidate(whole), (*rejected, *letters))


def typed_rows(
    declared: Declared, columns: Sequence[Sequence[bytes | None]], names: Sequence[str]
) -> tuple[pa.Table, dict[int, str]]:
    """Columns of texts, named as PostgreSQL does, as the declared ones; and reasons by row."""
    arrays = []
    reasons: dict[int, str] = {}
    for column in declared.table.columns:
        texts, bad = _as_text(column, columns[declared.place_of(column.name, names)])
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


def _stretch(declared: Declared, segments: Sequence[Segment]) -> _Stretch:
    news = [typed_rows(declared, one.new, one.relation.columns) for one in segments]
    olds = [typed_rows(declared, one.old, one.relation.columns) for one in segments]
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
    full = all(one.relation.identity == "f" for one in segments)
    return _Stretch(kinds, new_at, old_at, rows, wrong, unchanged, full)


def _truncated(stretch: _Stretch, current: Current) -> tuple[pa.Table, bool]:
    """After a TRUNCATE: minus all rows there were, the changes before it forgotten. Else nothing."""
    if Kind.TRUNCATE not in stretch.kinds:
        return pa.table({WEIGHT: pa.array([], pa.int64())}), False
    after = len(stretch.kinds) - stretch.kinds[::-1].index(Kind.TRUNCATE)
    del stretch.kinds[:after], stretch.new_at[:after], stretch.old_at[:after]
    rows = current.everything()
    negative = pa.array(-rows.column(WEIGHT).to_numpy())
    return rows.set_column(rows.schema.get_field_index(WEIGHT), rows.schema.field(WEIGHT), negative), True


def _with_old_rows(stretch: _Stretch) -> _Touched:
    touched = _Touched()
    for new, old in zip(stretch.new_at, stretch.old_at, strict=True):
        if old >= 0 and old not in stretch.wrong:
            touched.add(old, -1)
        if new < 0:
            continue
        if new in stretch.wrong:
            touched.rejected.append((new, stretch.wrong[new]))
            continue
        for name in stretch.unchanged.get(new, ()):
            touched.origin.setdefault(name, {})[new] = old
        touched.add(new, 1)
    return touched


def _by_key(
    declared: Declared, stretch: _Stretch, segments: Sequence[Segment], current: Current, empty: bool
) -> tuple[pa.Table, _Touched]:
    key = declared.local_key(next(one.relation for one in segments if one.relation.identity != "f"))
    there = _current_rows(stretch, key, current, empty)
    pool = pa.concat_tables([there.cast(stretch.rows.schema), stretch.rows])
    return pool, _walk(stretch, codes(pool, key).tolist(), len(there))


def _current_rows(stretch: _Stretch, key: Sequence[str], current: Current, empty: bool) -> pa.Table:
    """The rows that may be replaced: those whose key is named by an update or a delete."""
    named = [
        old if old >= 0 else new
        for kind, new, old in zip(stretch.kinds, stretch.new_at, stretch.old_at, strict=True)
        if kind != Kind.INSERT
    ]
    wanted = stretch.rows.take(pa.array([] if empty else named, pa.int64()))
    return current.rows(wanted, key).drop_columns([WEIGHT])


def _walk(stretch: _Stretch, numbers: list[int], start: int) -> _Touched:
    """One change after the other; `start` is where the stretch's own rows begin in the pool."""
    touched = _Touched()
    holders = {numbers[row]: row for row in range(start)}
    wrong, unchanged = stretch.wrong, stretch.unchanged
    for new, old in zip(stretch.new_at, stretch.old_at, strict=True):
        before = None
        if old < 0 or old not in wrong:
            before = holders.pop(numbers[start + (old if old >= 0 else new)], None)
        if before is not None:
            touched.add(before, -1)
        if new < 0:
            continue
        row = start + new
        reason = wrong.get(new, "")
        if not reason and new in unchanged and before is None:
            reason = "an unchanged value was not sent and the row before is not known"
        if reason:
            touched.rejected.append((row, reason))
            continue
        for name in unchanged.get(new, ()):
            known = touched.origin.setdefault(name, {})
            known[row] = known.get(before, before) if before is not None else row
        touched.add(row, 1)
        holders[numbers[row]] = row
    return touched


def _taken(pool: pa.Table, touched: _Touched) -> pa.Table:
    """The touched rows with their weights; values that were not sent come from where they are."""
    indices = np.array(touched.rows, np.int64)
    columns = []
    for name in pool.column_names:
        origin = touched.origin.get(name)
        chosen = indices if not origin else np.array([origin.get(row, row) for row in touched.rows], np.int64)
        columns.append(pool.column(name).take(pa.array(chosen)))
    weights = pa.array(np.array(touched.weights, np.int64))
    return pa.table(
        [*columns, weights], schema=pool.schema.append(pa.field(WEIGHT, pa.int64(), nullable=False))
    )


def _held(declared: Declared, changes: pa.Table) -> tuple[pa.Table, list[Rejection]]:
    """Leave out rows with a NULL where the declaration has none."""
    required = [column.name for column in declared.table.columns if not column.nullable]
    missing = has_null(changes, required)
    if not missing.any():
        return changes, []
    lost = changes.filter(pa.array(missing & (changes.column(WEIGHT).to_numpy() > 0)))
    letters = [
        _letter(declared, lost, row, "NULL in a column that is declared NOT NULL") for row in range(len(lost))
    ]
    return changes.filter(pa.array(~missing)), letters


def _letter(declared: Declared, rows: pa.Table, row: int, reason: str) -> Rejection:
    values: dict[str, Any] = rows.slice(row, 1).to_pylist()[0]
    values.pop(WEIGHT, None)
    return Rejection(0, str(values), reason, f"postgres:{declared.schema}.{declared.name}")
