-- no dialect
CREATE TABLE events (id BIGINT, user_id BIGINT NOT NULL, kind STRING NOT NULL, at TIMESTAMP NOT NULL, amount DECIMAL(10,2), props MAP<STRING, STRING>, PRIMARY KEY (id));
CREATE TABLE people (id BIGINT PRIMARY KEY, name STRING, country STRING NOT NULL, friends ARRAY<BIGINT>);
CREATE TABLE follows (a BIGINT NOT NULL REFERENCES people (id), b BIGINT NOT NULL REFERENCES people (id), since TIMESTAMP, PRIMARY KEY (a, b), CARDINALITY LIMIT 500 (a));
CREATE TABLE posts (id BIGINT PRIMARY KEY, author BIGINT NOT NULL REFERENCES people (id), at TIMESTAMP NOT NULL, text STRING);
-- name: q1
-- expect: SI-0
SELECT * FROM people WHERE id = :id;
-- name: q2
-- expect: SI-0
SELECT * FROM follows WHERE a = :me;
-- name: q3
-- expect: SI-0
SELECT p.* FROM follows f JOIN people p ON p.id = f.b WHERE f.a = :me;
-- name: q4
-- expect: unbounded
SELECT p.* FROM follows f JOIN people p ON p.id = f.a WHERE f.b = :me;
-- name: q5
-- expect: SI-1
SELECT p.id FROM follows f JOIN posts p ON p.author = f.b WHERE f.a = :me ORDER BY p.at DESC LIMIT 20;
-- name: q6
-- expect: unbounded
SELECT p.id FROM follows f JOIN posts p ON p.author = f.b WHERE f.a = :me;
-- name: q7
-- expect: SI-0
SELECT f1.b FROM follows f1 JOIN follows f2 ON f2.a = f1.b WHERE f1.a = :me AND f2.b = :me;
-- name: q8
-- expect: SI-0
SELECT f2.b FROM follows f1 JOIN follows f2 ON f2.a = f1.b WHERE f1.a = :me;
-- name: q9
-- expect: SI-0
SELECT COUNT(*) FROM follows WHERE a = :me;
-- name: q10
-- expect: SI-2
SELECT COUNT(*) FROM follows WHERE b = :me;
-- name: q11
-- expect: unbounded
SELECT * FROM people LATERAL VIEW explode(friends) t AS friend WHERE id = :id;
-- name: q12
-- expect: SI-0
SELECT * FROM people WHERE id = :id SORT BY name;
-- name: q13
-- expect: unbounded
SELECT * FROM people DISTRIBUTE BY country;
-- name: q14
-- expect: unbounded
SELECT * FROM people CLUSTER BY country;
-- name: q15
-- expect: unbounded
SELECT * FROM people TABLESAMPLE (10 ROWS);
-- name: q16
-- expect: unbounded
SELECT * FROM people TABLESAMPLE (10 PERCENT) LIMIT 5;
-- name: q17
-- expect: unbounded
SELECT * FROM events PIVOT (SUM(amount) FOR kind IN ('a', 'b'));
-- name: q18
-- expect: SI-0
SELECT * EXCEPT (name) FROM people WHERE id = :id;
-- name: q19
-- expect: unbounded
SELECT kind, COUNT(*) FROM events WHERE user_id = :u GROUP BY ALL;
-- name: q20
-- expect: SI-1
SELECT * FROM events WHERE user_id = :u QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY at DESC) <= 5;
-- name: q21
-- expect: SI-1
SELECT * FROM events WHERE user_id = :u AND kind IN ('a', 'b') ORDER BY at DESC LIMIT 5;
-- name: q22
-- expect: unbounded
SELECT * FROM events WHERE user_id = :u AND props['x'] = :v;
-- name: q23
-- expect: SI-1
SELECT * FROM events WHERE user_id = :u AND props['x'] = :v ORDER BY id LIMIT 5;
-- name: q24
-- expect: unbounded
SELECT user_id, COUNT(*) FROM events GROUP BY user_id;
-- name: q25
-- expect: unbounded
SELECT user_id, kind, SUM(amount) FROM events GROUP BY CUBE (user_id, kind);
-- name: q26
-- expect: SI-1
SELECT MAX(at) FROM events WHERE user_id = :u;
-- name: q27
-- expect: SI-2
SELECT kind, MAX(at) FROM events WHERE user_id = :u AND kind = :k GROUP BY kind;
-- name: q28
-- expect: unbounded
SELECT approx_count_distinct(kind) FROM events WHERE user_id = :u;
-- name: q29
-- expect: unbounded
SELECT * FROM events WHERE user_id = :u AND at >= :since;
-- name: q30
-- expect: unbounded
SELECT * FROM events a JOIN events b ON a.user_id = b.user_id AND a.at < b.at WHERE a.id = :id;
-- name: q31
-- expect: SI-1
SELECT b.* FROM events a JOIN events b ON a.user_id = b.user_id WHERE a.id = :id ORDER BY b.at DESC LIMIT 10;
-- name: q32
-- expect: unbounded
SELECT * FROM people p LEFT SEMI JOIN follows f ON f.a = p.id;
-- name: q33
-- expect: unbounded
SELECT * FROM people p LEFT ANTI JOIN follows f ON f.a = p.id LIMIT 10;
-- name: q34
-- expect: unbounded
SELECT * FROM people FULL OUTER JOIN posts ON posts.author = people.id WHERE people.id = :id;
-- name: q35
-- expect: SI-0
SELECT /*+ BROADCAST(p) */ p.name FROM people p WHERE p.id = :id;
-- name: q36
-- expect: unbounded
SELECT * FROM posts WHERE author IN (SELECT b FROM follows WHERE a = :me);
-- name: q37
-- expect: SI-1
SELECT * FROM posts WHERE author IN (SELECT b FROM follows WHERE a = :me) ORDER BY at DESC LIMIT 10;
-- name: q38
-- expect: unbounded
SELECT * FROM posts WHERE author NOT IN (SELECT b FROM follows WHERE a = :me) ORDER BY at DESC LIMIT 10;
-- name: q39
-- expect: SI-0
SELECT * FROM people WHERE id = :id AND country = (SELECT country FROM people WHERE id = :other);
-- name: q40
-- expect: unbounded
SELECT * FROM people WHERE country = (SELECT country FROM people WHERE id = :other);
-- name: q41
-- expect: SI-1
SELECT * FROM people WHERE country = (SELECT country FROM people WHERE id = :other) LIMIT 10;
-- name: q42
-- expect: not analysed
SELECT * FROM (SELECT TRANSFORM (id) USING 'cat' AS (x) FROM people) t;
-- name: q43
-- expect: unbounded
SELECT * FROM people WHERE id >= :a AND id <= :a + :n;
-- name: q44
-- expect: SI-0
SELECT * FROM people WHERE id >= :a AND id < :a + 50;
-- name: q45
-- expect: unbounded
SELECT * FROM people WHERE array_contains(friends, :x) LIMIT 10;
-- name: q46
-- expect: SI-0
SELECT id IN (SELECT b FROM follows WHERE a = :me) FROM people WHERE id = :id;
-- name: q47
-- expect: SI-0
SELECT p.id, EXISTS (SELECT 1 FROM follows f WHERE f.a = :me AND f.b = p.id) AS followed FROM people p WHERE p.id IN (:x, :y);
-- name: q48
-- expect: SI-1
SELECT p.id, (SELECT MAX(at) FROM posts WHERE author = p.id) AS last FROM people p JOIN follows f ON f.b = p.id WHERE f.a = :me ORDER BY last DESC LIMIT 10;
-- name: q49
-- expect: SI-2
SELECT p.id, (SELECT COUNT(*) FROM posts WHERE author = p.id) AS n FROM people p JOIN follows f ON f.b = p.id WHERE f.a = :me ORDER BY n DESC, p.id LIMIT 10;
-- name: q50
-- expect: SI-2
SELECT p.id, COUNT(o.id) AS n FROM follows f JOIN people p ON f.b = p.id LEFT JOIN posts o ON o.author = p.id WHERE f.a = :me GROUP BY p.id, f.a, f.b ORDER BY n DESC LIMIT 10;
