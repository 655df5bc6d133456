"""A view's rows as Arrow, without Spark: its plain table, plus what the timeline has and that table has not.

A view's timeline stores its own columns first; behind them, if it must remember more than it shows,
`_visible` (whether HAVING lets the row be seen) and columns that begin with `_s_`.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.delta_log import BEGINNING, DeltaLog
from headwater.storage.published import read_published
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.zset import consolidate, expand

__all__ = ["STATE", "VISIBLE", "output_columns", "read_view", "visible_rows"]

VISIBLE = "_visible"
STATE = "_s_"


def output_columns(timeline: Timeline) -> pa.Schema:
    """The view's own columns, without what its stage remembers."""
    return pa.schema(
        [one for one in timeline.columns() if one.name != VISIBLE and not one.name.startswith(STATE)]
    )


def visible_rows(timeline: Timeline, part: Slice) -> pa.Table:
    """The view's own columns of a slice's visible changes, with the weight."""
    names = output_columns(timeline).names
    hidden = VISIBLE in timeline.columns().names
    return timeline.read(part, names, pc.field(VISIBLE) if hidden else None)


def read_view(timeline: Timeline, published: DeltaLog, description: str) -> tuple[int, pa.Table]:
    """The view's rows as of its time. `description` tells a plain table made for another definition."""
    # The timeline first: what is published or compacted afterwards must not be counted twice.
    snapshot = timeline.snapshot()
    time = snapshot.time
    names = output_columns(timeline).names
    since, rows = BEGINNING, output_columns(timeline).empty_table()
    if published.exists() and published.description() == description:
        since, rows = read_published(published)
    part = timeline.delta(since, time, snapshot=snapshot)
    if part.empty or since >= time:
        return max(time, since), rows.select(names)
    later = visible_rows(timeline, part)
    ones = pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows)
    rows = rows.select(names).append_column(later.schema.field(WEIGHT), ones)
    return time, expand(
        consolidate(pa.concat_tables([rows, later.select([*names, WEIGHT]).cast(rows.schema)]))
    )
