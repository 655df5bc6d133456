"""What the tests of capture ask of a warehouse."""

from __future__ import annotations

from collections import Counter
from typing import Any

from deltalake import DeltaTable

from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate


def rows_of(warehouse: Warehouse, table: str, until: int = 1 << 62) -> Counter[tuple[Any, ...]]:
    """The relation as rows with their number of copies, opened afresh as another process would."""
    timeline = Warehouse(warehouse.root).source(table)
    if not timeline.exists():
        return Counter()
    zset = consolidate(timeline.read(timeline.as_of(until)))
    names = [name for name in zset.column_names if name != WEIGHT]
    return Counter({tuple(row[name] for name in names): row[WEIGHT] for row in zset.to_pylist()})


def dead_letters(warehouse: Warehouse) -> list[dict[str, Any]]:
    log = warehouse.system("dead_letters")
    if not log.exists():
        return []
    found = DeltaTable(log.path).to_pyarrow_table().to_pylist()
    return sorted(found, key=lambda one: (one["time"], one["line"]))
