"""Rows that make an expression fail, on Spark: who stops, what it says, and that it recovers by itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from headwater.engine.push.failures.data_errors import DataError
from support.cases import scaled
from support.spark.keeping import Keeping
from support.spark.shop import view

pytestmark = pytest.mark.spark

TABLE = "CREATE TABLE t (id BIGINT PRIMARY KEY, v INT, s STRING);"
OTHER = "CREATE TABLE u (id BIGINT PRIMARY KEY, w INT);"
GOOD: dict[str, Any] = {"v": 1, "s": "7"}


def good(*ids: int) -> list[dict[str, Any]]:
    return [{"id": number, **GOOD} for number in ids]


def gone(number: int) -> dict[str, Any]:
    return {"op": "delete", "row": {"id": number}}


CASES: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("SELECT id, 100 / v AS x FROM t", {"v": 0}, ("100 / v", "id = 9", "v = 0", "try_divide(100, v)")),
    ("SELECT id FROM t WHERE 100 / v > 3", {"v": 0}, ("100 / v", "id = 9")),
    (
        "SELECT id, CAST(s AS INT) AS x FROM t",
        {"s": "x1"},
        ("CAST(s AS INT)", "s = 'x1'", "try_cast(s AS INT)"),
    ),
    (
        "SELECT id, v * 2 AS x FROM t",
        {"v": 2_000_000_000},
        ("v * 2", "v = 2000000000", "try_multiply(v, 2)"),
    ),
    ("SELECT id, split(concat(s, ','), ',')[v] AS x FROM t", {"v": 7}, ("INVALID_ARRAY_INDEX",)),
    ("SELECT sum(100 DIV v) AS x FROM t", {"v": 0}, ("DIV", "id = 9")),
    ("SELECT 7 % v AS g, max(id) AS x FROM t GROUP BY 7 % v", {"v": 0}, ("7 % v", "id = 9")),
    ("SELECT id, 100 / v AS x FROM t ORDER BY id LIMIT 9", {"v": 0}, ("100 / v",)),
    ("SELECT v, 100 / sum(v) AS x FROM t GROUP BY v", {"v": 0}, ("for the group v = 0",)),
]
IN_MAKE_TEST = (0, 5)  # the others are for `make bench`


@pytest.mark.parametrize(
    ("select", "poison", "said"),
    [
        pytest.param(*case, marks=() if number in IN_MAKE_TEST else pytest.mark.long)
        for number, case in enumerate(CASES)
    ],
)
def test_a_view_recovers_when_the_row_is_gone(
    spark: SparkSession, tmp_path: Path, select: str, poison: dict[str, Any], said: tuple[str, ...]
) -> None:
    kept = Keeping(spark, tmp_path, TABLE + view("bad", select, "AUTO") + view("fine", "SELECT id FROM t"))
    kept.ingest("t", good(1, 2))
    kept.push()
    kept.ingest("t", [{"id": 9, **GOOD, **poison}])
    kept.ingest("t", good(3))
    with pytest.raises(DataError) as failure:
        kept.push()
    assert all(part in failure.value.message for part in ("its SQL fails", *said)), failure.value.message
    assert kept.executor.states["bad"].error.endswith(failure.value.message[-40:])
    assert kept.executor.states["fine"].error == ""
    assert kept.rows("fine") == [(1,), (2,), (3,), (9,)]
    assert kept.time_of("fine") > kept.time_of("bad")
    kept.ingest("t", [gone(9)])
    kept.push()
    assert kept.executor.states["bad"].error == ""
    assert all(kept.verify(name).equal for name in ("bad", "fine"))


def test_the_message_points_into_the_sql(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(spark, tmp_path, TABLE + view("bad", "SELECT t.id,\n  100/t.v AS x FROM t"))
    kept.ingest("t", [{"id": 9, **GOOD, "v": 0}])
    with pytest.raises(DataError) as failure:
        kept.push()
    assert failure.value.place is not None
    assert failure.value.place.text.strip().startswith("100/t.v")
    assert "for the row id = 9, v = 0 of t" in failure.value.message


@pytest.mark.long
def test_rows_that_came_and_went_do_not_count(spark: SparkSession, tmp_path: Path) -> None:
    """Neither for a first computation, nor for changes."""
    kept = Keeping(spark, tmp_path, TABLE + view("ratio", "SELECT id, 100 / v AS x FROM t WHERE 100 / v > 1"))
    kept.ingest("t", [{"id": 9, **GOOD, "v": 0}, *good(1)])
    kept.ingest("t", [gone(9)])
    (first,) = kept.push()
    assert first.mode == "initial"
    kept.ingest("t", [{"id": 8, **GOOD, "v": 0}, *good(2)])
    kept.ingest("t", [gone(8)])
    (second,) = kept.push()
    assert second.mode == "incremental"
    assert kept.rows("ratio") == [(1, 100.0), (2, 100.0)]


@pytest.mark.long
def test_a_group_that_having_hides_is_not_divided(spark: SparkSession, tmp_path: Path) -> None:
    select = "SELECT s, 100 / sum(v) AS x FROM t GROUP BY s HAVING sum(v) <> 0"
    kept = Keeping(spark, tmp_path, TABLE + view("ratio", select))
    kept.ingest("t", [*good(1), {"id": 2, "v": 4, "s": "z"}, {"id": 3, "v": -4, "s": "z"}])
    kept.push()
    assert kept.rows("ratio") == [("7", 100.0)]
    kept.ingest("t", [gone(3)])
    kept.push()
    assert kept.rows("ratio") == [("7", 100.0), ("z", 25.0)]


def test_a_group_whose_key_having_leaves_out_is_not_computed(spark: SparkSession, tmp_path: Path) -> None:
    kept = Keeping(
        spark, tmp_path, TABLE + view("ratio", "SELECT v, sum(100 / v) AS x FROM t GROUP BY v HAVING v <> 0")
    )
    kept.ingest("t", [*good(1), {"id": 2, "v": 0, "s": ""}])
    kept.push()
    kept.ingest("t", [{"id": 3, "v": 0, "s": ""}, {"id": 4, "v": 4, "s": ""}])
    (pushed,) = kept.push()
    assert pushed.mode == "incremental"
    assert kept.rows("ratio") == [(1, 100.0), (4, 25.0)]


@pytest.mark.long
def test_rows_that_never_met(spark: SparkSession, tmp_path: Path) -> None:
    """A delta joins new rows with old ones: it fails, and the view is recomputed."""
    kept = Keeping(
        spark,
        tmp_path,
        TABLE + OTHER + view("j", "SELECT t.id, 1 / (t.v - u.w) AS x FROM t JOIN u ON t.id = u.id"),
    )
    kept.ingest("t", [{"id": 1, "v": 1, "s": ""}])
    kept.ingest("u", [{"id": 1, "w": 2}])
    kept.push()
    kept.ingest("t", [{"op": "update", "row": {"id": 1, "v": 2, "s": ""}}])
    kept.ingest("u", [{"op": "update", "row": {"id": 1, "w": 5}}])
    (pushed,) = kept.push()
    assert pushed.mode == "full"
    assert kept.verify("j").equal


def test_a_reader_of_a_view_that_fails_says_so_and_follows(spark: SparkSession, tmp_path: Path) -> None:
    ddl = (
        TABLE + view("bad", "SELECT id, 100 / v AS x FROM t") + view("over", "SELECT count(*) AS n FROM bad")
    )
    kept = Keeping(spark, tmp_path, ddl)
    kept.ingest("t", good(1))
    kept.push()
    kept.ingest("t", [{"id": 9, **GOOD, "v": 0}])
    with pytest.raises(DataError):
        kept.push()
    assert 'it reads "bad", whose SQL fails' in kept.executor.states["over"].error
    kept.ingest("t", [gone(9), *good(2)])
    kept.push()
    assert kept.rows("over") == [(2,)]


SELECTS = [
    "SELECT id, 100 / v AS x FROM t",
    "SELECT id, v FROM t WHERE v <> 0 AND 100 / v > 10",
    "SELECT s, sum(100 DIV v) AS x, count(*) AS n FROM t GROUP BY s",
    "SELECT v, max(CAST(s AS INT)) AS x FROM t WHERE v <> 0 GROUP BY v",
    "SELECT 7 % v AS g, min(id) AS x FROM t WHERE v <> 0 GROUP BY 7 % v",
    "SELECT t.id, t.v / u.w AS x FROM t JOIN u ON t.id = u.id",
    "SELECT t.id, u.w FROM t LEFT JOIN u ON t.id = u.id AND 100 / u.w > 1",
    "SELECT DISTINCT CAST(s AS INT) + v AS x FROM t",
    "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND 6 / u.w > 1)",
    "SELECT id, coalesce(try_divide(1, v), 0) AS x FROM t",
]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(scaled(6)))
def test_the_law(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """A view whose SQL succeeds over the rows that are there is kept; one whose SQL fails says so."""
    chance = random.Random(seed)
    selects = dict(enumerate(chance.sample(SELECTS, 4)))
    kept = Keeping(
        spark,
        tmp_path,
        TABLE + OTHER + "".join(view(f"v{number}", text, "AUTO") for number, text in selects.items()),
    )
    rows: dict[str, dict[int, dict[str, Any]]] = {"t": {}, "u": {}}
    session = spark.newSession()
    failures = 0
    for _ in range(5):
        for table in rows:
            kept.ingest(table, [_change(chance, table, rows[table]) for _ in range(chance.randint(1, 4))])
        try:
            kept.push()
        except DataError:
            failures += 1
        session.createDataFrame(
            list(rows["t"].values()), "id bigint, v int, s string"
        ).createOrReplaceTempView("t")
        session.createDataFrame(list(rows["u"].values()), "id bigint, w int").createOrReplaceTempView("u")
        for number, text in selects.items():
            state = kept.executor.states[f"v{number}"]
            try:
                expected = sorted((tuple(row) for row in session.sql(text).collect()), key=repr)
            except PySparkException:
                assert "its SQL fails" in state.error, text
            else:
                assert state.error == "", text
                assert kept.rows(f"v{number}") == expected, text


def _change(chance: random.Random, table: str, rows: dict[int, dict[str, Any]]) -> dict[str, Any]:
    number = chance.randint(1, 6)
    if number in rows and chance.random() < 0.6:
        del rows[number]
        return gone(number)
    small = chance.choice((0, 1, 2, 3, 4))
    values = {"v": small, "s": chance.choice(("1", "2", "3", "x"))} if table == "t" else {"w": small}
    present = number in rows
    rows[number] = {"id": number, **values}
    return {"op": "update" if present else "insert", "row": rows[number]}
