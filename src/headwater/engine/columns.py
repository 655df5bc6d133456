"""Expressions as columns of a frame, whichever kind of Spark the frame belongs to.

A process may hold frames of its own Spark and of Spark Connect servers side by side, and their columns do
not mix.  So the engine writes expressions as SQL text, which every frame takes (`selectExpr`, `where`,
`groupBy`), and asks here for the few places that want a column: join conditions and aggregates.  Text is
also cheaper: one call into the JVM for a whole list.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater.engine.connect import is_connect

__all__ = ["broadcast", "column", "quoted"]


def quoted(name: str) -> str:
    """A column's name as SQL writes it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def column(frame: DataFrame, text: str) -> Column:
    """A SQL expression as a column for this frame."""
    if is_connect(frame):
        from pyspark.sql.connect.functions import expr

        return expr(text)
    return F.expr(text)


def broadcast(frame: DataFrame) -> DataFrame:
    """The frame, to be sent whole to wherever it is joined. (`functions.broadcast` knows one kind only.)"""
    return frame.hint("broadcast")
