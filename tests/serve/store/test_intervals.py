"""Times moved by intervals are answered from the store as DuckDB answers them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb

from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.model import SqlText
from headwater.sql.parsing.parser import in_dialect
from support.store.kept_stores import KeptStore

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, k INT NOT NULL, seen TIMESTAMP NOT NULL, day DATE, CARDINALITY LIMIT 90 (k));"
START = datetime(2024, 2, 27, 22, 30, tzinfo=UTC)  # before the last day of a February of 29
CONDITIONS = [
    "seen > :p - INTERVAL 1 DAY", "seen BETWEEN :p AND :p + INTERVAL 90 MINUTES", "seen >= :p - INTERVAL '36' HOUR AND seen < :p",
    "seen + INTERVAL 1 HOUR > :p", "seen - INTERVAL '1 day 2 hours' < :p", "day >= :q - INTERVAL 1 DAY", "day + INTERVAL 2 DAYS > :q",
    "seen > :p - INTERVAL 1 MONTH", "day > :q - INTERVAL 1 YEAR", "seen < :p + INTERVAL 2 WEEKS", "date_sub(day, 3) < :q",
    "date_add(day, 2) > :q", "day = to_date(seen)", "datediff(day, seen) = 5",
    "seen - CAST(day AS TIMESTAMP) > INTERVAL 5 HOURS", "seen - :p < INTERVAL 1 DAY", "CAST(day AS TIMESTAMP) - seen < INTERVAL 0 HOURS",
]  # fmt: skip
ORDERED = "SELECT id FROM t WHERE seen > :p - INTERVAL 1 DAY ORDER BY seen DESC LIMIT 3"


def test_times_moved_by_intervals(tmp_path: Path) -> None:
    queries = [f"SELECT id FROM t WHERE k = 1 AND {condition}" for condition in CONDITIONS]
    queries += [
        ORDERED,
        "SELECT id FROM t ORDER BY seen - CAST(day AS TIMESTAMP) DESC, id LIMIT 5",
        "SELECT id FROM t WHERE seen - CAST(day AS TIMESTAMP) > INTERVAL 20 HOURS ORDER BY seen - CAST(day AS TIMESTAMP), id LIMIT 5",
        "SELECT MAX(seen - CAST(day AS TIMESTAMP)) FROM t WHERE k = 1",
        "SELECT id FROM t WHERE k = 1 AND EXTRACT(DAY FROM seen) = 28",
        "SELECT id FROM t WHERE k = 1 AND left(CAST(day AS STRING), 7) = '2024-03'",
    ]
    text = "".join(f"\n-- name: q{number}\n{query};" for number, query in enumerate(queries))
    answers = {answer.name: answer for answer in check(read_sql(SCHEMA + text, "q.sql"), Options())}
    rows = [
        {"id": number, "k": 1, "seen": START + timedelta(minutes=47 * number), "day": (START + timedelta(hours=7 * number)).date()}
        for number in range(80)
    ]  # fmt: skip
    kept = KeptStore(tmp_path, answers, ["t"], {"t": rows})
    assert len(kept.layouts) == len(queries)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    database.execute("CREATE TABLE t (id INT, k INT, seen TIMESTAMPTZ, day DATE)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row.values()) for row in rows])
    for number, query in enumerate(queries):
        for hours in (0, 5, 29, 50):
            moment = START + timedelta(hours=hours)
            values = {"p": moment, "q": date(moment.year, moment.month, moment.day)}
            given = {name: value for name, value in values.items() if f":{name}" in query}
            answer = kept.answering.answer(f"q{number}", given)
            assert answer.bound is not None
            assert answer.operations <= answer.bound
            expected = database.execute(in_dialect(SqlText(query), "duckdb"), given).fetchall()
            assert sorted(tuple(row.values()) for row in answer.rows) == sorted(expected), (query, moment)
    kept.close()
