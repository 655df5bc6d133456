"""The examples of docs/sql.md run, its error texts are true, and its table of codes is whole."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.project.settings import read_settings
from headwater.sql.ddl import parse_statements
from headwater.sql.resolve import resolve

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docs" / "sql.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sql wrong|sql|yaml|text)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
WRONG = [
    (sql, error) for (kind, sql), (_, error) in zip(BLOCKS, BLOCKS[1:], strict=False) if kind == "sql wrong"
]


def test_the_statements_make_one_project() -> None:
    (settings,) = [read_settings(text, "headwater.yml", Path()) for kind, text in BLOCKS if kind == "yaml"]
    whole = "".join(text for kind, text in BLOCKS if kind == "sql")
    found = resolve(parse_statements(whole, "docs.sql"), settings.sites)
    assert [table.name for table in found.tables] == ["users", "user_events", "quotes", "tags"]
    assert [view.name for view in found.views] == ["dinner_events", "users_by_city", "dinners_by_city"]
    assert [view.name for view in found.explained] == ["spread"]
    assert [query.name for query in found.queries] == ["upcoming", "user_by_email"]
    assert found.tables[3].cardinalities[0].columns == ("doc_id",)
    assert set(settings.expect) <= {table.name for table in found.tables}


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


def test_every_code_is_in_the_table() -> None:
    source = ROOT / "src" / "headwater"
    files = [*source.glob("sql/*.py"), *source.glob("project/*.py"), *source.glob("starter/*.py")]
    raised = {code for path in files for code in re.findall(r'"(HW\d+)"', path.read_text("utf-8"))}
    rows = "".join(line for line in TEXT.splitlines() if line.startswith("| HW"))
    for first, last in re.findall(r"HW(\d+) to HW(\d+)", rows):
        rows += " ".join(f"HW{number}" for number in range(int(first), int(last) + 1))
    assert raised <= set(re.findall(r"HW\d+", rows))
    assert len(raised) > 25
