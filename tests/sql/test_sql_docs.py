"""The examples of docs/sql.md run, and its error texts are true."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.project.settings import read_settings
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docs" / "sql.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sql wrong|sql|yaml|text)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
WRONG = [
    (sql, error) for (kind, sql), (_, error) in zip(BLOCKS, BLOCKS[1:], strict=False) if kind == "sql wrong"
]


def test_the_statements_make_one_project() -> None:
    (settings,) = [read_settings(text, "headwater.yml", Path()) for kind, text in BLOCKS if kind == "yaml"]
    whole = "".join(text for kind, text in BLOCKS if kind == "sql")
    statements = resolve(parse_statements(whole, "docs.sql"), settings.sites)
    assert [table.name for table in statements.tables] == [
        "users", "user_events", "quotes", "tags", "nyc", "tokyo",
    ]  # fmt: skip
    assert [view.name for view in statements.views] == [
        "dinner_events", "per_minute", "seen", "arbitrage", "users_by_city", "dinners_by_city",
    ]  # fmt: skip
    assert [view.name for view in statements.explained] == ["spread"]
    assert [query.name for query in statements.queries] == ["upcoming", "user_by_email"]
    assert statements.tables[3].cardinalities[0].columns == ("doc_id",)
    assert set(settings.expect) <= {table.name for table in statements.tables}


@pytest.mark.parametrize(("sql", "expected"), WRONG)
def test_the_errors_are_printed_so(sql: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(parse_statements(sql, "example.sql"))
    assert f"{caught.value}\n" == expected


def test_there_are_wrong_examples() -> None:
    assert len(WRONG) == 3


def test_the_intervals_of_the_text_are_right() -> None:
    sentence = re.search(r"without the word INTERVAL: (.*?)\. ", TEXT, re.DOTALL)
    assert sentence is not None
    lengths = [
        parse_statements(f"CREATE MATERIALIZED VIEW v FRESHNESS = {interval} AS SELECT 1").views[0].freshness
        for interval in re.findall(r"`(.*?)`", sentence[1], re.DOTALL)
    ]
    assert lengths == [timedelta(seconds=seconds) for seconds in (10, 10, 90, 1.5, 0.5, 90)]
