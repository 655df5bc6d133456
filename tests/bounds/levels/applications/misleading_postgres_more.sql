-- dialect: postgres
CREATE TABLE a (id bigint PRIMARY KEY, t text NOT NULL, k text UNIQUE, n int NOT NULL, v numeric, at timestamptz NOT NULL, p bigint REFERENCES a (id), b boolean NOT NULL, arr int[]);
CREATE TABLE c (id bigint PRIMARY KEY, a_id bigint NOT NULL REFERENCES a (id), n int NOT NULL, m int, x int UNIQUE, UNIQUE (a_id, n));
CREATE TABLE e (a_id bigint NOT NULL, n int NOT NULL, x int, PRIMARY KEY (a_id, n), CARDINALITY LIMIT 20 (a_id));
CREATE TABLE nn (x int, y int, UNIQUE NULLS NOT DISTINCT (x, y));
CREATE TABLE ex (room int NOT NULL, during tstzrange NOT NULL, EXCLUDE USING gist (room WITH =));
CREATE TABLE base (id int PRIMARY KEY, v int);
CREATE TABLE kid () INHERITS (base);
CREATE VIEW va AS SELECT t, count(*) AS cnt FROM a GROUP BY t;
CREATE VIEW vd AS SELECT DISTINCT ON (t) t, id, at FROM a ORDER BY t, at DESC;
CREATE VIEW vu AS SELECT id, n, 'a' AS src FROM a UNION ALL SELECT id, n, 'c' FROM c;
CREATE VIEW vw AS SELECT id, t, row_number() OVER (PARTITION BY t ORDER BY at) AS rn FROM a;
CREATE VIEW vl AS SELECT id, t FROM a ORDER BY id LIMIT 100;

-- name: a01
-- expect: unbounded
SELECT id FROM a WHERE (id = $1) IS NOT FALSE;
-- name: a02
-- expect: unbounded
SELECT id FROM a WHERE (id <> $1) IS NOT TRUE;
-- name: a03
-- expect: unbounded
SELECT id FROM a WHERE COALESCE(id = $1, true);
-- name: a04
-- expect: unbounded
SELECT id FROM a WHERE NOT COALESCE(id <> $1, false);
-- name: a05
-- expect: unbounded
SELECT id FROM a WHERE (id = $1) IS UNKNOWN;
-- name: a06
-- expect: unbounded
SELECT id FROM a WHERE $1 IN (id, n);
-- name: a07
-- expect: unbounded
SELECT id FROM a WHERE id IN ($1, n);
-- name: a08
-- expect: unbounded
SELECT id FROM a WHERE id = id;
-- name: a09
-- expect: unbounded
SELECT id FROM a WHERE id = $1 OR $2;
-- name: a10
-- expect: unbounded
SELECT id FROM a WHERE CASE id WHEN $1 THEN true ELSE $2 END;
-- name: a11
-- expect: unbounded
SELECT id FROM a WHERE NOT (id <> $1 AND n <> $2);
-- name: a12
-- expect: unbounded
SELECT id FROM a WHERE NULLIF(id, $1) IS NOT DISTINCT FROM $2;
-- name: a13
-- expect: SI-0
SELECT id FROM a WHERE id BETWEEN $1 AND $1;
-- name: a14
-- expect: unbounded
SELECT id FROM a WHERE id = ALL (SELECT a_id FROM c WHERE m = $1);
-- name: a15
-- expect: unbounded
SELECT id FROM a WHERE id <> ALL (SELECT a_id FROM c WHERE m = $1) LIMIT 5;
-- name: a16
-- expect: SI-0
SELECT id FROM a WHERE id IN (VALUES (1), (2), ($1));
-- name: a17
-- expect: unbounded
SELECT id FROM a WHERE id IN (SELECT unnest($1::bigint[]));
-- name: a18
-- expect: SI-0
SELECT id FROM a WHERE (id) IN (($1), ($2));
-- name: a19
-- expect: unbounded
SELECT id FROM a WHERE id = ANY (SELECT p FROM a WHERE t = $1);
-- name: a20
-- expect: unbounded
SELECT id FROM a WHERE n = $1 LIMIT $2 * 100000000;
-- name: a21
-- expect: SI-1
SELECT count(*) FROM (SELECT DISTINCT n FROM a WHERE t = $1 ORDER BY n LIMIT 10) q;
-- name: a22
-- expect: unbounded
SELECT count(*) FROM (SELECT DISTINCT n FROM a WHERE t = $1) q;
-- name: a23
-- expect: unbounded
SELECT x.id FROM a JOIN a x ON x.p = a.p WHERE a.id = $1;
-- name: a24
-- expect: SI-0
SELECT x.id FROM a JOIN a x ON x.id = a.p WHERE a.id = $1;
-- name: a25
-- expect: unbounded
SELECT x.id FROM a JOIN a x ON x.p = a.id WHERE a.id = $1;
-- name: a26
-- expect: unbounded
SELECT a.id FROM a LEFT JOIN c ON c.a_id = a.id WHERE c.m = $1;
-- name: a27
-- expect: SI-1
SELECT a.id FROM a LEFT JOIN c ON c.a_id = a.id WHERE c.x = $1;
-- name: a28
-- expect: unbounded
SELECT a.id FROM a RIGHT JOIN c ON c.a_id = a.id AND a.id = $1;
-- name: a29
-- expect: SI-2
SELECT cnt FROM va WHERE t = $1;
-- name: a30
-- expect: unbounded
SELECT t FROM va WHERE cnt > $1;
-- name: a31
-- expect: SI-2
SELECT t FROM va ORDER BY cnt DESC LIMIT 10;
-- name: a32
-- expect: SI-1
SELECT id FROM vd WHERE t = $1;
-- name: a33
-- expect: unbounded
SELECT id FROM vd WHERE at > $1;
-- name: a34
-- expect: unbounded
SELECT id FROM vd WHERE id = $1;
-- name: a35
-- expect: SI-0
SELECT src FROM vu WHERE id = $1;
-- name: a36
-- expect: unbounded
SELECT src FROM vu WHERE n = $1;
-- name: a37
-- expect: SI-1
SELECT id FROM vu WHERE n = $1 ORDER BY id LIMIT 10;
-- name: a38
-- expect: SI-1
SELECT id FROM vw WHERE t = $1 AND rn <= 3;
-- name: a39
-- expect: unbounded
SELECT rn FROM vw WHERE id = $1;
-- name: a40
-- expect: SI-0
SELECT id FROM vl WHERE t = $1;
-- name: a41
-- expect: SI-0
SELECT count(*) FROM vl;
-- name: a42
-- expect: unbounded
SELECT * FROM base WHERE id = $1;
-- name: a43
-- expect: SI-1
SELECT * FROM nn WHERE x = $1 AND y = $2;
-- name: a44
-- expect: unbounded
SELECT * FROM ex WHERE during @> $1::timestamptz;
-- name: a45
-- expect: unbounded
UPDATE e SET x = 1 FROM c WHERE e.a_id = $1;
-- name: a46
-- expect: unbounded
UPDATE a SET n = (SELECT count(*) FROM c WHERE c.m = a.n) WHERE t = $1;
-- name: a47
-- expect: SI-1
UPDATE a SET n = 1 WHERE k = $1;
-- name: a48
-- expect: unbounded
INSERT INTO nn (x, y) SELECT n, m FROM c WHERE a_id = $1 RETURNING x;
-- name: a49
-- expect: unbounded
DELETE FROM c WHERE ctid IN (SELECT ctid FROM c WHERE m = $1 LIMIT 100);
-- name: a50
-- expect: SI-0
WITH a AS (SELECT id, n FROM c WHERE id = $1) SELECT n FROM a;
-- name: a51
-- expect: unbounded
WITH q AS (SELECT id FROM a WHERE t = $1) SELECT (SELECT count(*) FROM q) AS n, (SELECT max(id) FROM q WHERE id % 2 = 0 AND id < $2) AS m, (SELECT string_agg(id::text, ',') FROM q) AS s;
-- name: a52
-- expect: unbounded
SELECT string_agg(t, ',' ORDER BY id) FROM (SELECT id, t FROM a WHERE n = $1 ORDER BY at OFFSET 5) q;
-- name: a53
-- expect: SI-1
SELECT string_agg(t, ',' ORDER BY id) FROM (SELECT id, t FROM a WHERE n = $1 ORDER BY at LIMIT 5) q;
-- name: a54
-- expect: unbounded
SELECT mode() WITHIN GROUP (ORDER BY n) FROM a WHERE t = $1;
-- name: a55
-- expect: unbounded
SELECT n, count(*) FROM a WHERE t = $1 GROUP BY CUBE (n);
-- name: a56
-- expect: unbounded
SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM c WHERE c.a_id = a.id AND c.n = $1) AND t = $2;
-- name: a57
-- expect: unbounded
SELECT a.id FROM a WHERE t = $1 AND (SELECT count(*) FROM c WHERE c.a_id = a.id) > 3 LIMIT 5;
-- name: a58
-- expect: unbounded
SELECT id FROM a WHERE t = $1 AND n = (SELECT max(n) FROM a);
-- name: a59
-- expect: SI-1
SELECT id FROM a WHERE t = $1 AND n = (SELECT max(n) FROM a) LIMIT 5;
-- name: a60
-- expect: unbounded
SELECT id FROM a WHERE t = $1 ORDER BY n <-> $2 LIMIT 5;
-- name: a61
-- expect: SI-1
SELECT id FROM a WHERE t = $1 ORDER BY b DESC, n LIMIT 5;
-- name: a62
-- expect: SI-1
SELECT id FROM a WHERE t = $1 ORDER BY (n = 3) DESC, id LIMIT 5;
-- name: a63
-- expect: unbounded
SELECT id FROM a WHERE t = $1 ORDER BY (n = $2) DESC, id LIMIT 5;
-- name: a64
-- expect: unbounded
SELECT DISTINCT ON (n) id FROM a WHERE t = $1 ORDER BY n, at DESC;
-- name: a65
-- expect: SI-1
SELECT DISTINCT ON (n) id FROM a WHERE t = $1 ORDER BY n, at DESC LIMIT 5;
-- name: a66
-- expect: unbounded
SELECT DISTINCT t, (n > $1) FROM a LIMIT 10;
-- name: a67
-- expect: unbounded
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n WHERE e.a_id = $1;
-- name: a68
-- expect: SI-1
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n AND c.a_id = e.a_id WHERE e.a_id = $1;
-- name: a69
-- expect: SI-1
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n WHERE e.a_id = $1 LIMIT 10;
-- name: a70
-- expect: SI-1
SELECT e.n, c.id FROM e JOIN c ON c.n = e.n WHERE e.a_id = $1 ORDER BY c.m LIMIT 10;
-- name: a71
-- expect: unbounded
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n AND c.m > e.x WHERE e.a_id = $1 AND c.id IS NULL LIMIT 10;
-- name: a72
-- expect: unbounded
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n WHERE e.a_id = $1 ORDER BY c.m DESC NULLS LAST LIMIT 10;
-- name: a73
-- expect: unbounded
SELECT e.n, c.id FROM e LEFT JOIN c ON c.n = e.n AND c.m % $2 = 0 WHERE e.a_id = $1 LIMIT 10;
-- name: a74
-- expect: SI-2
SELECT a.id, count(c.id) FROM a LEFT JOIN c ON c.n = a.n WHERE a.t = $1 GROUP BY a.id ORDER BY a.id LIMIT 10 OFFSET 1000000000;
-- name: a75
-- expect: unbounded
SELECT n FROM a WHERE t = $1 UNION SELECT m FROM c WHERE n > $2 AND m < $3 ORDER BY 1 LIMIT 5;
-- name: a76
-- expect: unbounded
SELECT n % $2 FROM a WHERE t = $1 UNION SELECT 1 LIMIT 5;
-- name: a77
-- expect: unbounded
SELECT n, random() FROM a WHERE t = $1 UNION SELECT n, 0 FROM c ORDER BY 2 LIMIT 5;
-- name: a78
-- expect: unbounded
SELECT n, v FROM a WHERE t = $1 UNION SELECT n, m FROM c WHERE a_id = $2 EXCEPT SELECT n, x FROM c LIMIT 5;
-- name: a79
-- expect: unbounded
(SELECT n FROM a WHERE t = $1 UNION SELECT n FROM c) INTERSECT SELECT m FROM c LIMIT 5;
-- name: a80
-- expect: unbounded
SELECT n FROM a WHERE t = $1 GROUP BY n UNION SELECT n FROM c GROUP BY n HAVING count(*) > $2 LIMIT 5;
-- name: a81
-- expect: SI-1
SELECT max(at), min(at) FROM a WHERE t = $1 AND n = $2;
-- name: a82
-- expect: unbounded
SELECT max(at + $2 * interval '1 day') FROM a WHERE t = $1 AND v > $3;
-- name: a83
-- expect: unbounded
SELECT max(at) - min(at), count(DISTINCT n) FROM a WHERE t = $1;
-- name: a84
-- expect: unbounded
SELECT array_agg(id ORDER BY at DESC) FROM a WHERE t = $1 LIMIT 1;
-- name: a85
-- expect: unbounded
SELECT (array_agg(id ORDER BY at DESC))[1] FROM a WHERE t = $1;
