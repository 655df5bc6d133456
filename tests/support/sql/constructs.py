"""Every construct that the documentation lists, each with a SELECT that uses it.

docs/supported-sql.md is written from this list, and test_supported_sql.py translates every line of it: the
page cannot say what is not so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from headwater.errors import InputError
from headwater.model import Column, SqlText, View
from headwater.sql.translate import translate

KEPT, FULL, REFUSED = "kept incrementally", "full refresh", "refused"

RELATIONS = {
    "orders": [
        Column("id", "bigint", nullable=False), Column("customer", "bigint"), Column("total", "decimal(10,2)"),
        Column("at", "timestamp"), Column("status", "string"), Column("quantity", "int"),
        Column("paid", "boolean"), Column("day", "date"), Column("weight", "double"),
    ],
    "items": [
        Column("item", "bigint", nullable=False), Column("order_id", "bigint", nullable=False),
        Column("price", "double"), Column("sku", "string"),
    ],
    "customers": [
        Column("customer", "bigint", nullable=False), Column("name", "string"), Column("city", "string"),
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Construct:
    group: str
    name: str
    outcome: str
    sql: str
    note: str = ""


def outcome_of(sql: str) -> tuple[str, str]:
    """What becomes of a view with this SELECT, and why if it is not kept incrementally."""
    try:
        translated = translate(View("v", SqlText(sql), timedelta(seconds=1)), RELATIONS)
    except InputError as error:
        return REFUSED, error.message
    if translated.plan is None:
        return FULL, translated.obstacles[0].reason
    return KEPT, ""


def _of(group: str, outcome: str, *pairs: tuple[str, str]) -> list[Construct]:
    return [Construct(group, name, outcome, sql) for name, sql in pairs]


CONSTRUCTS = [
    *_of(
        "Rows", KEPT,
        ("WHERE", "SELECT id FROM orders WHERE quantity > 2 AND status <> 'void'"),
        ("expressions, CASE, CAST", "SELECT id, CASE WHEN paid THEN total * 2 ELSE CAST(quantity AS DECIMAL(10,2)) END AS x FROM orders"),
        ("IN list, BETWEEN, LIKE, RLIKE", "SELECT id FROM orders WHERE status IN ('a', 'b') AND quantity BETWEEN 1 AND 5 AND status LIKE 'a%' AND status RLIKE '^a'"),
        ("any deterministic Spark function", "SELECT id, date_format(at, 'yyyy-MM') AS month, regexp_replace(status, 'a', 'b') AS s FROM orders"),
        ("SELECT *, t.*, * EXCEPT", "SELECT o.* EXCEPT (weight), c.city FROM orders o JOIN customers c ON o.customer = c.customer"),
        ("lambda functions", "SELECT id, transform(array(quantity, 1), x -> x + 1) AS xs FROM orders"),
        ("structs and their fields", "SELECT id, named_struct('a', quantity).a AS a FROM orders"),
        ("a select item that uses an earlier one's name", "SELECT quantity * 2 AS twice, twice + 1 AS more FROM orders"),
        ("names in any case, backticks", "SELECT `Id`, STATUS FROM Orders"),
        ("ORDER BY without LIMIT (left out: a stored view has no order)", "SELECT id FROM orders ORDER BY total DESC"),
    ),
    *_of(
        "Joins", KEPT,
        ("inner join, any number of relations", "SELECT o.id, i.sku, c.city FROM orders o JOIN items i ON i.order_id = o.id JOIN customers c ON c.customer = o.customer"),
        ("comma join with an equality in WHERE", "SELECT o.id, i.sku FROM orders o, items i WHERE i.order_id = o.id AND i.price > 3"),
        ("join with further conditions", "SELECT o.id, i.sku FROM orders o JOIN items i ON i.order_id = o.id AND i.price < o.weight"),
        ("join without equality but with a condition", "SELECT a.id, b.id AS other FROM orders a JOIN orders b ON a.total < b.total"),
        ("self-join", "SELECT a.id, b.id AS other FROM orders a JOIN orders b ON a.customer = b.customer AND a.id < b.id"),
        ("USING, NATURAL JOIN", "SELECT customer, id, city FROM orders JOIN customers USING (customer)"),
        ("LEFT, RIGHT, FULL OUTER JOIN", "SELECT o.id, c.city FROM orders o LEFT JOIN customers c ON c.customer = o.customer AND c.city <> 'Rome'"),
        ("LEFT SEMI JOIN, LEFT ANTI JOIN", "SELECT o.id FROM orders o LEFT ANTI JOIN items i ON i.order_id = o.id"),
    ),
    *_of(
        "Joins", FULL,
        ("outer join without any equality", "SELECT o.id, i.sku FROM orders o LEFT JOIN items i ON i.price > o.weight"),
        ("LATERAL subquery", "SELECT o.id, l.m FROM orders o, LATERAL (SELECT max(price) AS m FROM items i WHERE i.order_id = o.id) AS l(m)"),
    ),
    *_of(
        "Joins", REFUSED,
        ("cross join, ON TRUE (unless the view says ALLOW CROSS JOIN)", "SELECT o.id, c.city FROM orders o CROSS JOIN customers c"),
    ),
    *_of(
        "Subqueries", KEPT,
        ("subquery in FROM", "SELECT s.n FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s WHERE s.n > 3"),
        ("common table expressions, nested and used twice", "WITH c AS (SELECT customer, sum(total) AS t FROM orders GROUP BY customer) SELECT a.customer, b.t FROM c a JOIN c b ON a.customer = b.customer"),
        ("IN (SELECT ...)", "SELECT id FROM orders WHERE customer IN (SELECT customer FROM customers WHERE city = 'Rome')"),
        ("(a, b) IN (SELECT ...)", "SELECT id FROM orders WHERE (id, status) IN (SELECT order_id, sku FROM items)"),
        ("EXISTS and NOT EXISTS with an equality", "SELECT id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id AND i.price > o.weight)"),
        ("NOT IN (SELECT ...) where neither side can be NULL", "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM items)"),
        ("IN (SELECT ...) in HAVING", "SELECT customer, count(*) AS n FROM orders GROUP BY customer HAVING customer IN (SELECT customer FROM customers)"),
    ),
    *_of(
        "Subqueries", FULL,
        ("NOT IN (SELECT ...) on values that may be NULL", "SELECT id FROM orders WHERE customer NOT IN (SELECT customer FROM customers)"),
        ("EXISTS without an equality", "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.price > o.weight)"),
        ("IN (SELECT ...) beside an aggregate", "SELECT customer FROM orders GROUP BY customer HAVING count(*) IN (SELECT item FROM items)"),
        ("a subquery below OR", "SELECT id FROM orders WHERE paid OR id IN (SELECT order_id FROM items)"),
        ("scalar subquery", "SELECT id, (SELECT max(price) FROM items) AS m FROM orders"),
        ("WITH RECURSIVE", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT n FROM c"),
        ("VALUES and table functions in FROM", "SELECT o.id, v.a FROM orders o JOIN VALUES (1) AS v(a) ON v.a = o.id"),
        ("a query without FROM", "SELECT 1 AS one"),
    ),
    *_of(
        "Groups", KEPT,
        ("GROUP BY columns, expressions, positions, names, ALL", "SELECT upper(status) AS s, day, count(*) AS n FROM orders GROUP BY s, 2"),
        ("count, sum, avg, min, max", "SELECT customer, count(*) AS n, sum(total) AS s, avg(quantity) AS a, min(at) AS l, max(at) AS h FROM orders GROUP BY customer"),
        ("count(DISTINCT ...), sum(DISTINCT ...)", "SELECT customer, count(DISTINCT status, day) AS n FROM orders GROUP BY customer"),
        ("variance, stddev, bool_and, bool_or, count_if, median, percentile, bit_and, corr ...", "SELECT customer, variance(weight) AS v, stddev(weight) AS d, bool_and(paid) AS p, median(weight) AS m FROM orders GROUP BY customer"),
        ("FILTER (WHERE ...)", "SELECT customer, sum(total) FILTER (WHERE paid) AS s FROM orders GROUP BY customer"),
        ("HAVING", "SELECT customer, count(*) AS n FROM orders GROUP BY customer HAVING n > 2 AND sum(total) > 10"),
        ("aggregates without GROUP BY", "SELECT count(*) AS n, max(total) AS m FROM orders"),
        ("sort_array(collect_list(...)), listagg(...) WITHIN GROUP (ORDER BY ...)", "SELECT customer, sort_array(collect_set(status)) AS s FROM orders GROUP BY customer"),
        ("max(struct(at, x)).x: the latest value", "SELECT customer, max(struct(at, status)).status AS latest FROM orders GROUP BY customer"),
        ("SELECT DISTINCT", "SELECT DISTINCT status, day FROM orders"),
        ("window(...) as the only key", "SELECT count(*) AS n FROM orders GROUP BY window(at, '10 minutes')"),
        ("window(time, size, slide, offset)", "SELECT window(at, '10 minutes', '5 minutes') AS w, w.start, count(*) AS n FROM orders GROUP BY window(at, '10 minutes', '5 minutes')"),
    ),
    *_of(
        "Groups", FULL,
        ("ROLLUP, CUBE, GROUPING SETS", "SELECT customer, status, count(*) AS n FROM orders GROUP BY ROLLUP (customer, status)"),
        ("session_window", "SELECT session_window(at, '5 minutes') AS w, count(*) AS n FROM orders GROUP BY session_window(at, '5 minutes')"),
    ),
    *_of(
        "Set operations", KEPT,
        ("UNION ALL, UNION", "SELECT id FROM orders UNION SELECT order_id FROM items"),
        ("UNION [ALL] BY NAME", "SELECT id, status FROM orders UNION ALL BY NAME SELECT sku AS status, item AS id FROM items"),
        ("INTERSECT, EXCEPT", "SELECT id, customer FROM orders EXCEPT SELECT item, order_id FROM items"),
    ),
    *_of("Set operations", FULL, ("INTERSECT ALL, EXCEPT ALL", "SELECT id FROM orders EXCEPT ALL SELECT order_id FROM items")),
    *_of(
        "Other", FULL,
        ("ORDER BY with LIMIT", "SELECT id, total FROM orders ORDER BY total DESC, id LIMIT 10"),
        ("window functions (OVER)", "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id) AS r FROM orders"),
        ("explode and other generators, LATERAL VIEW", "SELECT id, x FROM orders LATERAL VIEW explode(split(status, ',')) AS x"),
        ("PIVOT, UNPIVOT", "SELECT a, b FROM (SELECT status, total FROM orders) PIVOT (sum(total) FOR status IN ('x' AS a, 'y' AS b))"),
        ("TABLESAMPLE ... REPEATABLE (seed)", "SELECT id FROM orders TABLESAMPLE (10 PERCENT) REPEATABLE (7)"),
    ),
    *_of(
        "Other", REFUSED,
        ("the moment: current_timestamp, now, current_date ...", "SELECT id, now() AS n FROM orders"),
        ("chance: rand, uuid, shuffle, TABLESAMPLE without a seed", "SELECT id, rand() AS r FROM orders"),
        ("layout: monotonically_increasing_id, input_file_name ...", "SELECT monotonically_increasing_id() AS i FROM orders"),
        ("the session: current_user, current_database ...", "SELECT current_user AS u FROM orders"),
        ("order of rows: first, last, any_value, collect_list, max_by ...", "SELECT first(status) AS s FROM orders"),
        ("LIMIT without ORDER BY", "SELECT id FROM orders LIMIT 5"),
        ("parameters", "SELECT id FROM orders WHERE customer = :c"),
    ),
]  # fmt: skip
