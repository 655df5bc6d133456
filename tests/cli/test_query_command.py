"""`headwater query`: parameters, lists, NULL, refusals; the store in `status` and `verify --store`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from support.store.projects import StoreProject

SQL = """
CREATE TABLE books (id BIGINT PRIMARY KEY, title STRING, price DECIMAL(10, 2), sold DATE, shelf STRING);
-- param: ids <= 5
CREATE QUERY some AS SELECT id, title, price FROM books WHERE id IN (:ids) ORDER BY id;
CREATE QUERY on_shelf AS SELECT id FROM books WHERE shelf = :shelf ORDER BY price LIMIT :n;
CREATE QUERY pages AS SELECT id FROM books ORDER BY id LIMIT 2 OFFSET (:page - 1) * 2;
CREATE QUERY by_cast AS SELECT id FROM books WHERE id = CAST(:id AS BIGINT);
CREATE QUERY all_of AS SELECT id FROM books WHERE shelf = :shelf;
CREATE QUERY priced ALLOW UNBOUNDED WITHIN INTERVAL '20' SECOND AS
  SELECT shelf, count(*) AS n FROM books WHERE price > :price AND id IN (:ids) GROUP BY shelf;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    project = StoreProject(tmp_path_factory.mktemp("shop") / "shop", SQL)
    project.append(
        "books",
        [
            {"id": n, "title": f"b{n}", "price": f"{n}.50", "sold": "2026-01-01", "shelf": "ab"[n % 2]}
            for n in range(6)
        ],
    )
    project.keep()
    return str(project.folder)


def ask(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["query", *words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_a_list_is_given_by_repeating_the_parameter(folder: str) -> None:
    answer = ask(folder, "some", "ids=1", "ids=4")
    assert answer["rows"] == [
        {"id": 1, "title": "b1", "price": "1.50"},
        {"id": 4, "title": "b4", "price": "4.50"},
    ]
    assert (answer["operations"], answer["bound"], answer["level"]) == (2, 5, "SI-0")
    assert set(answer) == {"query", "level", "operations", "bound", "time", "staleness_s", "rows"}


def test_pages_and_casts(folder: str) -> None:
    assert ask(folder, "pages", "page=2")["rows"] == [{"id": 2}, {"id": 3}]
    assert ask(folder, "by_cast", "id=3")["rows"] == [{"id": 3}]
    assert ask(folder, "by_cast", "id=three")["rows"] == []


def test_null_equals_nothing(folder: str) -> None:
    assert ask(folder, "on_shelf", "shelf:=null", "n=3")["rows"] == []
    assert ask(folder, "on_shelf", "shelf=a", "n=2")["rows"] == [{"id": 0}, {"id": 2}]


def test_an_unbounded_query_is_answered_where_that_is_allowed(folder: str) -> None:
    answer = ask(folder, "priced", "price=1.5", "ids=1", "ids=2", "ids=4")
    assert answer["rows"] == [{"shelf": "a", "n": 2}]
    assert (answer["bound"], answer["level"]) == (None, "unbounded")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["all_of", "shelf=a"], "HW434", "add LIMIT n"),
        (["some", "ids=x"], "HW433", "BIGINT"),
        (["some"], "HW431", "ids"),
        (["some", "ids=1", "idz=2"], "HW432", "ids"),
        (["som", "ids=1"], "HW430", "some"),
        (["some", "ids"], "HW440", "key=value"),
        (["some", "ids:=[1"], "HW440", "JSON"),
        (["some", *[f"ids={n}" for n in range(6)]], "HW439", "5"),
        (["on_shelf", "shelf=a", "shelf=b", "n=1"], "HW433", "list"),
        (["on_shelf", "shelf=a", "n=-1"], "HW433", "from 0 on"),
        (["on_shelf", "shelf=a", "n:=null"], "HW433", "from 0 on"),
        (["on_shelf", "shelf=a", "n=1001"], "HW433", "-- param: n <= 1001"),
        (["pages", "page=0"], "HW439", "below zero"),
    ],
)
def test_refusals_say_what_to_do(folder: str, words: list[str], code: str, text: str) -> None:
    result = CliRunner().invoke(app, ["query", folder, *words, "--json"])
    error = result.exception
    assert getattr(error, "code", "") == code
    assert text in str(error)


def test_the_queries_are_listed(folder: str) -> None:
    queries = {query["name"]: query for query in ask(folder)["queries"]}
    assert queries["some"]["parameters"] == [{"name": "ids", "type": "bigint", "list": True}]
    assert queries["on_shelf"]["parameters"][1] == {"name": "shelf", "type": "string", "list": False}
    assert queries["all_of"]["bound"] is None
    assert queries["priced"]["within_s"] == 20
    shown = CliRunner().invoke(app, ["query", folder]).stdout
    assert "ids BIGINT[]" in shown


def test_status_and_verify_show_the_store(folder: str) -> None:
    status = json.loads(CliRunner().invoke(app, ["status", folder, "--json"]).stdout)["store"]
    assert status["bytes"] > 0
    assert status["parts"] == 2
    assert (
        "store of queries: 2 tables, indexes and views" in CliRunner().invoke(app, ["status", folder]).stdout
    )
    verified = CliRunner().invoke(app, ["verify", folder, "--store"])
    assert verified.exit_code == 0
    assert "table books: equal (6 rows)" in verified.stdout


def test_python_asks_the_same(folder: str) -> None:
    import headwater as hw

    shop = hw.open(folder)
    assert shop.query("some", ids=[5]).rows[0]["title"] == "b5"
    assert asyncio.run(shop.query_async("on_shelf", shelf="b", n=1)).rows == [{"id": 1}]
    with pytest.raises(hw.InputError, match="stale"):
        shop.query("some", ids=[5], max_staleness="1 second")
    assert shop.queries["some"].bound == 5
