"""How long the checker takes: a generated schema of many tables, queries of ten shapes, some unbounded."""

from __future__ import annotations

import random
import time
from typing import Any

from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

__all__ = ["generated", "time_checker"]

SHAPES = (
    "SELECT * FROM t{a} WHERE id = :id",
    "SELECT x.*, y.id FROM t{a} x JOIN t{b} y ON y.id = x.parent WHERE x.owner = :o ORDER BY x.score LIMIT 9",
    "SELECT * FROM t{a} WHERE kind = :k AND score > :s ORDER BY score LIMIT 10",
    "SELECT COUNT(*) FROM t{a} WHERE kind = :k",
    "SELECT x.id FROM t{a} x JOIN t{b} y ON x.owner = y.owner WHERE x.kind = :k AND y.kind = :l LIMIT 5",
    "SELECT * FROM t{a} WHERE kind = :k AND score > :s AND created > :c ORDER BY body",
    "SELECT x.id FROM t{a} x JOIN t{b} y ON y.owner = x.owner JOIN t{c} z ON z.id = y.parent WHERE x.id = :i",
    "SELECT kind, COUNT(*) AS n FROM t{a} WHERE owner = :o GROUP BY kind ORDER BY n DESC LIMIT 5",
    "SELECT * FROM t{a} x WHERE x.owner IN (SELECT owner FROM t{b} WHERE kind = :k) AND x.body LIKE :p",
    "SELECT * FROM t{a} x LEFT JOIN t{b} y ON y.id = x.parent WHERE x.owner = :o OR x.kind = :k LIMIT 30",
)


def generated(tables: int, queries: int) -> str:
    chance = random.Random(1)
    lines = []
    for number in range(tables):
        reference = f", FOREIGN KEY (parent) REFERENCES t{chance.randrange(number)} (id)" if number else ""
        limit = ", CARDINALITY LIMIT 50 (owner)" if chance.random() < 0.5 else ""
        lines.append(
            f"CREATE TABLE t{number} (id BIGINT PRIMARY KEY, owner BIGINT NOT NULL, kind STRING, "
            f"created TIMESTAMP, score INT, parent BIGINT, body STRING{reference}{limit});"
        )
    for number in range(queries):
        a, b, c = (chance.randrange(tables) for _ in range(3))
        lines.append(f"-- name: q{number}\n{SHAPES[number % len(SHAPES)].format(a=a, b=b, c=c)};")
    return "\n".join(lines)


def time_checker(tables: int, queries: int) -> dict[str, Any]:
    """Wall-clock and CPU seconds to read and check the generated file, advice included."""
    text = generated(tables, queries)
    wall, cpu = time.perf_counter(), time.process_time()
    answers = list(check(read_sql(text, "<bench>"), Options()))
    levels = {answer.level.value: 0 for answer in answers}
    for answer in answers:
        levels[answer.level.value] += 1
    return {
        "tables": tables,
        "queries": queries,
        "seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "levels": levels,
    }
