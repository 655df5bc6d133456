"""Window functions, limits, subqueries as values, grouping sets and what is made of a row, against DuckDB."""

from __future__ import annotations

from collections import Counter

import pytest
import sqlglot

from support.sql.small_world import WORLD
from support.sql.translation import by_headwater, connection, contents, plain

NULL_ORDER = "SET default_null_order = 'nulls_first_on_asc_last_on_desc'"

CASES = [
    "SELECT k, a, row_number() OVER (PARTITION BY c ORDER BY a, k) AS r FROM t",
    "SELECT k, a, rank() OVER (ORDER BY c DESC) AS r, dense_rank() OVER (ORDER BY c DESC) AS d FROM t",
    "SELECT k, sum(a) OVER (PARTITION BY c) AS s, count(*) OVER () AS n FROM t",
    "SELECT k, sum(a) OVER (ORDER BY a) AS s, sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS m FROM t",
    "SELECT k, sum(a) OVER (ORDER BY a) AS s, sum(a) OVER (ORDER BY a DESC) AS m, sum(a) OVER (PARTITION BY k) AS n FROM t",
    "SELECT c, sum(a) AS rank, rank() OVER (ORDER BY sum(a)) AS r, sum(sum(a)) OVER () AS s FROM t GROUP BY c",
    "SELECT c, count(*) AS row_number FROM t GROUP BY c ORDER BY 2 DESC, 1 LIMIT 2",
    "SELECT a AS copy FROM t EXCEPT ALL SELECT b FROM u",
    "SELECT k, sum(a) OVER (ORDER BY a RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS s FROM t",
    "SELECT k, a, lag(a) OVER (ORDER BY a) AS l, lead(a, 2, 99) OVER (ORDER BY a) AS m FROM t",
    "SELECT k, a FROM t QUALIFY row_number() OVER (PARTITION BY c ORDER BY a DESC, k) = 1",
    "SELECT k, a, row_number() OVER (PARTITION BY c ORDER BY a DESC, k) AS r FROM t QUALIFY r <= 2",
    "SELECT c, sum(a) AS s, rank() OVER (ORDER BY sum(a) DESC) AS r FROM t GROUP BY c",
    "SELECT c, sum(sum(a)) OVER (ORDER BY c) AS s FROM t GROUP BY c",
    "SELECT c, max(a) AS m FROM t GROUP BY c HAVING count(*) > 1 QUALIFY row_number() OVER (ORDER BY max(a) DESC) = 1",
    "SELECT s.k FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY b DESC) AS r FROM u) s WHERE s.r = 1",
    "SELECT percent_rank() OVER (ORDER BY a) AS p, cume_dist() OVER (ORDER BY a) AS q, ntile(3) OVER (ORDER BY a) AS n FROM t",
    "SELECT first_value(a) OVER (PARTITION BY c ORDER BY a) AS f, last_value(a) OVER (PARTITION BY c ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l, nth_value(a, 2) OVER (PARTITION BY c ORDER BY a) AS n FROM t",
    "SELECT k, sum(a) OVER w AS s, avg(a) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM t WINDOW w AS (PARTITION BY c ORDER BY a)",
    "SELECT sum(a) FILTER (WHERE k > 1) OVER (PARTITION BY c) AS s FROM t",
    "SELECT k, a FROM t ORDER BY a DESC LIMIT 2",
    "SELECT k, a FROM t ORDER BY a LIMIT 2 OFFSET 1",
    "SELECT k, a FROM t ORDER BY a LIMIT 0",
    "SELECT k, a FROM t LIMIT 0",
    "SELECT max(a) AS m FROM t LIMIT 3",
    "SELECT max(a) AS m FROM t OFFSET 1",
    "SELECT c, sum(a) AS s FROM t GROUP BY c ORDER BY s DESC LIMIT 1",
    "SELECT c, sum(a) AS s FROM t GROUP BY c ORDER BY sum(a) DESC, c LIMIT 2",
    "SELECT c FROM t GROUP BY c ORDER BY count(*) DESC, max(a) LIMIT 1",
    "SELECT DISTINCT a FROM t ORDER BY a DESC LIMIT 3",
    "SELECT DISTINCT a FROM t ORDER BY 1 LIMIT 2",
    "SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY a DESC LIMIT 3",
    "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT b FROM u ORDER BY b DESC LIMIT 1)",
    "SELECT s.a FROM (SELECT a, k FROM t ORDER BY a DESC LIMIT 3) s JOIN w ON w.k = s.k",
    "SELECT a, (SELECT max(b) FROM u) AS m FROM t",
    "SELECT a FROM t WHERE a < (SELECT avg(b) FROM u WHERE b < 20)",
    "SELECT a FROM t WHERE a = (SELECT max(a) FROM t)",
    "SELECT a, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t",
    "SELECT a, (SELECT count(*) + 1 FROM u WHERE u.k = t.k) AS n, (SELECT max(b) FROM u WHERE u.k = t.k) AS m FROM t",
    "SELECT a FROM t WHERE a > (SELECT 0.1 * avg(b) FROM u WHERE u.k = t.k)",
    "SELECT a FROM t WHERE a >= (SELECT max(t2.a) FROM t t2 WHERE t2.c = t.c)",
    "SELECT k, sum(a) AS s FROM t GROUP BY k HAVING sum(a) > (SELECT avg(a) FROM t)",
    "SELECT k, sum(a) / (SELECT sum(a) FROM t) AS share FROM t GROUP BY k",
    "SELECT k, sum(a) AS s FROM t GROUP BY k HAVING sum(a) < (SELECT sum(b) FROM u WHERE u.k = t.k)",
    "SELECT a, (SELECT e FROM w WHERE w.k = t.a) AS e FROM t WHERE a <> 3 AND a <> 9",
    "SELECT t.a, u.b FROM t JOIN u ON t.k = u.k AND u.b = (SELECT max(b) FROM u)",
    "SELECT a FROM t WHERE a > 5 OR k IN (SELECT k FROM u)",
    "SELECT a FROM t WHERE a > 5 OR k NOT IN (SELECT k FROM u)",
    "SELECT a FROM t WHERE a > 5 OR k NOT IN (SELECT k FROM w)",
    "SELECT a FROM t WHERE k NOT IN (SELECT k FROM u)",
    "SELECT a FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
    "SELECT a FROM t WHERE k NOT IN (SELECT k FROM u WHERE b > 1000)",
    "SELECT a FROM t WHERE k NOT IN (SELECT u.k FROM u WHERE u.c = t.c)",
    "SELECT a FROM t WHERE a > 6 OR EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.b > 15)",
    "SELECT a, CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.k = t.k) THEN 'y' ELSE 'n' END AS f FROM t",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b > t.a * 10)",
    "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b > t.a * 10)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)",
    "SELECT a FROM t WHERE EXISTS (SELECT max(b) FROM u WHERE u.k = t.k)",
    "SELECT a, (SELECT count(*) FROM u WHERE u.b > t.a * 10) AS n FROM t",
    "SELECT a, (SELECT max(b) FROM u WHERE u.b > t.a * 10 AND u.k = t.k) AS n FROM t",
    "SELECT a, (SELECT count(*) FROM u WHERE u.b > coalesce(t.k, 1) * 10) AS n FROM t",
    "SELECT a, (SELECT count(*) FROM u WHERE u.b + t.k > 12 AND t.a > 1) AS n FROM t",
    "SELECT a FROM t WHERE (SELECT count(*) FROM u WHERE (u.k = t.k AND u.b > 10) OR (u.k = t.k AND u.c = 'x')) > 0",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT u.b FROM u WHERE u.k = t.k) q WHERE q.b > t.a)",
    "SELECT a FROM t WHERE a > ALL (SELECT b FROM u WHERE u.k = t.k)",
    "SELECT a FROM t WHERE a * 10 <= ANY (SELECT b FROM u)",
    "SELECT a FROM t WHERE k = ANY (SELECT k FROM u)",
    "SELECT a FROM t WHERE k <> ALL (SELECT k FROM u WHERE k IS NOT NULL)",
    "SELECT a FROM t WHERE k <> ALL (SELECT k FROM u)",
    "SELECT t.a, u.b FROM t JOIN u ON (t.k = u.k AND t.a > 1) OR (t.k = u.k AND u.b > 10)",
    "SELECT t.a, u.b FROM t, u WHERE (t.k = u.k AND t.a > 1) OR (t.k = u.k) OR (u.b > 10 AND t.k = u.k)",
    "SELECT t.a, u.b FROM t LEFT JOIN u ON u.b > t.a * 10",
    "SELECT t.a, u.b FROM t FULL JOIN u ON u.b < t.a",
    "SELECT a FROM t WHERE k IN (SELECT k FROM u WHERE u.c = t.c GROUP BY k HAVING count(*) >= 1)",
    "SELECT a FROM t WHERE EXISTS (SELECT c FROM u WHERE u.k = t.k GROUP BY c HAVING count(*) > 0)",
    "SELECT a, (SELECT b FROM u WHERE u.k = t.k ORDER BY b DESC LIMIT 1) AS latest FROM t",
    "SELECT a FROM t WHERE a IN (SELECT max(a) FROM t GROUP BY c)",
    "SELECT a FROM t WHERE k IN (SELECT DISTINCT u.k FROM u WHERE u.c = t.c)",
    "SELECT k, c, count(*) AS n FROM t GROUP BY ROLLUP (k, c)",
    "SELECT k, c, count(*) AS n, sum(a) AS s FROM t GROUP BY CUBE (k, c)",
    "SELECT k, c, count(*) AS n FROM t GROUP BY GROUPING SETS ((k, c), k, ())",
    "SELECT k, c, grouping(k) AS g, grouping(c) AS h, count(*) AS n FROM t GROUP BY ROLLUP (k, c)",
    "SELECT k, c, count(*) AS n FROM t GROUP BY k, ROLLUP (c)",
    "SELECT c, sum(a) AS s, rank() OVER (PARTITION BY grouping(c) ORDER BY sum(a)) AS r FROM t GROUP BY ROLLUP (c)",
    "SELECT k, count(*) AS n FROM t GROUP BY ROLLUP (k) HAVING count(*) > 1 ORDER BY n DESC LIMIT 2",
    "WITH r AS (SELECT k, a, row_number() OVER (PARTITION BY k ORDER BY a DESC) AS n FROM t) SELECT r.k, r.a, u.b FROM r JOIN u ON u.k = r.k WHERE r.n = 1",
    "SELECT k, a, sum(a) OVER (PARTITION BY k) - a AS rest FROM t WHERE a > 0",
    "SELECT max(s.r) AS m FROM (SELECT row_number() OVER (ORDER BY a) AS r FROM t) s",
    "SELECT a FROM t WHERE (SELECT count(*) FROM u WHERE u.k = t.k) = 0",
    "SELECT a FROM t WHERE NOT (k IN (SELECT k FROM u) AND a > 1)",
    "SELECT k, a FROM t WHERE a = (SELECT min(t2.a) FROM t t2, u WHERE t2.k = u.k AND u.k = t.k)",
    "SELECT k FROM t EXCEPT ALL SELECT k FROM u",
    "SELECT k, c FROM t INTERSECT ALL SELECT k, c FROM u",
    "SELECT t.a, l.m FROM t, LATERAL (SELECT max(b) AS m, count(*) AS n FROM u WHERE u.k = t.k) AS l",
    "SELECT t.a, l.b FROM t, LATERAL (SELECT b FROM u WHERE u.k = t.k ORDER BY b DESC LIMIT 1) AS l",
    "SELECT t.a, l.b FROM t LEFT JOIN LATERAL (SELECT b FROM u WHERE u.k = t.k AND u.b > 10) AS l ON true",
    "SELECT t.a, l.n FROM t, LATERAL (SELECT count(*) AS n FROM u WHERE u.b > t.a * 10) AS l",
    "SELECT t.a, l.z FROM t LEFT JOIN LATERAL (SELECT t.a AS z FROM u WHERE u.k = t.k) AS l ON true",
    "SELECT t.a, l.z, l.one FROM t LEFT JOIN LATERAL (SELECT t.a + u.b AS z, 1 AS one FROM u WHERE u.k = t.k) AS l ON l.z > 12",
    "SELECT b, lag(k) IGNORE NULLS OVER (ORDER BY b) AS l, lag(k, 2, -1) IGNORE NULLS OVER (ORDER BY b DESC) AS m, lead(k, 2) IGNORE NULLS OVER (ORDER BY b) AS n FROM u",
    "SELECT c, sum(CASE WHEN k IN (SELECT k FROM u) THEN 1 ELSE 0 END) AS s, max((SELECT max(b) FROM u WHERE u.k = t.k)) AS m FROM t GROUP BY c",
    "SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)) AS n, count(*) AS m FROM t HAVING sum((SELECT count(*) FROM u WHERE u.k = t.k)) > 0",
    "SELECT k, (SELECT max(b) FROM u WHERE u.k = t.k) AS m, count(*) AS n FROM t GROUP BY k",
    "SELECT t.a, d.n FROM t CROSS JOIN (VALUES (1), (2)) AS d(n)",
    "SELECT t.a, l.s FROM t LEFT JOIN LATERAL (SELECT sum(b) AS s FROM u WHERE u.k = t.k) l ON l.s > 10",
    "SELECT t.a, l.s FROM t LEFT JOIN LATERAL (SELECT max(b) AS s FROM u) l ON l.s > t.a * 10",
    "SELECT k, a FROM t ORDER BY ALL LIMIT 2",
    "SELECT k, a FROM t ORDER BY ALL DESC LIMIT 2",
    "SELECT k, a FROM t ORDER BY a, k LIMIT 1 + 1 OFFSET 2 - 1",
    "SELECT (SELECT max(b) FROM u WHERE u.k = t.k) AS m, count(*) AS n FROM t GROUP BY (SELECT max(b) FROM u WHERE u.k = t.k)",
    "SELECT (SELECT max(b) FROM u WHERE u.k = t.k) + 1 AS m, count(*) AS n FROM t GROUP BY m HAVING (SELECT max(b) FROM u WHERE u.k = t.k) + 1 > 0",
    "SELECT a IN (SELECT b FROM u) AS f, count(*) AS n FROM t GROUP BY ALL",
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.k = t.k) THEN 'y' ELSE 'n' END AS f, c, count(*) AS n FROM t GROUP BY ROLLUP (1, 2)",
    "SELECT a, count(*) AS n FROM t GROUP BY a, (SELECT max(b) FROM u)",
    "SELECT t.a, u.b FROM t JOIN u ON t.k = u.k AND NOT EXISTS (SELECT 1 FROM w WHERE w.k > t.k AND w.e <> t.c)",
    "SELECT t.a, u.b FROM t JOIN u ON t.k = u.k AND u.b > (SELECT count(*) FROM w WHERE w.k < t.k)",
    "SELECT t.a, u.b FROM t LEFT JOIN u ON t.k = u.k AND EXISTS (SELECT 1 FROM w WHERE w.k = t.k)",
    "SELECT t.a, u.b FROM t LEFT JOIN u ON t.k = u.k AND u.b > (SELECT avg(b) FROM u)",
    "SELECT t.a, u.b FROM t FULL JOIN u ON t.k = u.k AND t.a IN (SELECT k FROM w) AND u.b = (SELECT max(b) FROM u u2 WHERE u2.k = u.k)",
    "SELECT t.a, u.b FROM t RIGHT JOIN u ON t.k = u.k AND (t.a NOT IN (SELECT k FROM u) OR u.b > 15)",
    "SELECT a FROM t LEFT ANTI JOIN u ON t.k = u.k AND EXISTS (SELECT 1 FROM w WHERE w.k = u.b)",
    "SELECT k FROM t WHERE (k, c) NOT IN (SELECT k, c FROM u)",
    "SELECT k FROM t WHERE (k, a) NOT IN (SELECT k, b FROM u WHERE b > 10)",
    "SELECT d.n, count(t.a) AS c FROM (SELECT * FROM (VALUES (1), (2), (3)) AS v(n) WHERE n > 1) d, t WHERE t.a <> 3 GROUP BY d.n",
]  # fmt: skip


@pytest.mark.parametrize("sql", CASES)
def test_a_plan_gives_what_its_text_gives(sql: str) -> None:
    database = connection(WORLD)
    database.execute(NULL_ORDER)
    (written,) = sqlglot.transpile(sql, read="spark", write="duckdb")
    rows = database.execute(written).fetchall()
    expected = Counter(tuple(plain(value) for value in row) for row in rows)
    assert by_headwater(WORLD, sql, contents(WORLD)) == expected


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        # Spark has FALSE in the select list where SQL has NULL.
        ("SELECT a, k IN (SELECT k FROM u) AS f FROM t WHERE a > 4", {(5, True): 1, (7, False): 1}),
        ("SELECT a, k NOT IN (SELECT k FROM u) AS f FROM t WHERE a > 4", {(5, False): 1, (7, False): 1}),
        ("SELECT a, (k, c) IN (SELECT k, c FROM u) AS f FROM t WHERE a > 4", {(5, True): 1, (7, False): 1}),
        ("SELECT k NOT IN (SELECT k FROM u) AS f, count(*) AS n FROM t GROUP BY f", {(False, 6): 1}),
        ("SELECT count(k IN (SELECT k FROM u)) AS n, count(*) AS m FROM t WHERE a > 4", {(2, 2): 1}),
        ("SELECT a, x FROM t LATERAL VIEW stack(2, k, a) AS x WHERE a = 5", {(5, 2): 1, (5, 5): 1}),
        ("SELECT c, v.b FROM t JOIN VALUES (1, 'p'), (2, 'q') AS v(a, b) ON v.a = t.k", {("x", "p"): 2, ("y", "q"): 1}),
        ("SELECT n, v FROM (SELECT k, a FROM t WHERE a = 5) UNPIVOT (v FOR n IN (k, a AS z))", {("k", 2): 1, ("z", 5): 1}),
        ("SELECT a, n, p, q FROM (SELECT k, a, a + 1 AS b, c, a AS d, c AS e FROM t WHERE a = 5) UNPIVOT ((p, q) FOR n IN ((k, c) AS x, (d, e)))",
         {(5, "x", 2, "y"): 1, (5, "d_e", 5, "y"): 1}),
        ("SELECT k, x, y FROM (SELECT k, c, a FROM t) PIVOT (count(a) FOR c IN ('x', 'y')) WHERE k < 3",
         {(1, 2, None): 1, (2, None, 1): 1}),
    ],
)  # fmt: skip
def test_what_duckdb_has_otherwise(sql: str, rows: dict[tuple[object, ...], int]) -> None:
    assert by_headwater(WORLD, sql, contents(WORLD)) == Counter(rows)
