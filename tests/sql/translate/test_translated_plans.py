"""The shape of plans: what is flattened, pushed down, pruned, and what dissolves."""

from __future__ import annotations

from datetime import timedelta
from textwrap import dedent

import pytest

from headwater.algebra.text.show import show
from headwater.model import SqlText, View
from headwater.sql.translate import Translated, translate
from support.sql.constructs import RELATIONS

# (why, SELECT, plan)
PLANS = [
    (
        "Every Scan lists what is used; a condition on one relation stands below the join.",
        """SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer = c.customer
           WHERE c.city = 'Rome' AND o.quantity > 2""",
        """
        Project [id = o.id, name = c.name]
          Join [o.customer = c.customer]
            Filter [o.quantity > 2]
              Scan orders o [id, customer, quantity]
            Filter [c.city = 'Rome']
              Scan customers c [customer, name, city]
        """,
    ),
    (
        "A subquery that only filters and computes dissolves: three relations, one join.",
        """SELECT s.twice, c.city FROM (SELECT o.customer, i.price * 2 AS twice FROM orders o JOIN items i
           ON i.order_id = o.id WHERE i.price > 1) s JOIN customers c USING (customer)""",
        """
        Project [twice = i.price * 2, city = c.city]
          Join [i.order_id = o.id, o.customer = c.customer]
            Scan orders o [id, customer]
            Filter [i.price > 1]
              Scan items i [order_id, price]
            Scan customers c [customer, city]
        """,
    ),
    (
        "The same relation twice gets two aliases, also when both have the same name in the text.",
        "SELECT t.id FROM (SELECT t.id, t.customer FROM orders t) t JOIN orders u ON t.customer = u.id",
        """
        Project [id = t.id]
          Join [t.customer = u.id]
            Scan orders t [id, customer]
            Scan orders u [id]
        """,
    ),
    (
        "Of a LEFT JOIN, WHERE goes to the left side, ON to the right; what needs a pair waits.",
        """SELECT o.id, i.sku FROM orders o LEFT JOIN items i
           ON i.order_id = o.id AND i.price > 3 AND o.paid AND i.price < o.weight WHERE o.status = 'x'""",
        """
        Project [id = o.id, sku = i.sku]
          LeftJoin [o.id = i.order_id] where [(i.price < o.weight) AND o.paid]
            Filter [o.status = 'x']
              Scan orders o [id, status, paid, weight]
            Filter [i.price > 3]
              Scan items i [order_id, price, sku]
        """,
    ),
    (
        "What an outer join may set to NULL must be a column first: one is not always 1.",
        "SELECT o.id, s.one FROM orders o LEFT JOIN (SELECT order_id, 1 AS one FROM items) s ON s.order_id = o.id",
        """
        Project [id = o.id, one = s.one]
          LeftJoin [o.id = s.order_id]
            Scan orders o [id]
            Project [s.order_id = items.order_id, s.one = 1]
              Scan items [order_id]
        """,
    ),
    (
        "Keys and aggregates have the names of the select list; HAVING may use what is not selected.",
        """SELECT upper(status) AS s, sum(total) + 1 AS t FROM orders
           GROUP BY upper(status) HAVING count(*) > 2""",
        """
        Project [s, t = sum_total + 1]
          Filter [count > 2]
            Aggregate [s = upper(orders.status)] [sum_total = sum(orders.total), count = count(1)]
              Scan orders [total, status]
        """,
    ),
    (
        "HAVING on a key is asked before the group is computed, which may fail; on an aggregate, afterwards.",
        """SELECT quantity, sum(100 / quantity) AS t FROM orders
           GROUP BY quantity HAVING sum(total) > 2 AND quantity <> 0""",
        """
        Project [quantity, t]
          Filter [sum_total > 2]
            Aggregate [quantity = orders.quantity] [t = sum(100 / orders.quantity), sum_total = sum(orders.total)]
              Filter [orders.quantity <> 0]
                Scan orders [total, quantity]
        """,
    ),
    (
        "The same around a derived table; a condition of the whole, without keys, stays above.",
        """SELECT s, n FROM (SELECT upper(status) AS s, count(*) AS n FROM orders GROUP BY upper(status)) g
           WHERE s = 'X' AND n > 1""",
        """
        Project [s = g.s, n = g.n]
          Filter [g.n > 1]
            Aggregate [g.s = upper(orders.status)] [g.n = count(1)]
              Filter [upper(orders.status) = 'X']
                Scan orders [status]
        """,
    ),
    (
        "count(1), count(*) and the same sum twice are kept once; a change of other columns touches nothing.",
        "SELECT count(*) AS a, count(1) AS b, sum(quantity) AS c, SUM(Quantity) * 2 AS d FROM orders",
        """
        Project [a, b = a, c, d = c * 2]
          Aggregate [] [a = count(1), c = sum(orders.quantity)]
            Scan orders [quantity]
        """,
    ),
    (
        "IN and NOT EXISTS stand on the one relation they speak of, below the join.",
        """SELECT o.id, c.city FROM orders o JOIN customers c ON c.customer = o.customer
           WHERE o.id IN (SELECT order_id FROM items WHERE price > 3)
             AND NOT EXISTS (SELECT 1 FROM items i WHERE i.sku = c.city)""",
        """
        Project [id = o.id, city = c.city]
          Join [c.customer = o.customer]
            SemiJoin [o.id = items.order_id]
              Scan orders o [id, customer]
              Filter [items.price > 3]
                Scan items [order_id, price]
            AntiJoin [c.city = i.sku]
              Scan customers c [customer, city]
              Scan items i [sku]
        """,
    ),
    (
        "EXISTS that compares with both sides of a join stands above it; DISTINCT and LIMIT inside are needless.",
        """SELECT o.id FROM orders o JOIN customers c ON c.customer = o.customer WHERE EXISTS
           (SELECT DISTINCT i.sku FROM items i WHERE i.order_id = o.id AND i.sku <> c.city LIMIT 1)""",
        """
        Project [id = o.id]
          SemiJoin [o.id = i.order_id] where [i.sku <> c.city]
            Join [c.customer = o.customer]
              Scan orders o [id, customer]
              Scan customers c [customer, city]
            Scan items i [order_id, sku]
        """,
    ),
    (
        "A window is made once, however often it is named.",
        """SELECT window(at, '1 minute').start AS s, window.end AS e, count(*) AS n FROM orders
           GROUP BY window(at, '1 minute')""",
        """
        Project [s = window.`start`, e = window.`end`, n]
          Aggregate [window] [n = count(1)]
            Windows window [orders.at] 60 s every 60 s
              Scan orders [at]
        """,
    ),
    (
        "Parts of a union are given one type; a chain of UNION ALL is one union.",
        "SELECT quantity AS x FROM orders UNION ALL SELECT item FROM items UNION ALL SELECT id FROM orders",
        """
        Union
          Project [x = CAST(orders.quantity AS BIGINT)]
            Scan orders [quantity]
          Project [x = items.item]
            Scan items [item]
          Project [x = orders_2.id]
            Scan orders orders_2 [id]
        """,
    ),
    (
        "UNION makes the DISTINCT of its parts needless only where it covers them.",
        "SELECT id AS x FROM orders UNION SELECT item FROM items",
        """
        Distinct [x]
          Union
            Project [x = orders.id]
              Scan orders [id]
            Project [x = items.item]
              Scan items [item]
        """,
    ),
]


def translated(sql: str) -> Translated:
    return translate(View("v", SqlText(sql), timedelta(seconds=1)), RELATIONS)


@pytest.mark.parametrize(("why", "sql", "plan"), PLANS, ids=[why for why, _, _ in PLANS])
def test_plan(why: str, sql: str, plan: str) -> None:
    view = translated(sql)
    assert view.plan is not None, view.obstacles
    assert show(view.plan).strip() == dedent(plan).strip(), why


TYPES = [
    ("sum(quantity)", "bigint"), ("sum(total)", "decimal(20,2)"), ("sum(weight)", "double"),
    ("avg(quantity)", "double"), ("avg(total)", "decimal(14,6)"), ("max(day)", "date"),
    ("sum(total * quantity)", "decimal(31,2)"), ("sum(CASE WHEN paid THEN 1 ELSE 0 END)", "bigint"),
    ("count(DISTINCT status)", "bigint"), ("sum(coalesce(total, 0))", "decimal(22,2)"),
    ("sum(if(paid, quantity, 0))", "bigint"), ("min(at)", "timestamp"), ("stddev(total)", "double"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind"), TYPES)
def test_types_of_aggregates(call: str, kind: str) -> None:
    assert translated(f"SELECT {call} AS x FROM orders").types == (kind,)


@pytest.mark.parametrize(
    ("call", "kind"),
    [("sum(quantity)", "int"), ("sum(total * 2)", "decimal(12,2)"), ("sum(weight + 1)", "double"),
     ("avg(CAST(weight AS DECIMAL(12,3)))", "decimal(12,3)"), ("sum(length(status))", "int")],
)  # fmt: skip
def test_an_aggregate_knows_its_arguments_type(call: str, kind: str) -> None:
    plan = translated(f"SELECT {call} AS x FROM orders").plan
    assert plan is not None
    assert plan.aggregates[0].type == kind  # type: ignore[union-attr]


def test_names_of_columns_that_nobody_named() -> None:
    sql = "SELECT status, count(*), sum(total), count(*) + 1, upper(status), count(*) FROM orders GROUP BY status"
    assert translated(sql).columns == ("status", "count", "sum_total", "count_1", "upper_status", "count_2")


def test_a_column_is_spelt_as_in_the_select_list() -> None:
    assert translated("SELECT ID, Orders.Status FROM ORDERS").columns == ("ID", "Status")


def test_reads_lists_every_relation_once_also_below_obstacles() -> None:
    sql = """WITH unused AS (SELECT sku FROM items) SELECT o.id FROM orders o, LATERAL (SELECT city FROM
             customers c WHERE c.customer = o.customer) l"""
    assert set(translated(sql).reads) == {"orders", "items", "customers"}


def test_the_same_column_twice_is_not_ambiguous() -> None:
    assert translated("SELECT id FROM (SELECT id, id FROM orders)").plan is not None


def test_a_star_over_a_struct_is_its_fields() -> None:
    sql = "SELECT w.* FROM (SELECT window(at, '1 hour') AS w FROM orders) s"
    assert (translated(sql).columns, translated(sql).types) == (("start", "end"), ("timestamp", "timestamp"))
