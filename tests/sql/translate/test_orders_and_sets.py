"""Which orders are warned of, what grouping_id counts, and several generators beside each other."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.algebra.plans.nodes import Explode
from headwater.algebra.plans.walks import nodes
from headwater.model import SqlText, View
from headwater.sql.translate import translate
from headwater.sql.translate.translation import Translated
from support.sql.small_world import WORLD
from support.sql.translation import by_headwater, contents, relations


def translated(sql: str) -> Translated:
    return translate(View("v", SqlText(sql), timedelta(seconds=1)), relations(WORLD))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k FROM t ORDER BY k DESC LIMIT 2",
        "SELECT k, a FROM t ORDER BY a, k LIMIT 2 OFFSET 1",
        "SELECT k + 1 AS n FROM t ORDER BY k LIMIT 1",
        "SELECT k, (SELECT u.b FROM u WHERE u.k = t.k ORDER BY u.b DESC LIMIT 1) AS most FROM t",
        "SELECT k, a, row_number() OVER (PARTITION BY k ORDER BY a, c) AS r FROM t",
        "SELECT k, first_value(a) OVER (PARTITION BY k ORDER BY a) AS f FROM t",
        "SELECT k, last_value(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS l FROM t",
    ],
)
def test_rows_that_an_order_leaves_equal_are_equal_in_all_that_counts(sql: str) -> None:
    assert translated(sql).warnings == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, a FROM t ORDER BY k LIMIT 2",
        "SELECT k, a, row_number() OVER (PARTITION BY k ORDER BY a) AS r FROM t",
        "SELECT k, lag(a) OVER (PARTITION BY k ORDER BY a) AS l FROM t",
        "SELECT k, first_value(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS f FROM t",
        "SELECT k, first_value(c) OVER (PARTITION BY k ORDER BY a) AS f FROM t",
    ],
)
def test_an_order_that_leaves_the_answer_open_is_warned_of(sql: str) -> None:
    assert len(translated(sql).warnings) == 1


def test_grouping_id_counts_in_the_order_of_group_by_and_not_of_the_sets() -> None:
    shown = "k, c, count(*) AS n FROM t GROUP BY"
    asked = f"SELECT grouping_id() AS g, {shown} k, c GROUPING SETS ((c), (k), ())"
    spelt = f"SELECT grouping(k) * 2 + grouping(c) AS g, {shown} GROUPING SETS ((c), (k), ())"
    rows = contents(WORLD)
    assert by_headwater(WORLD, asked, rows) == by_headwater(WORLD, spelt, rows)


def test_each_of_several_generators_makes_rows_of_those_of_the_one_before() -> None:
    plan = translated("SELECT k, explode(array(1, 2)) AS x, explode(array(a, k)) AS y FROM t").plan
    assert plan is not None
    assert sum(isinstance(node, Explode) for node in nodes(plan)) == 2
