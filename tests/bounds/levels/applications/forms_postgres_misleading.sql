-- dialect: postgres
-- param: few <= 10
CREATE TABLE a (id bigint PRIMARY KEY, k bigint NOT NULL, v bigint, s text, ts timestamptz NOT NULL, j jsonb, arr bigint[], flag boolean NOT NULL, st text NOT NULL CHECK (st IN ('x', 'y')));
CREATE TABLE b (id bigint PRIMARY KEY, a_id bigint NOT NULL REFERENCES a (id), k bigint, u bigint UNIQUE, amt numeric(10,2) NOT NULL);
CREATE TABLE c (x bigint NOT NULL, y bigint NOT NULL, z bigint NOT NULL, PRIMARY KEY (x, y, z));
CREATE TABLE d (p bigint, q bigint, r bigint, UNIQUE NULLS NOT DISTINCT (p, q));
CREATE TABLE e (id bigint NOT NULL, n bigint NOT NULL, CONSTRAINT e_pk PRIMARY KEY (id) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE f (id bigint NOT NULL, n bigint NOT NULL CHECK (n > 0));
ALTER TABLE f ADD CONSTRAINT f_chk CHECK (n IN (1, 2, 3)) NOT VALID;
ALTER TABLE f ADD CONSTRAINT f_uq UNIQUE (id, n);
CREATE TABLE g (room bigint NOT NULL, during tstzrange NOT NULL, EXCLUDE USING gist (room WITH =, during WITH &&));
CREATE TABLE lim (o bigint NOT NULL, m bigint NOT NULL, t bigint, PRIMARY KEY (o, m), CARDINALITY LIMIT 20 (o));
CREATE TABLE par (id bigint NOT NULL, region text NOT NULL, v bigint, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE par_eu PARTITION OF par FOR VALUES IN ('eu');
CREATE UNIQUE INDEX par_eu_id ON par_eu (id);
CREATE UNIQUE INDEX CONCURRENTLY a_s_hash ON a (md5(s));
CREATE UNIQUE INDEX b_day ON b (a_id, date_trunc('day', now()));
CREATE MATERIALIZED VIEW mv AS SELECT k, count(*) AS n FROM a GROUP BY k;
CREATE VIEW joined AS SELECT a.id, a.k, b.id AS b_id, b.amt FROM a JOIN b ON b.a_id = a.id;
CREATE VIEW agg AS SELECT k, sum(v) AS total FROM a GROUP BY k;
CREATE VIEW deep AS SELECT * FROM joined WHERE amt > 10;

-- name: h1
-- expect: unbounded
SELECT * FROM a WHERE id = ANY ($1);
-- name: h2
-- expect: unbounded
SELECT * FROM a WHERE id = ANY (ARRAY(SELECT b.a_id FROM b WHERE b.k = $1));
-- name: h3
-- expect: SI-0
SELECT * FROM a WHERE id = ANY (ARRAY[$1, $2, $3]);
-- name: h4
-- expect: unbounded
SELECT * FROM a WHERE id = ANY (string_to_array($1, ',')::bigint[]);
-- name: h5
-- expect: unbounded
SELECT * FROM a WHERE id = $1 OR k = $2;
-- name: h6
-- expect: unbounded
SELECT * FROM a WHERE id = $1 OR EXISTS (SELECT 1 FROM b WHERE b.k = $2);
-- name: h7
-- expect: unbounded
SELECT * FROM a WHERE id = $1 IS NOT FALSE;
-- name: h8
-- expect: unbounded
SELECT * FROM a WHERE (id = $1) IS DISTINCT FROM true;
-- name: h9
-- expect: SI-0
SELECT * FROM a WHERE (id = $1) IS TRUE;
-- name: h10
-- expect: unbounded
SELECT * FROM a WHERE COALESCE(id = $1, true) AND k = $2;
-- name: h11
-- expect: unbounded
SELECT * FROM a WHERE CASE WHEN id = $1 THEN true ELSE flag END;
-- name: h12
-- expect: unbounded
SELECT * FROM a WHERE id::text = $1 AND k = $2;
-- name: h13
-- expect: unbounded
SELECT * FROM a WHERE id % 1000000 = $1;
-- name: h14
-- expect: unbounded
SELECT * FROM a WHERE id >= $1 AND id <= $2;
-- name: h15
-- expect: SI-0
SELECT * FROM a WHERE id BETWEEN $1 AND $1 + 9;
-- name: h16
-- expect: unbounded
SELECT * FROM a WHERE id BETWEEN $1 AND $2 + 9;
-- name: h17
-- expect: unbounded
SELECT * FROM a WHERE ts BETWEEN $1 AND $1 + interval '1 hour';
-- name: h18
-- expect: unbounded
SELECT * FROM b WHERE amt BETWEEN 1 AND 5;
-- name: h19
-- expect: unbounded
SELECT * FROM b WHERE u IS NULL;
-- name: h20
-- expect: unbounded
SELECT b1.id FROM b b1 LEFT JOIN b b2 ON b2.u = b1.k WHERE b1.k = $1;
-- name: h21
-- expect: SI-1
SELECT b1.id, b2.id FROM b b1 LEFT JOIN b b2 ON b2.u = b1.k WHERE b1.id = $1;
-- name: h22
-- expect: unbounded
SELECT b1.id FROM b b1 LEFT JOIN b b2 ON b2.u IS NOT DISTINCT FROM b1.u WHERE b1.id = $1;
-- name: h23
-- expect: SI-1
SELECT * FROM d WHERE p = $1 AND q IS NULL;
-- name: h24
-- expect: SI-1
SELECT * FROM d WHERE p IS NULL AND q IS NULL;
-- name: h25
-- expect: unbounded
SELECT * FROM e WHERE id = $1;
-- name: h26
-- expect: unbounded
SELECT * FROM f WHERE id = $1;
-- name: h27
-- expect: SI-1
SELECT * FROM f WHERE id = $1 AND n IN (1, 2, 3);
-- name: h28
-- expect: unbounded
SELECT * FROM g WHERE room = $1 AND during @> $2;
-- name: h29
-- expect: SI-0
SELECT * FROM lim WHERE o = $1;
-- name: h30
-- expect: unbounded
SELECT * FROM lim WHERE m = $1;
-- name: h31
-- expect: unbounded
SELECT l1.m, l2.o FROM lim l1 JOIN lim l2 ON l2.m = l1.m WHERE l1.o = $1;
-- name: h32
-- expect: SI-0
SELECT l1.m, l2.m FROM lim l1, lim l2 WHERE l1.o = $1 AND l2.o = $2;
-- name: h33
-- expect: unbounded
SELECT l1.m FROM lim l1, lim l2 WHERE l1.o = $1;
-- name: h34
-- expect: unbounded
SELECT l1.m FROM lim l1 CROSS JOIN a WHERE l1.o = $1 ORDER BY a.id;
-- name: h35
-- expect: unbounded
SELECT * FROM par WHERE id = $1;
-- name: h36
-- expect: SI-0
SELECT * FROM par WHERE id = $1 AND region = $2;
-- name: h37
-- expect: unbounded
SELECT * FROM a WHERE s = $1;
-- name: h38
-- expect: SI-1
SELECT * FROM a WHERE md5(s) = md5($1);
-- name: h39
-- expect: unbounded
SELECT * FROM b WHERE a_id = $1 AND date_trunc('day', now()) = $2;
-- name: h40
-- expect: SI-2
SELECT DISTINCT k FROM a WHERE flag LIMIT 10 OFFSET $1;
-- name: h41
-- expect: SI-1
SELECT DISTINCT v FROM a WHERE s LIKE 'x%' LIMIT 10;
-- name: h42
-- expect: unbounded
SELECT k, count(*) FROM a WHERE ts > $1 GROUP BY k LIMIT 10;
-- name: h43
-- expect: SI-2
SELECT k, count(*) FROM a GROUP BY k HAVING count(*) > $1 LIMIT 10;
-- name: h44
-- expect: unbounded
SELECT (SELECT count(*) FROM b WHERE b.a_id = a.id AND b.amt > $2) FROM a WHERE id = $1;
-- name: h45
-- expect: SI-2
SELECT (SELECT count(*) FROM b WHERE b.a_id = a.id) FROM a WHERE id = $1;
-- name: h46
-- expect: unbounded
SELECT id FROM a WHERE id = $1 ORDER BY (SELECT max(amt) FROM b WHERE b.k = $2 AND b.amt < $3::numeric AND b.id > $4);
-- name: h47
-- expect: unbounded
SELECT CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.k > $2 AND b.amt < $3) THEN 1 END FROM a WHERE id = $1;
-- name: h48
-- expect: unbounded
SELECT id FROM a WHERE id = $1 AND EXISTS (SELECT 1 FROM b WHERE b.k <> a.k AND b.amt > $2);
-- name: h49
-- expect: unbounded
SELECT id FROM a WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM b WHERE b.a_id < a.id AND b.k > $2);
-- name: h50
-- expect: unbounded
SELECT id FROM a WHERE id = $1 GROUP BY id HAVING (SELECT count(*) FROM b WHERE amt > $2) > 1;
-- name: h51
-- expect: unbounded
SELECT sum(v) OVER () FROM a WHERE k = $1 LIMIT 5;
-- name: h52
-- expect: unbounded
SELECT id, lag(v) OVER (ORDER BY id) FROM a ORDER BY id DESC LIMIT 5;
-- name: h53
-- expect: unbounded
SELECT id, row_number() OVER (ORDER BY v) FROM a WHERE k = $1 ORDER BY id LIMIT 5;
-- name: h54
-- expect: unbounded
SELECT * FROM (SELECT a.*, row_number() OVER (PARTITION BY k ORDER BY ts) rn FROM a) q WHERE rn <= 3;
-- name: h55
-- expect: unbounded
SELECT * FROM (SELECT a.*, row_number() OVER (PARTITION BY id ORDER BY ts) rn FROM a) q WHERE rn <= 3 AND k = $1;
-- name: h56
-- expect: unbounded
SELECT * FROM (SELECT a.*, dense_rank() OVER (ORDER BY ts DESC) rn FROM a) q WHERE rn <= 3;
-- name: h57
-- expect: SI-1
SELECT * FROM (SELECT a.*, row_number() OVER (PARTITION BY k ORDER BY ts) rn FROM a WHERE k IN (1, 2, 3)) q WHERE rn <= 3;
-- name: h58
-- expect: unbounded
SELECT * FROM (SELECT a.*, row_number() OVER (PARTITION BY k ORDER BY ts) rn FROM a WHERE k IN (1, 2, 3)) q WHERE rn <= 3 OR flag;
-- name: h59
-- expect: unbounded
SELECT * FROM (SELECT a.*, row_number() OVER (PARTITION BY k ORDER BY ts) rn FROM a WHERE k = $1) q WHERE rn <= 3 + id;
-- name: h60
-- expect: unbounded
SELECT id FROM a FULL JOIN lim ON lim.m = a.id WHERE lim.o = $1 OR lim.o IS NULL;
-- name: h61
-- expect: unbounded
SELECT a.id FROM lim RIGHT JOIN a ON lim.m = a.id AND lim.o = $1;
-- name: h62
-- expect: unbounded
SELECT a.id FROM a LEFT JOIN lim ON lim.m = a.id WHERE lim.o = $1 OR a.k = $2;
-- name: h63
-- expect: unbounded
SELECT a.id FROM a LEFT JOIN b ON b.a_id = a.id AND a.id = $1;
-- name: h64
-- expect: unbounded
(SELECT id FROM a WHERE id = $1) UNION ALL (SELECT id FROM a WHERE k = $2);
-- name: h65
-- expect: SI-1
(SELECT id FROM a WHERE id = $1) UNION (SELECT id FROM a WHERE k = $2 ORDER BY id LIMIT 3);
-- name: h66
-- expect: unbounded
SELECT id FROM a WHERE id = $1 UNION ALL SELECT id FROM a WHERE k = $2 ORDER BY id LIMIT (SELECT count(*) FROM b);
-- name: h67
-- expect: unbounded
WITH q AS (SELECT * FROM a WHERE k = $1) SELECT x.id FROM q x JOIN q y ON x.v = y.v LIMIT 10;
-- name: h68
-- expect: SI-1
WITH q AS (SELECT * FROM a WHERE k = $1 ORDER BY id LIMIT 10) SELECT x.id FROM q x JOIN q y ON x.v = y.v;
-- name: h69
-- expect: unbounded
WITH q AS MATERIALIZED (SELECT * FROM a) SELECT * FROM q WHERE id = $1;
-- name: h70
-- expect: unbounded
WITH q AS (SELECT * FROM a) SELECT * FROM q WHERE id = $1 AND EXISTS (SELECT 1 FROM q z WHERE z.v > $2 AND z.k < $3);
-- name: h71
-- expect: unbounded
WITH del AS (DELETE FROM a WHERE k = $1 RETURNING id) SELECT id FROM del LIMIT 5;
-- name: h72
-- expect: unbounded
INSERT INTO b SELECT nextval('s'), id, k, NULL, 0 FROM a WHERE k = $1;
-- name: h73
-- expect: SI-0
INSERT INTO b SELECT $2, id, k, NULL, 0 FROM a WHERE id = $1;
-- name: h74
-- expect: unbounded
UPDATE a SET v = (SELECT sum(amt) FROM b WHERE b.k = a.v AND b.amt < $2) WHERE id = $1;
-- name: h75
-- expect: unbounded
UPDATE a SET v = 1 FROM b WHERE b.id = $1 AND b.k > a.k;
-- name: h76
-- expect: SI-0
UPDATE a SET v = b.amt FROM b WHERE b.id = $1 AND a.id = b.a_id;
-- name: h77
-- expect: unbounded
DELETE FROM a USING b WHERE a.id = b.a_id AND b.k = $1;
-- name: h78
-- expect: unbounded
SELECT a.id FROM a, jsonb_array_elements(a.j) el WHERE a.id = $1;
-- name: h79
-- expect: unbounded
SELECT a.id FROM a WHERE j @> $1;
-- name: h80
-- expect: unbounded
SELECT a.id FROM a WHERE j -> 'x' ->> 'y' = $1;
-- name: h81
-- expect: unbounded
SELECT a.id FROM a WHERE j @? '$.x[*] ? (@ > 1)' LIMIT 10;
-- name: h82
-- expect: unbounded
SELECT a.id FROM a WHERE $1 = ANY (arr);
-- name: h83
-- expect: unbounded
SELECT b.id FROM a JOIN b ON b.id = ANY (a.arr) WHERE a.id = $1;
-- name: h84
-- expect: unbounded
SELECT id FROM a WHERE to_tsvector('english', s) @@ plainto_tsquery($1) LIMIT 10;
-- name: h85
-- expect: unbounded
SELECT id FROM a WHERE s ~ $1 LIMIT 10;
-- name: h86
-- expect: unbounded
SELECT id FROM a WHERE s SIMILAR TO $1 LIMIT 10;
-- name: h87
-- expect: unbounded
SELECT id FROM a WHERE s LIKE $1 LIMIT 10;
-- name: h88
-- expect: unbounded
SELECT id FROM a ORDER BY s <-> $1 LIMIT 10;
-- name: h89
-- expect: unbounded
SELECT id FROM a WHERE ts > now() - interval '1 day' ORDER BY v LIMIT 10;
-- name: h90
-- expect: SI-1
SELECT id FROM a WHERE ts > now() - interval '1 day' ORDER BY ts LIMIT 10;
-- name: h91
-- expect: unbounded
SELECT id FROM a WHERE ts > now() - interval '1 day';
-- name: h92
-- expect: unbounded
SELECT id FROM a WHERE random() < 0.1 AND k = $1 LIMIT 10;
-- name: h93
-- expect: unbounded
SELECT id FROM a WHERE id = (random() * 1000)::bigint;
-- name: h94
-- expect: unbounded
SELECT id FROM a TABLESAMPLE BERNOULLI (1) LIMIT 10;
-- name: h95
-- expect: SI-2
SELECT * FROM agg WHERE k = $1;
-- name: h96
-- expect: unbounded
SELECT * FROM agg WHERE total = $1;
-- name: h97
-- expect: SI-2
SELECT * FROM agg ORDER BY total DESC LIMIT 10;
-- name: h98
-- expect: unbounded
SELECT * FROM agg;
-- name: h99
-- expect: unbounded
SELECT * FROM deep WHERE k = $1;
-- name: h100
-- expect: SI-0
SELECT * FROM joined WHERE b_id = $1;
-- name: h101
-- expect: unbounded
SELECT * FROM deep WHERE id = $1;
-- name: h102
-- expect: SI-1
SELECT st, count(*) FROM (SELECT st FROM a WHERE k = $1 ORDER BY ts DESC LIMIT 100) q GROUP BY st;
-- name: h103
-- expect: unbounded
SELECT * FROM (SELECT * FROM a WHERE k = $1) q ORDER BY id OFFSET 5;
-- name: h104
-- expect: unbounded
SELECT * FROM a WHERE k = $1 ORDER BY id FETCH FIRST 5 ROWS WITH TIES;
-- name: h105
-- expect: unbounded
SELECT * FROM a WHERE k = $1 LIMIT NULL;
-- name: h106
-- expect: unbounded
SELECT * FROM a WHERE k = $1 LIMIT NULLIF($2, 0);
-- name: h107
-- expect: unbounded
SELECT * FROM a WHERE k = $1 LIMIT CASE WHEN $2 THEN 10 END;
-- name: h108
-- expect: unbounded
SELECT unnest(arr) FROM a WHERE id = $1;
-- name: h109
-- expect: unbounded
SELECT generate_series(1, v) FROM a WHERE id = $1;
-- name: h110
-- expect: unbounded
SELECT array_agg(b.id) FROM b WHERE b.a_id = $1;
-- name: h111
-- expect: unbounded
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amt) FROM b WHERE a_id = $1;
-- name: h112
-- expect: unbounded
SELECT count(DISTINCT k) FROM b WHERE a_id = $1;
-- name: h113
-- expect: unbounded
SELECT string_agg(s, ',' ORDER BY id) FROM a WHERE k = $1 LIMIT 1;
-- name: h114
-- expect: unbounded
SELECT x, y FROM c WHERE x = $1;
-- name: h115
-- expect: unbounded
SELECT c1.z FROM c c1 JOIN c c2 ON c1.x = c2.x AND c1.y = c2.y AND c1.z = c2.z WHERE c1.x = $1 AND c2.y = $2;
-- name: h116
-- expect: SI-0
SELECT c1.z FROM c c1 JOIN c c2 ON c1.x = c2.x AND c1.y = c2.y AND c1.z = c2.z WHERE c1.x = $1 AND c2.y = $2 AND c1.z = $3;
-- name: h117
-- expect: unbounded
SELECT c1.z FROM c c1 LEFT JOIN c c2 ON c1.x = c2.x AND c2.y = $2 AND c2.z = $3 WHERE c1.x = $1;
-- name: h118
-- expect: SI-0
SELECT * FROM a NATURAL JOIN (SELECT $1::bigint AS id) q;
-- name: h119
-- expect: unbounded
SELECT * FROM a NATURAL JOIN b;
-- name: h120
-- expect: unbounded
SELECT * FROM a NATURAL JOIN b WHERE k = $1;
-- name: h121
-- expect: unbounded
SELECT id FROM a WHERE row(k, v) = row($1, $2);
-- name: h122
-- expect: SI-0
SELECT * FROM c WHERE (x, y, z) = ($1, $2, $3);
-- name: h123
-- expect: unbounded
SELECT * FROM c WHERE (x, y, z) <> ($1, $2, $3) LIMIT $4 + 10000000000;
-- name: h124
-- expect: SI-0
SELECT * FROM c WHERE (x, y, z) IN (($1, $2, $3), ($4, $5, $6));
-- name: h125
-- expect: unbounded
SELECT * FROM c WHERE (x, y) IN (SELECT k, v FROM a WHERE id = $1);
-- name: h126
-- expect: SI-0
SELECT * FROM c WHERE (x, y, z) IN (SELECT k, v, id FROM a WHERE id = $1);
-- name: h127
-- expect: unbounded
SELECT * FROM a WHERE id NOT IN ($1, $2);
-- name: h128
-- expect: SI-0
SELECT * FROM a WHERE id NOT IN ($1, $2) ORDER BY id LIMIT 10;
-- name: h129
-- expect: unbounded
SELECT * FROM a WHERE k NOT IN ($1, $2) ORDER BY id LIMIT 10;
-- name: h130
-- expect: unbounded
SELECT * FROM a WHERE v <> $1 ORDER BY id LIMIT 10;
-- name: h131
-- expect: unbounded
SELECT id FROM a WHERE id IN (SELECT a_id FROM b WHERE k = $1 LIMIT $2::bigint * 100000000000);
-- name: h132
-- expect: unbounded
SELECT * FROM ROWS FROM (generate_series(1, $1), unnest($2::int[])) AS r;
-- name: h133
-- expect: unbounded
TABLE a;
-- name: h134
-- expect: SI-1
TABLE a ORDER BY ts LIMIT 3;
-- name: h135
-- expect: unbounded
SELECT * FROM ONLY a WHERE k = $1;
-- name: h136
-- expect: SI-0
SELECT * FROM ONLY a WHERE id = $1;
-- name: h137
-- expect: unbounded
SELECT n FROM mv WHERE n > $1;
-- name: h138
-- expect: unbounded
SELECT id, xmin FROM a WHERE xmin::text = $1;
-- name: h139
-- expect: unbounded
SELECT tableoid FROM a WHERE ctid = '(0,1)' OR k = $1;
-- name: h140
-- expect: unbounded
SELECT GREATEST(id, 5) FROM a WHERE GREATEST(id, 5) = 5;
-- name: h141
-- expect: unbounded
SELECT * FROM a WHERE id * 0 = $1;
-- name: h142
-- expect: unbounded
SELECT * FROM a WHERE id / 1000 = $1;
-- name: h143
-- expect: unbounded
SELECT * FROM a WHERE abs(id) = $1 AND st = 'x' AND k > $2;
-- name: h144
-- expect: unbounded
SELECT * FROM a WHERE id + v = $1;
-- name: h145
-- expect: unbounded
SELECT * FROM a WHERE id = v AND v = k;
-- name: h146
-- expect: SI-0
SELECT * FROM a WHERE id = k AND k = $1;
-- name: h147
-- expect: unbounded
SELECT * FROM a WHERE id = k OR k = $1;
-- name: h148
-- expect: unbounded
SELECT * FROM b WHERE u = ANY (SELECT k FROM b b2 WHERE b2.a_id = $1);
-- name: h149
-- expect: unbounded
SELECT * FROM b WHERE u >= ALL (SELECT k FROM b b2 WHERE b2.a_id = $1);
-- name: h150
-- expect: unbounded
SELECT a.id FROM a JOIN b ON true WHERE a.id = $1;
-- name: h151
-- expect: unbounded
SELECT a.id FROM a JOIN b ON a.id = $1 OR b.id = $2;
-- name: h152
-- expect: SI-1
SELECT max(ts) FROM a WHERE k = $1 AND flag;
-- name: h153
-- expect: unbounded
SELECT max(ts) FILTER (WHERE v > $2) FROM a WHERE k = $1;
-- name: h154
-- expect: SI-1
SELECT bool_or(flag) FROM a WHERE v BETWEEN $1 AND $2;
-- name: h155
-- expect: unbounded
SELECT EXISTS (SELECT 1 FROM a WHERE v BETWEEN $1 AND $2 AND k > $3);
-- name: h156
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM a WHERE v BETWEEN $1 AND $2 AND k = $3);
-- name: h157
-- expect: unbounded
DECLARE cur CURSOR FOR SELECT * FROM a;
-- name: h158
-- expect: unbounded
MERGE INTO a USING b ON a.k = b.k WHEN MATCHED THEN UPDATE SET v = 1;
-- name: h159
-- expect: unbounded
SELECT a.id FROM a WHERE k = $1 ORDER BY id LIMIT 10 FOR UPDATE OF a SKIP LOCKED;
-- name: h160
-- expect: SI-1
SELECT a.id FROM a WHERE k = $1 ORDER BY id LIMIT 10 FOR NO KEY UPDATE;
