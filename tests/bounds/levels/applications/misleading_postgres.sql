-- dialect: postgres
CREATE TABLE a (id bigint PRIMARY KEY, t text NOT NULL, k text UNIQUE, n int NOT NULL, v numeric, at timestamptz NOT NULL, d date, u uuid, arr int[], js jsonb, b boolean, p bigint REFERENCES a (id) ON UPDATE CASCADE);
CREATE TABLE c (id bigint PRIMARY KEY, a_id bigint NOT NULL REFERENCES a (id), n int NOT NULL, m int, s text COLLATE "de-x-icu" UNIQUE, UNIQUE (a_id, n));
CREATE TABLE e (a_id bigint NOT NULL REFERENCES a (id) ON DELETE CASCADE, n int NOT NULL, x int, PRIMARY KEY (a_id, n), CARDINALITY LIMIT 20 (a_id));
CREATE TABLE part (id bigint NOT NULL, region text NOT NULL, v int, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE part_eu PARTITION OF part FOR VALUES IN ('eu');
CREATE TABLE dup (x int, y int);
CREATE UNIQUE INDEX dup_x ON dup (x) WHERE y > 0;
CREATE UNIQUE INDEX dup_xy ON dup (x, (y % 10));
CREATE TABLE z (g int NOT NULL, h int, i int, UNIQUE (g, h, i));

-- name: p01_limit_case
-- expect: unbounded
SELECT id FROM a WHERE t = $1 ORDER BY CASE WHEN $2 THEN n ELSE -n END LIMIT 5;
-- name: p02_order_by_param_position
-- expect: SI-0
SELECT id FROM a ORDER BY $1, id LIMIT 5;
-- name: p03_offset_subquery
-- expect: unbounded
SELECT id FROM a ORDER BY id OFFSET (SELECT count(*) / 2 FROM a) LIMIT 1;
-- name: p04_limit_subquery
-- expect: unbounded
SELECT id FROM a ORDER BY id LIMIT (SELECT max(n) FROM a);
-- name: p05_limit_null
-- expect: unbounded
SELECT id FROM a WHERE n = $1 LIMIT NULL;
-- name: p06_limit_all
-- expect: unbounded
SELECT id FROM a WHERE n = $1 LIMIT ALL;
-- name: p07_nested_volatile
-- expect: unbounded
SELECT id FROM a WHERE n = $1 AND abs(round(CAST(random() * 10 AS numeric), 0)) = v LIMIT 5;
-- name: p08_volatile_in_case_order
-- expect: unbounded
SELECT id FROM a WHERE n = $1 ORDER BY CASE WHEN t = 'x' THEN random() ELSE 0 END LIMIT 5;
-- name: p09_gen_random_uuid
-- expect: unbounded
SELECT id FROM a WHERE n = $1 ORDER BY gen_random_uuid() LIMIT 5;
-- name: p10_volatile_output_only
-- expect: SI-1
SELECT id, random() FROM a WHERE n = $1 LIMIT 5;
-- name: p11_now_in_order
-- expect: unbounded
SELECT id FROM a WHERE n = $1 ORDER BY abs(extract(epoch from at - now())) LIMIT 5;
-- name: p12_now_shifted_order
-- expect: SI-1
SELECT id FROM a WHERE n = $1 ORDER BY at DESC LIMIT 5;
-- name: p13_or_across
-- expect: unbounded
SELECT a.id FROM a JOIN c ON c.a_id = a.id WHERE a.k = $1 OR c.s = $2;
-- name: p14_or_across_both_keyed
-- expect: SI-1
SELECT c.id FROM c JOIN a ON a.id = c.a_id WHERE c.id = $1 OR c.s = $2;
-- name: p15_collate_other
-- expect: unbounded
SELECT id FROM c WHERE s = $1 COLLATE "C";
-- name: p16_collate_same_column
-- expect: SI-1
SELECT id FROM c WHERE s = $1;
-- name: p17_text_numeric
-- expect: unbounded
SELECT id FROM a WHERE k::int = $1;
-- name: p18_any_array_param
-- expect: unbounded
SELECT id FROM a WHERE id = ANY($1::bigint[]);
-- name: p19_any_column_array
-- expect: unbounded
SELECT x.id FROM a JOIN a x ON x.id = ANY(a.arr) WHERE a.id = $1;
-- name: p20_unnest_array
-- expect: unbounded
SELECT x.id FROM a, unnest(a.arr) q(i) JOIN a x ON x.id = q.i WHERE a.id = $1;
-- name: p21_not_in_null
-- expect: unbounded
SELECT id FROM a WHERE n = $1 AND id NOT IN (SELECT a_id FROM c WHERE m = $2) LIMIT 10;
-- name: p22_not_in_bounded
-- expect: SI-1
SELECT id FROM a WHERE n = $1 AND id NOT IN ($2, $3) ORDER BY at LIMIT 10;
-- name: p23_exists_other_bounded
-- expect: SI-2
SELECT id FROM a WHERE n = $1 AND EXISTS (SELECT 1 FROM e WHERE e.a_id = a.id AND e.x = $2) ORDER BY at LIMIT 10;
-- name: p25_child_bounded_count
-- expect: SI-0
SELECT a.id, count(e.n) FROM a LEFT JOIN e ON e.a_id = a.id WHERE a.id = $1 GROUP BY a.id;
-- name: p26_cte_recursive_limited
-- expect: unbounded
WITH RECURSIVE w AS (SELECT id, p FROM a WHERE id = $1 UNION ALL SELECT a.id, a.p FROM a JOIN w ON a.p = w.id) SELECT id FROM w LIMIT 10;
-- name: p27_generate_series_recursive
-- expect: unbounded
WITH RECURSIVE w(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM w WHERE i < $1) SELECT i FROM w;
-- name: p28_limit_in_in
-- expect: SI-1
SELECT * FROM c WHERE a_id IN (SELECT id FROM a WHERE n = $1 ORDER BY id LIMIT 5) ORDER BY a_id, n LIMIT 10;
-- name: p29_limit_outer_join_fanout
-- expect: SI-1
SELECT a.id, c.id FROM a LEFT JOIN c ON c.a_id = a.id WHERE a.n = $1 ORDER BY a.at, a.id LIMIT 10;
-- name: p30_limit_outer_join_filter_null
-- expect: unbounded
SELECT a.id FROM a LEFT JOIN c ON c.a_id = a.id AND c.m = $2 WHERE a.n = $1 AND c.id IS NULL ORDER BY a.at LIMIT 10;
-- name: p31_full_sort_other_table
-- expect: unbounded
SELECT a.id FROM a JOIN a b ON b.id = a.p WHERE a.n = $1 ORDER BY b.n LIMIT 10;
-- name: p32_window_whole
-- expect: unbounded
SELECT id, count(*) OVER () FROM a WHERE n = $1 ORDER BY at LIMIT 10;
-- name: p33_window_over_limited
-- expect: SI-1
SELECT id, sum(n) OVER (ORDER BY id) FROM (SELECT id, n FROM a WHERE n = $1 ORDER BY at LIMIT 10) q;
-- name: p34_union_branch_unbounded
-- expect: unbounded
SELECT id FROM a WHERE id = $1 UNION SELECT a_id FROM c WHERE m = $2;
-- name: p35_union_distinct_duplicates_limit
-- expect: SI-1
SELECT n FROM c WHERE m = $1 UNION SELECT n FROM a WHERE t = $2 LIMIT 10;
-- name: p36_partitioned
-- expect: unbounded
SELECT * FROM part WHERE id = $1;
-- name: p37_partitioned_key
-- expect: SI-0
SELECT * FROM part WHERE id = $1 AND region = $2;
-- name: p38_partial_unique_param
-- expect: unbounded
SELECT * FROM dup WHERE x = $1 AND y > $2;
-- name: p39_partial_unique_const
-- expect: SI-1
SELECT * FROM dup WHERE x = $1 AND y > 5;
-- name: p40_partial_unique_equal
-- expect: SI-1
SELECT * FROM dup WHERE x = $1 AND y = 7;
-- name: p41_partial_unique_or_null
-- expect: unbounded
SELECT * FROM dup WHERE x = $1 AND (y > 0 OR y IS NULL);
-- name: p42_expression_unique
-- expect: SI-1
SELECT * FROM dup WHERE x = $1 AND y % 10 = $2;
-- name: p43_expression_unique_other
-- expect: unbounded
SELECT * FROM dup WHERE x = $1 AND y % 100 = $2;
-- name: p44_unique_null_row
-- expect: unbounded
SELECT * FROM z WHERE (g, h, i) IS NOT DISTINCT FROM ($1, $2, $3);
-- name: p45_unique_full
-- expect: SI-1
SELECT * FROM z WHERE g = $1 AND h = $2 AND i = $3;
-- name: p46_row_in_subquery
-- expect: unbounded
SELECT * FROM c WHERE (a_id, n) IN (SELECT id, n FROM a WHERE t = $1);
-- name: p47_json_path
-- expect: unbounded
SELECT id FROM a WHERE js #>> '{a,b}' = $1;
-- name: p48_json_exists
-- expect: SI-1
SELECT id FROM a WHERE js ? 'key' LIMIT 5;
-- name: p49_key_cast_text
-- expect: SI-0
SELECT id FROM a WHERE id = $1::text::bigint;
-- name: p50_key_plus_zero
-- expect: unbounded
SELECT id FROM a WHERE id + $2 = $1;
-- name: p51_scalar_in_select_unbounded
-- expect: unbounded
SELECT id, (SELECT string_agg(s, ',') FROM c WHERE c.a_id = a.id) FROM a WHERE id = $1;
-- name: p52_array_subquery
-- expect: unbounded
SELECT id, ARRAY(SELECT c.id FROM c WHERE c.a_id = a.id) FROM a WHERE id = $1;
-- name: p53_subquery_in_order
-- expect: unbounded
SELECT id FROM a WHERE n = $1 ORDER BY (SELECT count(*) FROM e WHERE e.a_id = a.id AND e.x > $2) LIMIT 3;
-- name: p54_subquery_in_case_in_having
-- expect: unbounded
SELECT n, count(*) FROM a WHERE t = $1 GROUP BY n HAVING CASE WHEN EXISTS (SELECT 1 FROM c WHERE c.m = a.n) THEN true ELSE false END LIMIT 3;
-- name: p55_subquery_in_join_on
-- expect: unbounded
SELECT a.id FROM a JOIN c ON c.id = (SELECT max(c2.id) FROM c c2 WHERE c2.m = a.n) WHERE a.t = $1;
-- name: p56_lateral_agg
-- expect: SI-2
SELECT a.id, q.cnt FROM a CROSS JOIN LATERAL (SELECT count(*) AS cnt FROM c WHERE c.a_id = a.id) q WHERE a.id = $1;
-- name: p57_filter_now
-- expect: unbounded
SELECT count(*) FILTER (WHERE at > now() - interval '1 day') FROM a WHERE n = $1;
-- name: p58_sum_case_param
-- expect: unbounded
SELECT sum(CASE WHEN t = $2 THEN 1 ELSE 0 END) FROM a WHERE n = $1;
-- name: p59_sum_case_const
-- expect: SI-2
SELECT sum(CASE WHEN t = 'x' THEN 1 ELSE 0 END) FROM a WHERE n = $1;
-- name: p60_update_from_unbounded
-- expect: unbounded
UPDATE e SET x = c.m FROM c WHERE c.a_id = e.a_id AND e.a_id = $1;
-- name: p61_update_where_exists
-- expect: unbounded
UPDATE a SET n = 0 WHERE EXISTS (SELECT 1 FROM e WHERE e.a_id = a.id AND e.x = $1);
-- name: p62_update_pk_cascade
-- expect: unbounded
UPDATE a SET id = $1 WHERE id = $2;
-- name: p63_delete_cascade_bounded
-- expect: SI-0
DELETE FROM e WHERE a_id = $1;
-- name: p64_insert_select_all
-- expect: unbounded
INSERT INTO dup (x, y) SELECT n, m FROM c WHERE a_id = $1;
-- name: p65_insert_on_conflict_where
-- expect: SI-0
INSERT INTO e (a_id, n, x) VALUES ($1, $2, (SELECT n FROM a WHERE id = $1)) ON CONFLICT (a_id, n) DO UPDATE SET x = excluded.x WHERE e.x < excluded.x;
-- name: p66_tablesample
-- expect: unbounded
SELECT id FROM a TABLESAMPLE SYSTEM (1) WHERE n = $1 LIMIT 5;
-- name: p67_ctid
-- expect: unbounded
SELECT id FROM a WHERE t = $1 ORDER BY ctid LIMIT 1;
-- name: p68_between_symmetric
-- expect: SI-0
SELECT id FROM a WHERE id BETWEEN SYMMETRIC $1 AND $2 ORDER BY id LIMIT 5;
-- name: p69_keyset_or_form
-- expect: SI-1
SELECT id FROM a WHERE n = $1 AND (at < $2 OR (at = $2 AND id < $3)) ORDER BY at DESC, id DESC LIMIT 20;
-- name: p70_keyset_wrong_order
-- expect: unbounded
SELECT id FROM a WHERE n = $1 AND (at, id) < ($2, $3) ORDER BY t LIMIT 20;
-- name: p71_similar
-- expect: unbounded
SELECT id FROM a WHERE k SIMILAR TO $1 LIMIT 5;
-- name: p72_starts_with
-- expect: SI-1
SELECT id FROM a WHERE starts_with(k, $1) ORDER BY k LIMIT 5;
-- name: p73_starts_with_reversed
-- expect: unbounded
SELECT id FROM a WHERE starts_with($1, k) ORDER BY k LIMIT 5;
-- name: p74_natural
-- expect: SI-1
SELECT count(*) FROM e NATURAL JOIN c WHERE a_id = $1;
-- name: p75_distinct_on_expr_param
-- expect: unbounded
SELECT DISTINCT ON (n % $1) id FROM a ORDER BY n % $1, id LIMIT 5;
