"""Tables whose updates are chosen among: how many keys wait, how stale they are, and why it is choosing.

The staleness of a key is the time since its oldest update arrived that is not shown; of a key that does
not wait it is zero, and of one whose updates no push has looked at yet it is not known: that is at most
the staleness of the views.  Read from the Delta table of what waits, without Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.stages.choosing import shown
from headwater.catalog import Catalog
from headwater.model import ReadWeight, RefreshWeight, Table
from headwater.storage.as_python import as_python
from headwater.storage.choosing.choices import last_choice
from headwater.storage.choosing.reads import known_reads
from headwater.storage.choosing.waiting_table import FIRST, UPDATES, Tally, waiting_of
from headwater.storage.delta.damage import damage
from headwater.storage.timeline import COLLAPSED, Timeline
from headwater.storage.view_rows import count_rows
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

__all__ = ["KeyStaleness", "StaleKey", "StalenessBand", "TableStatus", "stale_since", "table_statuses"]

WORST = 10


@dataclass(frozen=True, slots=True)
class StaleKey:
    key: dict[str, Any]
    staleness_s: float
    updates: int  # that are not shown


@dataclass(frozen=True, slots=True)
class StalenessBand:
    """How many keys are at most so stale, and staler than the band before."""

    up_to_s: float
    keys: int


@dataclass(frozen=True, slots=True)
class KeyStaleness:
    """The staleness of all keys; those that do not wait count as zero."""

    mean_s: float = 0.0
    p99_s: float = 0.0
    worst: tuple[StaleKey, ...] = ()
    distribution: tuple[StalenessBand, ...] = ()


@dataclass(frozen=True, slots=True)
class TableStatus:
    name: str
    policy: str
    keys: int
    waiting: int  # keys with updates that are not shown
    superseded: int  # updates that need not be shown any more: a newer one came
    staleness: KeyStaleness
    choosing: bool
    why: str
    weight: float = 1.0  # OVERLOAD WEIGHT
    share: float | None = None  # of the time that stages which choose had in its last push
    taken: int = 0  # keys that its last choice showed
    weighed_by: str = ""  # what says which keys matter more: a table, or "reads"
    keys_read: int = 0  # keys that are known to be read
    collapsed: int = 0  # updates that were not even stored: a newer one was in their batch
    windows: str = ""  # lazy or eager: whole windows are shown, and what is counted are those


def table_statuses(catalog: Catalog, warehouse: Warehouse, now: int) -> tuple[TableStatus, ...]:
    """What is damaged is said of the source, or of the views that read it."""
    tables = (table for table in catalog.project.tables.values() if table.chooses)
    return tuple(
        _status(catalog, warehouse, table, now)
        for table in tables
        if not damage(warehouse.source(table.name).log)
        and not damage(waiting_of(catalog, warehouse, table.name).timeline.log)
    )


def _status(catalog: Catalog, warehouse: Warehouse, table: Table, now: int) -> TableStatus:
    waiting = waiting_of(catalog, warehouse, table.name)
    tally = waiting.tally() if waiting.timeline.exists() else None
    last = last_choice(warehouse, table.name)
    source = warehouse.source(table.name)
    keys = count_rows(source, source.as_of(source.time())) if source.exists() else 0
    choosing = tally is not None and tally.choosing
    waits = waiting.keys_waiting(table) if tally is not None and tally.waits else None
    if table.windows is not None and source.exists():
        keys = _different(source, table.update_key)
    why = last.reason if last is not None and choosing else "a push has time for everything"
    return TableStatus(
        table.name,
        table.updates.value,
        keys,
        0 if waits is None else len(waits),
        _superseded(table, tally, waits),
        KeyStaleness() if waits is None or not len(waits) else _staleness(waits, table, keys, now),
        choosing,
        why,
        table.overload_weight,
        last.share if last is not None and choosing else None,
        last.taken if last is not None and choosing else 0,
        *_weighed(warehouse, table),
        (source.log.transaction(COLLAPSED) or 0) if source.exists() else 0,
        "" if table.windows is None else table.windows.semantics.value,
    )


def _different(source: Timeline, key: Sequence[str]) -> int:
    """How many keys there are, where a key has many rows."""
    return len(consolidate(source.read(source.as_of(source.time()), key)))


def _superseded(table: Table, tally: Tally | None, waits: pa.Table | None) -> int:
    """Updates that need not be shown any more; of a table with WINDOWS the windows that are skipped."""
    if tally is None:
        return 0
    if table.windows is None:
        return tally.superseded
    return tally.waits - (0 if waits is None else len(waits))


def _weighed(warehouse: Warehouse, table: Table) -> tuple[str, int]:
    match table.weight:
        case ReadWeight():
            return "reads", len(known_reads(warehouse, table.name).counts)
        case RefreshWeight():
            return table.weight.table, 0
        case _:
            return "", 0


def _staleness(rows: pa.Table, table: Table, keys: int, now: int) -> KeyStaleness:
    ages = pc.divide(pc.subtract(pa.scalar(now, pa.int64()), rows[FIRST]).cast(pa.float64()), 1e6)
    oldest = pc.select_k_unstable(rows, WORST, sort_keys=[(FIRST, "ascending")])
    worst = tuple(
        StaleKey({name: row[name] for name in table.row_key}, (now - row[FIRST]) / 1e6, row[UPDATES])
        for row in as_python(rows.take(oldest))
    )
    total = max(keys, len(rows))
    mean = pc.sum(ages).as_py() / total
    return KeyStaleness(mean, _percentile(ages, total), worst, _distribution(ages, total))


def _distribution(ages: pa.ChunkedArray, keys: int) -> tuple[StalenessBand, ...]:
    """Those that do not wait, then bands of 1, 2, 4, 8 ... seconds."""
    bands = np.ceil(np.log2(np.maximum(ages.to_numpy(), 1.0))).astype(int)
    counts = np.bincount(bands)
    waiting = (StalenessBand(2.0**band, int(count)) for band, count in enumerate(counts))
    return (StalenessBand(0.0, keys - len(ages)), *waiting)


def _percentile(ages: pa.ChunkedArray, keys: int) -> float:
    """The staleness that 99 % of all keys do not exceed."""
    beyond = keys // 100  # as many may be staler
    if beyond >= len(ages):
        return 0.0
    ordered = pc.array_sort_indices(ages, order="descending")
    return float(ages[ordered[beyond].as_py()].as_py())


def _since(catalog: Catalog, warehouse: Warehouse, table: Table) -> int | None:
    waiting = waiting_of(catalog, warehouse, table.name)
    if table.windows is None or not waiting.timeline.exists():
        return waiting.since() if waiting.timeline.exists() else None
    first: int | None = pc.min(waiting.keys_waiting(table)[FIRST]).as_py()  # without what is skipped
    return first


def stale_since(catalog: Catalog, warehouse: Warehouse, view: str) -> int | None:
    """The earliest arrival of an update that a view does not show, of all update streams below it.

    None if it shows all that was there at its time.
    """
    under = catalog.stages_under(view)
    tables = (table for table in catalog.project.tables.values() if table.chooses)
    instants = (_since(catalog, warehouse, table) for table in tables if shown(table.name) in under)
    return min((instant for instant in instants if instant is not None), default=None)
