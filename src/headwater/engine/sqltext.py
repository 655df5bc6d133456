"""SQL text run by Spark itself over relations as of a time: full refreshes, and the proof in `verify`.

Relations are registered under their names in a session that is made for this, so that two runs never meet.  A
relation whose weights are all positive and whose rows are distinct needs only a filter on time; others are
consolidated first.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.nodes import Scan
from headwater.engine import operators
from headwater.engine.opened import Opened
from headwater.engine.query import Query, quoted
from headwater.engine.relations import Relations
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import STATE, VISIBLE

__all__ = ["register", "run_sql"]


def run_sql(relations: Relations, opened: Opened, text: str, reads: Iterable[str]) -> Query:
    """The rows of a SELECT over the relations at NEW, each with weight 1."""
    for name in reads:
        register(opened, relations, name)
    return opened.frame(opened.spark.sql(text).selectExpr("*", f"1L AS {WEIGHT}"))


def register(opened: Opened, relations: Relations, name: str) -> None:
    """Make a relation as of NEW known to the session under its own name, as plain rows."""
    inner = Relations(
        relations.warehouse, relations.sources, relations.names, relations.after, relations.until
    )
    columns = tuple(
        one for one in inner.timeline(name).columns().names if one != VISIBLE and not one.startswith(STATE)
    )
    scan = Scan(name, name, columns)
    rows = inner.query(scan, opened)
    part = inner.part(scan)
    if not (part.inserts_only and all(file.maximum.get(WEIGHT) == 1 for file in part.files)):
        rows = operators.expand(operators.consolidate(rows))
    listed = ", ".join(f"{quoted(f'{name}.{one}')} AS {quoted(one)}" for one in columns)
    opened.spark.sql(f"SELECT {listed} FROM {rows.text}").createOrReplaceTempView(f"`{name}`")
