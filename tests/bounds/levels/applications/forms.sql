-- Forms that hide what a query reads: patterns, casts, NULLs, nested values, cuts, set operations, windows.
CREATE TABLE t (id BIGINT PRIMARY KEY, k BIGINT NOT NULL, x BIGINT NOT NULL, s STRING NOT NULL, n BIGINT, b BOOLEAN NOT NULL);
CREATE TABLE u (id BIGINT PRIMARY KEY, t BIGINT NOT NULL REFERENCES t (id), k BIGINT, y BIGINT NOT NULL, UNIQUE (k));
CREATE TABLE ts (id BIGINT PRIMARY KEY, code STRING NOT NULL, UNIQUE (code));
CREATE TABLE tt (id BIGINT PRIMARY KEY, k BIGINT NOT NULL, unit STRING NOT NULL, at TIMESTAMP NOT NULL);
CREATE TABLE c1 (id BIGINT PRIMARY KEY REFERENCES c2 (id), v BIGINT);
CREATE TABLE c2 (id BIGINT PRIMARY KEY REFERENCES c1 (id), v BIGINT);
-- name: inherited_window
-- expect: SI-1
SELECT a.id FROM t a WHERE a.id > (SELECT MAX(id) - 10 FROM t) AND a.x IN (SELECT b.x FROM t b WHERE b.id > (SELECT y FROM u WHERE u.id = :p) AND b.s = a.s);
-- name: inherited_window_derived
-- expect: unbounded
SELECT a.id, d.c FROM t a JOIN (SELECT b.k, COUNT(*) AS c FROM t b WHERE b.id > (SELECT y FROM u WHERE u.id = :p) GROUP BY b.k) d ON d.k = a.k WHERE a.id > (SELECT MAX(id) - 10 FROM t);
-- name: text_number_join
-- expect: unbounded
SELECT t.id FROM u JOIN t ON t.s = u.y WHERE u.id = :id;
-- name: number_text_key
-- expect: unbounded
SELECT * FROM ts WHERE code = 7;
-- name: number_text_key_in
-- expect: unbounded
SELECT * FROM ts WHERE code IN (7, 8);
-- name: cyc
-- expect: SI-0
SELECT c1.v, c2.v FROM c1 JOIN c2 ON c2.id = c1.id WHERE c1.id = :id;
-- name: const_counter
-- expect: unbounded
SELECT COUNT(*) FROM t WHERE s = 'open';
-- name: param_in_list_of_columns
-- expect: unbounded
SELECT * FROM t WHERE :x IN (k, x);
-- name: or_null_param
-- expect: unbounded
SELECT * FROM t WHERE (id = :id OR :id IS NULL);
-- name: coalesce_param
-- expect: unbounded
SELECT * FROM t WHERE id = COALESCE(:id, id);
-- name: ifnull_self
-- expect: unbounded
SELECT * FROM t WHERE x = IFNULL(:x, x) AND k = :k ORDER BY id LIMIT 10;
-- name: left_const
-- expect: SI-0
SELECT t.id, COALESCE(s.one, 0) AS has FROM t LEFT JOIN (SELECT id, 1 AS one FROM c1) s ON s.id = t.id WHERE t.id = :id;
-- name: anti_const
-- expect: unbounded
SELECT t.id FROM t LEFT JOIN (SELECT id, 1 AS one FROM c1) s ON s.id = t.id WHERE t.k = :k AND s.one IS NULL ORDER BY t.id LIMIT 5;
-- name: left_then_filter_unlimited
-- expect: unbounded
SELECT t.id FROM t LEFT JOIN u ON u.t = t.id AND u.y > 5 WHERE t.k = :k AND u.id IS NULL ORDER BY t.id LIMIT 5;
-- name: not_in_nullable
-- expect: unbounded
SELECT id FROM t WHERE k = :k AND id NOT IN (SELECT k FROM u) ORDER BY id LIMIT 5;
-- name: limit_percent
-- expect: unbounded
SELECT id FROM t WHERE k = :k ORDER BY id FETCH FIRST 10 PERCENT ROWS ONLY;
-- name: case_where
-- expect: unbounded
SELECT id FROM t WHERE CASE WHEN k = :k THEN TRUE ELSE FALSE END;
-- name: case_in_order_param
-- expect: unbounded
SELECT id FROM t WHERE k = :k ORDER BY CASE WHEN :by = 'x' THEN x ELSE id END LIMIT 10;
-- name: between_cols
-- expect: unbounded
SELECT id FROM t WHERE :x BETWEEN x AND k ORDER BY id LIMIT 10;
-- name: between_key
-- expect: unbounded
SELECT id FROM t WHERE id BETWEEN :a AND :b;
-- name: between_key_const
-- expect: SI-0
SELECT id FROM t WHERE id BETWEEN 1 AND 10;
-- name: between_key_fixed_distance
-- expect: SI-0
SELECT id FROM t WHERE id >= :a AND id < :a + 10;
-- name: between_text_fixed
-- expect: unbounded
SELECT code FROM ts WHERE code >= 'a' AND code <= 'b';
-- name: group_limit
-- expect: SI-2
SELECT s, MAX(x) FROM t WHERE k = :k GROUP BY s ORDER BY s LIMIT 10;
-- name: group_limit_count
-- expect: SI-2
SELECT s, COUNT(*) FROM t WHERE k = :k GROUP BY s ORDER BY s LIMIT 10;
-- name: group_having_param
-- expect: unbounded
SELECT s, COUNT(*) FROM t WHERE k = :k GROUP BY s HAVING COUNT(*) > :n ORDER BY s LIMIT 10;
-- name: group_having_order_count
-- expect: SI-2
SELECT s, COUNT(*) AS c FROM t WHERE k = :k GROUP BY s HAVING COUNT(*) > :n ORDER BY c DESC LIMIT 10;
-- name: distinct_limit
-- expect: SI-1
SELECT DISTINCT s FROM t WHERE k = :k LIMIT 10;
-- name: distinct_key_limit
-- expect: SI-1
SELECT DISTINCT id, s FROM t WHERE k = :k LIMIT 10;
-- name: lag_window
-- expect: unbounded
SELECT id, LAG(x) OVER (ORDER BY id) FROM t WHERE k = :k ORDER BY id LIMIT 10;
-- name: total_window
-- expect: unbounded
SELECT id, COUNT(*) OVER () AS total FROM t WHERE k = :k ORDER BY id LIMIT 10;
-- name: union_limit_offset
-- expect: SI-1
SELECT id FROM t WHERE k = :k UNION ALL SELECT id FROM t WHERE x = :x LIMIT 10 OFFSET 5;
-- name: union_nested
-- expect: unbounded
SELECT id FROM t WHERE k = :k UNION SELECT id FROM t WHERE x = :x UNION ALL SELECT id FROM u WHERE y = :y ORDER BY id LIMIT 10;
-- name: exists_unbounded_inner
-- expect: SI-1
SELECT id FROM t WHERE id = :id AND EXISTS (SELECT 1 FROM u WHERE u.t = t.id AND u.y = :y);
-- name: exists_two_ranges
-- expect: unbounded
SELECT id FROM t WHERE id = :id AND EXISTS (SELECT 1 FROM u WHERE u.t = t.id AND u.y > :y AND u.k > :k);
-- name: exists_range
-- expect: SI-1
SELECT id FROM t WHERE id = :id AND EXISTS (SELECT 1 FROM u WHERE u.t = t.id AND u.y > :y);
-- name: any_sub
-- expect: unbounded
SELECT id FROM t WHERE id = ANY (SELECT t FROM u WHERE y = :y);
-- name: all_sub
-- expect: unbounded
SELECT id FROM t WHERE k = :k AND x > ALL (SELECT y FROM u WHERE u.t = t.id) ORDER BY id LIMIT 3;
-- name: scalar_limit
-- expect: SI-1
SELECT id FROM t WHERE id = (SELECT t FROM u WHERE y = :y ORDER BY id LIMIT 1);
-- name: scalar_no_limit
-- expect: unbounded
SELECT id FROM t WHERE id = (SELECT t FROM u WHERE y = :y);
-- name: cross_cut
-- expect: SI-0
SELECT t.id, u.id FROM t, u LIMIT 10;
-- name: cross_cut_filter
-- expect: unbounded
SELECT t.id, u.id FROM t, u WHERE t.x = u.y LIMIT 10;
-- name: self_neq
-- expect: unbounded
SELECT b.id FROM t a JOIN t b ON b.k = a.k AND b.id <> a.id WHERE a.id = :id;
-- name: self_neq_cut
-- expect: SI-1
SELECT b.id FROM t a JOIN t b ON b.k = a.k AND b.id <> a.id WHERE a.id = :id ORDER BY b.id LIMIT 5;
-- name: not_in_list_cut
-- expect: SI-1
SELECT id FROM t WHERE k = :k AND id NOT IN (:a, :b) ORDER BY x LIMIT 5;
-- name: not_in_nonunique_cut
-- expect: unbounded
SELECT id FROM t WHERE k = :k AND x NOT IN (:a, :b) ORDER BY id LIMIT 5;
-- name: neq_nullable
-- expect: unbounded
SELECT id FROM u WHERE t = :t AND k <> :k ORDER BY id LIMIT 5;
-- name: like_param
-- expect: unbounded
SELECT id FROM t WHERE s LIKE :pattern ORDER BY s LIMIT 5;
-- name: like_inner_wild
-- expect: unbounded
SELECT id FROM t WHERE s LIKE CONCAT('a%', :q, '%') ORDER BY s LIMIT 5;
-- name: like_underscore
-- expect: unbounded
SELECT id FROM t WHERE s LIKE CONCAT('_', :q, '%') ORDER BY s LIMIT 5;
-- name: like_prefix_order_other
-- expect: SI-1
SELECT id FROM t WHERE s LIKE 'abc%' AND k > :k ORDER BY k LIMIT 5;
-- name: like_const_order_other
-- expect: SI-1
SELECT id FROM t WHERE s LIKE '%abc%' ORDER BY k LIMIT 5;
-- name: now_range_two
-- expect: unbounded
SELECT id FROM t WHERE x > :a AND k > :b ORDER BY x LIMIT 5;
-- name: bool_range
-- expect: SI-1
SELECT id FROM t WHERE b = :b AND x > :a ORDER BY x LIMIT 5;
-- name: order_by_agg_sub
-- expect: unbounded
SELECT id FROM t WHERE k = :k ORDER BY (SELECT COUNT(*) FROM u WHERE u.t = t.id) DESC LIMIT 5;
-- name: limit_in_derived_then_join_fanout
-- expect: unbounded
SELECT d.id, u.id FROM (SELECT id FROM t WHERE k = :k ORDER BY id LIMIT 5) d JOIN u ON u.t = d.id;
-- name: limit_in_derived_then_join_key
-- expect: SI-1
SELECT d.id, c1.v FROM (SELECT id FROM t WHERE k = :k ORDER BY id LIMIT 5) d JOIN c1 ON c1.id = d.id;
-- name: outer_limit_derived_filter
-- expect: SI-1
SELECT d.id FROM (SELECT id, x FROM t WHERE k = :k ORDER BY id LIMIT 500) d WHERE d.x > :x ORDER BY d.x LIMIT 5;
-- name: intersect
-- expect: unbounded
SELECT id FROM t WHERE k = :k INTERSECT SELECT t FROM u WHERE y = :y;
-- name: null_eq
-- expect: SI-0
SELECT id FROM t WHERE id = NULL;
-- name: nullif_key
-- expect: unbounded
SELECT id FROM t WHERE NULLIF(id, 0) = :x AND x > :y;
-- name: abs_key
-- expect: unbounded
SELECT id FROM t WHERE ABS(id) = :x;
-- name: mod_key
-- expect: unbounded
SELECT id FROM t WHERE id % 10 = :x;
-- name: mod_key_cut
-- expect: SI-1
SELECT id FROM t WHERE id % 10 = :x ORDER BY id LIMIT 10;
-- name: cast_date_key
-- expect: unbounded
SELECT id FROM ts WHERE CAST(code AS INT) = :x;
-- name: plus_key
-- expect: unbounded
SELECT id FROM t WHERE n + 0 = :x;
-- name: sum_case_param
-- expect: unbounded
SELECT SUM(CASE WHEN s = :s THEN x ELSE 0 END) FROM t WHERE k = :k;
-- name: max_group_join
-- expect: unbounded
SELECT t.s, MAX(u.y) FROM t JOIN u ON u.t = t.id WHERE t.k = :k GROUP BY t.s;
-- name: count_two_tables
-- expect: unbounded
SELECT COUNT(*) FROM t JOIN u ON u.t = t.id WHERE t.k = :k;
-- name: unit_by_parameter
-- expect: not analysed
SELECT id FROM tt WHERE k = :k AND DATE_TRUNC(:unit, at) = :day ORDER BY at LIMIT 10;
-- name: unit_by_column
-- expect: not analysed
SELECT id FROM tt WHERE k = :k AND DATE_TRUNC(unit, at) = :day ORDER BY at LIMIT 10;
-- name: unit_constant
-- expect: SI-1
SELECT id FROM tt WHERE k = :k AND DATE_TRUNC('month', at) = :day ORDER BY at LIMIT 10;
-- name: year_of_time
-- expect: SI-1
SELECT id FROM tt WHERE k = :k AND YEAR(at) = :y ORDER BY at LIMIT 10;
-- name: cast_parameter
-- expect: SI-0
SELECT id FROM tt WHERE id = CAST(:id AS BIGINT);
-- name: cast_key
-- expect: unbounded
SELECT id FROM ts WHERE CAST(code AS BIGINT) = :x;
-- name: text_compared_with_time
-- expect: unbounded
SELECT id FROM ts WHERE code = CURRENT_DATE OR code = DATE '2026-01-01';
-- name: newest_of_each
-- expect: SI-2
SELECT * FROM (SELECT id, k, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS rn FROM tt WHERE unit = :u) n WHERE rn = 1 ORDER BY at DESC LIMIT 5;
-- name: third_of_each
-- expect: unbounded
SELECT * FROM (SELECT id, k, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS rn FROM tt WHERE unit = :u) n WHERE rn = 3 ORDER BY at DESC LIMIT 5;
-- name: newest_of_each_filtered
-- expect: unbounded
SELECT * FROM (SELECT id, k, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS rn FROM tt WHERE unit = :u) n WHERE rn = 1 AND id > :id ORDER BY at DESC LIMIT 5;
-- name: newest_of_each_other_order
-- expect: unbounded
SELECT * FROM (SELECT id, k, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS rn FROM tt WHERE unit = :u) n WHERE rn = 1 ORDER BY id DESC LIMIT 5;
-- name: newest_of_each_turned
-- expect: unbounded
SELECT * FROM (SELECT id, k, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS rn FROM tt WHERE unit = :u) n WHERE rn = 1 ORDER BY at LIMIT 5;
-- name: newest_of_nullable_groups
-- expect: unbounded
SELECT n, MAX(x) AS m FROM t WHERE k = :k GROUP BY n ORDER BY m DESC LIMIT 5;
-- name: greatest_of_join
-- expect: unbounded
SELECT t.k, MAX(u.y) AS m FROM t JOIN u ON u.t = t.id WHERE t.s = :s GROUP BY t.k ORDER BY m DESC LIMIT 5;
