"""What bounds read from expressions: the present time, patterns, words, and plans that evaluate them."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from headwater.bounds.query.block import Select
from headwater.bounds.query.windows import windows_of
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import tables_with_views
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree

SCHEMA = """
CREATE TABLE notes (id INT PRIMARY KEY, owner INT NOT NULL, label STRING, token STRING, at BIGINT,
  CARDINALITY LIMIT 20 (owner));
"""
CATALOG = tables_with_views(read_sql(SCHEMA, "schema.sql"))
LABELS = ["50%", "50x", "5", "a_c", "abc", "Red Fish", None]


def query(sql: str) -> Any:
    text = SqlText(sql)
    return read_query(normalised_tree(text), CATALOG.tables, text)


def answer(sql: str, **params: Any) -> list[Any]:
    """The rows of a query that is bounded by an index, from a memory store."""
    analysed = analyse(Subject("q", query(sql), CATALOG))
    assert analysed.bounded_plan is not None
    rows = [
        {"id": number, "owner": 1, "label": label, "token": "Aa", "at": number}
        for number, label in enumerate(LABELS)
    ]
    store = MemoryStore.of(CATALOG, {"notes": rows})
    result = execute(analysed.bounded_plan.plan, store, CATALOG, params)
    return [next(iter(row.values())) for row in result.rows]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("now", True),
        ("now_ms", True),
        ("nowMs", True),
        ("today", True),
        ("current", True),
        ("current_time", True),
        ("currentTimestamp", True),
        ("known_since", False),
        ("snow", False),
        ("current_price", False),
        ("unknown", False),
    ],
)
def test_a_parameter_is_the_present_time_by_a_whole_word_of_its_name(name: str, expected: bool) -> None:
    block = query(f"SELECT count(*) FROM notes WHERE label = :l AND at > :{name} - 60000")
    assert isinstance(block, Select)
    assert bool(windows_of(block)) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (r"label LIKE '50\\%'", ["50%"]),
        (r"label LIKE 'a\\_c'", ["a_c"]),
        ("label LIKE '50!%' ESCAPE '!'", ["50%"]),
        ("label LIKE 'a_c'", ["a_c", "abc"]),
        ("NOT label LIKE '5%'", ["a_c", "abc", "Red Fish"]),
        ("TOKEN(label) = 'FISH'", ["Red Fish"]),
        ("'fish' = TOKEN(label)", ["Red Fish"]),
    ],
)
def test_patterns_and_words(condition: str, expected: list[str]) -> None:
    assert answer(f"SELECT label FROM notes WHERE owner = 1 AND {condition}") == expected


def test_a_prefix_with_an_escape_is_a_range_of_an_index() -> None:
    sql = r"SELECT label FROM notes WHERE label LIKE '50\\%%' ORDER BY label LIMIT 5"
    assert analyse(Subject("q", query(sql), CATALOG)).operations == 1
    assert answer(sql) == ["50%"]


def test_a_column_called_token_is_no_word_search() -> None:
    """Words of an inverted index are kept in lower case; values of a column that is called so are not."""
    assert answer("SELECT id FROM notes WHERE token = :t ORDER BY id LIMIT 2", t="Aa") == [0, 1]


def test_division_by_zero_is_null_in_a_plan() -> None:
    assert answer("SELECT id FROM notes WHERE owner = 1 AND 1 / at > 0 AND at < 2") == [1]
