CREATE TABLE a (id BIGINT PRIMARY KEY, k STRING UNIQUE, t STRING NOT NULL, n INT NOT NULL, v DOUBLE, dc DECIMAL(10, 2) NOT NULL, at TIMESTAMP NOT NULL, ok BOOLEAN, UNIQUE (dc));
CREATE TABLE c (id BIGINT PRIMARY KEY, a_id BIGINT NOT NULL REFERENCES a (id), n INT NOT NULL, at TIMESTAMP, CARDINALITY LIMIT 30 (a_id));
CREATE TABLE ev (a_id BIGINT, at TIMESTAMP TEMPORAL, kind STRING NOT NULL, PRIMARY KEY (a_id, at));
CREATE TABLE sz (code STRING PRIMARY KEY, x INT, CARDINALITY LIMIT 50 ());

-- name: d01
-- expect: unbounded
SELECT id FROM a WHERE dc = v AND v = :v;
-- name: d02
-- expect: unbounded
SELECT x.id FROM a x JOIN a y ON x.dc = y.v WHERE y.id = :id;
-- name: d03
-- expect: unbounded
SELECT id FROM a WHERE dc = sqrt(:x);
-- name: d04
-- expect: unbounded
SELECT id FROM a WHERE k = n;
-- name: d05
-- expect: unbounded
SELECT id FROM a WHERE (id = :id) IS NOT FALSE;
-- name: d06
-- expect: unbounded
SELECT id FROM a WHERE coalesce(id = :id, true);
-- name: d07
-- expect: unbounded
SELECT id FROM a WHERE NOT (id <=> :id);
-- name: d08
-- expect: SI-0
SELECT id FROM a WHERE id <=> :id;
-- name: d09
-- expect: unbounded
SELECT id FROM a WHERE k <=> :k;
-- name: d10
-- expect: SI-1
SELECT id FROM a WHERE k <=> 'x';
-- name: d11
-- expect: unbounded
SELECT id FROM a WHERE ok;
-- name: d12
-- expect: unbounded
SELECT id FROM a WHERE nvl(id, :x) = :y AND :z;
-- name: d13
-- expect: unbounded
SELECT id FROM a WHERE t = :t ORDER BY monotonically_increasing_id(), id LIMIT 5;
-- name: d14
-- expect: unbounded
SELECT id FROM a TABLESAMPLE (10 ROWS);
-- name: d15
-- expect: unbounded
SELECT a.id FROM a JOIN sz ON a.t = sz.code;
-- name: d16
-- expect: SI-1
SELECT sz.code, a.id FROM sz JOIN a ON a.k = sz.code;
-- name: d17
-- expect: SI-1
SELECT code, (SELECT max(n) FROM a WHERE a.t = sz.code) AS m FROM sz ORDER BY m;
-- name: d18
-- expect: unbounded
SELECT code, (SELECT max(n) FROM a WHERE a.t = sz.code AND a.v > :v) AS m FROM sz;
-- name: d19
-- expect: SI-2
SELECT code, (SELECT count(*) FROM a WHERE a.t = sz.code) AS m FROM sz ORDER BY m DESC;
-- name: d20
-- expect: unbounded
SELECT a.t, max(c.at) FROM a JOIN c ON c.a_id = a.id GROUP BY a.t ORDER BY 2 DESC LIMIT 5;
-- name: d21
-- expect: SI-1
SELECT max(at) FROM c WHERE a_id = :a;
-- name: d22
-- expect: unbounded
SELECT kind, count(*) FROM ev WHERE a_id = :a GROUP BY kind;
-- name: d23
-- expect: SI-2
SELECT count(*) FROM ev WHERE a_id = :a AND kind = :k;
-- name: d24
-- expect: SI-3
SELECT kind FROM ev ORDER BY at DESC LIMIT 5;
-- name: d25
-- expect: SI-0
SELECT kind FROM ev WHERE a_id = :a ORDER BY at DESC LIMIT 5;
-- name: d26
-- expect: SI-1
SELECT at FROM ev WHERE kind = :k ORDER BY at DESC LIMIT 5;
-- name: d27
-- expect: unbounded
SELECT count(*) FROM ev WHERE a_id = :a AND at > :since;
-- name: d28
-- expect: unbounded
SELECT sum(n) FILTER (WHERE v > :v) FROM a WHERE t = :t;
-- name: d29
-- expect: unbounded
SELECT percentile_approx(v, 0.5) FROM a WHERE t = :t;
-- name: d30
-- expect: SI-1
SELECT percentile_approx(n, 0.5) FROM c WHERE a_id = :a;
-- name: d31
-- expect: unbounded
SELECT id FROM a WHERE id IN (SELECT explode(sequence(1, :n)));
-- name: d32
-- expect: unbounded
SELECT id, lag(n) OVER (ORDER BY at) FROM a WHERE t = :t LIMIT 5;
-- name: d33
-- expect: unbounded
SELECT * FROM (SELECT id, ntile(4) OVER (ORDER BY at) AS q FROM a WHERE t = :t) WHERE q = 1 LIMIT 5;
-- name: d34
-- expect: unbounded
SELECT * FROM (SELECT id, row_number() OVER (ORDER BY at) AS rn FROM a WHERE t = :t) WHERE rn % 2 = 0 LIMIT 5;
-- name: d35
-- expect: unbounded
SELECT * FROM (SELECT id, row_number() OVER (ORDER BY at) AS rn FROM a WHERE t = :t) WHERE rn > 5;
-- name: d36
-- expect: unbounded
SELECT * FROM (SELECT id, row_number() OVER (ORDER BY at) AS rn FROM a WHERE t = :t) WHERE rn <= :n * 100000000;
-- name: d37
-- expect: SI-1
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY n ORDER BY at) AS rn FROM a WHERE t = :t AND n IN (1, 2)) WHERE rn < 3;
-- name: d38
-- expect: unbounded
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY n ORDER BY at) AS rn FROM a WHERE t = :t) WHERE rn < 3;
-- name: d39
-- expect: unbounded
SELECT * FROM (SELECT id, n, row_number() OVER (PARTITION BY n ORDER BY at) AS rn FROM a WHERE t = :t) WHERE rn = 1 OR n = :n;
-- name: d40
-- expect: unbounded
SELECT id FROM a WHERE t = :t MINUS SELECT a_id FROM c WHERE n = :n LIMIT 4;
