"""A typo in a SQL file stops only what needs that file: everything else goes on with what was declared before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import answer, command

TABLES = "CREATE TABLE orders (id BIGINT PRIMARY KEY, name STRING);\n"
VIEWS = "CREATE MATERIALIZED VIEW named FRESHNESS = INTERVAL '5' SECOND AS SELECT name FROM orders;\n"
TYPOS = {
    "a word": VIEWS.replace("MATERIALIZED", "MATERIALISED"),
    "a column": VIEWS.replace("SELECT name", "SELECT nmae"),
    "a quote": VIEWS.replace("'5'", "'5"),
    "a table": VIEWS.replace("FROM orders", "FROM oders"),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "tables.sql").write_text(TABLES)
    (tmp_path / "views.sql").write_text(VIEWS)
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "name": "a"}\n')
    command("ingest", tmp_path, "orders", tmp_path / "rows.jsonl")
    return tmp_path


@pytest.mark.parametrize("typo", TYPOS.values(), ids=TYPOS.keys())
def test_what_reads_and_feeds_goes_on(shop: Path, typo: str) -> None:
    (shop / "views.sql").write_text(typo)
    (shop / "rows.jsonl").write_text('{"id": 2, "name": "b"}\n')
    fed = command("ingest", shop, "orders", shop / "rows.jsonl")
    assert "1 accepted" in fed.stdout
    [line] = [line for line in fed.stderr.splitlines() if line.startswith("Warning")]
    assert "views.sql" in line
    assert "going on with what was declared" in line
    [source] = answer("status", shop)["sources"]
    assert source["rows"] == 2
    assert "never been computed" in command("read", shop, "named", status=1).stderr
    assert command("capture", shop).status == 0
    assert command("bill", shop).status == 0
    assert "2" in command("sql", shop, "SELECT count(*) FROM orders").stdout


@pytest.mark.parametrize("typo", TYPOS.values(), ids=TYPOS.keys())
def test_what_needs_the_statement_says_what_is_wrong(shop: Path, typo: str) -> None:
    (shop / "views.sql").write_text(typo)
    for words in (("plan", shop), ("drop", shop, "named"), ("run", shop, "--until-idle")):
        assert "views.sql" in command(*words, status=2).stderr


def test_without_a_declaration_that_was_right_nothing_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "views.sql").write_text(TYPOS["a word"])
    assert "MATERIALISED" in command("status", tmp_path, status=2).stderr


def test_a_declaration_is_remembered_as_it_changes(shop: Path) -> None:
    (shop / "tables.sql").write_text(TABLES + "CREATE TABLE more (id BIGINT);\n")
    command("ingest", shop, "orders", shop / "rows.jsonl", status=1)
    (shop / "tables.sql").write_text("CREATE TABL\n")
    assert [source["name"] for source in answer("status", shop)["sources"]] == ["orders", "more"]


def test_secrets_are_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "tables.sql").write_text(
        TABLES + "CREATE TABLE remote (id BIGINT PRIMARY KEY) USING postgres "
        "OPTIONS (uri 'postgresql://app:hush-hush@127.0.0.1:1/shop');\n"
    )
    (tmp_path / "rows.jsonl").write_text('{"id": 1}\n')
    command("ingest", tmp_path, "orders", tmp_path / "rows.jsonl")
    remembered = (tmp_path / "warehouse" / "declaration.json").read_text()
    assert "hush-hush" not in remembered
    (tmp_path / "tables.sql").write_text("CREATE TABL\n")
    shown = json.loads(command("status", tmp_path, "--json").stdout)
    assert {source["name"] for source in shown["sources"]} == {"orders", "remote"}
