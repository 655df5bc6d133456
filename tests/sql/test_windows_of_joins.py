"""WINDOW and TOLERANCE of CREATE MATERIALIZED VIEW: what they become, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.catalog import build
from headwater.errors import InputError
from headwater.model import JoinWindow, Project, Stream, View
from headwater.sql.ddl.joins.adapted_text import adapted_text
from headwater.sql.ddl.joins.window import interval_text
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.parsing.parser import parse_select

TABLES = """
CREATE TABLE nyc (id BIGINT PRIMARY KEY, symbol STRING, price DOUBLE, at TIMESTAMP TEMPORAL);
CREATE TABLE tokyo (id BIGINT PRIMARY KEY, symbol STRING, price DOUBLE, at TIMESTAMP TEMPORAL);
CREATE TABLE local (id BIGINT PRIMARY KEY, symbol STRING, at TIMESTAMP_NTZ TEMPORAL);
CREATE TABLE keyless (id BIGINT, at TIMESTAMP TEMPORAL);
CREATE TABLE firms (symbol STRING PRIMARY KEY, name STRING);
CREATE TABLE orders (id BIGINT PRIMARY KEY, placed TIMESTAMP TEMPORAL, paid TIMESTAMP TEMPORAL);
CREATE TABLE prices (symbol STRING PRIMARY KEY, price DOUBLE, UPDATE KEY (symbol)) ON OVERLOAD UPDATES best;
CREATE MATERIALIZED VIEW cheap AS SELECT * FROM nyc WHERE price < 5;
"""
JOIN = "SELECT nyc.id, t.id AS other FROM nyc JOIN tokyo t ON nyc.symbol = t.symbol"
NEAR = "`nyc`.`at` <= `t`.`at` + INTERVAL '10' MINUTE AND `t`.`at` <= `nyc`.`at` + INTERVAL '10' MINUTE"
MINUTES = timedelta(minutes=1)


def view(clauses: str, select: str = JOIN) -> View:
    text = f"{TABLES} CREATE MATERIALIZED VIEW v {clauses} AS {select};"
    return next(view for view in resolve(parse_statements(text, "v.sql")).views if view.name == "v")


def test_a_window_and_tolerances() -> None:
    clauses = "WINDOW = INTERVAL '10' MINUTE TOLERANCE (NYC = INTERVAL '12' MINUTE, t INTERVAL 15 MINUTES)"
    streams = (Stream("nyc", "nyc", "at", 12 * MINUTES), Stream("t", "tokyo", "at", 15 * MINUTES))
    assert view(clauses).window == JoinWindow(10 * MINUTES, streams=streams)
    by_table = clauses.replace("t INTERVAL", "Tokyo INTERVAL")  # which is joined once
    assert view(by_table).window == view(clauses).window
    properties = "TBLPROPERTIES ('headwater.window' = '10 minutes', 'headwater.tolerance' = 'nyc = 12 minutes, t = 15 minutes')"
    assert view(properties).window == view(clauses).window
    assert view(properties).sql.text == view(clauses).sql.text
    assert view("FRESHNESS = '5 seconds'").window is None


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        (JOIN, f"{JOIN}\nWHERE {NEAR}"),
        (f"{JOIN} -- by symbol\nORDER BY 1", f"{JOIN} -- by symbol\n\nWHERE {NEAR}\nORDER BY 1"),
        (
            f"{JOIN} WHERE nyc.price > 1 OR t.price > 1",
            f"{JOIN} WHERE ( nyc.price > 1 OR t.price > 1\n) AND {NEAR}",
        ),
        (
            f"{JOIN} WHERE (nyc.id) > 1 -- few\n GROUP BY nyc.id, t.id HAVING count(*) > 1",
            f"{JOIN} WHERE ( (nyc.id) > 1 -- few\n \n) AND {NEAR}\nGROUP BY nyc.id, t.id HAVING count(*) > 1",
        ),
        (
            "SELECT window(nyc.at, '1 hour') AS w, nyc.id IS DISTINCT FROM t.id AS d FROM nyc, tokyo AS t",
            "SELECT window(nyc.at, '1 hour') AS w, nyc.id IS DISTINCT FROM t.id AS d FROM nyc, tokyo AS t"
            f"\nWHERE {NEAR}",
        ),
    ],
)
def test_a_window_is_written_into_the_select(select: str, expected: str) -> None:
    sql = view("WINDOW = INTERVAL '10' MINUTE ALLOW CROSS JOIN", select).sql
    assert sql.text == expected
    assert sql.tree == parse_select(sql).tree  # the text and the tree say the same


def test_every_pair_of_a_self_join_is_near() -> None:
    text = view(
        "WINDOW = '90 s'", "SELECT a.id FROM nyc a, nyc b, tokyo c WHERE a.id = b.id AND b.id = c.id"
    ).sql.text
    for late, early in [(left, right) for left in "abc" for right in "abc" if left != right]:
        assert f"`{late}`.`at` <= `{early}`.`at` + INTERVAL '90' SECOND" in text


def test_errors_after_the_window_point_at_what_was_written() -> None:
    declared = view("WINDOW = '1 minute'", f"{JOIN} WHERE nyc.id > 1 GROUP BY nyc.id, t.id")
    assert declared.sql.tree is not None
    column = declared.sql.tree.args["group"].expressions[1]
    place = declared.sql.place(column.this.meta["start"])
    assert place.text[place.column - 1 :] == "id;"


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (10 * MINUTES, "INTERVAL '10' MINUTE"), (timedelta(seconds=90), "INTERVAL '90' SECOND"),
        (timedelta(weeks=2), "INTERVAL '14' DAY"), (timedelta(milliseconds=1500), "INTERVAL '1500' MILLISECOND"),
        (timedelta(microseconds=7), "INTERVAL '7' MICROSECOND"), (timedelta(hours=36), "INTERVAL '36' HOUR"),
    ],
)  # fmt: skip
def test_intervals_are_written_in_their_largest_unit(length: timedelta, text: str) -> None:
    assert interval_text(length) == text


WINDOW = "WINDOW = INTERVAL '10' MINUTE"
ADAPT = f"{WINDOW} ON OVERLOAD ADAPT JOINS"


def test_an_adapted_join_knows_keys_and_tolerances() -> None:
    clauses = f"FRESHNESS = '30 seconds' {ADAPT} TOLERANCE (nyc = '12 minutes') RETAIN INTERVAL '1' HOUR"
    window = view(clauses).window
    assert window is not None
    assert window.streams == (
        Stream("nyc", "nyc", "at", 12 * MINUTES, ("id",)),
        Stream("t", "tokyo", "at", 10.5 * MINUTES, ("id",)),  # the window and the freshness
    )
    assert (window.adapt, window.retain) == (True, 60 * MINUTES)
    by_property = (
        "FRESHNESS = '30 seconds' TBLPROPERTIES ('headwater.window' = '10 minutes', 'headwater.retain' = '1 hour',"
        " 'headwater.tolerance' = 'nyc = 12 minutes', 'headwater.on_overload' = 'adapt joins')"
    )
    assert view(by_property).window == window


def test_a_table_without_a_time_is_joined_by_when_its_rows_were_captured() -> None:
    select = f"{JOIN} JOIN firms f ON f.symbol = t.symbol"
    adapted = view(f"FRESHNESS = '30 seconds' {ADAPT}", select)
    assert adapted.window is not None
    assert [stream.column for stream in adapted.window.streams] == ["at", "at", "_captured"]
    # Of the pairs only the one that has times is among the conditions of the SELECT.
    assert NEAR in adapted.sql.text
    assert "_captured" not in adapted.sql.text
    verified = adapted_text(adapted)
    for pair in (("nyc", "at", "f", "_captured"), ("f", "_captured", "t", "at")):
        assert "{}.{} <= {}.{} + INTERVAL '10' MINUTE".format(*pair) in verified.replace("`", "")
    alone = view(
        f"FRESHNESS = '30 seconds' {ADAPT}", "SELECT f.name FROM firms f JOIN firms g ON f.symbol = g.name"
    )
    assert "WHERE" not in alone.sql.text


RANKED = (
    f"{JOIN} ORDER BY nyc.id LIMIT 3",
    f"{JOIN} QUALIFY row_number() OVER (ORDER BY nyc.id) = 1",
    "SELECT nyc.id, row_number() OVER (ORDER BY t.id) AS r FROM nyc JOIN tokyo t ON nyc.symbol = t.symbol",
    f"{JOIN} WHERE nyc.id IN (SELECT id FROM local)",
)


@pytest.mark.parametrize("select", RANKED)
def test_what_a_part_of_the_matches_would_answer_otherwise_is_refused(select: str) -> None:
    """The first three of some matches are not among the first three of all."""
    declared = resolve(parse_statements(f"{TABLES} CREATE MATERIALIZED VIEW v {ADAPT} AS {select};", "v.sql"))
    tables, views = ({item.name: item for item in items} for items in (declared.tables, declared.views))
    with pytest.raises(InputError, match="one join of its tables and nothing else"):
        build(Project("ranked", ".", ".", tables, views, {}, {}))


@pytest.mark.parametrize(
    ("clauses", "select", "code", "message"),
    [
        ("WINDOW = 1000 ROWS", JOIN, "HW127", "a WINDOW of rows needs ON OVERLOAD ADAPT JOINS"),
        ("WINDOW = 0 ROWS ON OVERLOAD ADAPT JOINS", JOIN, "HW127", "at least one row"),
        ("WINDOW = 9 ROWS ON OVERLOAD ADAPT JOINS", JOIN, "HW127", "a TOLERANCE for each of its tables"),
        ("WINDOW = INTERVAL '1' MONTH", JOIN, "HW108", "no fixed length"),
        ("TOLERANCE (nyc = INTERVAL '1' HOUR)", JOIN, "HW127", "needs a WINDOW"),
        (f"{WINDOW} TOLERANCE (nyk = INTERVAL '1' HOUR)", JOIN, "HW127", 'joins no "nyk"'),
        (f"{WINDOW} TOLERANCE (firms = INTERVAL '1' HOUR)", JOIN, "HW127", 'joins no "firms"'),
        (f"{WINDOW} TOLERANCE (tokyo = '1 hour', t = '1 hour')", JOIN, "HW127", '"t" has two tolerances'),
        (f"{WINDOW} TOLERANCE (nyc = '1 hour')", "SELECT a.id FROM nyc a JOIN nyc b ON b.id = a.id", "HW127", "more than once"),
        (f"{WINDOW} TOLERANCE (t = INTERVAL '9' MINUTE)", JOIN, "HW127", "shorter than the WINDOW"),
        (f"{WINDOW} TOLERANCE (t = '1 hour', T = '2 hours')", JOIN, "HW103", "given twice"),
        (f"{WINDOW} {WINDOW}", JOIN, "HW103", "given twice"),
        (WINDOW, "SELECT id FROM nyc", "HW127", "is for joins"),
        ("ON OVERLOAD ADAPT JOINS", JOIN, "HW127", "needs a WINDOW"),
        (f"{WINDOW} ON OVERLOAD ADAPT", JOIN, "HW100", "expected JOINS"),
        (f"{WINDOW} RETAIN INTERVAL '1' HOUR", JOIN, "HW126", "needs ON"),
        (f"{ADAPT} RETAIN INTERVAL '1' HOUR ON other", JOIN, "HW127", "has no ON"),
        (f"{ADAPT} RETAIN INTERVAL '5' MINUTE", JOIN, "HW127", "shorter than a tolerance"),
        (ADAPT, f"{JOIN} GROUP BY nyc.id, t.id", "HW127", "without groups"),
        (ADAPT, "SELECT count(*) AS c FROM nyc JOIN tokyo t ON t.id = nyc.id", "HW127", "without groups"),
        (ADAPT, "SELECT a.id FROM local a JOIN local b ON a.id = b.id", "HW127", "cannot be joined"),
        (ADAPT, "SELECT a.id FROM keyless a JOIN nyc b ON a.id = b.id", "HW127", "cannot be joined"),
        (WINDOW, "SELECT nyc.id FROM nyc LEFT JOIN tokyo t ON t.id = nyc.id", "HW127", "not with LEFT JOIN"),
        (WINDOW, "SELECT id FROM nyc LEFT SEMI JOIN tokyo t ON t.id = nyc.id", "HW127", "not with LEFT SEMI JOIN"),
        (WINDOW, "SELECT id FROM nyc NATURAL JOIN tokyo t", "HW127", "not with NATURAL JOIN"),
        (WINDOW, f"{JOIN} UNION ALL {JOIN}", "HW127", "is one SELECT"),
        (WINDOW, f"WITH w AS (SELECT 1 AS a) {JOIN}", "HW127", "is one SELECT"),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN (SELECT * FROM tokyo) t ON t.id = nyc.id", "HW127", "without subqueries"),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN cheap t ON t.id = nyc.id", "HW127", '"cheap" is a view'),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN firms f ON f.symbol = nyc.symbol", "HW127", '"firms" needs one TEMPORAL'),
        (ADAPT, "SELECT nyc.id FROM nyc JOIN prices p ON p.symbol = nyc.symbol", "HW127", '"prices" needs one TEMPORAL'),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN orders o ON o.id = nyc.id", "HW127", "placed, paid"),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN local l ON l.id = nyc.id", "HW127", "different types"),
        (WINDOW, "SELECT nyc.id FROM nyc JOIN tokyo t (a, b, c, d) ON t.a = nyc.id", "HW127", "keep their names"),
    ],
)  # fmt: skip
def test_wrong_input(clauses: str, select: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        view(clauses, select)
    assert caught.value.code == code
    assert message in f"{caught.value.message} {caught.value.detail}"
    assert caught.value.place is not None
