"""The law of the store on values of all types: what a query answers from the store is what DuckDB answers.

Decimals, times, dates, floats with NaN and infinity, booleans, texts in other scripts and empty ones, NULLs and
doubles, in every direction; parameters that are NULL, far away or empty lists.  Rows come and go between.
"""

from __future__ import annotations

import math
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from headwater.serve.store.answering import Answering
from support.cases import scaled
from support.store.projects import StoreProject, deleted

TYPES = {
    "n": "BIGINT", "d": "DECIMAL(12,3)", "f": "DOUBLE", "s": "STRING", "b": "BOOLEAN", "seen": "TIMESTAMP", "day": "DATE",
}  # fmt: skip
IN_DUCKDB = {"STRING": "VARCHAR", "TIMESTAMP": "TIMESTAMPTZ"}
TEXTS = [
    "",
    " ",
    "a",
    "A",
    "ä",
    "z",
    "é",
    "e\u0301",
    "Ω",
    "中",
    "𝄞",
    "\uffff",
    "a\x00b",
    "a b",
    "7",
    "07",
    "%",
    "_",
    "'",
]
FLOATS = [0.0, -0.0, 0.1, -1.5, 1e300, 5e-324, math.inf, -math.inf, math.nan, 3.0]
DECIMALS = [Decimal(text) for text in ("0", "0.1", "-0.001", "3", "3.000", "999999999.999", "-7.25")]
START = datetime(2024, 3, 31, 0, 59, 59, 999999, UTC)  # where clocks change in Europe
PLACES = ["NULLS FIRST", "NULLS LAST"]


class Typed:
    """A random table `t`, what it holds, and queries of it with their parameters."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: dict[int, dict[str, Any]] = {}
        self.queries: list[
            tuple[str, dict[str, Any], bool]
        ] = []  # text, parameters, whether its order is total
        for _ in range(14):
            self.queries.append(self._query())

    def value(self, kind: str, far: bool = False) -> Any:
        if self.random.random() < 0.15:
            return None
        match kind:
            case "BIGINT":
                return self.random.choice([-3, 0, 1, 2, 2**53 + 1, -(2**63), 2**63 - 1])
            case "DECIMAL(12,3)":
                return self.random.choice(DECIMALS)
            case "DOUBLE":
                return self.random.choice(FLOATS)
            case "STRING":
                return self.random.choice(TEXTS)
            case "BOOLEAN":
                return self.random.random() < 0.5
            case "TIMESTAMP":
                return START + timedelta(
                    microseconds=self.random.choice([0, 1, 3_600_000_000, -86_400_000_000])
                )
            case _:
                return date(2024, 2, 28) + timedelta(days=self.random.choice([0, 1, 2, -200_000]))

    def change(self) -> list[dict[str, Any]]:
        """Records of some rows that go and others that come."""
        gone = [key for key in self.rows if self.random.random() < 0.25]
        records = [deleted(_record(self.rows.pop(key))) for key in gone]
        for _ in range(self.random.choice([1, 8, 20])):
            row = {"id": max(self.rows, default=0) + 1, "g": self.random.randint(0, 2)}
            row |= {name: self.value(kind) for name, kind in TYPES.items()}
            self.rows[row["id"]] = row
            records.append(_record(row))
        return records

    def _query(self) -> tuple[str, dict[str, Any], bool]:
        name, kind = self.random.choice(list(TYPES.items()))
        other = self.random.choice(list(TYPES))
        way, place = self.random.choice(["ASC", "DESC"]), self.random.choice(PLACES)
        g, value, more = self.random.randint(0, 2), self.value(kind), self.value(kind)
        order = f"ORDER BY {name} {way} {place}, id LIMIT :n"
        shown = f"id, {name}, {other} AS o"
        cut = {"n": self.random.choice([0, 1, 3, 50])}
        operator = self.random.choice(["<", "<=", ">", ">="])
        listed = [value, more, self.value(kind)][: self.random.randint(0, 3)]
        return self.random.choice(
            [
                (f"SELECT {shown} FROM t WHERE g = :g {order}", {"g": g, **cut}, True),
                (f"SELECT {shown} FROM t WHERE {name} = :v ORDER BY id LIMIT :n", {"v": value, **cut}, True),
                (f"SELECT {shown} FROM t WHERE g = :g AND {name} {operator} :v {order}", {"g": g, "v": value, **cut}, True),
                (f"SELECT {shown} FROM t WHERE {name} BETWEEN :v AND :w {order}", {"v": value, "w": more, **cut}, True),
                (f"SELECT {shown} FROM t WHERE {name} IN (:vs) ORDER BY id LIMIT :n", {"vs": listed, **cut}, True),
                (f"SELECT {shown} FROM t WHERE {name} IS NOT DISTINCT FROM :v ORDER BY id LIMIT :n", {"v": value, **cut}, True),
                (f"SELECT {shown} FROM t WHERE id IN (:vs)", {"vs": [1, 2, 2, 99][: self.random.randint(0, 4)]}, False),
                (f"SELECT count(*) AS c, count({name}) AS k FROM t WHERE g = :g", {"g": g}, False),
                (f"SELECT count(*) AS c FROM t WHERE {name} = :v AND g = :g", {"v": value, "g": g}, False),
                (f"SELECT min({name}) AS lo, max({name}) AS hi FROM t WHERE g = :g", {"g": g}, False),
                ("SELECT sum(d) AS d, sum(id) AS i, avg(id) AS a FROM t WHERE g = :g", {"g": g}, False),
                (f"SELECT {name} AS v, count(*) AS c FROM t WHERE g = :g GROUP BY {name} ORDER BY {name} {way} {place} LIMIT :n",
                 {"g": g, **cut}, True),
                (f"SELECT DISTINCT {name} AS v FROM t WHERE g = :g ORDER BY {name} {way} {place} LIMIT :n", {"g": g, **cut}, True),
                (f"SELECT id FROM t WHERE g = :g AND {name} IS NULL ORDER BY id DESC LIMIT :n", {"g": g, **cut}, True),
                (f"SELECT id FROM t WHERE g = :g AND {name} <> :v AND id < :w ORDER BY id LIMIT :n",
                 {"g": g, "v": value, "w": 9, **cut}, True),
            ]
        )  # fmt: skip


def _record(row: dict[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        return value.isoformat() if isinstance(value, date) else value

    return {name: plain(value) for name, value in row.items()}


def _declared(typed: Typed) -> str:
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    table = f"CREATE TABLE t (id BIGINT PRIMARY KEY, g INT NOT NULL, {columns});\n"
    queries = (
        f"-- param: vs <= 5, n <= 50\nCREATE QUERY q{number} AS {text};"
        for number, (text, _, _) in enumerate(typed.queries)
    )
    return table + "\n".join(queries)


def _expected(typed: Typed, text: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(f"{name} {IN_DUCKDB.get(kind, kind)}" for name, kind in TYPES.items())
        connection.execute(f"CREATE TABLE t (id BIGINT PRIMARY KEY, g INT, {columns})")
        for row in typed.rows.values():
            connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", list(row.values()))
        values: list[Any] = []
        for name in given:
            kind = next(
                (IN_DUCKDB.get(TYPES[c], TYPES[c]) for c in TYPES if f" {c} IN (:{name})" in text), "BIGINT"
            )
            listed = isinstance(given[name], list)
            mark = f"(SELECT unnest(${len(values) + 1}::{kind}[]))" if listed else f"${len(values) + 1}"
            text = text.replace(f"(:{name})" if listed else f":{name}", mark)
            values.append(given[name])
        return connection.execute(text, values).fetchall()


def _comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """NaN is equal to itself here, and 0.0 is -0.0; a number is one whatever its type."""

    def plain(value: Any) -> Any:
        if isinstance(value, float) and math.isnan(value):
            return "NaN"
        if isinstance(value, float) and value == 0:
            return 0.0
        return value.astimezone(UTC) if isinstance(value, datetime) else value

    return tuple(plain(value) for value in row)


def _judge(typed: Typed, answering: Answering) -> int:
    done = 0
    for number, (text, given, ordered) in enumerate(typed.queries):
        query = answering.queries[f"q{number}"]
        if query.bound is None or query.level == "SI-3":
            continue
        answer = answering.answer(query.name, given)
        assert answer.operations <= query.bound, text
        shown = [_comparable(tuple(row.values())) for row in answer.rows]
        expected = [_comparable(row) for row in _expected(typed, text, given)]
        if not ordered:
            shown, expected = sorted(shown, key=repr), sorted(expected, key=repr)
        assert shown == expected, f"{query.level}: {text} with {given}"
        done += 1
    return done


@pytest.mark.parametrize("seed", range(scaled(12)))
def test_values_of_all_types_are_answered_right(seed: int, tmp_path: Path) -> None:
    typed = Typed(seed)
    project = StoreProject(tmp_path, _declared(typed))
    done = 0
    for _ in range(3):
        project.append("t", typed.change())
        project.keep()
        done += _judge(typed, project.answering())
    assert done >= 20
    assert project.keeper.breaches == 0
