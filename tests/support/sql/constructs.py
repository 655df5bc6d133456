"""Every construct that the documentation lists, each with a SELECT that uses it.

docs/supported-sql.md is written from this list.  test_supported_sql.py declares every line of it as a view, in
the statements of a project, and plans it; tests/spark/test_constructs.py runs and verifies all of them on
Spark.  The page cannot say what is not so.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import InputError
from headwater.model import View
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.translate import translate

KEPT, FULL, REFUSED = "kept incrementally", "full refresh", "refused"

TABLES = """
CREATE TABLE orders (
  id BIGINT PRIMARY KEY, customer BIGINT, total DECIMAL(10,2), at TIMESTAMP, status STRING, quantity INT,
  paid BOOLEAN, day DATE, weight DOUBLE
);
CREATE TABLE items (item BIGINT PRIMARY KEY, order_id BIGINT NOT NULL, price DOUBLE, sku STRING);
CREATE TABLE customers (customer BIGINT PRIMARY KEY, name STRING, city STRING);
"""
RELATIONS = {table.name: list(table.columns) for table in parse_statements(TABLES).tables}


@dataclass(frozen=True)
class Construct:
    group: str
    name: str
    outcome: str
    sql: str
    note: str = ""


def declared(sql: str, name: str = "v") -> View:
    """The view as a project declares it."""
    return resolve(parse_statements(f"{TABLES} CREATE MATERIALIZED VIEW {name} AS {sql};")).views[0]


def outcome_of(sql: str) -> tuple[str, str]:
    """What becomes of a view with this SELECT, and why if it is not kept incrementally."""
    try:
        translated = translate(declared(sql), RELATIONS)
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
        ("names that a table cannot have are stored with underscores", "SELECT id AS `my id` FROM orders"),
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
        ("outer join without any equality", "SELECT o.id, i.sku FROM orders o LEFT JOIN items i ON i.price > o.weight"),
        ("LATERAL subquery", "SELECT o.id, l.m FROM orders o, LATERAL (SELECT max(price) AS m FROM items i WHERE i.order_id = o.id) AS l(m)"),
        ("LATERAL subquery without an equality", "SELECT o.id, l.n FROM orders o, LATERAL (SELECT count(*) AS n FROM items i WHERE i.price > o.weight) AS l"),
        ("LEFT JOIN LATERAL", "SELECT o.id, l.sku FROM orders o LEFT JOIN LATERAL (SELECT sku FROM items i WHERE i.order_id = o.id AND i.price > 2) AS l ON true"),
        ("LEFT JOIN LATERAL that names the rows before it", "SELECT o.id, l.x, l.two FROM orders o LEFT JOIN LATERAL (SELECT o.quantity + i.price AS x, 2 AS two FROM items i WHERE i.order_id = o.id) AS l ON l.x > 3"),
        ("LATERAL (SELECT ... UNION ALL SELECT ...), LATERAL (VALUES ...): several rows of each", "SELECT o.id, l.name, l.v, m.w FROM orders o CROSS JOIN LATERAL (SELECT 'q' AS name, o.quantity AS v UNION ALL SELECT 'w', o.weight) AS l JOIN LATERAL (VALUES (o.customer), (2.5)) AS m(w) ON m.w IS NOT NULL"),
        ("LEFT JOIN LATERAL explode(...)", "SELECT o.id, l.part FROM orders o LEFT JOIN LATERAL explode(split(o.status, ',')) AS l(part) ON true"),
        ("VALUES before a relation", "SELECT v.a, o.id FROM VALUES (1), (2) AS v(a) JOIN orders o ON o.id = v.a"),
        ("JOIN VALUES", "SELECT o.id, v.a FROM orders o JOIN VALUES (1, 'x'), (2, 'y') AS v(a, b) ON v.a = o.id"),
        ("cross join with constant rows", "SELECT o.id, d.day FROM orders o CROSS JOIN (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-03', INTERVAL 1 DAY)) AS day) d"),
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
        ("= ANY (SELECT ...), <> ALL (SELECT ...): IN and NOT IN", "SELECT id FROM orders WHERE customer = ANY (SELECT customer FROM customers) AND id <> ALL (SELECT order_id FROM items)"),
        ("> ALL (SELECT ...), < ANY (SELECT ...)", "SELECT id FROM orders o WHERE weight >= ALL (SELECT price FROM items i WHERE i.order_id = o.id) AND weight < ANY (SELECT price FROM items)"),
        ("= ANY (array), > ALL (array)", "SELECT id FROM orders WHERE status = ANY (ARRAY['a', 'b']) AND quantity > ALL (array(0, 1))"),
        ("IN (SELECT ...) in HAVING", "SELECT customer, count(*) AS n FROM orders GROUP BY customer HAVING customer IN (SELECT customer FROM customers)"),
    ),
    *_of(
        "Subqueries", KEPT,
        ("NOT IN (SELECT ...) on values that may be NULL", "SELECT id FROM orders WHERE customer NOT IN (SELECT customer FROM customers)"),
        ("EXISTS without an equality", "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.price > o.weight)"),
        ("IN (SELECT ...) beside an aggregate", "SELECT customer FROM orders GROUP BY customer HAVING count(*) IN (SELECT item FROM items)"),
        ("IN, EXISTS below OR", "SELECT id FROM orders o WHERE paid OR id IN (SELECT order_id FROM items) OR EXISTS (SELECT 1 FROM customers c WHERE c.customer = o.customer)"),
        ("IN, EXISTS inside CASE and as a value", "SELECT id, CASE WHEN EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id) THEN 'y' ELSE 'n' END AS f, customer IN (SELECT customer FROM customers) AS known FROM orders o"),
        ("scalar subquery", "SELECT id, (SELECT max(price) FROM items) AS m FROM orders"),
        ("scalar subquery compared in WHERE", "SELECT id FROM orders WHERE total > (SELECT avg(total) FROM orders)"),
        ("correlated scalar subquery", "SELECT id, (SELECT count(*) FROM items i WHERE i.order_id = o.id) AS n FROM orders o"),
        ("correlated scalar subquery without an equality", "SELECT id, (SELECT count(*) FROM items i WHERE i.price < o.weight) AS n FROM orders o"),
        ("correlated scalar subquery with ORDER BY and LIMIT 1", "SELECT id, (SELECT sku FROM items i WHERE i.order_id = o.id ORDER BY price DESC, item LIMIT 1) AS s FROM orders o"),
        ("scalar subquery in HAVING, ON", "SELECT customer, sum(total) AS s FROM orders GROUP BY customer HAVING sum(total) > (SELECT avg(total) FROM orders)"),
        ("scalar subquery beside GROUP BY", "SELECT customer, (SELECT max(name) FROM customers c WHERE c.customer = o.customer) AS name, count(*) AS n FROM orders o GROUP BY customer"),
        ("subquery inside an aggregate", "SELECT status, sum(CASE WHEN id IN (SELECT order_id FROM items) THEN total END) AS s, max((SELECT max(price) FROM items i WHERE i.order_id = o.id)) AS m FROM orders o GROUP BY status"),
        ("a subquery that GROUP BY groups by, also by its name or position", "SELECT customer IN (SELECT customer FROM customers) AS known, (SELECT max(price) FROM items i WHERE i.order_id = o.id) AS most, count(*) AS n FROM orders o GROUP BY known, 2"),
        ("a subquery in the ON of an outer join", "SELECT o.id, i.item FROM orders o LEFT JOIN items i ON i.order_id = o.id AND i.price >= (SELECT avg(price) FROM items) AND EXISTS (SELECT 1 FROM customers c WHERE c.customer = o.customer)"),
        ("a correlated scalar subquery in ON, which Spark has not: verified by its plan", "SELECT o.id, i.item FROM orders o LEFT JOIN items i ON i.order_id = o.id AND i.price = (SELECT max(price) FROM items j WHERE j.order_id = o.id)"),
        ("(a, b) NOT IN (SELECT ...) on values that may be NULL", "SELECT id FROM orders WHERE (customer, status) NOT IN (SELECT order_id, sku FROM items)"),
        ("grouped subquery that names the query around it", "SELECT id FROM orders o WHERE 'a' IN (SELECT sku FROM items i WHERE i.order_id = o.id GROUP BY sku HAVING count(*) > 1)"),
        ("EXISTS of a union whose parts name the query around it", "SELECT id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id UNION ALL SELECT 1 FROM customers c WHERE c.customer = o.customer)"),
        ("HAVING without GROUP BY in EXISTS and in a scalar subquery", "SELECT id, (SELECT avg(price) FROM items i WHERE i.order_id = o.id HAVING count(*) > 1) AS a FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id HAVING count(*) > 0)"),
        ("WITH RECURSIVE of queries that do not read themselves", "WITH RECURSIVE c AS (SELECT id, customer FROM orders), d AS (SELECT customer, count(*) AS n FROM c GROUP BY customer) SELECT customer, n FROM d"),
    ),
    *_of(
        "Subqueries", FULL,
        ("WITH RECURSIVE", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT c.n, o.id FROM c JOIN orders o ON o.id = c.n"),
    ),
    *_of(
        "Constants", KEPT,
        ("VALUES as the view", "VALUES (1, 'a'), (2, 'b')"),
        ("a view that reads nothing (it stands over the first table)", "SELECT 1 AS one"),
        ("TABLE", "TABLE items"),
        ("a SELECT without FROM", "SELECT o.id, c.x FROM orders o LEFT JOIN (SELECT 2 AS x) c ON c.x = o.id"),
        ("VALUES with an outer join", "SELECT v.k, count(o.id) AS n FROM (VALUES ('a', 1), ('b', 2)) AS v(k, w) LEFT JOIN orders o ON o.status = v.k GROUP BY v.k"),
        ("table functions in FROM", "SELECT o.id, v.id AS other FROM orders o JOIN range(3) AS v ON v.id = o.id"),
        ("a calendar of days", "WITH days AS (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) SELECT days.day, count(o.id) AS n FROM days LEFT JOIN orders o ON o.day = days.day GROUP BY days.day"),
        ("LATERAL (SELECT an expression)", "SELECT o.id, l.x FROM orders o, LATERAL (SELECT o.quantity + 1 AS x) AS l"),
    ),
    *_of(
        "Time", KEPT,
        ("now(), current_timestamp in WHERE: rows leave as time passes", "SELECT id FROM orders WHERE at > now() - INTERVAL '1' HOUR"),
        ("a span around now()", "SELECT customer, count(*) AS n FROM orders WHERE at BETWEEN current_timestamp - INTERVAL '1' DAY AND current_timestamp GROUP BY customer"),
        ("current_date", "SELECT id FROM orders WHERE day >= date_sub(current_date(), 7)"),
        ("now() in a join, in HAVING, in EXISTS", "SELECT o.customer, max(o.at) AS last FROM orders o JOIN items i ON i.order_id = o.id AND o.at < now() GROUP BY o.customer HAVING max(o.at) < now() - INTERVAL '1' DAY"),
        ("now() as a value (every row that differs is written at each push)", "SELECT id, floor((unix_timestamp() - unix_timestamp(at)) / 86400) AS age FROM orders"),
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
        ("listagg(DISTINCT ...) WITHIN GROUP (ORDER BY ...)", "SELECT customer, listagg(DISTINCT status, ',') WITHIN GROUP (ORDER BY status) AS s FROM orders GROUP BY customer"),
        ("array_agg(x ORDER BY ...): NULL is left out, equals come in their own order", "SELECT customer, array_agg(status ORDER BY total DESC) AS s, array_agg(id ORDER BY day NULLS LAST, total DESC) FILTER (WHERE paid) AS i, array_agg(DISTINCT status ORDER BY status) AS d FROM orders GROUP BY customer"),
        ("string_agg(x, ',' ORDER BY ...)", "SELECT customer, string_agg(status, ',' ORDER BY total DESC) AS s, listagg(status, ';') WITHIN GROUP (ORDER BY day NULLS LAST) AS l FROM orders GROUP BY customer"),
        ("max(struct(at, x)).x: the latest value", "SELECT customer, max(struct(at, status)).status AS latest FROM orders GROUP BY customer"),
        ("SELECT DISTINCT", "SELECT DISTINCT status, day FROM orders"),
        ("window(...) as the only key", "SELECT count(*) AS n FROM orders GROUP BY window(at, '10 minutes')"),
        ("window(time, size, slide, offset)", "SELECT window(at, '10 minutes', '5 minutes') AS w, w.start, count(*) AS n FROM orders GROUP BY window(at, '10 minutes', '5 minutes')"),
    ),
    *_of(
        "Groups", KEPT,
        ("window(...) as the first key", "SELECT count(*) AS n FROM orders GROUP BY window(at, '10 minutes'), customer"),
        ("ROLLUP", "SELECT customer, status, count(*) AS n FROM orders GROUP BY ROLLUP (customer, status)"),
        ("CUBE, grouping(), grouping_id()", "SELECT customer, status, grouping(customer) AS g, grouping_id() AS i, sum(total) AS s FROM orders GROUP BY CUBE (customer, status)"),
        ("GROUPING SETS", "SELECT customer, status, count(*) AS n FROM orders GROUP BY GROUPING SETS ((customer, status), customer, ())"),
        ("ROLLUP, CUBE, GROUPING SETS of expressions", "SELECT quantity % 2 AS odd, total > 5 AS large, grouping_id() AS g, count(*) AS n FROM orders GROUP BY CUBE (quantity % 2, total > 5)"),
        ("GROUP BY a, b GROUPING SETS (...)", "SELECT customer, status, grouping_id(customer, status) AS g, count(*) AS n FROM orders GROUP BY customer, status GROUPING SETS ((status), (customer), ())"),
    ),
    *_of(
        "Groups", KEPT,
        ("session_window", "SELECT customer, session_window.start AS began, session_window(at, '20 minutes') AS w, count(*) AS n FROM orders GROUP BY customer, session_window(at, '20 minutes')"),
        ("collect_list, array_agg, collect_set: sorted (a warning says so)", "SELECT customer, collect_list(quantity) AS q, array_agg(status) AS s, collect_set(day) AS d FROM orders GROUP BY customer"),
        ("string_agg, listagg without an order: sorted", "SELECT customer, string_agg(status, ',') AS s FROM orders GROUP BY customer"),
        ("mode: of equally frequent values the least; approx_percentile: exact", "SELECT customer, mode(status) AS m, approx_percentile(quantity, 0.5) AS p, percentile_approx(weight, array(0.25, 0.9)) AS q FROM orders GROUP BY customer"),
        ("windows of windows", "SELECT window(w, '20 minutes') AS w, sum(n) AS n FROM (SELECT window AS w, count(*) AS n FROM orders GROUP BY window(at, '10 minutes')) GROUP BY window(w, '20 minutes')"),
        ("window_time", "SELECT window_time(window) AS t, n FROM (SELECT window, count(*) AS n FROM orders GROUP BY window(at, '10 minutes'))"),
        ("any_value: the least; max_by, min_by: of equals the greatest, the least", "SELECT customer, any_value(status) AS a, max_by(status, quantity) AS m, min_by(id, quantity) AS l FROM orders GROUP BY customer"),
    ),
    *_of(
        "Set operations", KEPT,
        ("UNION ALL, UNION", "SELECT id FROM orders UNION SELECT order_id FROM items"),
        ("INTERSECT, EXCEPT", "SELECT id, customer FROM orders EXCEPT SELECT item, order_id FROM items"),
        ("INTERSECT ALL, EXCEPT ALL", "SELECT id FROM orders EXCEPT ALL SELECT order_id FROM items"),
    ),
    *_of(
        "Order", KEPT,
        ("ORDER BY with LIMIT", "SELECT id, total FROM orders ORDER BY total DESC, id LIMIT 10"),
        ("ORDER BY ALL, a LIMIT of several numbers", "SELECT status, id FROM orders ORDER BY ALL LIMIT 2 * 2 OFFSET 1"),
        ("ORDER BY with LIMIT and OFFSET", "SELECT id, total FROM orders ORDER BY total DESC, id LIMIT 3 OFFSET 2"),
        ("ORDER BY an aggregate with LIMIT", "SELECT customer, sum(total) AS s FROM orders GROUP BY customer ORDER BY s DESC, customer LIMIT 3"),
        ("LIMIT in a subquery", "SELECT s.id, i.sku FROM (SELECT id FROM orders ORDER BY total DESC, id LIMIT 3) s JOIN items i ON i.order_id = s.id"),
        ("row_number() = 1: the newest of each key", "SELECT * EXCEPT (r) FROM (SELECT id, customer, at, row_number() OVER (PARTITION BY customer ORDER BY at DESC, id) AS r FROM orders) WHERE r = 1"),
        ("QUALIFY", "SELECT id, customer FROM orders QUALIFY row_number() OVER (PARTITION BY customer ORDER BY total DESC, id) <= 2"),
        ("rank, dense_rank, percent_rank, cume_dist, ntile", "SELECT id, rank() OVER (ORDER BY quantity) AS r, dense_rank() OVER (PARTITION BY status ORDER BY quantity DESC) AS d, percent_rank() OVER (ORDER BY quantity) AS p, cume_dist() OVER (ORDER BY quantity) AS c, ntile(3) OVER (ORDER BY id) AS n FROM orders"),
        ("IGNORE NULLS", "SELECT id, first_value(customer IGNORE NULLS) OVER (ORDER BY id) AS f, lag(customer, 1, -1) IGNORE NULLS OVER (ORDER BY id) AS l FROM orders"),
        ("the same function over several windows", "SELECT id, sum(quantity) OVER (PARTITION BY customer ORDER BY id) AS a, sum(quantity) OVER (PARTITION BY status) AS b, sum(quantity) OVER () AS c FROM orders"),
        ("LIMIT without ORDER BY where there is one row", "SELECT count(*) AS n FROM orders LIMIT 10"),
        ("lag, lead", "SELECT id, lag(total) OVER (PARTITION BY customer ORDER BY id) AS l, lead(total, 2, 0) OVER (PARTITION BY customer ORDER BY id) AS m FROM orders"),
        ("first_value, last_value, nth_value", "SELECT id, first_value(total) OVER (PARTITION BY customer ORDER BY id) AS f, last_value(total) OVER (PARTITION BY customer ORDER BY id) AS l, nth_value(total, 2) OVER (PARTITION BY customer ORDER BY id) AS n FROM orders"),
        ("running sums, frames by ROWS", "SELECT id, sum(total) OVER (PARTITION BY customer ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM orders"),
        ("frames by RANGE", "SELECT id, count(*) OVER (ORDER BY at RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) AS n, sum(quantity) OVER (ORDER BY quantity RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM orders"),
        ("frames by RANGE with distances of two units", "SELECT id, count(*) OVER (PARTITION BY customer ORDER BY at RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 1 SECOND PRECEDING) AS n FROM orders"),
        ("frames by RANGE of days, counted", "SELECT id, count(*) OVER (PARTITION BY customer ORDER BY day RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS n FROM orders"),
        ("named windows, FILTER with OVER", "SELECT id, sum(total) OVER w AS s, count(*) FILTER (WHERE paid) OVER w AS n FROM orders WINDOW w AS (PARTITION BY customer ORDER BY id)"),
        ("lists over a window: in its order, else sorted", "SELECT id, collect_list(quantity) OVER (PARTITION BY customer ORDER BY day) AS l, array_agg(quantity) OVER (PARTITION BY customer ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS m, collect_set(status) OVER (PARTITION BY customer) AS s FROM orders"),
        ("a value beside a percentile of all", "SELECT id, weight > approx_percentile(weight, 0.9) OVER () AS heavy FROM orders"),
        ("max_by, mode, approx_percentile over a window; WITHIN GROUP over a partition", "SELECT id, max_by(status, weight) OVER (PARTITION BY customer) AS b, mode(quantity) OVER (PARTITION BY customer) AS m, approx_percentile(quantity, 0.5) OVER (PARTITION BY status) AS a, percentile_cont(0.5) WITHIN GROUP (ORDER BY weight) OVER (PARTITION BY customer) AS p FROM orders"),
        ("window functions over groups", "SELECT customer, sum(total) AS s, rank() OVER (ORDER BY sum(total) DESC) AS r FROM orders GROUP BY customer"),
        ("an order that may leave rows equal (a warning says where)", "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY day) AS r FROM orders"),
    ),
    *_of(
        "Other", KEPT,
        ("LATERAL VIEW explode", "SELECT id, x FROM orders LATERAL VIEW explode(split(status, ',')) AS x"),
        ("LATERAL VIEW OUTER posexplode", "SELECT id, p, x FROM orders LATERAL VIEW OUTER posexplode(split(status, 'b')) e AS p, x"),
        ("explode in the select list, LATERAL explode", "SELECT id, explode(array(quantity, customer)) AS x FROM orders"),
        ("several generators in the select list: each of every row of the one before", "SELECT id, explode(array(quantity, customer)) AS x, explode(split(status, ',')) AS y FROM orders"),
        ("json_tuple, inline, stack in the select list", "SELECT id, json_tuple(to_json(named_struct('a', quantity, 'b', status)), 'a', 'b') FROM orders"),
        ("inline, explode of from_json with a schema", "SELECT id, inline(from_json(concat('[{\"a\":', quantity, ',\"b\":\"x\"}]'), 'array<struct<a:int,b:string>>')) FROM orders"),
        ("explode, inline, stack of groups", "SELECT customer, stack(2, 'n', count(*), 'q', sum(quantity)) AS (name, v) FROM orders GROUP BY customer"),
        ("explode of an aggregate of all rows: a series of days", "SELECT d.day, count(o.id) AS n FROM (SELECT explode(sequence(min(day), max(day), INTERVAL 1 DAY)) AS day FROM orders) d LEFT JOIN orders o ON o.day = d.day GROUP BY d.day"),
        ("LATERAL (SELECT explode(...))", "SELECT o.id, l.v FROM orders o, LATERAL (SELECT explode(array(o.quantity, o.customer)) AS v) AS l"),
        ("PIVOT", "SELECT a, b FROM (SELECT status, total FROM orders) PIVOT (sum(total) FOR status IN ('a' AS a, 'b' AS b))"),
        ("UNPIVOT", "SELECT id, n, v FROM (SELECT id, customer, CAST(quantity AS BIGINT) AS quantity FROM orders) UNPIVOT (v FOR n IN (customer, quantity))"),
    ),
    *_of(
        "Other", FULL,
        ("TABLESAMPLE ... REPEATABLE (seed)", "SELECT id FROM orders TABLESAMPLE (10 PERCENT) REPEATABLE (7)"),
    ),
    *_of(
        "Other", REFUSED,
        ("AT TIME ZONE, x[1:2], which Spark does not have", "SELECT id, at AT TIME ZONE 'UTC' AS z FROM orders"),
        ("UNION BY NAME, which Spark does not have", "SELECT id, status FROM orders UNION ALL BY NAME SELECT sku AS status, item AS id FROM items"),
        ("DISTINCT with OVER, which Spark does not have", "SELECT id, count(DISTINCT status) OVER (PARTITION BY customer) AS n FROM orders"),
        ("an interval as a column, which a table cannot store", "SELECT id, at - TIMESTAMP '2024-01-01 00:00:00' AS age FROM orders"),
        ("sums and lists of intervals", "SELECT customer, sum(at - TIMESTAMP '2024-01-01 00:00:00') AS waited FROM orders GROUP BY customer"),
        ("* REPLACE, * RENAME, which Spark does not have", "SELECT * REPLACE (quantity + 1 AS quantity) FROM orders"),
        ("the time of day: current_time", "SELECT id, current_time() AS n FROM orders"),
        ("UNNEST, generate_series, which Spark does not have", "SELECT id, x FROM orders CROSS JOIN UNNEST(split(status, ',')) AS u(x)"),
        ("chance: rand, uuid, shuffle, TABLESAMPLE without a seed", "SELECT id, rand() AS r FROM orders"),
        ("layout: monotonically_increasing_id, input_file_name ...", "SELECT monotonically_increasing_id() AS i FROM orders"),
        ("the session: current_user, current_database ...", "SELECT current_user AS u FROM orders"),
        ("order of rows: first, last, histogram_numeric ...", "SELECT first(status) AS s FROM orders"),
        ("LIMIT without ORDER BY", "SELECT id FROM orders LIMIT 5"),
        ("types that do not go together: conditions, arithmetic on times, CAST, CASE, coalesce", "SELECT id, day + at AS d, CASE WHEN paid THEN day ELSE quantity END AS c FROM orders"),
        ("calls with another number of arguments than Spark takes", "SELECT id, isnull(status, 'a') AS s FROM orders"),
        ("frames that end before they begin, or that a function does not take", "SELECT id, rank() OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM orders"),
        ("a generator inside an expression", "SELECT id, 1 + explode(array(quantity)) AS x FROM orders"),
        ("grouping() of what is no key of ROLLUP, CUBE or GROUPING SETS", "SELECT status, grouping(status) AS g FROM orders GROUP BY status"),
        ("parameters", "SELECT id FROM orders WHERE customer = :c"),
    ),
]  # fmt: skip
