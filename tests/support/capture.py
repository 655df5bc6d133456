"""Tables that tests of capture write to, and what they ask of a warehouse."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from deltalake import DeltaTable

from headwater.model import Column, Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

ORDERS = Table(
    "orders",
    (
        Column("id", "bigint", nullable=False),
        Column("customer", "string"),
        Column("total", "decimal(10,2)"),
    ),
    key=("id",),
)
LOG = Table("log", (Column("level", "string"), Column("n", "int")))
QUOTES = Table("quotes", (Column("symbol", "string"), Column("price", "double")), update_key=("symbol",))


def order(number: int, customer: str | None = None, total: str | None = None) -> dict[str, Any]:
    return {"id": number, "customer": customer, "total": None if total is None else Decimal(total)}


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
    letters = DeltaTable(log.path).to_pyarrow_table().to_pylist()
    return sorted(letters, key=lambda letter: (letter["time"], letter["line"]))
