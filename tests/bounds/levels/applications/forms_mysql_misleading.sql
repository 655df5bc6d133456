-- dialect: mysql
CREATE TABLE t (id int PRIMARY KEY, c char(10) NOT NULL UNIQUE, n int, d decimal(10,2) UNIQUE, f float UNIQUE, e enum('a','b') NOT NULL, b bit(1) NOT NULL, s set('p','q') NOT NULL, y year NOT NULL, dt datetime NOT NULL, js json, g int AS (n + 1) STORED UNIQUE, gv int GENERATED ALWAYS AS (js->>'$.k') VIRTUAL);
CREATE TABLE m (x int NOT NULL, e enum('a','b') NOT NULL, s set('p','q') NOT NULL, b bit(1) NOT NULL, y year NOT NULL, PRIMARY KEY (x, e), UNIQUE (x, s), UNIQUE (x, y));
CREATE TABLE ch (x int NOT NULL, z int NOT NULL, PRIMARY KEY (x, z), CHECK (z IN (1, 2)) NOT ENFORCED);
CREATE TABLE mem (x int NOT NULL, z int NOT NULL, PRIMARY KEY (x, z), CONSTRAINT ck CHECK (z IN (1, 2)));
ALTER TABLE mem ALTER CHECK ck NOT ENFORCED;
CREATE TABLE inv (x int NOT NULL, UNIQUE KEY ux (x) INVISIBLE);
CREATE TABLE pre (t varchar(200) NOT NULL, UNIQUE KEY (t(10)));

-- name: m1
-- expect: SI-1
SELECT * FROM t WHERE c = ?;
-- name: m2
-- expect: unbounded
SELECT * FROM t WHERE c = 0;
-- name: m3
-- expect: unbounded
SELECT * FROM t WHERE c + 0 = ?;
-- name: m4
-- expect: SI-1
SELECT * FROM t WHERE d = 1.5;
-- name: m5
-- expect: SI-1
SELECT * FROM t WHERE g = ?;
-- name: m6
-- expect: unbounded
SELECT * FROM t WHERE n = ?;
-- name: m7
-- expect: SI-0
SELECT * FROM m WHERE x = ?;
-- name: m8
-- expect: unbounded
SELECT * FROM ch WHERE x = ?;
-- name: m9
-- expect: unbounded
SELECT * FROM mem WHERE x = ?;
-- name: m10
-- expect: SI-1
SELECT * FROM inv WHERE x = ?;
-- name: m11
-- expect: SI-1
SELECT * FROM pre WHERE t = ?;
-- name: m12
-- expect: unbounded
SELECT * FROM t WHERE id <=> NULL OR n = 4;
-- name: m13
-- expect: SI-0
SELECT * FROM t WHERE id <=> ?;
-- name: m14
-- expect: unbounded
SELECT * FROM t WHERE n <=> ?;
-- name: m15
-- expect: unbounded
SELECT * FROM t WHERE id = '1abc' || n;
-- name: m16
-- expect: SI-0
SELECT * FROM t WHERE id = n && n = ?;
-- name: m17
-- expect: unbounded
SELECT * FROM t WHERE id = ? XOR n = ?;
-- name: m18
-- expect: unbounded
SELECT * FROM t WHERE FIND_IN_SET(id, ?);
-- name: m19
-- expect: SI-0
SELECT * FROM t WHERE FIELD(id, 3, 1, 2) AND id IN (1, 2, 3) ORDER BY FIELD(id, 3, 1, 2);
-- name: m20
-- expect: unbounded
SELECT * FROM t WHERE JSON_CONTAINS(js, ?, '$.a');
-- name: m21
-- expect: unbounded
SELECT * FROM t WHERE 5 MEMBER OF (js->'$.ids');
-- name: m22
-- expect: unbounded
SELECT id FROM t WHERE id IN (SELECT jt.v FROM JSON_TABLE(?, '$[*]' COLUMNS (v int PATH '$')) jt);
-- name: m23
-- expect: unbounded
SELECT * FROM t WHERE n = ? LIMIT 18446744073709551615;
-- name: m24
-- expect: unbounded
SELECT * FROM t WHERE n = ? LIMIT 5, 18446744073709551610;
-- name: m25
-- expect: unbounded
SELECT * FROM t WHERE n = ? LIMIT 999999999999;
-- name: m26
-- expect: SI-1
SELECT * FROM t WHERE n = ? ORDER BY dt LIMIT 5;
-- name: m27
-- expect: unbounded
SELECT @row := @row + 1, id FROM t, (SELECT @row := 0) r WHERE n = ? ORDER BY id;
-- name: m28
-- expect: unbounded
SELECT id FROM t WHERE id = @last OR @last := id LIMIT 5;
-- name: m29
-- expect: unbounded
SELECT e, MAX(dt) FROM t GROUP BY e WITH ROLLUP;
-- name: m30
-- expect: unbounded
SELECT e, COUNT(*) FROM t WHERE n > ? GROUP BY e;
-- name: m31
-- expect: unbounded
SELECT id FROM t WHERE BINARY c = ? AND n = 3 AND e = 3 OR f = 0.1;
-- name: m32
-- expect: SI-1
SELECT id FROM t WHERE f = 0.1;
-- name: m33
-- expect: unbounded
SELECT id FROM t WHERE c LIKE 'a_';
-- name: m34
-- expect: unbounded
SELECT id FROM t WHERE c = 'a' COLLATE utf8mb4_general_ci;
-- name: m35
-- expect: SI-1
SELECT id FROM t WHERE c = CONVERT(? USING utf8mb4);
-- name: m36
-- expect: unbounded
SELECT id FROM t WHERE NOT c <> ? COLLATE utf8mb4_bin;
-- name: m37
-- expect: unbounded
SELECT id FROM t STRAIGHT_JOIN m WHERE t.id = ?;
-- name: m38
-- expect: unbounded
SELECT DISTINCTROW n FROM t WHERE dt > ? LIMIT 10;
-- name: m39
-- expect: unbounded
UPDATE t JOIN m ON m.y = t.y SET t.n = 0 WHERE t.id = ?;
-- name: m40
-- expect: unbounded
UPDATE t SET n = n + 1 ORDER BY dt;
-- name: m41
-- expect: unbounded
SELECT * FROM t WHERE id = ? PROCEDURE ANALYSE();
-- name: m42
-- expect: unbounded
SELECT * FROM t WHERE id IN (1, 2, n);
-- name: m43
-- expect: unbounded
SELECT * FROM t WHERE id BETWEEN ? AND 100 + ?;
-- name: m44
-- expect: unbounded
SELECT * FROM t WHERE id IN (?, ?, ?) IS NULL;
-- name: m45
-- expect: unbounded
SELECT * FROM t WHERE -id = ? OR ~id = ? OR !id;
