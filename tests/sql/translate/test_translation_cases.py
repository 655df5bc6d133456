"""SELECTs with a shape that chance does not make, each compared with DuckDB."""

from __future__ import annotations

from collections import Counter

import pytest
import sqlglot

from support.sql.small_world import WORLD
from support.sql.translation import by_headwater, connection, contents, plain

CASES = [
    "SELECT k, a, b FROM t JOIN u USING (k)",
    "SELECT * FROM t JOIN w USING (k)",
    "SELECT k, a, b FROM t LEFT JOIN u USING (k)",
    "SELECT k, a, b FROM t RIGHT JOIN u USING (k)",
    "SELECT k, a, b FROM t FULL JOIN u USING (k)",
    "SELECT t.k AS left_k, u.k AS right_k, k FROM t FULL JOIN u USING (k)",
    "SELECT k, a, b, e FROM t JOIN u USING (k) JOIN w USING (k)",
    "SELECT k, c, a, b FROM t JOIN u USING (k, c)",
    "SELECT k, c, a, b FROM t NATURAL JOIN u",
    "SELECT k, e FROM t NATURAL LEFT JOIN w",
    "SELECT t.a, u.b FROM t, u, w WHERE t.k = u.k AND w.k = t.k",
    "SELECT t.a, u.b FROM t, w LEFT JOIN u ON u.k = w.k WHERE t.k = w.k",
    "SELECT t.a, u.b FROM t, u WHERE 1 = 1 AND t.k = u.k",
    "SELECT t.a, u.b FROM t, u WHERE 2 > 1 AND t.k = u.k AND t.a < 5",
    "SELECT t.a, u.b FROM t LEFT JOIN u ON t.k = u.k WHERE 1 = 2 OR u.b IS NULL",
    "SELECT x.a, y.e FROM (t AS x JOIN w AS y ON x.k = y.k)",
    "SELECT x.a, z.b FROM t x LEFT JOIN (u z JOIN w ON w.k = z.k) ON x.k = z.k",
    "SELECT s.p, s.q FROM (SELECT k, a + 1 FROM t) AS s(p, q)",
    "WITH c(p, q) AS (SELECT k, a FROM t), d AS (SELECT p, count(*) AS n FROM c GROUP BY p) "
    "SELECT c.p, c.q, d.n FROM c JOIN d ON c.p = d.p",
    "WITH c AS (SELECT k FROM t), c2 AS (WITH c AS (SELECT k FROM u) SELECT k FROM c) SELECT k FROM c2",
    "SELECT k AS x, x + 1 AS y, y * 2 AS z FROM t",
    "SELECT k, count(*) AS n, n * 2 AS m FROM t GROUP BY k",
    "SELECT k, c, count(*) AS n FROM t GROUP BY ALL",
    "SELECT k % 2 AS odd, sum(a) AS s FROM t GROUP BY odd",
    "SELECT a AS k, count(*) AS n FROM t GROUP BY t.k, a",
    "SELECT k, sum(a) AS a FROM t GROUP BY k HAVING a > 1",
    "SELECT k, sum(a) AS a FROM t GROUP BY k HAVING sum(a) > 1",
    "SELECT sum(a) AS s FROM t HAVING s > 100",
    "SELECT k, sum(a) AS a, count(*) AS n FROM t GROUP BY k HAVING k > 1 AND n > 1 AND t.k IS NOT NULL",
    "SELECT k % 2 AS p, max(a) AS a FROM t GROUP BY k % 2 HAVING p = 1",
    "SELECT k FROM (SELECT k, c, count(*) AS n FROM t GROUP BY k, c) g WHERE k > 1 OR n > 1",
    "SELECT c FROM (SELECT DISTINCT k, c FROM t) d WHERE k > 1",
    "SELECT c FROM t GROUP BY c HAVING count(*) > 1 AND c IN (SELECT c FROM u)",
    "SELECT count(*) AS n FROM t GROUP BY c HAVING c IN (SELECT c FROM u)",
    "SELECT k AS c, count(*) AS n FROM t GROUP BY k, t.c HAVING t.c IN (SELECT c FROM u)",
    "SELECT k, c FROM t INTERSECT SELECT k, c FROM u",
    "SELECT k, c FROM t EXCEPT SELECT k, c FROM u",
    "SELECT k FROM t EXCEPT SELECT k FROM u UNION ALL SELECT k FROM w",
    "SELECT k FROM t WHERE a NOT IN (SELECT b FROM u)",
    "SELECT a FROM t WHERE k IS NOT NULL AND k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
    "SELECT a FROM t WHERE k > 0 AND k NOT IN (SELECT k FROM w)",
    "SELECT a FROM t WHERE (k, c) IN (SELECT k, c FROM u)",
    "SELECT a FROM t WHERE k IN (SELECT k FROM u GROUP BY k HAVING count(*) > 1)",
    "SELECT a FROM t WHERE NOT (NOT (k IN (SELECT k FROM u)))",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN w ON u.k = w.k WHERE u.k = t.k AND w.e <> t.c)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND EXISTS (SELECT 1 FROM w WHERE w.k = u.k))",
    "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND t.a > 1)",
    "SELECT s.one, count(*) AS n FROM (SELECT 1 AS one, k FROM t) s JOIN u ON s.one = u.k GROUP BY s.one",
    "SELECT t.a, s.flag FROM t LEFT JOIN (SELECT k, TRUE AS flag FROM u) s ON s.k = t.k",
    "SELECT count(DISTINCT k, c) AS n, count(DISTINCT c) AS o FROM t",
    "SELECT DISTINCT k IS NULL AS missing FROM t",
    "SELECT t.* EXCEPT (a) FROM t WHERE a < 3",
    "SELECT max(a) - min(a) AS span, avg(a) AS mean, stddev(a) AS dev FROM t",
    "SELECT a FROM t ORDER BY k DESC",
    "SELECT max(s.n) AS most FROM (SELECT k, count(*) AS n FROM t GROUP BY k) s",
    "SELECT a FROM (SELECT a AS a FROM t) s JOIN w ON w.k = s.a",
    "SELECT T.A FROM T WHERE t.`K` = 1",
]


@pytest.mark.parametrize("sql", CASES)
def test_case(sql: str) -> None:
    written = sqlglot.transpile(sql, read="spark", write="duckdb")[0]
    rows = connection(WORLD).execute(written).fetchall()
    expected = Counter(tuple(rounded(value) for value in row) for row in rows)
    computed = by_headwater(WORLD, sql, contents(WORLD))
    assert Counter({tuple(map(rounded, row)): weight for row, weight in computed.items()}) == expected


def rounded(value: object) -> object:
    value = plain(value)
    return round(value, 9) if isinstance(value, float) else value
