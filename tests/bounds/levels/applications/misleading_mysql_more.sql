-- dialect: mysql
CREATE TABLE a (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, t varchar(50) NOT NULL, k varchar(50) UNIQUE, n int NOT NULL, f tinyint(1) NOT NULL, at datetime(6) NOT NULL, d date, p bigint unsigned, dec1 decimal(10,2) NOT NULL UNIQUE);
CREATE TABLE c (id bigint unsigned NOT NULL PRIMARY KEY, a_id bigint unsigned NOT NULL, n int NOT NULL, m int, dbl double, UNIQUE KEY (a_id, n), FOREIGN KEY (a_id) REFERENCES a (id));
CREATE TABLE ym (y year NOT NULL, mth tinyint NOT NULL, g int NOT NULL, v int, PRIMARY KEY (g, y, mth));
CREATE TABLE ts (id timestamp(6) NOT NULL PRIMARY KEY, v int);
CREATE TABLE bin1 (h binary(16) NOT NULL PRIMARY KEY, v int);
CREATE TABLE st (s set('a','b','c') NOT NULL, g int NOT NULL, PRIMARY KEY (g, s));
CREATE TABLE en (e enum('a','b') NOT NULL, g int NOT NULL, v int, PRIMARY KEY (g, e));
CREATE TABLE bl (b bit(1) NOT NULL, g int NOT NULL, v int, PRIMARY KEY (g, b));
CREATE TABLE chk (g int NOT NULL, s varchar(5) NOT NULL, CONSTRAINT ck CHECK (s IN ('x', 'y')), PRIMARY KEY (g, s));
CREATE TABLE chk2 (g int NOT NULL, s varchar(5), CONSTRAINT ck2 CHECK (s IN ('x', 'y')), UNIQUE KEY (g, s));
CREATE TABLE chk3 (g int NOT NULL, s int NOT NULL CHECK (s > 0 AND s < 10), PRIMARY KEY (g, s));
CREATE TABLE chk4 (g int NOT NULL, s decimal(4,1) NOT NULL CHECK (s > 0 AND s < 10), PRIMARY KEY (g, s));

-- name: b01
-- expect: unbounded
SELECT t FROM a WHERE dec1 = (SELECT dbl FROM c WHERE id = ?);
-- name: b02
-- expect: SI-1
SELECT t FROM a WHERE dec1 = ?;
-- name: b03
-- expect: unbounded
SELECT t FROM a WHERE dec1 = SQRT(?);
-- name: b04
-- expect: unbounded
SELECT t FROM a JOIN c ON a.dec1 = c.dbl WHERE c.id = ?;
-- name: b05
-- expect: unbounded
SELECT t FROM a WHERE k = n AND n = ?;
-- name: b06
-- expect: unbounded
SELECT t FROM a WHERE k = DATE(?);
-- name: b07
-- expect: unbounded
SELECT x.t FROM a x JOIN a y ON x.k = y.d WHERE y.id = ?;
-- name: b08
-- expect: unbounded
SELECT x.t FROM a x JOIN ym y ON x.k = y.y WHERE y.g = ? AND y.y = ? AND y.mth = ?;
-- name: b09
-- expect: unbounded
SELECT x.t FROM a x WHERE x.k IN (SELECT y FROM ym WHERE g = ? AND mth = 1 AND y = ?);
-- name: b10
-- expect: SI-0
SELECT v FROM ym WHERE g = ? AND y = ?;
-- name: b11
-- expect: SI-0
SELECT v FROM ym WHERE g = ? AND y = ? AND mth IN (1, 2, 3);
-- name: b12
-- expect: SI-0
SELECT v FROM ts WHERE id = NOW(6);
-- name: b13
-- expect: unbounded
SELECT v FROM ts WHERE DATE(id) = CURDATE();
-- name: b14
-- expect: SI-0
SELECT v FROM bin1 WHERE h = UNHEX(?);
-- name: b15
-- expect: unbounded
SELECT v FROM bin1 WHERE HEX(h) = ?;
-- name: b16
-- expect: unbounded
SELECT v FROM bin1 WHERE h = 7;
-- name: b17
-- expect: SI-0
SELECT v FROM en WHERE g = ?;
-- name: b18
-- expect: SI-0
SELECT v FROM bl WHERE g = ?;
-- name: b19
-- expect: SI-0
SELECT s FROM chk WHERE g = ?;
-- name: b20
-- expect: unbounded
SELECT s FROM chk2 WHERE g = ?;
-- name: b21
-- expect: SI-0
SELECT s FROM chk3 WHERE g = ?;
-- name: b22
-- expect: unbounded
SELECT s FROM chk4 WHERE g = ?;
-- name: b23
-- expect: unbounded
SELECT id FROM a WHERE t = ? ORDER BY at LIMIT 1000000000, 1000000000000;
-- name: b24
-- expect: unbounded
SELECT id FROM a WHERE p = ? OR id = ?;
-- name: b25
-- expect: unbounded
SELECT id FROM a WHERE k = ? OR k IS NULL;
-- name: b26
-- expect: unbounded
SELECT id FROM a WHERE IFNULL(k, '') = ?;
-- name: b27
-- expect: unbounded
SELECT id FROM a WHERE k = IFNULL(?, k);
-- name: b28
-- expect: unbounded
SELECT id FROM a WHERE IF(? = 1, id = ?, TRUE);
-- name: b29
-- expect: SI-0
SELECT id FROM a WHERE id = IF(? = 1, ?, 5);
-- name: b30
-- expect: unbounded
SELECT id FROM a WHERE id = ? XOR FALSE OR n;
-- name: b31
-- expect: unbounded
SELECT id FROM a WHERE id REGEXP ?;
-- name: b32
-- expect: unbounded
SELECT id FROM a WHERE id LIKE ?;
-- name: b33
-- expect: unbounded
SELECT id FROM a WHERE ? LIKE k;
-- name: b34
-- expect: unbounded
SELECT id FROM a WHERE ? BETWEEN id AND p;
-- name: b35
-- expect: unbounded
SELECT id FROM a WHERE (id, n) <> (?, ?) AND t = ?;
-- name: b36
-- expect: unbounded
SELECT id FROM a WHERE (id, n) < (?, ?);
-- name: b37
-- expect: SI-0
SELECT id FROM a WHERE (id, n) = (?, ?);
-- name: b38
-- expect: unbounded
SELECT id FROM a WHERE (t, n) = (?, ?);
-- name: b39
-- expect: unbounded
SELECT id FROM a WHERE id IN (?) OR t IN (?);
-- name: b40
-- expect: unbounded
SELECT a.id FROM a NATURAL JOIN c WHERE a.n = ?;
-- name: b41
-- expect: unbounded
SELECT COUNT(*) FROM a, c WHERE a.id = ?;
-- name: b42
-- expect: unbounded
SELECT a.id FROM a CROSS JOIN c LIMIT 5 OFFSET 99999999999;
-- name: b43
-- expect: SI-0
SELECT a.id FROM a CROSS JOIN c LIMIT 5;
-- name: b44
-- expect: unbounded
UPDATE a SET f = 1 WHERE t = ?;
-- name: b45
-- expect: SI-1
UPDATE a SET f = 1 WHERE t = ? LIMIT 5;
-- name: b46
-- expect: unbounded
UPDATE a, c SET a.f = 1 WHERE a.id = ? AND c.a_id = a.id;
-- name: b47
-- expect: unbounded
DELETE FROM c WHERE a_id = ?;
-- name: b48
-- expect: SI-0
DELETE FROM c WHERE id = ?;
-- name: b49
-- expect: unbounded
DELETE a FROM a LEFT JOIN c ON c.a_id = a.id WHERE c.id IS NULL;
-- name: b50
-- expect: unbounded
INSERT INTO c (id, a_id, n) SELECT id, ?, n FROM a WHERE t = ? ON DUPLICATE KEY UPDATE n = VALUES(n);
-- name: b51
-- expect: unbounded
SELECT t, GROUP_CONCAT(id) FROM a WHERE n = ? GROUP BY t LIMIT 5;
-- name: b52
-- expect: unbounded
SELECT t, COUNT(*) FROM a WHERE n = ? GROUP BY t HAVING COUNT(*) > ? ORDER BY t LIMIT 5;
-- name: b53
-- expect: SI-2
SELECT t, COUNT(*) FROM a WHERE n = ? GROUP BY t ORDER BY t LIMIT 5;
-- name: b54
-- expect: unbounded
SELECT t, SUM(n * ?) FROM a WHERE d = ? GROUP BY t ORDER BY SUM(n * ?) LIMIT 5;
-- name: b55
-- expect: SI-1
SELECT id FROM a WHERE n = ? AND f = 1 ORDER BY at DESC, id DESC LIMIT 20;
-- name: b56
-- expect: unbounded
SELECT id FROM a WHERE n = ? AND at > NOW() - INTERVAL 1 DAY ORDER BY t LIMIT 20;
-- name: b57
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY f = ? DESC LIMIT 20;
-- name: b58
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY LOCATE(?, t) LIMIT 20;
-- name: b59
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY TIMESTAMPDIFF(SECOND, at, NOW()) LIMIT 20;
-- name: b60
-- expect: unbounded
SELECT id FROM a WHERE n = ? AND SLEEP(0) = 0 AND RAND() < t LIMIT 20;
-- name: b61
-- expect: unbounded
SELECT s FROM st WHERE g = ? AND s & 1;
-- name: b62
-- expect: SI-0
SELECT s FROM st WHERE g = ? AND s = 'a';
