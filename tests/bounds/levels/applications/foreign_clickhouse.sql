-- dialect: clickhouse
CREATE TABLE events (tenant UInt32, id UInt64, ts DateTime, name LowCardinality(String), props Map(String, String)) ENGINE = ReplacingMergeTree(ts) PARTITION BY toYYYYMM(ts) PRIMARY KEY (tenant, id) ORDER BY (tenant, id);

-- name: by_key
-- expect: unbounded
SELECT * FROM events WHERE tenant = {t:UInt32} AND id = {i:UInt64};
-- name: by_key_final
-- expect: unbounded
SELECT * FROM events FINAL WHERE tenant = {t:UInt32} AND id = {i:UInt64};
-- name: limit_by
-- expect: unbounded
SELECT * FROM events WHERE tenant = {t:UInt32} ORDER BY ts DESC LIMIT 1 BY name;
-- name: top_events
-- expect: SI-1
SELECT * FROM events WHERE tenant = {t:UInt32} ORDER BY ts DESC LIMIT 10;
-- name: limit_ties
-- expect: unbounded
SELECT * FROM events WHERE tenant = {t:UInt32} ORDER BY ts DESC LIMIT 10 WITH TIES;
-- name: prewhere
-- expect: SI-1
SELECT * FROM events PREWHERE tenant = {t:UInt32} WHERE name = 'x' ORDER BY ts LIMIT 5;
-- name: array_join
-- expect: unbounded
SELECT * FROM events ARRAY JOIN mapKeys(props) AS k WHERE tenant = {t:UInt32} LIMIT 10;
