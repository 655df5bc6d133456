"""Merge the small changes of fragments into the windows of a family of views, on the driver.

Spark plans, compiles, schedules, shuffles and caches for the merges of a thousand changed fragments what the
driver does in a millisecond a view (fragments.py).  So when fragments have been computed and stored, the
views over them are merged here, written and committed, each as its own file in its own timeline, exactly as
Spark would have.  What is too large or of another kind is left to Spark.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.nodes import Scan, Version
from headwater.engine.push.decide import Job
from headwater.engine.push.driver.fragments import Fragments, Windows, fragments, net_fragments
from headwater.engine.push.driver.keys import KeyCodes, can_be_key
from headwater.engine.push.driver.mergeable import WindowView, shown_state, window_view
from headwater.engine.push.driver.numbers import Numbers, as_arrow, instants, is_whole, numbers
from headwater.engine.push.driver.window_merge import Stored, WindowChanges, merge_windows
from headwater.engine.push.together.pending_deltas import path_of
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import stored_columns
from headwater.engine.query.relations import Relations
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.delta.reading import read_files
from headwater.storage.timeline import WEIGHT, Range, Timeline, change_schema
from headwater.storage.view_rows import STATE

__all__ = ["MOST_CHANGES", "family_files", "is_merged_here"]

MOST_CHANGES = 200_000  # of fragments
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_merged_here(workplace: Workplace, jobs: Sequence[Job]) -> bool:
    """Whether the driver can merge a family, by its plan, its types and the changes that are expected."""
    views = [window_view(job.stage) for job in jobs]
    first = views[0]
    if first is None or None in views or any(job.passed for job in jobs):
        return False
    job = jobs[0]
    if set(job.changed) != {first.parts} or job.changed[first.parts].rows > MOST_CHANGES:
        return False
    parts = workplace.timeline_of(first.parts).columns()
    own = workplace.timeline(job.name).columns()
    types = {field.name: field.type for field in own}
    whole = all(
        is_whole(parts.field(state.part).type) and is_whole(types.get(STATE + state.name, pa.null()))
        for state in first.states
    )
    keyed = all(can_be_key(parts.field(name).type) for _, name in first.keys)
    return whole and keyed and _shows(job, first, types)


def _shows(job: Job, view: WindowView, types: Mapping[str, pa.DataType]) -> bool:
    """Whether all that is stored is a key, a state, or a state that is shown."""
    nothing = Numbers(np.empty(0, np.int64), np.empty(0, np.bool_))
    states = {state.name: nothing for state in view.states}
    keys = {view.window, *(name for name, _ in view.keys)}
    kinds = {name: types[STATE + name] for name in states}
    return all(
        _name(expr) in keys or shown_state(expr, states, kinds, types[name]) is not None
        for name, expr in stored_columns(job.stage, job.kept)
    )


def family_files(
    workplace: Workplace,
    jobs: Sequence[Job],
    relations: Mapping[str, Relations],
    written: Mapping[str, Sequence[NewFile]],
) -> dict[str, list[NewFile]]:
    """The files of each member, not yet committed.  `written`: of stages that this action has computed.

    Raises TooLarge if numbers are.
    """
    views = {job.name: view for job in jobs if (view := window_view(job.stage)) is not None}
    source = _Parts.read(workplace, jobs[0], views[jobs[0].name], relations[jobs[0].name], written)
    longest = max(view.lengths.size for view in views.values())
    merged = {}
    for job in jobs:
        member = _Member(job, views[job.name], workplace.timeline(job.name), relations[job.name], source)
        merged[job.name] = member.changes(longest)
    # Nothing is written before all is computed: numbers may be too large in the last of them.
    return {
        job.name: _written(workplace.timeline(job.name), job, views[job.name], merged[job.name], source.codes)
        for job in jobs
    }


@dataclass(slots=True)
class _Parts:
    """What changed in the parts, and where those that are there can be read."""

    timeline: Timeline
    relations: Relations
    view: WindowView
    rows: pa.Table
    codes: KeyCodes
    changes: Fragments
    _present: Fragments | None = None

    @classmethod
    def read(
        cls,
        workplace: Workplace,
        job: Job,
        view: WindowView,
        relations: Relations,
        written: Mapping[str, Sequence[NewFile]],
    ) -> _Parts:
        timeline = workplace.timeline_of(view.parts)
        paths: list[str] = []
        for file in job.changed[view.parts].files:
            if file.path == path_of(view.parts):
                paths += (os.path.join(timeline.path, new.relative) for new in written.get(view.parts, ()))
            else:
                paths.append(file.path)
        rows = _timed(_read(timeline, paths, _columns(view)), view)
        codes = KeyCodes(rows, [name for _, name in view.keys])
        return cls(timeline, relations, view, rows, codes, _fragments(rows, view, codes.codes))

    def present(self, longest: int) -> Fragments:
        """The fragments that are there now, as far back and forth as any window reaches; read once."""
        if self._present is None:
            low = int(self.changes.starts.min()) - longest
            high = int(self.changes.starts.max()) + longest
            names = _columns(self.view)
            scan = Scan(self.view.parts, self.view.parts, tuple(names), Version.OLD)
            part = self.relations.part(scan, [Range(self.view.time, _instant(low), _instant(high))])
            self.relations.rows_scanned += part.rows
            stored = _timed(_read(self.timeline, [file.path for file in part.files], names), self.view)
            rows = pa.concat_tables([stored, self.rows])
            codes, known = self.codes.of(rows, [name for _, name in self.view.keys])
            rows, codes = rows.filter(pa.array(known)), codes[known]
            self._present = net_fragments(_fragments(rows, self.view, codes))
        return self._present


@dataclass(frozen=True, slots=True)
class _Member:
    job: Job
    view: WindowView
    timeline: Timeline
    relations: Relations
    parts: _Parts

    def changes(self, longest: int) -> WindowChanges:
        view = self.view
        return merge_windows(
            self.parts.changes,
            view.lengths,
            view.states,
            view.count,
            self._stored,
            lambda _: self.parts.present(longest),
        )

    def _stored(self, windows: Windows) -> Stored:
        """What is stored of the view around these windows."""
        view, name = self.view, self.job.name
        names = [view.window, *(key for key, _ in view.keys), *(state.name for state in view.states)]
        paths: list[str] = []
        if len(windows.starts):
            low, high = int(windows.starts.min()), int(windows.starts.max())
            scan = Scan(name, name, tuple(names), Version.OLD)
            part = self.relations.part(scan, [Range(STATE + view.window, _instant(low), _instant(high))])
            self.relations.rows_scanned += part.rows
            paths = [file.path for file in part.files]
        rows = _read(self.timeline, paths, [STATE + column for column in names])
        codes, known = self.parts.codes.of(rows, [STATE + key for key, _ in view.keys])
        rows = rows.filter(pa.array(known))
        starts = numbers(pc.struct_field(rows[STATE + view.window], "start")).values
        states = {state.name: numbers(rows[STATE + state.name]) for state in view.states}
        return Stored(Windows(codes[known], starts), states, numbers(rows[WEIGHT]).values)


def _columns(view: WindowView) -> list[str]:
    states = dict.fromkeys(state.part for state in view.states)
    return [view.time, *(name for _, name in view.keys), *states]


def _read(timeline: Timeline, paths: Iterable[str], names: Sequence[str]) -> pa.Table:
    schema, paths = change_schema(timeline.columns()), list(paths)
    wanted = [*names, WEIGHT]
    if not paths:
        return pa.schema([schema.field(name) for name in wanted]).empty_table()
    return read_files(paths, schema, wanted)


def _timed(rows: pa.Table, view: WindowView) -> pa.Table:
    """What has no time lies in no window."""
    return rows.filter(pc.is_valid(rows[view.time]))


def _fragments(rows: pa.Table, view: WindowView, codes: np.ndarray) -> Fragments:
    states = {state.part: numbers(rows[state.part]) for state in view.states}
    return fragments(codes, numbers(rows[view.time]).values, states, numbers(rows[WEIGHT]).values)


def _name(expr: Expr) -> str:
    return expr.name if isinstance(expr, Column) else ""


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _written(
    timeline: Timeline, job: Job, view: WindowView, changes: WindowChanges, codes: KeyCodes
) -> list[NewFile]:
    if not len(changes.weights):
        return []
    schema = timeline.columns()
    types = {field.name: field.type for field in schema}
    kinds = {state.name: types[STATE + state.name] for state in view.states}
    keys = dict(zip((name for name, _ in view.keys), codes.columns(changes.windows.keys), strict=True))
    keys[view.window] = _windows(changes.windows.starts, view, types[STATE + view.window])
    columns = {}
    for name, expr in stored_columns(job.stage, job.kept):
        column = keys.get(_name(expr))
        if column is None:
            shown = shown_state(expr, changes.states, kinds, types[name])
            assert shown is not None, "is_merged_here has asked"
            column = as_arrow(shown, types[name])
        columns[name] = column
    return [timeline.write(pa.table({**columns, WEIGHT: pa.array(changes.weights)}), job.until)]


def _windows(starts: np.ndarray, view: WindowView, kind: pa.StructType) -> pa.Array:
    ends = starts + view.lengths.size
    fields = [kind.field(index) for index in range(kind.num_fields)]
    made = {"start": starts, "end": ends}
    return pa.StructArray.from_arrays(
        [instants(made[field.name], field.type) for field in fields], fields=fields
    )
