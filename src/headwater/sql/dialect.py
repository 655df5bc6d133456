"""Headwater's SQL is Spark's, with a few statements and clauses of our own.

The dialect subclasses sqlglot's Spark dialect and changes one thing: no statement swallows its text
(sqlglot reads EXPLAIN and some others as one opaque string up to the semicolon), so every word of a file
keeps its place.  Our own clauses are read over these tokens by `ddl`; a SELECT is sqlglot's business.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import TokenType

__all__ = ["Headwater"]


class Headwater(Spark):
    """Registered with sqlglot as "headwater"."""

    class Tokenizer(Spark.Tokenizer):
        COMMANDS: ClassVar[set[TokenType]] = set()
