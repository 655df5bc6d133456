-- dialect: duckdb
CREATE TYPE kind AS ENUM ('bool', 'string');
CREATE TABLE flags (env UBIGINT NOT NULL, key VARCHAR NOT NULL, kind kind NOT NULL, rules STRUCT(a INT, b VARCHAR)[], meta MAP(VARCHAR, VARCHAR), updated TIMESTAMP NOT NULL, PRIMARY KEY (env, key));
CREATE TABLE overrides (env UBIGINT NOT NULL, key VARCHAR NOT NULL, tenant UUID NOT NULL, value JSON, PRIMARY KEY (env, key, tenant));
CREATE TABLE readings (device INTEGER NOT NULL, at TIMESTAMP NOT NULL, metric UTINYINT NOT NULL, v DOUBLE, PRIMARY KEY (device, at, metric));
CREATE TABLE devices (id INTEGER PRIMARY KEY, site INTEGER, ok BOOLEAN NOT NULL, lat DOUBLE, lon DOUBLE, geohash VARCHAR);

-- name: flag
-- expect: SI-0
SELECT * FROM flags WHERE env = $1 AND key = $2;
-- name: flags_of_env
-- expect: unbounded
SELECT * FROM flags WHERE env = ?;
-- name: flag_override
-- expect: unbounded
SELECT f.key, coalesce(o.value, '{}') FROM flags f LEFT JOIN overrides o USING (env, key) WHERE f.env = $1 AND f.key = $2 AND (o.tenant = $3 OR o.tenant IS NULL);
-- name: flag_override_on
-- expect: SI-0
SELECT f.key, o.value FROM flags f LEFT JOIN overrides o ON o.env = f.env AND o.key = f.key AND o.tenant = $3 WHERE f.env = $1 AND f.key = $2;
-- name: latest_reading
-- expect: SI-1
SELECT * FROM readings WHERE device = ? AND metric = ? ORDER BY at DESC LIMIT 1;
-- name: latest_of_metrics
-- expect: SI-0
SELECT * FROM readings WHERE device = ? AND at = ?;
-- name: latest_per_device
-- expect: unbounded
SELECT * FROM readings QUALIFY row_number() OVER (PARTITION BY device ORDER BY at DESC) = 1;
-- name: arg_max
-- expect: unbounded
SELECT device, arg_max(v, at) FROM readings GROUP BY device;
-- name: group_all
-- expect: unbounded
SELECT device, metric, avg(v) FROM readings GROUP BY ALL;
-- name: from_first
-- expect: SI-0
FROM flags WHERE env = $1 AND key = $2;
-- name: from_first_all
-- expect: unbounded
FROM flags;
-- name: exclude
-- expect: SI-0
SELECT * EXCLUDE (rules) FROM flags WHERE env = $1 AND key = $2;
-- name: asof
-- expect: unbounded
SELECT * FROM devices d ASOF JOIN readings r ON r.device = d.id AND r.at <= $1 WHERE d.id = $2;
-- name: positional
-- expect: unbounded
SELECT * FROM devices POSITIONAL JOIN readings LIMIT 5;
-- name: limit_percent
-- expect: unbounded
SELECT * FROM readings WHERE device = ? LIMIT 10%;
-- name: using_sample
-- expect: unbounded
SELECT * FROM readings USING SAMPLE 10 ROWS;
-- name: unnest_rules
-- expect: unbounded
SELECT key, unnest(rules) FROM flags WHERE env = $1 AND key = $2;
-- name: list_filter
-- expect: unbounded
SELECT key FROM flags WHERE env = $1 AND list_contains($2, key);
-- name: geohash_prefix
-- expect: SI-1
SELECT id FROM devices WHERE geohash LIKE 'u4pru%' ORDER BY geohash LIMIT 50;
-- name: geohash_prefix_all
-- expect: unbounded
SELECT id FROM devices WHERE starts_with(geohash, $1);
-- name: buckets
-- expect: SI-2
SELECT time_bucket(INTERVAL '1 hour', at) AS b, avg(v) FROM readings WHERE device = $1 AND metric = $2 GROUP BY b ORDER BY b DESC LIMIT 24;
-- name: site_ok
-- expect: SI-2
SELECT ok, count(*) FROM devices WHERE site = ? GROUP BY ok;
-- name: order_all
-- expect: SI-1
SELECT id, site FROM devices WHERE site = ? ORDER BY ALL LIMIT 5;
-- name: distinct_on
-- expect: SI-1
SELECT DISTINCT ON (metric) metric, v FROM readings WHERE device = ? AND metric IN (1, 2, 3) ORDER BY metric, at DESC;
-- name: read_csv
-- expect: unbounded
SELECT * FROM read_csv('x.csv') WHERE id = 1;
-- name: union_by_name
-- expect: unbounded
SELECT id FROM devices WHERE id = ? UNION ALL BY NAME SELECT device AS id FROM readings WHERE device = ?;
-- name: columns_star
-- expect: unbounded
SELECT max(COLUMNS(*)) FROM readings WHERE device = ?;
-- name: semi
-- expect: SI-0
SELECT * FROM devices d SEMI JOIN flags f ON f.env = d.site AND f.key = $2 WHERE d.id = $1;
-- name: anti
-- expect: SI-0
SELECT * FROM devices d ANTI JOIN flags f ON f.env = d.site AND f.key = $2 WHERE d.id = $1;
