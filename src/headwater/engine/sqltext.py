"""SQL text run by Spark itself over relations as of a time: full refreshes, and the proof in `verify`.

Relations are registered as temporary views in a session of their own, so that two runs never meet.  A
relation whose weights are all positive and whose rows are distinct needs only a filter on time; others are
consolidated first.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from headwater.algebra.nodes import Scan
from headwater.engine import operators
from headwater.engine.columns import quoted
from headwater.engine.relations import Relations
from headwater.engine.session import apart
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import STATE, VISIBLE

__all__ = ["register", "run_sql"]


def run_sql(relations: Relations, text: str, names: Iterable[str] | None = None) -> DataFrame:
    """The rows of a SELECT over the relations at NEW, each with weight 1."""
    alone = apart(relations.spark)
    own = relations.own
    reads = names if names is not None else (own.reads if own is not None else ())
    for name in reads:
        register(alone, relations, name)
    return alone.sql(text).selectExpr("*", f"1L AS {WEIGHT}")


def register(alone: SparkSession, relations: Relations, name: str) -> None:
    """Make a relation as of NEW known to a session under its own name, as plain rows."""
    inner = Relations(
        alone, relations.warehouse, relations.sources, relations.names, relations.after, relations.until
    )
    columns = tuple(
        one for one in inner.timeline(name).columns().names if one != VISIBLE and not one.startswith(STATE)
    )
    scan = Scan(name, name, columns)
    frame = inner.frame(scan)
    part = inner.part(scan)
    if not (part.inserts_only and all(file.maximum.get(WEIGHT) == 1 for file in part.files)):
        frame = operators.expand(operators.consolidate(frame))
    plain = frame.selectExpr(*(f"{quoted(f'{name}.{one}')} AS {quoted(one)}" for one in columns))
    plain.createOrReplaceTempView(f"`{name}`")
