"""Rejected rows are counted and named on every screen, and can be tried again or given up: as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.commands import answer, command
from support.planted import plant

TABLES = """
CREATE TABLE accounts (id BIGINT PRIMARY KEY, balance INT);
CREATE TABLE quiet (id BIGINT PRIMARY KEY);
CREATE MATERIALIZED VIEW rich FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM accounts WHERE balance > 10;
"""


def write_lines(file: Path, *records: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A project of which two accounts were stored, and two were rejected."""
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: bank\n")
    (folder / "all.sql").write_text(TABLES)
    plant(folder)
    lines = write_lines(
        tmp_path / "new.jsonl",
        {"id": 1, "balance": 20},
        {"id": 2, "balance": 7.5},
        {"id": 3, "balance": "much"},
        {"id": 4, "balance": 5},
    )
    command("ingest", folder, "accounts", lines, status=1)
    return folder


def source(folder: Path, table: str) -> Any:
    return next(entry for entry in answer("status", folder)["sources"] if entry["name"] == table)


def test_every_screen_counts_and_warns(bank: Path) -> None:
    assert (source(bank, "accounts")["rejected"], source(bank, "accounts")["rejected_share"]) == (2, 0.5)
    assert source(bank, "quiet")["rejected"] == 0
    tables = {entry["table"]: entry["rejected"] for entry in answer("capture", bank)["tables"]}
    assert tables == {"accounts": 2, "quiet": 0}
    for words in (["status"], ["status", "--json"], ["capture"], ["plan"], ["bill"]):
        warned = command(words[0], bank, *words[1:]).stderr
        assert (
            f"accounts: 2 rows were rejected (50% of all) and are in no view; headwater dead-letters {bank} accounts says why"
            in warned
        )
    assert "2 rows were rejected" in command("sql", bank, "SELECT count(*) FROM accounts").stderr
    assert "rejected" not in command("sql", bank, "SELECT count(*) FROM quiet").stderr


def test_one_in_a_hundred_is_counted_and_no_warning(bank: Path, tmp_path: Path) -> None:
    command("dead-letters", bank, "--discard")
    many = [{"id": number, "balance": 1} for number in range(100, 400)]
    command(
        "ingest",
        bank,
        "accounts",
        write_lines(tmp_path / "many.jsonl", *many, {"id": 999, "balance": "x"}),
        status=1,
    )
    assert source(bank, "accounts")["rejected"] == 1
    assert "rejected" not in command("status", bank).stderr


def test_listing(bank: Path) -> None:
    listed = answer("dead-letters", bank, "accounts")
    assert listed["rejected"] == 2
    assert [(letter["line"], letter["record"]) for letter in listed["letters"]] == [
        (2, '{"id": 2, "balance": 7.5}'),
        (3, '{"id": 3, "balance": "much"}'),
    ]
    assert "7.5 is not an integer (int)" in listed["letters"][0]["reason"]
    shown = command("dead-letters", bank).stdout
    assert '"much" is not an integer (int)' in shown
    assert '{"id": 3, "balance": "much"}' in shown
    assert command("dead-letters", bank, "quiet").stdout.strip() == "there are no dead letters"
    assert "there is no table" in command("dead-letters", bank, "acounts", status=2).stderr
    assert "exclude each other" in command("dead-letters", bank, "--retry", "--discard", status=2).stderr


def test_records_are_shown_as_they_are(bank: Path, tmp_path: Path) -> None:
    """Also what looks like markup of the terminal."""
    file = tmp_path / "odd.jsonl"
    file.write_text('{"id": "[/red] [bold]x"}\n[1, 2]\n')
    assert '"[/red] [bold]x" is not an integer' in command("ingest", bank, "accounts", file, status=1).stdout
    shown = command("dead-letters", bank).stdout
    assert '{"id": "[/red] [bold]x"}' in shown
    assert "[1, 2]" in shown


def test_retry_without_a_mend_changes_nothing(bank: Path) -> None:
    assert answer("dead-letters", bank, "accounts", "--retry", status=1)["retried"] == [
        {"table": "accounts", "accepted": 0, "rejected": 2, "next_run": False}
    ]
    assert [letter["line"] for letter in answer("dead-letters", bank)["letters"]] == [2, 3]


def test_retry_after_the_declaration_was_mended(bank: Path) -> None:
    """A column more takes what an INT cannot hold."""
    letters = bank / "extra.jsonl"
    write_lines(letters, {"id": 5, "balance": 1, "note": "x"})
    command("ingest", bank, "accounts", letters, status=1)
    (bank / "all.sql").write_text(TABLES.replace("balance INT", "balance INT, note STRING"))
    assert (
        "accounts: 1 accepted, 2 rejected again"
        in command("dead-letters", bank, "accounts", "--retry", status=1).stdout
    )
    rows = answer("sql", bank, "SELECT id, note FROM accounts ORDER BY id")["rows"]
    assert rows == [{"id": 1, "note": None}, {"id": 4, "note": None}, {"id": 5, "note": "x"}]
    assert source(bank, "accounts")["rejected"] == 2


def test_discard(bank: Path) -> None:
    assert answer("dead-letters", bank, "quiet", "--discard") == {"discarded": 0}
    assert command("dead-letters", bank, "--discard").stdout.strip() == "2 discarded"
    assert source(bank, "accounts")["rejected"] == 0
    assert "rejected" not in command("status", bank).stderr


@pytest.mark.spark
def test_run_and_verify_say_so(spark: SparkSession, bank: Path) -> None:
    ended = command("run", bank, "--until-idle")
    assert "rejected 2" in ended.stderr
    assert "accounts: 2 rows were rejected (50% of all)" in ended.stderr
    [rich] = answer("verify", bank)["views"]
    assert (rich["equal"], rich["rejected"]) == (True, {"accounts": 2})
    verified = command("verify", bank)
    assert "without 2 rejected rows of accounts" in verified.stdout
    assert "accounts: 2 rows were rejected" in verified.stderr
    assert "accounts: 2 rows were rejected" in command("read", bank, "rich").stderr
