-- dialect: postgres
-- Names that mean another thing than they seem to: schemas, CTEs, aliases, inner columns; cuts and values that are none.
CREATE TABLE public.person (id bigint PRIMARY KEY, name text NOT NULL, k bigint NOT NULL, code text NOT NULL UNIQUE, born timestamptz NOT NULL UNIQUE, flag boolean NOT NULL, n bigint);
CREATE TABLE audit.person (id bigint NOT NULL, name text NOT NULL, k bigint NOT NULL, at timestamptz NOT NULL);
CREATE TABLE pet (id bigint PRIMARY KEY, owner_id bigint NOT NULL REFERENCES public.person (id) ON DELETE CASCADE, name text NOT NULL, k bigint NOT NULL, weight numeric(6,2) NOT NULL UNIQUE);
CREATE TABLE twice (id bigint PRIMARY KEY, v text);
DROP TABLE twice;
CREATE TABLE twice (id bigint NOT NULL, v text);
CREATE TABLE IF NOT EXISTS kept (id bigint NOT NULL, v text);
CREATE TABLE IF NOT EXISTS kept (id bigint PRIMARY KEY, v text);
CREATE VIEW person_view AS SELECT * FROM public.person WHERE id < 100;
CREATE OR REPLACE VIEW person_view AS SELECT id % 10 AS id, name FROM public.person;
CREATE TABLE "Thing" (id bigint PRIMARY KEY, v text NOT NULL);

-- name: other_schema
-- expect: unbounded
SELECT * FROM audit.person WHERE id = $1;
-- name: own_schema
-- expect: SI-0
SELECT * FROM public.person WHERE id = $1;
-- name: made_anew
-- expect: unbounded
SELECT * FROM twice WHERE id = $1;
-- name: first_one_stays
-- expect: unbounded
SELECT * FROM kept WHERE id = $1;
-- name: replaced_view
-- expect: unbounded
SELECT * FROM person_view WHERE id = $1;
-- name: quoted_this
-- expect: SI-0
SELECT * FROM "Thing" WHERE id = $1;
-- name: cte_of_that_name
-- expect: unbounded
WITH person AS (SELECT * FROM pet) SELECT * FROM person WHERE owner_id = $1;
-- name: cte_hides_key
-- expect: unbounded
WITH person AS (SELECT owner_id AS id, name FROM pet) SELECT * FROM person WHERE id = $1;
-- name: derived_of_that_name
-- expect: unbounded
SELECT * FROM (SELECT owner_id AS id, name FROM pet) AS person WHERE person.id = $1;
-- name: inner_column_wins
-- expect: unbounded
SELECT * FROM public.person p WHERE EXISTS (SELECT 1 FROM pet WHERE k = pet.k AND pet.id = $1) LIMIT 10 OFFSET (SELECT count(*) FROM pet);
-- name: inner_column_wins_in
-- expect: unbounded
SELECT p.id FROM public.person p WHERE p.id IN (SELECT owner_id FROM pet WHERE pet.name = name);
-- name: output_alias_in_order
-- expect: SI-1
SELECT lower(name) AS id FROM public.person ORDER BY id LIMIT 5;
-- name: input_column_in_order_expression
-- expect: SI-1
SELECT lower(name) AS k FROM public.person ORDER BY -k LIMIT 5;
-- name: alias_not_in_where
-- expect: unbounded
SELECT id AS k, name FROM public.person WHERE k = $1;
-- name: on_filters_only_right
-- expect: unbounded
SELECT p.id, t.id FROM public.person p LEFT JOIN pet t ON t.owner_id = p.id AND p.id = $1;
-- name: on_constant
-- expect: unbounded
SELECT p.id FROM public.person p LEFT JOIN pet t ON t.id = $1;
-- name: right_join_filter_in_on
-- expect: unbounded
SELECT t.id FROM public.person p RIGHT JOIN pet t ON t.owner_id = p.id AND p.id = $1;
-- name: nested_joins
-- expect: not analysed
SELECT p.id FROM public.person p LEFT JOIN (pet t JOIN public.person o ON o.id = t.owner_id) ON t.id = p.n WHERE p.id = $1;
-- name: natural
-- expect: SI-2
SELECT * FROM public.person NATURAL JOIN pet WHERE k = $1 ORDER BY name LIMIT 5;
-- name: limit_expression
-- expect: unbounded
SELECT id FROM public.person WHERE k = $1 ORDER BY id LIMIT greatest($2, 10);
-- name: limit_huge
-- expect: unbounded
SELECT id FROM public.person WHERE k = $1 ORDER BY id LIMIT 9223372036854775807;
-- name: offset_by_count
-- expect: unbounded
SELECT id FROM public.person ORDER BY id LIMIT 10 OFFSET (SELECT count(*) / 2 FROM public.person);
-- name: offset_in_exists
-- expect: SI-1
SELECT id FROM public.person p WHERE id = $1 AND EXISTS (SELECT 1 FROM pet WHERE owner_id = p.id OFFSET 5);
-- name: distinct_two_columns
-- expect: SI-2
SELECT DISTINCT name, flag FROM public.person WHERE k = $1 ORDER BY name, flag LIMIT 10;
-- name: distinct_in_count
-- expect: unbounded
SELECT count(*) FROM (SELECT DISTINCT owner_id FROM pet WHERE k = $1) s;
-- name: or_true
-- expect: unbounded
SELECT * FROM public.person WHERE id = $1 OR 1 = 1;
-- name: not_unequal
-- expect: SI-0
SELECT * FROM public.person WHERE NOT (id <> $1);
-- name: compared_flag
-- expect: unbounded
SELECT * FROM public.person WHERE (id = $1) = $2;
-- name: is_not_true
-- expect: unbounded
SELECT * FROM public.person WHERE (id = $1) IS NOT TRUE;
-- name: is_true
-- expect: SI-0
SELECT * FROM public.person WHERE (id = $1) IS TRUE;
-- name: array_literal
-- expect: SI-0
SELECT * FROM public.person WHERE id = ANY (ARRAY[1, 2, 3]);
-- name: array_text
-- expect: unbounded
SELECT * FROM public.person WHERE id = ANY ('{1,2,3}'::bigint[]);
-- name: row_in_rows
-- expect: SI-0
SELECT * FROM public.person WHERE (id, k) IN ((1, 2), ($1, $2));
-- name: row_in_select
-- expect: unbounded
SELECT * FROM public.person WHERE (id, k) IN (SELECT owner_id, k FROM pet WHERE name = $1);
-- name: collation_of_the_value
-- expect: unbounded
SELECT * FROM public.person WHERE code = $1 COLLATE "und-ci";
-- name: collation_of_the_column
-- expect: unbounded
SELECT * FROM public.person WHERE code COLLATE "und-ci" = $1;
-- name: regex
-- expect: unbounded
SELECT * FROM public.person WHERE code ~ '^abc' ORDER BY id LIMIT $1 OFFSET (SELECT 5 + count(*) FROM pet);
-- name: similar
-- expect: unbounded
SELECT * FROM public.person WHERE code SIMILAR TO $1 LIMIT 5;
-- name: day_of_unique_time
-- expect: unbounded
SELECT * FROM public.person WHERE born::date = $1;
-- name: zone_of_unique_time
-- expect: unbounded
SELECT * FROM public.person WHERE (born AT TIME ZONE 'Europe/Paris')::time = $1;
-- name: random_value
-- expect: unbounded
SELECT * FROM public.person WHERE id = floor(random() * 1000)::bigint;
-- name: own_function
-- expect: not analysed
SELECT * FROM public.person WHERE app.lower(name) = $1 ORDER BY id LIMIT 5;
-- name: value_of_two
-- expect: SI-0
SELECT * FROM public.person WHERE id = COALESCE($1, $2);
-- name: value_of_row
-- expect: unbounded
SELECT * FROM public.person WHERE id = GREATEST($1, k);
-- name: value_by_case
-- expect: unbounded
SELECT * FROM public.person WHERE id = (CASE WHEN $1 THEN $2 ELSE id END);
-- name: self_in
-- expect: SI-0
SELECT * FROM public.person WHERE id IN (SELECT id FROM public.person WHERE id = $1);
-- name: row_less
-- expect: unbounded
SELECT * FROM public.person WHERE (id, k) < ($1, $2);
-- name: symmetric
-- expect: unbounded
SELECT * FROM public.person WHERE id BETWEEN SYMMETRIC $1 AND $2;
-- name: numeric_window
-- expect: unbounded
SELECT * FROM pet WHERE weight BETWEEN $1 AND $1 + 10;
-- name: lateral_inner_drops
-- expect: unbounded
SELECT p.id, l.id FROM public.person p CROSS JOIN LATERAL (SELECT id FROM pet WHERE owner_id = p.id ORDER BY id LIMIT 1) l WHERE p.k = $1 ORDER BY p.id LIMIT 10;
-- name: lateral_left_keeps
-- expect: SI-1
SELECT p.id, l.id FROM public.person p LEFT JOIN LATERAL (SELECT id FROM pet WHERE owner_id = p.id ORDER BY id LIMIT 1) l ON true WHERE p.k = $1 ORDER BY p.id LIMIT 10;
-- name: lateral_left_filtered
-- expect: unbounded
SELECT p.id, l.id FROM public.person p LEFT JOIN LATERAL (SELECT id FROM pet WHERE owner_id = p.id ORDER BY id LIMIT 1) l ON true WHERE p.k = $1 AND l.id IS NOT NULL ORDER BY p.id LIMIT 10;
-- name: delete_with_cascade
-- expect: SI-0
DELETE FROM public.person WHERE id = $1;
-- name: delete_pet
-- expect: SI-0
DELETE FROM pet WHERE id = $1;
-- name: insert_select
-- expect: unbounded
INSERT INTO audit.person SELECT id, name, k, now() FROM public.person WHERE k = $1;
-- name: exists_without_join
-- expect: SI-1
SELECT p.id FROM public.person p WHERE p.id = $1 AND EXISTS (SELECT 1 FROM pet WHERE pet.k = $2);
-- name: percentile
-- expect: unbounded
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY weight) FROM pet WHERE owner_id = $1;
-- name: collected
-- expect: unbounded
SELECT string_agg(name, ',' ORDER BY name) FROM pet WHERE owner_id = $1;
-- name: any_true
-- expect: SI-1
SELECT bool_or(flag) FROM public.person WHERE k = $1;
-- name: sum_distinct
-- expect: unbounded
SELECT sum(DISTINCT k) FROM pet WHERE owner_id = $1;
-- name: max_of_product
-- expect: SI-1
SELECT max(weight * k) FROM pet WHERE owner_id = $1;
-- name: max_filtered
-- expect: unbounded
SELECT max(weight) FILTER (WHERE k > $2) FROM pet WHERE owner_id = $1;
-- name: rollup
-- expect: not analysed
SELECT k, name, count(*) FROM pet WHERE owner_id = $1 GROUP BY ROLLUP (k, name) LIMIT 10;
-- name: order_by_parameter
-- expect: SI-1
SELECT id FROM public.person WHERE k = $1 ORDER BY $2 LIMIT 10;
-- name: ties
-- expect: unbounded
SELECT id FROM public.person WHERE k = $1 ORDER BY name FETCH FIRST 10 ROWS WITH TIES;
-- name: moved_rows
-- expect: not analysed
WITH gone AS (DELETE FROM pet WHERE owner_id = $1 RETURNING *) SELECT count(*) FROM gone;
