-- dialect: sqlite
CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT NOT NULL, k TEXT UNIQUE, n INTEGER NOT NULL, at TEXT NOT NULL, f INTEGER NOT NULL CHECK (f IN (0, 1)));
CREATE TABLE s (id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, nc TEXT NOT NULL COLLATE NOCASE UNIQUE, r REAL NOT NULL UNIQUE, f INTEGER NOT NULL CHECK (f BETWEEN 0 AND 1), g INTEGER NOT NULL, UNIQUE (g, f)) STRICT;
CREATE TABLE w (g INTEGER, h INTEGER, v TEXT, PRIMARY KEY (g, h)) WITHOUT ROWID;
CREATE TABLE p (g INTEGER, h INTEGER, v TEXT, PRIMARY KEY (g, h));
CREATE TABLE dd (id INTEGER PRIMARY KEY DESC, v TEXT);
CREATE TABLE ii (id INT PRIMARY KEY, v TEXT);
CREATE UNIQUE INDEX a_tn ON a (t, n) WHERE f = 1;
CREATE UNIQUE INDEX a_expr ON a (t, substr(at, 1, 10));
CREATE UNIQUE INDEX a_nc ON a (at COLLATE NOCASE);

-- name: c01
-- expect: SI-0
SELECT t FROM a WHERE id = ?;
-- name: c02
-- expect: unbounded
SELECT t FROM a WHERE k IS ?;
-- name: c03
-- expect: SI-1
SELECT t FROM a WHERE k IS 'x';
-- name: c04
-- expect: unbounded
SELECT t FROM a WHERE k IS NOT ?;
-- name: c05
-- expect: unbounded
SELECT t FROM a WHERE id;
-- name: c06
-- expect: unbounded
SELECT t FROM a WHERE +id;
-- name: c07
-- expect: unbounded
SELECT t FROM a WHERE id == ? OR 1;
-- name: c08
-- expect: SI-0
SELECT t FROM a WHERE id == ?;
-- name: c09
-- expect: SI-1
SELECT t FROM a WHERE t = ? AND n = ? AND f = 1;
-- name: c10
-- expect: unbounded
SELECT t FROM a WHERE t = ? AND n = ? AND f;
-- name: c11
-- expect: unbounded
SELECT t FROM a WHERE t = ? AND n = ?;
-- name: c12
-- expect: SI-1
SELECT t FROM a WHERE t = ? AND substr(at, 1, 10) = ?;
-- name: c13
-- expect: unbounded
SELECT t FROM a WHERE t = ? AND substr(at, 1, 7) = ?;
-- name: c14
-- expect: unbounded
SELECT t FROM a WHERE t = ? AND date(at) = ?;
-- name: c15
-- expect: SI-1
SELECT id FROM s WHERE nc = ?;
-- name: c16
-- expect: unbounded
SELECT id FROM s WHERE k = ? COLLATE NOCASE;
-- name: c17
-- expect: unbounded
SELECT x.id FROM s x JOIN s y ON x.k = y.nc WHERE y.id = ?;
-- name: c18
-- expect: unbounded
SELECT x.id FROM s x JOIN s y ON y.nc = x.k WHERE x.id = ? AND y.nc > x.k;
-- name: c19
-- expect: SI-1
SELECT id FROM s WHERE r = ?;
-- name: c20
-- expect: SI-1
SELECT id FROM s WHERE g = ?;
-- name: c21
-- expect: unbounded
SELECT v FROM p WHERE g = ? AND h IS NULL;
-- name: c22
-- expect: SI-0
SELECT v FROM w WHERE g = ? AND h IS ?;
-- name: c23
-- expect: SI-0
SELECT v FROM w WHERE g = ? AND h = ?;
-- name: c24
-- expect: unbounded
SELECT v FROM ii WHERE id IS ?;
-- name: c25
-- expect: SI-0
SELECT v FROM ii WHERE id = ?;
-- name: c26
-- expect: unbounded
SELECT v FROM dd WHERE id IS NULL;
-- name: c27
-- expect: unbounded
SELECT t FROM a WHERE k GLOB ? LIMIT 5;
-- name: c28
-- expect: unbounded
SELECT t FROM a WHERE k LIKE 'abc%';
-- name: c29
-- expect: unbounded
SELECT t FROM a WHERE id IN (SELECT value FROM json_each(?));
-- name: c30
-- expect: unbounded
SELECT t FROM a ORDER BY random() LIMIT 1;
-- name: c31
-- expect: unbounded
SELECT t FROM a WHERE n = ? ORDER BY abs(random()) % 10, id LIMIT 1;
-- name: c32
-- expect: unbounded
SELECT t FROM a WHERE n = ? AND id > abs(random()) LIMIT 1;
-- name: c33
-- expect: unbounded
SELECT t, max(n) FROM a WHERE f = ? AND k > ?;
-- name: c34
-- expect: SI-1
SELECT t, max(n) FROM a WHERE k = ?;
-- name: c35
-- expect: unbounded
SELECT t FROM a WHERE n = ? GROUP BY t;
-- name: c36
-- expect: unbounded
SELECT t FROM a WHERE n = ? LIMIT -1 OFFSET 5;
-- name: c37
-- expect: unbounded
SELECT t FROM a WHERE n = ? LIMIT (SELECT count(*) FROM a);
-- name: c38
-- expect: unbounded
DELETE FROM a WHERE n = ?;
-- name: c39
-- expect: SI-1
DELETE FROM a WHERE k = ?;
-- name: c40
-- expect: unbounded
UPDATE a SET t = ? WHERE k = ? OR t = ?;
-- name: c41
-- expect: SI-0
UPDATE OR IGNORE a SET t = ? WHERE id = ?;
-- name: c42
-- expect: unbounded
SELECT t FROM a WHERE (n, k) = (SELECT n, k FROM a WHERE t = ?);
-- name: c43
-- expect: unbounded
SELECT t FROM a NOT INDEXED WHERE n = ?;
-- name: c44
-- expect: unbounded
SELECT t FROM a WHERE iif(?, id = ?, 1);
-- name: c45
-- expect: unbounded
SELECT t FROM a WHERE id BETWEEN ? AND ? + 5;
-- name: c46
-- expect: SI-0
SELECT t FROM a WHERE id BETWEEN ?1 AND ?1 + 5;
-- name: c47
-- expect: unbounded
WITH RECURSIVE q(x) AS (SELECT ? UNION ALL SELECT x + 1 FROM q LIMIT 1000000) SELECT x FROM q;
-- name: c48
-- expect: unbounded
SELECT at FROM a WHERE at = ?;
