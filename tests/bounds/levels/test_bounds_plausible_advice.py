"""Advice that a developer could follow, pages by key, and places inside views."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.cli.app import app

SCHEMA = """
CREATE TABLE votes (post_id BIGINT, user_id BIGINT, value INT, PRIMARY KEY (post_id, user_id));
CREATE TABLE users (id BIGINT PRIMARY KEY, email STRING NOT NULL, name STRING, active BOOLEAN NOT NULL,
  joined TIMESTAMP NOT NULL);
CREATE TABLE plans (id BIGINT PRIMARY KEY, name STRING);
CREATE TABLE limited (id BIGINT PRIMARY KEY, owner BIGINT, CARDINALITY LIMIT 10 (owner)) ON VIOLATION WARN;
"""


def ask(sql: str) -> Answer:
    (answer,) = check(read_sql(f"{SCHEMA}-- name: q\n{sql};", "app.sql"), Options())
    return answer


def advice(sql: str) -> list[str]:
    return [advice.text for advice in ask(sql).advice]


def test_a_part_of_a_key_is_not_advised_to_be_unique() -> None:
    assert advice("SELECT post_id FROM votes WHERE user_id = :u") == [
        "add LIMIT n",
        "declare CARDINALITY LIMIT n (user_id) on votes",
    ]
    assert "declare UNIQUE (email) on users" in advice("SELECT id FROM users WHERE email = :e")


def test_a_column_of_few_values_is_not_advised_to_be_limited() -> None:
    assert not [text for text in advice("SELECT id FROM users WHERE active = :a") if "(active)" in text]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id FROM users WHERE email IN (:a, :b, :c)", "declare CARDINALITY LIMIT n (email) on users"),
        ("SELECT name FROM plans", "declare CARDINALITY LIMIT n () on plans, if it stays small"),
        ("SELECT id FROM limited WHERE owner = :o", "declare ON VIOLATION REJECT on limited: limits that only warn prove nothing"),
        (
            "SELECT id FROM users WHERE name LIKE :q OR email LIKE :q LIMIT 5",
            "search by word: TOKEN(users.name) = :q OR TOKEN(users.email) = :q",
        ),
        ("SELECT id FROM users WHERE MATCH(name) AGAINST (:q) LIMIT 5", "search by word: TOKEN(users.name) = :q"),
    ],
)  # fmt: skip
def test_advice_is_there(sql: str, expected: str) -> None:
    answer = ask(sql)
    assert answer.level.value == "unbounded"
    assert expected in [advice.text for advice in answer.advice]


def test_an_offset_is_seen_in_the_rows_read_and_told_about_pages_by_key() -> None:
    answer = ask(
        "SELECT id FROM users WHERE active = TRUE ORDER BY joined DESC, id DESC LIMIT 10 OFFSET 1000000"
    )
    assert (answer.operations, answer.read, answer.results) == (1, 1_000_010, 10)
    assert "OFFSET reads up to 1000000 rows to skip them" in answer.advice[-1].text
    assert "WHERE (users.joined, users.id) < (:last_joined, :last_id)" in answer.advice[-1].text


def test_pages_by_key_are_told_apart_by_the_key() -> None:
    answer = ask("SELECT id FROM users WHERE active = TRUE ORDER BY joined LIMIT 10 OFFSET 1000000")
    assert answer.advice[-1].text.endswith(
        "WHERE (users.joined, users.id) > (:last_joined, :last_id) ORDER BY users.joined, users.id"
    )


def test_the_table_shows_the_rows_read(tmp_path: Path) -> None:
    path = tmp_path / "app.sql"
    path.write_text(f"{SCHEMA}-- name: q\nSELECT id FROM users ORDER BY id LIMIT 7 OFFSET 20000;")
    output = CliRunner().invoke(app, ["check", str(path)]).stdout
    assert "rows read" in output
    assert "20007" in output


def test_a_project_may_hold_a_plain_view(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "a_tables.sql").write_text(SCHEMA)
    (tmp_path / "views.sql").write_text(
        "CREATE VIEW actives AS SELECT id, email FROM users WHERE active;\n"
        "CREATE MATERIALIZED VIEW emails AS SELECT id, email FROM actives;\n"
        "CREATE QUERY one AS SELECT email FROM actives WHERE id = :id;\n"
        "CREATE QUERY stored AS SELECT email FROM emails WHERE id = :id;\n"
    )
    result = CliRunner().invoke(app, ["check", str(tmp_path), "--json"])
    levels = {query["name"]: query["level"] for query in json.loads(result.stdout)["queries"]}
    assert levels == {"one": "SI-0", "stored": "SI-0"}


def test_a_reason_inside_a_view_points_at_the_view() -> None:
    text = f"{SCHEMA}CREATE VIEW actives AS\nSELECT id, email FROM users WHERE active;\n-- name: q\nSELECT * FROM actives;"
    (answer,) = check(read_sql(text, "app.sql"), Options())
    places = [reason.place for reason in answer.reasons if reason.place is not None]
    line = text[: text.index("FROM users WHERE")].count("\n") + 1
    assert [place.line for place in places] == [line]


def test_a_limit_is_not_advised_on_a_view() -> None:
    schema = (
        "CREATE TABLE t (id BIGINT NOT NULL, k INT NOT NULL, PRIMARY KEY (id));\n"
        "CREATE MATERIALIZED VIEW v AS SELECT id, k FROM t;\n"
    )
    inputs = read_sql(schema + "-- name: q\nSELECT id FROM v WHERE k = :k;", "q.sql")
    (answer,) = check(inputs, Options())
    assert [advice.text for advice in answer.advice] == ["add LIMIT n"]
