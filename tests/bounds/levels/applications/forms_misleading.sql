-- dialect: postgres
-- Statements meant to mislead: names that shadow, clauses in odd places, cuts that do not cut.
CREATE TABLE t (id bigint PRIMARY KEY, k bigint NOT NULL, v bigint, s text, "limit" bigint, at timestamptz, ok boolean, f double precision);
CREATE TABLE u (id bigint PRIMARY KEY, t_id bigint NOT NULL REFERENCES t (id), k bigint NOT NULL, v bigint);
CREATE TABLE w (a bigint, b bigint, c bigint, PRIMARY KEY (a, b));
CREATE TABLE n (a bigint, b bigint, UNIQUE (a, b));
CREATE TABLE small (code smallint PRIMARY KEY CHECK (code BETWEEN 1 AND 9), label text);
CREATE TABLE nochk (code text CHECK (code IN ('a', 'b')), x bigint NOT NULL, UNIQUE (code, x));
CREATE TABLE orcheck (c int CHECK (c BETWEEN 1 AND 5 OR c > 100), x bigint NOT NULL, PRIMARY KEY (c, x));
CREATE TABLE part (id bigint NOT NULL, day date NOT NULL, v bigint, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE UNIQUE INDEX t_s_part ON t (s) WHERE v > 10;
CREATE UNIQUE INDEX t_expr ON t ((k + v)) ;
CREATE UNIQUE INDEX t_nn ON u (v) NULLS NOT DISTINCT;
CREATE UNIQUE INDEX u_incl ON u (t_id) INCLUDE (k) WHERE k = 0;
CREATE VIEW cut AS SELECT * FROM t ORDER BY k LIMIT 100;
CREATE VIEW cutoff AS SELECT * FROM t ORDER BY k OFFSET 100;
CREATE VIEW id AS SELECT k AS id, id AS k FROM t;

-- name: z2
-- expect: SI-0
SELECT ID FROM t WHERE ID = $1;
-- name: z3
-- expect: unbounded
SELECT x.id FROM id x WHERE x.id = $1;
-- name: z4
-- expect: SI-0
SELECT x.k FROM id x WHERE x.k = $1;
-- name: z5
-- expect: unbounded
WITH t AS (SELECT k AS id FROM t) SELECT * FROM t WHERE id = $1;
-- name: z6
-- expect: unbounded
SELECT * FROM (SELECT v AS id, id AS v FROM t) t WHERE t.id = $1;
-- name: z7
-- expect: unbounded
SELECT id AS k, k AS id FROM t WHERE k = $1 ORDER BY id LIMIT ALL;
-- name: z8
-- expect: unbounded
SELECT k AS id FROM t GROUP BY id, k HAVING k = $1;
-- name: z9
-- expect: unbounded
SELECT u.id FROM t AS u, u AS t WHERE t.t_id = u.id AND t.k = $1 AND u.k = $2 LIMIT 5;
-- name: z10
-- expect: unbounded
SELECT id FROM t WHERE id = id;
-- name: z11
-- expect: unbounded
SELECT id FROM t WHERE id = k;
-- name: z12
-- expect: unbounded
SELECT u.id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE id = $1);
-- name: z13
-- expect: unbounded
SELECT u.id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = $1 AND t_id = t_id);
-- name: z14
-- expect: unbounded
SELECT id FROM t WHERE id IN (SELECT id FROM small WHERE code = 1);
-- name: z15
-- expect: unbounded
SELECT id FROM t WHERE k IN (SELECT k FROM small WHERE code = $1) AND v = $2;
-- name: z16
-- expect: SI-1
SELECT * FROM cut;
-- name: z17
-- expect: SI-1
SELECT * FROM cut WHERE v > $1 ORDER BY s;
-- name: z18
-- expect: unbounded
SELECT * FROM cutoff WHERE v = $1;
-- name: z19
-- expect: SI-1
SELECT c.id, u.id FROM cut c JOIN u ON u.id = c.v;
-- name: z20
-- expect: unbounded
SELECT c.id, u.id FROM cut c JOIN u ON u.k = c.v;
-- name: z21
-- expect: unbounded
SELECT c.id, u.id FROM cut c RIGHT JOIN u ON u.id = c.v;
-- name: z22
-- expect: unbounded
SELECT c.id, u.id FROM u LEFT JOIN cut c ON u.id = c.v WHERE u.k = $1;
-- name: z23
-- expect: unbounded
SELECT * FROM w WHERE a = $1 AND (b = $2 OR TRUE);
-- name: z24
-- expect: unbounded
SELECT * FROM w WHERE a = $1 AND (b = $2 OR $3);
-- name: z25
-- expect: unbounded
SELECT * FROM w WHERE a = $1 AND (b = $2) IS NOT NULL;
-- name: z26
-- expect: unbounded
SELECT * FROM w WHERE a = $1 AND (b = $2) = $3;
-- name: z27
-- expect: unbounded
SELECT * FROM w WHERE (a, b) >= ($1, $2);
-- name: z28
-- expect: unbounded
SELECT * FROM w WHERE NOT (a <> $1 OR b = $2);
-- name: z29
-- expect: SI-0
SELECT * FROM w WHERE NOT (a <> $1 OR b <> $2);
-- name: z30
-- expect: unbounded
SELECT * FROM n WHERE a = $1 AND b IS NULL;
-- name: z31
-- expect: SI-1
SELECT * FROM n WHERE a = $1 AND b = $2;
-- name: z32
-- expect: unbounded
SELECT * FROM n WHERE a = $1 AND b IS NOT DISTINCT FROM $2;
-- name: z33
-- expect: unbounded
SELECT x.* FROM n x JOIN n y ON x.a = y.a AND (x.b = y.b OR (x.b IS NULL AND y.b IS NULL)) WHERE y.a = $1 AND y.b = $2;
-- name: z34
-- expect: unbounded
SELECT * FROM n WHERE a = $1 AND coalesce(b, 0) = $2;
-- name: z35
-- expect: SI-1
SELECT id FROM t WHERE s = $1 AND v > 10;
-- name: z36
-- expect: SI-1
SELECT id FROM t WHERE s = $1 AND v = 11;
-- name: z37
-- expect: unbounded
SELECT id FROM t WHERE s = $1 AND v > 9;
-- name: z38
-- expect: unbounded
SELECT id FROM t WHERE s = $1 AND v > $2;
-- name: z39
-- expect: unbounded
SELECT id FROM t WHERE s = $1 AND (v > 10 OR v IS NULL);
-- name: z40
-- expect: SI-1
SELECT id FROM t WHERE k + v = $1;
-- name: z41
-- expect: unbounded
SELECT id FROM t WHERE k = $1 - v;
-- name: z42
-- expect: unbounded
SELECT id FROM t WHERE k - v = $1;
-- name: z43
-- expect: SI-1
SELECT id FROM u WHERE v = $1;
-- name: z44
-- expect: SI-1
SELECT id FROM u WHERE v IS NULL;
-- name: z45
-- expect: SI-1
SELECT id FROM u WHERE t_id = $1 AND k = 0;
-- name: z46
-- expect: unbounded
SELECT id FROM u WHERE t_id = $1 AND k = $2;
-- name: z47
-- expect: SI-1
SELECT x FROM nochk WHERE x = $1 AND code IS NOT NULL;
-- name: z48
-- expect: unbounded
SELECT x FROM nochk WHERE x = $1;
-- name: z49
-- expect: unbounded
SELECT x FROM orcheck WHERE x = $1;
-- name: z50
-- expect: SI-0
SELECT v FROM part WHERE id = $1 AND day = $2;
-- name: z51
-- expect: unbounded
SELECT v FROM part WHERE id = $1;
-- name: z52
-- expect: unbounded
SELECT label FROM small s JOIN t ON t.k = s.code;
-- name: z53
-- expect: SI-0
SELECT label FROM small ORDER BY label DESC;
-- name: z54
-- expect: SI-1
SELECT s.label, (SELECT min(t.at) FROM t WHERE t.k = s.code) FROM small s;
-- name: z55
-- expect: unbounded
SELECT s.label, array(SELECT t.at FROM t WHERE t.k = s.code) FROM small s;
-- name: z56
-- expect: SI-1
SELECT s.label, array(SELECT t.at FROM t WHERE t.k = s.code ORDER BY t.id LIMIT 3) FROM small s;
-- name: z57
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY (SELECT count(*) FROM u WHERE u.t_id = t.id) DESC LIMIT 5;
-- name: z58
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY CASE WHEN $2 = 'v' THEN v ELSE id END LIMIT 5;
-- name: z59
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY v + $2 LIMIT 5;
-- name: z60
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY v = $2 DESC, id LIMIT 5;
-- name: z61
-- expect: SI-1
SELECT id FROM t WHERE k = $1 ORDER BY v % 7 DESC, id LIMIT 5;
-- name: z62
-- expect: unbounded
SELECT id FROM t WHERE k = $1 GROUP BY id ORDER BY id;
-- name: z63
-- expect: unbounded
SELECT max(id) FILTER (WHERE EXISTS (SELECT 1 FROM u WHERE u.v > t.v AND u.k > t.k)) FROM t WHERE t.id = $1;
-- name: z64
-- expect: unbounded
SELECT sum(v) OVER (PARTITION BY (SELECT count(*) FROM u WHERE u.v > t.v)) FROM t WHERE t.id = $1;
-- name: z65
-- expect: unbounded
SELECT id FROM t WHERE id = $1 AND CASE WHEN ok THEN (SELECT count(*) FROM u WHERE u.v > t.v) > 3 ELSE TRUE END;
-- name: z66
-- expect: unbounded
SELECT coalesce((SELECT max(u.v) FROM u WHERE u.v + t.v > $2), 0) FROM t WHERE id = $1;
-- name: z67
-- expect: unbounded
VALUES ((SELECT count(*) FROM t WHERE v > $1));
-- name: z68
-- expect: unbounded
SELECT * FROM (VALUES ((SELECT count(*) FROM t WHERE v > $1))) AS x(n);
-- name: z69
-- expect: unbounded
SELECT id FROM t WHERE id IN (VALUES ($1::bigint), ((SELECT count(*) FROM u WHERE v > $2)));
-- name: z70
-- expect: SI-1
SELECT id FROM t WHERE id = $1 AND (k, v) IN (SELECT u.k, u.v FROM u WHERE u.v > t.f);
-- name: z71
-- expect: unbounded
SELECT id FROM t WHERE id = $1 AND v > ALL (SELECT u.v FROM u WHERE u.k = $2);
-- name: z72
-- expect: unbounded
SELECT id FROM t WHERE id = $1 AND v <= ANY (SELECT u.v FROM u WHERE u.k = $2 AND u.id <> u.v);
-- name: z73
-- expect: unbounded
SELECT id FROM t WHERE k = $1 /* ; LIMIT 5 */;
-- name: z74
-- expect: unbounded
SELECT id FROM t WHERE k = $1 -- LIMIT 5 ;
;
-- name: z75
-- expect: unbounded
SELECT id, ' LIMIT 5 ;' FROM t WHERE k = $1;
-- name: z76
-- expect: unbounded
SELECT id "LIMIT", 5 FROM t WHERE k = $1;
-- name: z77
-- expect: unbounded
SELECT "limit" FROM t WHERE "limit" = 5;
-- name: z78
-- expect: unbounded
(SELECT id FROM t WHERE k = $1 LIMIT 5) UNION ALL SELECT id FROM u WHERE k = $1;
-- name: z79
-- expect: SI-1
SELECT id FROM t WHERE k = $1 UNION ALL SELECT id FROM u WHERE k = $1 ORDER BY id LIMIT 5;
-- name: z80
-- expect: SI-1
SELECT DISTINCT v FROM (SELECT v FROM t WHERE k = $1) q LIMIT 5;
-- name: z81
-- expect: SI-1
SELECT DISTINCT v FROM (SELECT v FROM t WHERE k = $1 LIMIT 5) q;
-- name: z82
-- expect: unbounded
SELECT * FROM (SELECT id, v FROM t WHERE k = $1 OFFSET 0) q WHERE q.v = $2;
-- name: z83
-- expect: SI-1
SELECT * FROM (SELECT id, v FROM t WHERE k = $1 ORDER BY id LIMIT $3) q WHERE q.v = $2;
-- name: z84
-- expect: unbounded
SELECT * FROM (SELECT id, v FROM t WHERE k = $1 ORDER BY id LIMIT NULLIF($3, $3)) q WHERE q.v = $2;
-- name: z85
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY id LIMIT COALESCE(NULL, $2) OFFSET $3;
-- name: z86
-- expect: unbounded
SELECT id FROM t WHERE k = $1 ORDER BY id FETCH FIRST $2 ROWS WITH TIES;
-- name: z87
-- expect: unbounded
SELECT id FROM t WHERE k = ANY (SELECT k FROM t WHERE id = $1);
-- name: z88
-- expect: unbounded
SELECT id FROM t WHERE id BETWEEN $1 AND $2;
-- name: z89
-- expect: SI-0
SELECT id FROM t WHERE id BETWEEN $1 AND $1 + 10;
-- name: z90
-- expect: unbounded
SELECT id FROM t WHERE f BETWEEN $1 AND $1 + 10;
-- name: z91
-- expect: unbounded
SELECT id FROM t WHERE id BETWEEN $1 AND $1 * 2;
-- name: z92
-- expect: unbounded
SELECT id FROM t WHERE id > $1 - 10 AND id < $2 + 10;
-- name: z93
-- expect: unbounded
SELECT id FROM t WHERE id::int4 = $1 OR id = $2;
-- name: z94
-- expect: unbounded
SELECT id FROM t WHERE id / 2 = $1;
-- name: z95
-- expect: unbounded
SELECT id FROM t WHERE -id = $1 OR abs(id) = $1;
-- name: z96
-- expect: unbounded
SELECT id FROM t WHERE id = $1 OR NOT id = $1;
-- name: z97
-- expect: unbounded
SELECT id FROM t WHERE (id = $1) IS DISTINCT FROM TRUE;
-- name: z98
-- expect: unbounded
SELECT id FROM t WHERE (id = $1) = FALSE;
-- name: z99
-- expect: unbounded
SELECT id FROM t WHERE (id = $1) IS UNKNOWN OR k = 5;
-- name: z100
-- expect: unbounded
SELECT DISTINCT ON (k) id FROM t WHERE k >= $1 ORDER BY k, id;
-- name: z101
-- expect: unbounded
SELECT t.id FROM t JOIN u ON u.t_id = t.id OR u.k = t.k WHERE u.id = $1;
-- name: z102
-- expect: unbounded
SELECT t.id FROM t JOIN u ON TRUE WHERE u.id = $1;
-- name: z103
-- expect: unbounded
SELECT t.id FROM t LEFT JOIN u ON u.id = $1;
-- name: z104
-- expect: unbounded
SELECT t.id FROM u LEFT JOIN t ON t.id = u.t_id AND u.id = $1;
-- name: z105
-- expect: SI-0
SELECT t.id FROM u LEFT JOIN t ON t.id = u.t_id WHERE u.id = $1;
-- name: z106
-- expect: unbounded
SELECT t.id FROM t JOIN u USING (k) WHERE u.id = $1;
-- name: z107
-- expect: SI-0
SELECT u.id FROM t JOIN u USING (id) WHERE t.id = $1;
-- name: z108
-- expect: SI-0
SELECT id FROM t JOIN u USING (id) WHERE id = $1;
-- name: z109
-- expect: SI-0
SELECT id FROM t FULL JOIN u USING (id) WHERE id = $1;
-- name: z110
-- expect: unbounded
SELECT t.id FROM t CROSS JOIN LATERAL (SELECT 1 FROM u WHERE u.k > t.k LIMIT 1) x WHERE t.v = $1 LIMIT 5;
-- name: z111
-- expect: SI-2
SELECT t.id FROM t NATURAL JOIN u WHERE t.id > $1 LIMIT 5;
-- name: z112
-- expect: unbounded
SELECT id FROM t WHERE to_char(at, 'YYYY') = $1;
-- name: z113
-- expect: unbounded
SELECT id FROM t WHERE to_tsvector($2::regconfig, s) @@ plainto_tsquery($1) LIMIT 5;
-- name: z114
-- expect: unbounded
SELECT id FROM t WHERE s SIMILAR TO $1 LIMIT 5;
-- name: z115
-- expect: unbounded
SELECT id FROM t WHERE s ^@ $1;
-- name: z116
-- expect: unbounded
SELECT id FROM t WHERE starts_with(s, $1);
-- name: z117
-- expect: unbounded
SELECT id FROM t WHERE position($1 in s) > 0 LIMIT 5;
-- name: z118
-- expect: unbounded
SELECT id FROM t WHERE s LIKE $1 || '%' ESCAPE '!' ;
-- name: z119
-- expect: unbounded
SELECT id FROM t WHERE s LIKE 'x_' || $1 || '%' AND v = $2;
-- name: z120
-- expect: unbounded
SELECT sum(v) FROM t WHERE k = $1 AND id <> $2 AND at > now() - interval '1 hour' * $3;
-- name: z121
-- expect: SI-2
SELECT count(DISTINCT ok) FROM t WHERE k = $1;
-- name: z122
-- expect: unbounded
SELECT count(*) FROM t WHERE k = $1 AND ok IS DISTINCT FROM $2 AND v >= $3;
-- name: z123
-- expect: unbounded
SELECT string_agg(s, ',' ORDER BY v) FROM t WHERE k = $1;
-- name: z124
-- expect: unbounded
SELECT mode() WITHIN GROUP (ORDER BY v) FROM t WHERE k = $1;
-- name: z125
-- expect: unbounded
SELECT k, count(*) FROM t GROUP BY k;
-- name: z126
-- expect: unbounded
SELECT k, count(*) FROM t GROUP BY k ORDER BY count(*) + $1 * k LIMIT 5;
-- name: z127
-- expect: unbounded
SELECT k, count(*) FROM t GROUP BY k HAVING sum(v) > $1 ORDER BY count(*) LIMIT 5;
-- name: z128
-- expect: SI-2
SELECT k, count(*) FROM t GROUP BY k ORDER BY k LIMIT 5;
-- name: z129
-- expect: unbounded
SELECT count(*) FROM (SELECT k FROM t GROUP BY k) q;
-- name: z130
-- expect: SI-0
SELECT count(*) FROM (SELECT k FROM t LIMIT 1000) q;
-- name: z131
-- expect: unbounded
SELECT count(*) FROM (SELECT k FROM t WHERE v = $1 LIMIT 1000) q, u;
-- name: z132
-- expect: unbounded
DELETE FROM t WHERE id = $1 OR v = $2;
-- name: z133
-- expect: unbounded
UPDATE t SET v = (SELECT count(*) FROM t x WHERE x.v >= t.v) WHERE t.id = $1;
-- name: z134
-- expect: unbounded
DELETE FROM t WHERE id = $1 RETURNING (SELECT count(*) FROM u WHERE u.v > t.v);
-- name: z135
-- expect: unbounded
INSERT INTO w (a, b) SELECT $1, v FROM t WHERE k = $2 ON CONFLICT DO NOTHING;
-- name: z136
-- expect: unbounded
SELECT * FROM t, LATERAL (SELECT * FROM u WHERE u.t_id = t.id ORDER BY u.v LIMIT 1) l WHERE t.k = $1;
