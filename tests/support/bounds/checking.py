"""What `check` says of a hostile case, through the text of its schema and its query."""

from __future__ import annotations

from dataclasses import replace

from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from support.bounds.hostile_queries import HostileCase, ddl


def checked(case: HostileCase) -> Answer:
    inputs = read_sql("\n".join(map(ddl, case.catalog.tables.values())), "schema.sql")
    for (
        name,
        table,
    ) in case.catalog.tables.items():  # with the numbers of values, which CHECK says in other SQL
        inputs.tables[name] = replace(inputs.tables[name], columns=table.columns)
    limits = "".join(f"-- param: {name} <= {most}\n" for name, most in case.maxima.items())
    inputs.queries = read_sql(f"{limits}-- name: q\n{case.text};", "q.sql").queries
    (answer,) = check(inputs, Options(strict=True), advice=False)
    return answer
