"""Subqueries that compute with columns of the query around them: kept by deltas where a plan can, else said so.

A plan never uses a column that it does not have: Spark would find out when the view is pushed.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.algebra.plans.check import faults
from headwater.algebra.plans.nodes import Explode
from headwater.algebra.plans.walks import nodes
from headwater.errors import InputError
from headwater.model import SqlText, View
from headwater.sql.translate import Translated, translate
from support.sql.constructs import RELATIONS

NO_RULE = "a subquery that computes with columns of the query around it has no delta rule here"
FULL = [
    "SELECT id FROM orders o WHERE 4 NOT IN (SELECT sum(o.weight) FROM items)",
    "SELECT DISTINCT (SELECT min(o.status) FROM items GROUP BY sku) AS x FROM orders o",
    "SELECT (SELECT max(o.id + length(c.name)) FROM customers c GROUP BY c.city) AS x FROM orders o",
    "SELECT id FROM orders o WHERE status IN (SELECT DISTINCT o.status FROM items i WHERE i.price > 1)",
    "SELECT id, (SELECT max(x) FROM (SELECT o.quantity AS x FROM items) AS m) AS y FROM orders o",
]


def translated(sql: str) -> Translated:
    return translate(View("v", SqlText(sql), timedelta(seconds=1)), RELATIONS)


@pytest.mark.parametrize("sql", FULL)
def test_what_has_no_plan_is_refreshed_in_full(sql: str) -> None:
    assert [obstacle.reason for obstacle in translated(sql).obstacles] == [NO_RULE]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT o.id, l.v FROM orders o, LATERAL (SELECT explode(array(o.quantity, 2)) AS v) AS l",
        "SELECT o.id, l.w FROM orders o LEFT JOIN LATERAL (SELECT explode(split(o.status, ',')) AS v) AS l(w) ON TRUE",
        "SELECT o.id, l.p, l.w FROM orders o CROSS JOIN LATERAL (SELECT posexplode(array(o.day)) AS (p, w)) AS l",
        "SELECT o.id, l.n FROM orders o, LATERAL (SELECT inline(from_json(o.status, 'array<struct<n:int>>'))) AS l",
    ],
)
def test_a_generator_of_the_rows_before_it(sql: str) -> None:
    plan = translated(sql).plan
    assert plan is not None
    assert faults(plan) == []
    (made,) = [node for node in nodes(plan) if isinstance(node, Explode)]
    assert made.outer == ("LEFT" in sql)


def test_constant_rows_are_no_cross_join() -> None:
    values = (
        "(SELECT v.n, count(*) AS c FROM (VALUES (1, 'a'), (2, NULL)) AS v(n, s) GROUP BY ROLLUP (v.n)) AS w"
    )
    assert translated(f"SELECT o.id, w.n FROM orders o CROSS JOIN {values}").obstacles == ()
    beside = "(SELECT i.sku FROM (VALUES (1)) AS v(n) LEFT JOIN items i ON i.item = v.n) AS w"
    with pytest.raises(InputError, match='nothing connects "i"') as raised:
        translated(f"SELECT o.id, w.sku FROM orders o CROSS JOIN {beside}")
    assert raised.value.place is not None
