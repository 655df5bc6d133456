-- dialect: spark
CREATE TABLE a (id BIGINT PRIMARY KEY, k STRING UNIQUE, t STRING NOT NULL, n INT NOT NULL, v DOUBLE, at TIMESTAMP NOT NULL TEMPORAL, ok BOOLEAN, parts ARRAY<STRING>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRING>);
CREATE TABLE c (id BIGINT PRIMARY KEY, a_id BIGINT NOT NULL REFERENCES a (id), n INT NOT NULL, at TIMESTAMP, UNIQUE (a_id, n), CARDINALITY LIMIT 30 (a_id));
CREATE TABLE d (a_id BIGINT NOT NULL REFERENCES a (id), tag STRING NOT NULL, PRIMARY KEY (a_id, tag));
CREATE TABLE wl (a_id BIGINT, x INT, CARDINALITY LIMIT 3 (a_id)) ON VIOLATION WARN;
CREATE TABLE tiny (code TINYINT PRIMARY KEY, label STRING);
CREATE TABLE nul (g BIGINT, h BIGINT, i BIGINT, CARDINALITY LIMIT 4 (g, h));

-- name: s01_explode
-- expect: unbounded
SELECT id, p FROM a LATERAL VIEW explode(parts) x AS p WHERE id = :id;
-- name: s02_explode_limited
-- expect: unbounded
SELECT p FROM a LATERAL VIEW explode(parts) x AS p WHERE t = :t AND p = :p LIMIT 5;
-- name: s03_map_key
-- expect: unbounded
SELECT id FROM a WHERE m[:k] = 5 LIMIT 5;
-- name: s04_map_const
-- expect: SI-1
SELECT id FROM a WHERE m['x'] = 5 ORDER BY id LIMIT 5;
-- name: s05_struct_field
-- expect: SI-1
SELECT id FROM a WHERE s.x = :x ORDER BY id LIMIT 5;
-- name: s06_struct_whole
-- expect: unbounded
SELECT id FROM a WHERE s.x = :x;
-- name: s07_array_contains
-- expect: unbounded
SELECT id FROM a WHERE array_contains(parts, :p);
-- name: s08_transform
-- expect: unbounded
SELECT id FROM a WHERE exists(parts, p -> p = :p) LIMIT 5;
-- name: s09_monotonic
-- expect: unbounded
SELECT id FROM a WHERE n = :n ORDER BY monotonically_increasing_id() LIMIT 5;
-- name: s10_rand_in_where_subquery
-- expect: unbounded
SELECT id FROM a WHERE n = (SELECT CAST(rand() * 10 AS INT)) AND rand() < 0.5 LIMIT 4;
-- name: s11_now_bucket
-- expect: unbounded
SELECT id FROM a WHERE n = :n AND datediff(current_date(), CAST(at AS DATE)) % 7 = 0 LIMIT 4;
-- name: s12_temporal_behind_flag
-- expect: SI-3
SELECT id FROM a WHERE ok = true ORDER BY at DESC LIMIT 4;
-- name: s13_temporal_behind_param_flag
-- expect: SI-3
SELECT id FROM a WHERE ok = :ok ORDER BY at DESC LIMIT 4;
-- name: s14_temporal_date
-- expect: SI-3
SELECT id FROM a WHERE CAST(at AS DATE) = :day ORDER BY id LIMIT 4;
-- name: s15_temporal_behind_text
-- expect: SI-1
SELECT id FROM a WHERE t = :t ORDER BY at DESC LIMIT 4;
-- name: s16_temporal_key_prefix
-- expect: SI-0
SELECT id FROM a WHERE id > :id ORDER BY id LIMIT 4;
-- name: s17_warn_limit
-- expect: unbounded
SELECT x FROM wl WHERE a_id = :a;
-- name: s18_warn_limit_cut
-- expect: SI-1
SELECT x FROM wl WHERE a_id = :a LIMIT 3;
-- name: s19_limit_null_part
-- expect: unbounded
SELECT i FROM nul WHERE g = :g AND h IS NULL;
-- name: s20_limit_full
-- expect: SI-1
SELECT i FROM nul WHERE g = :g AND h = :h;
-- name: s21_limit_nullsafe
-- expect: unbounded
SELECT i FROM nul WHERE g = :g AND h <=> :h;
-- name: s22_limit_count
-- expect: SI-1
SELECT count(*), max(i) FROM nul WHERE g = :g AND h = :h;
-- name: s23_tiny
-- expect: SI-0
SELECT * FROM tiny;
-- name: s24_tiny_cross
-- expect: SI-2
SELECT t.label, (SELECT count(*) FROM a WHERE a.n = t.code) AS n FROM tiny t;
-- name: s25_children
-- expect: SI-1
SELECT c.id FROM c WHERE a_id = :a ORDER BY n * 2 DESC;
-- name: s26_children_of_key
-- expect: SI-1
SELECT c.id, a.t FROM a JOIN c ON c.a_id = a.id WHERE a.k = :k;
-- name: s27_children_of_children
-- expect: unbounded
SELECT c.id, d.tag FROM c JOIN d ON d.a_id = c.a_id WHERE c.a_id = :a;
-- name: s28_view_newest_child
-- expect: SI-2
SELECT c.id FROM a JOIN c ON c.a_id = a.id WHERE a.t = :t ORDER BY c.at DESC LIMIT 10;
-- name: s29_view_tag_child
-- expect: unbounded
SELECT c.id FROM d JOIN c ON c.a_id = d.a_id WHERE d.tag = :tag ORDER BY c.at DESC LIMIT 10;
-- name: s30_view_tag_parent
-- expect: unbounded
SELECT a.id FROM d JOIN a ON a.id = d.a_id WHERE d.tag = :tag ORDER BY a.at DESC LIMIT 10;
-- name: s31_two_inequalities
-- expect: unbounded
SELECT id FROM a WHERE t = :t AND n > :n AND v < :v LIMIT 5;
-- name: s32_inequality_other_order
-- expect: unbounded
SELECT id FROM a WHERE t = :t AND n > :n ORDER BY v LIMIT 5;
-- name: s33_inequality_same_order
-- expect: SI-1
SELECT id FROM a WHERE t = :t AND n > :n ORDER BY n, v LIMIT 5;
-- name: s34_qualify
-- expect: SI-1
SELECT id, t FROM a WHERE t IN (:a, :b) QUALIFY row_number() OVER (PARTITION BY t ORDER BY at DESC) <= 3;
-- name: s35_qualify_rank
-- expect: unbounded
SELECT id, t FROM a WHERE t = :a QUALIFY dense_rank() OVER (PARTITION BY t ORDER BY n DESC) <= 3;
-- name: s36_grouping_sets
-- expect: unbounded
SELECT t, n, count(*) FROM a WHERE k = :k GROUP BY GROUPING SETS ((t), (n));
-- name: s37_collect_list
-- expect: unbounded
SELECT collect_list(id) FROM a WHERE t = :t;
-- name: s38_collect_list_bounded
-- expect: SI-1
SELECT collect_list(n) FROM c WHERE a_id = :a;
-- name: s39_approx
-- expect: unbounded
SELECT approx_count_distinct(n) FROM a WHERE t = :t;
-- name: s40_first
-- expect: unbounded
SELECT first(v), last(v) FROM a WHERE t = :t;
-- name: s41_max_by
-- expect: SI-1
SELECT max_by(id, v) FROM a WHERE t = :t;
-- name: s42_any_over_key
-- expect: unbounded
SELECT id FROM a WHERE id IN (SELECT a_id FROM d WHERE tag = :tag);
-- name: s43_semi_limited
-- expect: SI-1
SELECT id, t FROM a WHERE id IN (SELECT a_id FROM d WHERE tag = :tag ORDER BY a_id LIMIT 10);
-- name: s44_anti_bounded
-- expect: SI-1
SELECT c.n FROM c WHERE c.a_id = :a AND NOT EXISTS (SELECT 1 FROM d WHERE d.a_id = c.a_id AND d.tag = CAST(c.n AS STRING));
-- name: s45_full_join
-- expect: unbounded
SELECT a.id, c.id FROM a FULL OUTER JOIN c ON c.a_id = a.id WHERE a.id = :id;
-- name: s46_range_table
-- expect: unbounded
SELECT a.id FROM range(0, 100) r JOIN a ON a.id = r.id;
-- name: s47_pivot
-- expect: unbounded
SELECT * FROM (SELECT t, n, v FROM a WHERE k = :k) PIVOT (sum(v) FOR n IN (1, 2));
-- name: s48_hint
-- expect: SI-1
SELECT /*+ BROADCAST(c) */ a.id FROM a JOIN c ON c.a_id = a.id WHERE a.k = :k;
-- name: s49_window_time
-- expect: unbounded
SELECT window(at, '1 hour'), count(*) FROM a WHERE t = :t GROUP BY window(at, '1 hour');
-- name: s50_last_hour_count
-- expect: SI-2
SELECT count(*) FROM a WHERE t = :t AND at > now() - INTERVAL 1 HOUR;
-- name: s51_last_hour_top
-- expect: SI-3
SELECT n, count(*) AS c FROM a WHERE at > now() - INTERVAL 1 HOUR GROUP BY n ORDER BY c DESC LIMIT 10;
-- name: s52_param_hours_count
-- expect: unbounded
SELECT count(*) FROM a WHERE t = :t AND at > now() - make_interval(0, 0, 0, 0, :h, 0, 0);
