"""A view's rows as Arrow, without Spark: its plain table, plus the changes its timeline has beyond that.

A view's timeline stores the view's own columns first, then, if the stage needs more than the view shows,
`_visible` (whether HAVING lets the row be seen) and columns that begin with `_s_` (state).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.published import rows_of
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.zset import consolidate, expand

__all__ = ["STATE", "VISIBLE", "count_rows", "count_view", "output_columns", "read_view", "visible_rows"]

VISIBLE = "_visible"
STATE = "_s_"


def output_columns(timeline: Timeline) -> pa.Schema:
    """The view's own columns, without its stage's state."""
    columns = timeline.columns()
    return pa.schema([column for column in columns if not _is_state(column.name)])


def _is_state(name: str) -> bool:
    return name == VISIBLE or name.startswith(STATE)


def visible_rows(timeline: Timeline, part: Slice) -> pa.Table:
    """The view's own columns of a slice's visible changes, with the weight."""
    names = output_columns(timeline).names
    hidden = VISIBLE in timeline.columns().names
    return timeline.read(part, names, pc.field(VISIBLE) if hidden else None)


def read_view(timeline: Timeline, published: DeltaLog, description: str) -> tuple[int, pa.Table]:
    """The view's time and its rows at that time.

    `description` identifies the view's definition: a plain table written for another definition is ignored.
    """
    # The timeline first: what is published or compacted afterwards must not be counted twice.
    snapshot = timeline.snapshot()
    time = snapshot.time
    names = output_columns(timeline).names
    since, rows = BEGINNING, output_columns(timeline).empty_table()
    plain = published.snapshot()
    if plain.description == description:
        since, rows = plain.time, rows_of(plain)
    if since < timeline.horizon():  # made from a timeline that was computed anew since
        since, rows = BEGINNING, output_columns(timeline).empty_table()
    part = timeline.delta(since, time, snapshot=snapshot)
    if part.empty or since >= time:
        return max(time, since), rows.select(names)
    later = visible_rows(timeline, part)
    ones = pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows)
    rows = rows.select(names).append_column(later.schema.field(WEIGHT), ones)
    return time, expand(
        consolidate(pa.concat_tables([rows, later.select([*names, WEIGHT]).cast(rows.schema)]))
    )


def count_view(timeline: Timeline, published: DeltaLog, description: str) -> int:
    """How many rows `read_view` would give: those of the plain table, and what the timeline has beyond it."""
    snapshot, plain = timeline.snapshot(), published.snapshot()
    since, rows = BEGINNING, 0
    if plain.description == description and plain.time >= timeline.horizon():
        since, rows = plain.time, plain.rows
    later = timeline.delta(since, snapshot.time, snapshot=snapshot)
    if later.empty or since >= snapshot.time:
        return rows
    return rows + count_rows(timeline, later)


def count_rows(timeline: Timeline, part: Slice) -> int:
    """By how many visible rows a slice changes a view."""
    hidden = VISIBLE in timeline.columns().names
    weights = timeline.read(part, [], pc.field(VISIBLE) if hidden else None).column(WEIGHT)
    return int(pc.sum(weights).as_py() or 0)
