"""One schema and one query in a dialect: what `check` says of it."""

from __future__ import annotations

from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

__all__ = ["WHOLE", "answer_of", "assert_unbounded"]

WHOLE = (
    "CREATE TABLE t (id bigint PRIMARY KEY, k bigint NOT NULL, v bigint, s text);"
    "CREATE TABLE w (a bigint, b bigint, c bigint, PRIMARY KEY (a, b));"
)


def answer_of(dialect: str, schema: str, query: str) -> Answer:
    answers = check(read_sql(f"{schema}\n-- name: q\n{query};", "x.sql", dialect), Options(), advice=False)
    return next(answer for answer in answers if answer.name == "q")


def assert_unbounded(dialect: str, schema: str, query: str) -> None:
    assert answer_of(dialect, schema, query).level in (Level.UNBOUNDED, Level.NOT_ANALYSED), query
