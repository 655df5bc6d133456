-- dialect: postgres
-- Constraints that were taken away, that hold for part of the rows, or that say less than they seem to.
CREATE TABLE parent (id bigint PRIMARY KEY, v int);
CREATE TABLE child (extra int) INHERITS (parent);
CREATE TABLE ck (id bigint PRIMARY KEY, kind text NOT NULL, legacy boolean NOT NULL, f double precision NOT NULL, g bigint NOT NULL, q text NOT NULL,
  CHECK (kind IN ('a','b') OR legacy), CHECK (f BETWEEN 1 AND 5), CHECK (lower(q) IN ('x','y')), UNIQUE (g, kind), UNIQUE (g, f), UNIQUE (g, q));
CREATE TABLE dn (id bigint PRIMARY KEY, a text NOT NULL, b bigint NOT NULL REFERENCES parent(id), UNIQUE (a));
ALTER TABLE dn ALTER COLUMN b DROP NOT NULL;
CREATE TABLE du (id bigint PRIMARY KEY, a text NOT NULL);
CREATE UNIQUE INDEX du_a ON du (a);
DROP INDEX du_a;
CREATE TABLE dr (id bigint PRIMARY KEY, a text NOT NULL, CONSTRAINT dr_a UNIQUE (a));
ALTER TABLE dr DROP CONSTRAINT dr_a;
CREATE TABLE pu (id bigint PRIMARY KEY, a text NOT NULL, b text, st text NOT NULL, del timestamptz);
CREATE UNIQUE INDEX pu1 ON pu (a) WHERE del IS NULL AND st <> 'x';
CREATE UNIQUE INDEX pu2 ON pu (a, coalesce(b, ''));
CREATE UNIQUE INDEX pu3 ON pu (st, b);
-- name: by_parent
-- expect: unbounded
SELECT * FROM parent WHERE id = $1;
-- name: ck_kind
-- expect: unbounded
SELECT * FROM ck WHERE g = $1;
-- name: dn_join
-- expect: unbounded
SELECT dn.id FROM dn JOIN parent ON parent.id = dn.b ORDER BY dn.a LIMIT 10;
-- name: du_by_a
-- expect: unbounded
SELECT * FROM du WHERE a = $1;
-- name: dr_by_a
-- expect: unbounded
SELECT * FROM dr WHERE a = $1;
-- name: pu_part_condition
-- expect: unbounded
SELECT * FROM pu WHERE a = $1 AND del IS NULL;
-- name: pu_whole_condition
-- expect: SI-1
SELECT * FROM pu WHERE a = $1 AND del IS NULL AND st <> 'x';
-- name: pu_coalesce
-- expect: SI-1
SELECT * FROM pu WHERE a = $1 AND coalesce(b, '') = $2;
-- name: pu_nullable
-- expect: unbounded
SELECT * FROM pu WHERE st = $1 AND b IS NULL;
-- name: pu_or
-- expect: unbounded
SELECT * FROM pu WHERE st = $1 AND (b = $2 OR b IS NULL);
-- name: pu_or_sides
-- expect: SI-1
SELECT * FROM pu WHERE (st = $1 AND b = $2) OR id = $3;
-- name: only_last
-- expect: SI-1
SELECT DISTINCT ON (st) st, id FROM pu WHERE st IN ('a', 'b') ORDER BY st, id DESC;
-- name: tablesample
-- expect: unbounded
SELECT * FROM pu TABLESAMPLE BERNOULLI (1);
-- name: array_any
-- expect: unbounded
SELECT * FROM pu WHERE id = ANY($1::bigint[]);
-- name: lower_text
-- expect: unbounded
SELECT * FROM pu WHERE lower(a) = lower($1) AND del IS NULL AND st <> 'x';
-- name: collate
-- expect: unbounded
SELECT * FROM pu WHERE a COLLATE "C" = $1 AND del IS NULL AND st <> 'x' AND b > $2 ORDER BY id LIMIT 5;
-- name: generate
-- expect: unbounded
SELECT g FROM generate_series(1, $1) g;
-- name: delete_using
-- expect: unbounded
DELETE FROM dn USING parent WHERE parent.id = dn.b AND parent.v = $1;
-- name: upsert
-- expect: SI-0
INSERT INTO parent (id, v) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET v = excluded.v;
-- name: cte_insert
-- expect: unbounded
WITH d AS (DELETE FROM dn WHERE b = $1 RETURNING *) SELECT * FROM d;
-- name: limit_by_subquery
-- expect: unbounded
SELECT * FROM pu WHERE id = $1 LIMIT (SELECT count(*) FROM dn);
-- name: offset_by_subquery
-- expect: unbounded
SELECT * FROM pu WHERE id = $1 OFFSET (SELECT count(*) FROM dn);
-- name: inner_limit_by_subquery
-- expect: unbounded
SELECT x.id FROM (SELECT * FROM pu WHERE id = $1 LIMIT (SELECT max(v) FROM parent)) x;
-- name: returned_subquery
-- expect: unbounded
DELETE FROM pu WHERE id = $1 RETURNING (SELECT count(*) FROM dn);
-- name: outer_join_on_exists
-- expect: not analysed
SELECT d.id FROM dn d LEFT JOIN pu p ON p.id = d.b AND EXISTS (SELECT 1 FROM parent WHERE v > p.id AND id > d.id) WHERE d.id = $1;
