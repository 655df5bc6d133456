"""A user's SQL text, run by Spark over relations as of a time: full refreshes, and recomputation in `verify`.

Relations are registered under their names in a session of its own, so that two runs cannot collide.  A
relation whose changes all have weight 1 is read as it is; others are consolidated first.  With `net` the SQL
sees no row that came and went, not even where Spark moves a condition ahead of that: so is a failure
repeated, and a view verified.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.choosing import table_of
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.relations import Relations
from headwater.sql.parsing.forms.in_spark import spark_text_of
from headwater.sql.parsing.lexer import Kind, Source, lex
from headwater.sql.parsing.moments import text_at
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import output_columns

__all__ = ["register", "run_sql", "spark_text"]


def run_sql(
    relations: Relations, inputs: Inputs, text: str, reads: Iterable[str], net: bool = False
) -> Query:
    """The rows of a SELECT over the relations at NEW, each with weight 1."""
    for name in reads:
        register(inputs, relations, name, net)
    rows = inputs.spark.sql(spark_text(text, relations.until))
    return inputs.frame(rows.selectExpr("*", f"1L AS {WEIGHT}"))


def spark_text(text: str, time: int) -> str:
    """A user's SQL as Spark takes it: now() is the time that the view is as of.

    Names beyond ASCII, which only Headwater takes unquoted, are in quotes; what only other dialects have
    is written in forms that Spark has.
    """
    text = text_at(spark_text_of(text), time)
    parts: list[str] = []
    end = 0
    for token in lex(Source("<sql>", text)):
        if token.kind is Kind.WORD and not token.text.isascii():
            parts += text[end : token.start], quoted(token.text)
            end = token.end
    return "".join((*parts, text[end:]))


def register(inputs: Inputs, relations: Relations, name: str, net: bool = False) -> None:
    """Register a relation as of NEW in the session, as plain rows, under the name that SQL has for it."""
    inner = Relations(
        relations.warehouse, relations.sources, relations.names, relations.after, relations.until
    )
    # A source's columns as declared: `*` means those, in that order, whatever is stored.
    called = table_of(name)
    columns = inner.sources.get(called) or tuple(output_columns(inner.timeline(name)).names)
    scan = Scan(name, name, columns)
    rows = inner.query(scan, inputs)
    part = inner.part(scan)
    if not (part.inserts_only and all(file.maximum.get(WEIGHT) == 1 for file in part.files)):
        rows = operators.expand(operators.net(rows) if net else operators.consolidate(rows))
    listed = ", ".join(f"{quoted(f'{name}.{column}')} AS {quoted(column)}" for column in columns)
    inputs.spark.sql(f"SELECT {listed} FROM {rows.text}").createOrReplaceTempView(quoted(called))
