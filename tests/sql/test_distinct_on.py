"""DISTINCT ON as Spark takes it: the same first rows, by DuckDB, which has both."""

from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from headwater.algebra.plans.nodes import Over
from headwater.algebra.plans.walks import nodes
from headwater.catalog import keep
from headwater.model import SqlText
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.parsing.forms.distinct_on import first_rows
from headwater.sql.parsing.forms.in_spark import spark_text_of
from headwater.sql.parsing.parser import parse_select, select_tree

SELECTS = [
    "SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v DESC",
    "SELECT DISTINCT ON (k) * FROM t ORDER BY k, v",
    "SELECT DISTINCT ON (k, w) w, k, v + 1 AS more FROM t ORDER BY k, w, v",
    "SELECT sum(d.v) FROM (SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v) d JOIN t ON t.k = d.k",
    "WITH d AS (SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v DESC) SELECT count(*) FROM d WHERE v > 2",
]


@pytest.mark.parametrize("select", SELECTS)
def test_it_gives_the_same_rows(select: str) -> None:
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE t AS SELECT i % 4 AS k, (i * 7) % 11 AS v, i % 2 AS w FROM range(12) r(i)"
        )
        written = spark_text_of(select)
        assert "DISTINCT ON" not in written
        in_duckdb = written.replace("* EXCEPT (", "* EXCLUDE (")
        assert sorted(database.execute(in_duckdb).fetchall()) == sorted(database.execute(select).fetchall())


def test_other_texts_stay_as_they_are() -> None:
    text = "SELECT DISTINCT k FROM t JOIN u ON t.k = u.k -- DISTINCT ON"
    assert spark_text_of(text) is text


def test_a_view_keeps_the_first_row_of_each_group() -> None:
    """It was kept as a plain DISTINCT once: more rows than the view has."""
    ddl = "CREATE TABLE t (k INT, v INT); CREATE MATERIALIZED VIEW first AS " + SELECTS[0]
    declared = resolve(parse_statements(ddl))
    kept = keep(declared.views[0], {table.name: table.columns for table in declared.tables})
    assert not kept.obstacles
    plan = kept.stages[0].plan
    assert plan is not None
    over = next(node for node in nodes(plan) if isinstance(node, Over))
    assert over.most is not None
    assert over.most[1] == 1


def test_what_is_shown_are_columns() -> None:
    rewritten = first_rows(select_tree(parse_select(SqlText(SELECTS[0]))))
    assert isinstance(rewritten, exp.Select)
    (shown, _) = rewritten.selects
    assert isinstance(shown, exp.Column)
