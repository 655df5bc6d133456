-- dialect: mysql
CREATE TABLE a (id bigint unsigned NOT NULL AUTO_INCREMENT, t varchar(50) NOT NULL, k varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, n int NOT NULL, f tinyint(1) NOT NULL, at datetime(6) NOT NULL, d date, js json, p bigint unsigned, PRIMARY KEY (id), UNIQUE KEY uk (k), KEY ix (n, at));
CREATE TABLE c (id bigint unsigned NOT NULL, a_id bigint unsigned NOT NULL, n int NOT NULL, m int, PRIMARY KEY (id), UNIQUE KEY uan (a_id, n), CONSTRAINT fk FOREIGN KEY (a_id) REFERENCES a (id) ON DELETE CASCADE);
CREATE TABLE e (a_id bigint unsigned NOT NULL, pos tinyint unsigned NOT NULL, x int, PRIMARY KEY (a_id, pos), CONSTRAINT fke FOREIGN KEY (a_id) REFERENCES a (id));
CREATE TABLE w (g int NOT NULL, h int NULL, UNIQUE KEY (g, h));
CREATE TABLE fx (id int NOT NULL PRIMARY KEY, y year NOT NULL, s set('a','b') NOT NULL, bt bit(3) NOT NULL, em varchar(100) NOT NULL, em_hash binary(20) AS (unhex(sha1(em))) STORED, UNIQUE KEY (em_hash), UNIQUE KEY fn ((lower(em))));

-- name: m01_rand_seeded
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY RAND(?) LIMIT 3;
-- name: m02_uuid_short
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY UUID_SHORT() LIMIT 3;
-- name: m03_user_variable
-- expect: unbounded
SELECT id FROM a WHERE n = ? AND (@i := @i + 1) % 2 = 0 LIMIT 3;
-- name: m04_limit_offset_params
-- expect: SI-1
SELECT id FROM a WHERE n = ? ORDER BY at LIMIT ?, ?;
-- name: m05_straight_or
-- expect: unbounded
SELECT a.id FROM a, c WHERE c.a_id = a.id AND (a.id = ? OR c.m = ?);
-- name: m06_straight_or_same_table
-- expect: SI-1
SELECT id FROM a WHERE id = ? OR k = ?;
-- name: m07_xor
-- expect: unbounded
SELECT id FROM a WHERE (id = ?) XOR (k = ?);
-- name: m08_null_safe_partial
-- expect: unbounded
SELECT * FROM w WHERE g = ? AND h <=> ?;
-- name: m09_null_safe_const
-- expect: SI-1
SELECT * FROM w WHERE g = ? AND h <=> 5;
-- name: m10_null_safe_null
-- expect: unbounded
SELECT * FROM w WHERE g = ? AND h <=> NULL;
-- name: m11_truthy
-- expect: unbounded
SELECT id FROM a WHERE id;
-- name: m12_truthy_flag
-- expect: SI-1
SELECT id FROM a WHERE f AND n = ? ORDER BY at LIMIT 3;
-- name: m13_not_key
-- expect: unbounded
SELECT id FROM a WHERE NOT (id <> ? OR n = ?) IS NULL;
-- name: m14_not_not_equal
-- expect: SI-0
SELECT id FROM a WHERE NOT (id <> ?);
-- name: m15_hash_key
-- expect: SI-1
SELECT id FROM fx WHERE em_hash = UNHEX(SHA1(?));
-- name: m16_functional_key
-- expect: SI-1
SELECT id FROM fx WHERE LOWER(em) = ?;
-- name: m17_year_number
-- expect: SI-1
SELECT id FROM fx WHERE y = 2024 ORDER BY id LIMIT 5;
-- name: m18_set_find
-- expect: unbounded
SELECT id FROM fx WHERE FIND_IN_SET(?, s) LIMIT 5;
-- name: m19_bit_and
-- expect: unbounded
SELECT id FROM fx WHERE bt & ? LIMIT 5;
-- name: m20_bit_and_const
-- expect: SI-1
SELECT id FROM fx WHERE bt & 2 ORDER BY id LIMIT 5;
-- name: m21_date_function
-- expect: unbounded
SELECT id FROM a WHERE DATE_ADD(at, INTERVAL ? DAY) > NOW() LIMIT 5;
-- name: m22_date_range
-- expect: SI-1
SELECT id FROM a WHERE at > DATE_SUB(NOW(), INTERVAL ? DAY) ORDER BY at LIMIT 5;
-- name: m23_group_by_nonagg
-- expect: unbounded
SELECT t, MAX(at) FROM a WHERE n = ? GROUP BY t;
-- name: m24_group_by_rollup
-- expect: unbounded
SELECT f, COUNT(*) FROM a WHERE n = ? GROUP BY f WITH ROLLUP;
-- name: m25_group_flag
-- expect: SI-2
SELECT f, COUNT(*) FROM a WHERE n = ? GROUP BY f;
-- name: m26_having_no_group
-- expect: unbounded
SELECT id, n AS x FROM a HAVING x = 5;
-- name: m27_count_distinct_multi
-- expect: unbounded
SELECT COUNT(DISTINCT t, n) FROM a WHERE d = ?;
-- name: m28_insert_ignore_select
-- expect: SI-0
INSERT IGNORE INTO e (a_id, pos, x) SELECT id, 1, n FROM a WHERE id = ?;
-- name: m29_replace_select
-- expect: unbounded
REPLACE INTO e (a_id, pos, x) SELECT a_id, 1, m FROM c WHERE a_id = ?;
-- name: m30_delete_join
-- expect: unbounded
DELETE c FROM c JOIN a ON a.id = c.a_id WHERE a.k = ?;
-- name: m31_delete_multi
-- expect: unbounded
DELETE a, e FROM a LEFT JOIN e ON e.a_id = a.id WHERE a.id = ?;
-- name: m32_delete_children
-- expect: SI-0
DELETE FROM e WHERE a_id = ?;
-- name: m33_delete_cascading
-- expect: unbounded
DELETE FROM a WHERE id = ?;
-- name: m34_update_order_limit
-- expect: SI-1
UPDATE a SET f = 0 WHERE n = ? ORDER BY at LIMIT 10;
-- name: m35_update_self_subquery
-- expect: SI-0
UPDATE a SET n = (SELECT x.c FROM (SELECT COUNT(*) AS c FROM e WHERE a_id = 5) x) WHERE id = ?;
-- name: m36_update_key_of_parent_of_restrict
-- expect: SI-0
UPDATE e SET x = x + 1 WHERE a_id = ? AND pos = ?;
-- name: m37_select_into_var
-- expect: SI-0
SELECT n INTO @n FROM a WHERE id = ?;
-- name: m38_json_table
-- expect: unbounded
SELECT a.id FROM a, JSON_TABLE(a.js, '$[*]' COLUMNS (v INT PATH '$')) j WHERE a.id = ?;
-- name: m39_json_value
-- expect: unbounded
SELECT id FROM a WHERE JSON_VALUE(js, '$.k') = ?;
-- name: m40_member
-- expect: unbounded
SELECT id FROM a WHERE ? MEMBER OF (js->'$.ids') LIMIT 2;
-- name: m41_regexp
-- expect: unbounded
SELECT id FROM a WHERE k REGEXP ? LIMIT 2;
-- name: m42_regexp_const
-- expect: SI-1
SELECT id FROM a WHERE k REGEXP '^a' AND n = ? ORDER BY id LIMIT 2;
-- name: m43_sounds
-- expect: SI-1
SELECT id FROM a WHERE SOUNDEX(t) = SOUNDEX(?) LIMIT 5;
-- name: m44_binary_key
-- expect: SI-1
SELECT id FROM a WHERE k = ? COLLATE utf8mb4_bin;
-- name: m45_ci_on_bin_key
-- expect: unbounded
SELECT id FROM a WHERE k = ? COLLATE utf8mb4_0900_ai_ci;
-- name: m46_concat_key
-- expect: unbounded
SELECT id FROM a WHERE CONCAT(k, ?) = ?;
-- name: m47_latest_each_group
-- expect: unbounded
SELECT x.* FROM a x LEFT JOIN a y ON y.n = x.n AND y.at > x.at WHERE y.id IS NULL AND x.n = ?;
-- name: m48_index_hint
-- expect: SI-1
SELECT id FROM a USE INDEX (ix) WHERE n = ? ORDER BY at DESC LIMIT 5;
-- name: m49_distinctrow
-- expect: unbounded
SELECT DISTINCTROW t FROM a WHERE n = ?;
-- name: m50_with_cte_update
-- expect: SI-1
WITH q AS (SELECT id FROM a WHERE k = ?) UPDATE a JOIN q ON q.id = a.id SET a.n = 1;
-- name: m51_values_row
-- expect: SI-0
SELECT a.id FROM a JOIN (VALUES ROW(1), ROW(2)) v (i) ON v.i = a.id;
-- name: m52_interval_fn
-- expect: unbounded
SELECT id FROM a WHERE n = ? ORDER BY FIELD(t, ?, ?) LIMIT 5;
-- name: m53_order_field_const
-- expect: SI-1
SELECT id FROM a WHERE n = ? ORDER BY FIELD(t, 'x', 'y'), id LIMIT 5;
-- name: m54_any_value
-- expect: SI-0
SELECT ANY_VALUE(x), COUNT(*) FROM e WHERE a_id = ?;
