"""One parser: a SELECT is parsed once, its tree travels with it, and an error stands at its place."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token

from headwater import catalog
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import Inputs, named_trees
from headwater.bounds.reading.subjects import Options
from headwater.errors import InputError
from headwater.model import Project, SqlText, View
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements, split_statements
from headwater.sql.parsing import parser
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.known_functions import WrongCall, check_calls, with_known_functions
from headwater.sql.parsing.lexer import Source
from headwater.sql.parsing.parser import normalised_tree, parse_select, select_tree
from headwater.sql.translate import translate

SOURCE = Path(__file__).parents[2] / "src" / "headwater"
SHOP = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, price DOUBLE, at TIMESTAMP);
CREATE MATERIALIZED VIEW totals AS
  WITH recent AS (SELECT customer, price FROM orders WHERE price > 0)
  SELECT customer, count(*) AS n, sum(price) AS total FROM recent GROUP BY customer;
CREATE MATERIALIZED VIEW best AS SELECT customer FROM totals WHERE n > 10 AND EXISTS (
  SELECT 1 FROM orders o WHERE o.customer = totals.customer LIMIT 1);
CREATE QUERY n_of AS SELECT n FROM totals WHERE customer = :customer;
"""


def shop() -> Project:
    statements = resolve(parse_statements(SHOP, "shop.sql"))
    return Project(
        "shop", ".", ".",
        {table.name: table for table in statements.tables},
        {view.name: view for view in statements.views},
        {query.name: query for query in statements.queries},
        {},
    )  # fmt: skip


def checked(project: Project) -> list[Any]:
    queries = list(named_trees(project.queries.values()))
    return list(check(Inputs(dict(project.tables), list(project.views.values()), {}, queries), Options()))


def test_a_select_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = parser._parse

    def counted(sql: SqlText, *arguments: Any) -> exp.Expr | None:
        parsed.append(sql.text)
        return parse(sql, *arguments)

    monkeypatch.setattr(parser, "_parse", counted)
    project = shop()
    assert len(catalog.build(project).kept) == 2
    assert [answer.level.value for answer in checked(project)] == ["SI-0"]
    assert len(parsed) == len(set(parsed)) == 3


def test_the_parser_is_called_in_one_module() -> None:
    calls = re.compile(r"sqlglot\.parse\(|parse_one|\.parser\(|get_or_raise|maybe_parse|\.tokenize\(")
    files = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if calls.search(path.read_text())
    }
    tokenizers = {"sql/parsing/dialect.py", "sql/parsing/lexer.py"}
    assert files - tokenizers == {"sql/parsing/parser.py"}


def test_reading_a_tree_does_not_change_it() -> None:
    project = shop()
    statements = [*project.views.values(), *project.queries.values()]
    before = [repr(statement.sql.tree) for statement in statements]
    parents = [[node.parent for node in select_tree(statement.sql).walk()] for statement in statements]
    catalog.build(project)
    checked(project)
    assert [repr(statement.sql.tree) for statement in statements] == before
    for statement, known in zip(statements, parents, strict=True):
        assert all(
            node.parent is parent
            for node, parent in zip(select_tree(statement.sql).walk(), known, strict=True)
        )


def test_a_tree_is_no_part_of_a_text_s_identity() -> None:
    sql = SqlText("SELECT a FROM t", "a.sql")
    parsed = parse_select(sql)
    assert sql.tree is None
    assert parsed.tree is not None
    assert (parsed, hash(parsed), repr(parsed)) == (sql, hash(sql), repr(sql))
    assert pickle.loads(pickle.dumps(parsed)) == sql


def test_a_text_without_a_tree_is_parsed_when_it_is_needed() -> None:
    (view,) = (view for view in shop().views.values() if view.name == "totals")
    bare = replace(view, sql=SqlText(view.sql.text))
    relations = {"orders": shop().tables["orders"].columns}
    assert translate(bare, relations).plan == translate(view, relations).plan


@pytest.mark.parametrize("select", [
    "SELECT window(ts, '6 seconds', '3 seconds') AS w, count(*) AS n FROM e GROUP BY window(ts, '6 seconds', '3 seconds')",
    "SELECT count(*) AS n FROM e GROUP BY window(ts, '6 seconds'), k",
    "SELECT k, count(*) AS n FROM e GROUP BY k, window(ts, '6 seconds')",
    "SELECT k, count(*) OVER w AS n FROM e WINDOW w AS (PARTITION BY k)",
])  # fmt: skip
def test_window_is_a_function_or_a_clause(select: str) -> None:
    text = f"CREATE TABLE e (k INT, ts TIMESTAMP); CREATE MATERIALIZED VIEW v AS {select};"
    statements = resolve(parse_statements(text))
    kept = translate(statements.views[0], {"e": statements.tables[0].columns})
    assert kept.plan is not None


@pytest.mark.parametrize("select", [
    "SELECT (a «FROM t", "SELECT a FROM t «WHERE", "SELECT «lower() FROM t", "SELECT «lower(a, b, c) FROM t",
    "SELECT a«, FROM t", "SELECT f(«, a) FROM t",
])  # fmt: skip
@pytest.mark.parametrize("statement", ["CREATE MATERIALIZED VIEW v AS", "CREATE QUERY q AS", "-- name: q\n"])
def test_what_does_not_parse_has_one_code_and_a_place(statement: str, select: str) -> None:
    before, _, after = f"CREATE TABLE t (a INT);\r\n\n  {statement}\n  {select};".partition("«")
    with pytest.raises(InputError) as caught:
        parse_statements(before + after, "views.sql")
    assert caught.value.code == "HW113"
    assert caught.value.place is not None
    assert caught.value.place.line == before.count("\n") + 1
    assert caught.value.place.column == len(before.rpartition("\n")[2]) + 1


def test_translation_and_declaration_agree_on_what_parses() -> None:
    with pytest.raises(InputError, match="a part of Where is missing") as caught:
        translate(View("v", SqlText("SELECT a FROM t WHERE"), timedelta(minutes=1)), {})
    assert caught.value.code == "HW113"


def test_functions_keep_their_names_until_they_are_asked_for() -> None:
    sql = parse_select(SqlText("SELECT date_add(a, 1), count(*), nvl(a, current_date), x = ANY(:xs) FROM t"))
    kinds = {type(node) for node in select_tree(sql).walk()}
    assert exp.Anonymous in kinds
    assert not kinds & {exp.Count, exp.Coalesce, exp.CurrentDate, exp.TsOrDsAdd}
    known = {type(node) for node in normalised_tree(sql).walk()}
    assert {exp.Count, exp.Coalesce, exp.CurrentDate, exp.TsOrDsAdd, exp.Any} <= known
    assert exp.Anonymous not in known
    assert exp.Count not in {type(node) for node in select_tree(sql).walk()}


def test_sqlglot_s_own_parser_is_as_it_was() -> None:
    assert "COUNT" in SparkParser.FUNCTIONS
    call = exp.Anonymous(this="count", expressions=[exp.Star()])
    assert with_known_functions(exp.Anonymous(this="f", expressions=[call])).sql() == "F(COUNT(*))"


def test_a_doubled_quote_is_a_quote() -> None:
    view = parse_statements("CREATE MATERIALIZED VIEW v COMMENT 'it''s' AS SELECT 'it''s' AS x FROM t").views[
        0
    ]
    literal = select_tree(view.sql).find(exp.Literal)
    assert literal is not None
    assert literal.this == "it's"


FILE = """-- A comment before everything
CREATE TABLE t (id BIGINT, s STRING);
CREATE MATERIALIZED VIEW a AS -- beside AS
  SELECT id, -- inside
    'it''s' AS quoted, 5BD AS exact, window FROM t WHERE s = "x" /* at the end */;
CREATE MATERIALIZED VIEW b AS WITH w AS (SELECT id FROM t GROUP BY id) SELECT * FROM w PRIMARY, t KEY;
CREATE MATERIALIZED VIEW c AS TABLE t;
CREATE MATERIALIZED VIEW d AS SELECT id FROM t UNION ALL VALUES (1), (2);
CREATE MATERIALIZED VIEW e AS
  -- leading
  SELECT sum(id) OVER w AS total FROM t WINDOW w AS (ORDER BY id)
"""


def test_a_select_is_read_from_the_tokens_of_its_file() -> None:
    """They are those of its own text; where they might not be, the text is cut again."""
    reused = 0
    for words, _ in split_statements(Source("f.sql", FILE)):
        while not (words.done or words.accept("AS")):
            words.next()
        own = Headwater().tokenize(words.rest_text().text)
        if tokens := words.rest_tokens():
            reused += 1
            assert list(map(read, tokens)) == list(map(read, own))
    assert reused == 1  # b: comments beside a and e, short queries in c and d


def read(token: Token) -> tuple[Any, ...]:
    return token.token_type, token.text, token.start, token.end, token.comments


@pytest.mark.parametrize("arguments", range(5))
def test_calls_are_counted_as_they_would_be_built(arguments: int) -> None:
    for name in SparkParser.FUNCTIONS:
        call = exp.Anonymous(this=name, expressions=[exp.column(f"c{at}") for at in range(arguments)])
        select = exp.Select(expressions=[call])
        assert problem(check_calls, select) == problem(with_known_functions, select)


def problem(judge: Callable[[exp.Select], object], select: exp.Select) -> str:
    try:
        judge(select)
    except WrongCall as error:
        return str(error)
    return ""
