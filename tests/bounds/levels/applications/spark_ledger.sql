-- A ledger and sensors in Spark's SQL with Headwater's own limits: TEMPORAL, CARDINALITY, ON VIOLATION WARN, NOT ENFORCED.
CREATE TABLE ledgers (id BIGINT PRIMARY KEY, owner STRING NOT NULL, currency STRING NOT NULL, CARDINALITY LIMIT 20 (owner));
CREATE TABLE accounts (id BIGINT PRIMARY KEY, ledger BIGINT NOT NULL REFERENCES ledgers (id), parent BIGINT, code STRING NOT NULL, closed BOOLEAN NOT NULL, CARDINALITY LIMIT 500 (ledger), CARDINALITY LIMIT 50 (parent));
CREATE TABLE entries (id BIGINT PRIMARY KEY, account BIGINT NOT NULL REFERENCES accounts (id), tx BIGINT NOT NULL, amount BIGINT NOT NULL, booked_at TIMESTAMP TEMPORAL NOT NULL, memo STRING, CARDINALITY LIMIT 10 (tx));
CREATE TABLE tags (entry BIGINT NOT NULL REFERENCES entries (id), tag STRING NOT NULL, PRIMARY KEY (entry, tag), CARDINALITY LIMIT 8 (entry)) ON VIOLATION WARN;
CREATE TABLE rates (currency STRING NOT NULL, day DATE NOT NULL, rate DOUBLE NOT NULL, PRIMARY KEY (currency, day) NOT ENFORCED);
CREATE TABLE sites (id BIGINT PRIMARY KEY, name STRING NOT NULL, region STRING NOT NULL, CARDINALITY LIMIT 200 ());
CREATE TABLE sensors (id BIGINT PRIMARY KEY, site BIGINT NOT NULL REFERENCES sites (id), kind STRING NOT NULL CHECK (kind IN ('temp', 'hum', 'co2')), serial STRING, UNIQUE (serial), UNIQUE (site, kind, serial));
CREATE TABLE readings (sensor BIGINT NOT NULL REFERENCES sensors (id), at TIMESTAMP TEMPORAL NOT NULL, value DOUBLE, bad BOOLEAN NOT NULL, PRIMARY KEY (sensor, at));
CREATE TABLE alarms (id BIGINT PRIMARY KEY, sensor BIGINT NOT NULL, raised_at TIMESTAMP TEMPORAL NOT NULL, acked BOOLEAN NOT NULL, level INT NOT NULL);
CREATE TABLE devices (id BIGINT PRIMARY KEY, sensor BIGINT REFERENCES sensors (id), tenant BIGINT NOT NULL) ON VIOLATION WARN;
CREATE TABLE memos (id BIGINT PRIMARY KEY, ref STRING, CARDINALITY LIMIT 3 (ref));

-- name: ledgers_of
-- expect: SI-1
SELECT * FROM ledgers WHERE owner = :owner;
-- name: accounts_of_owner
-- expect: SI-1
SELECT a.* FROM ledgers l JOIN accounts a ON a.ledger = l.id WHERE l.owner = :owner ORDER BY a.code;
-- name: children
-- expect: SI-1
SELECT * FROM accounts WHERE parent = :p;
-- name: roots
-- expect: unbounded
SELECT * FROM accounts WHERE parent IS NULL;
-- name: siblings
-- expect: SI-1
SELECT b.id FROM accounts a JOIN accounts b ON b.parent = a.parent WHERE a.id = :id;
-- name: siblings_null_safe
-- expect: unbounded
SELECT b.id FROM accounts a JOIN accounts b ON b.parent <=> a.parent WHERE a.id = :id;
-- name: siblings_coalesced
-- expect: unbounded
SELECT b.id FROM accounts a JOIN accounts b ON COALESCE(b.parent, 0) = COALESCE(a.parent, 0) WHERE a.id = :id;
-- name: grandchildren
-- expect: SI-1
SELECT c.id FROM accounts b JOIN accounts c ON c.parent = b.id WHERE b.parent = :p;
-- name: transaction
-- expect: SI-1
SELECT e.*, a.code FROM entries e JOIN accounts a ON a.id = e.account WHERE e.tx = :tx;
-- name: statement
-- expect: SI-1
SELECT * FROM entries WHERE account = :a ORDER BY booked_at DESC LIMIT 50;
-- name: statement_since
-- expect: unbounded
SELECT * FROM entries WHERE account = :a AND booked_at >= :since;
-- name: latest_entries
-- expect: SI-3
SELECT * FROM entries ORDER BY booked_at DESC LIMIT 50;
-- name: balance
-- expect: SI-2
SELECT SUM(amount) FROM entries WHERE account = :a;
-- name: balance_until
-- expect: unbounded
SELECT SUM(amount) FROM entries WHERE account = :a AND booked_at < :t;
-- name: ledger_balance
-- expect: unbounded
SELECT SUM(e.amount) FROM accounts a JOIN entries e ON e.account = a.id WHERE a.ledger = :l;
-- name: ledger_balance_by_account
-- expect: SI-2
SELECT a.id, (SELECT SUM(e.amount) FROM entries e WHERE e.account = a.id) AS balance FROM accounts a WHERE a.ledger = :l;
-- name: ledger_balance_joined
-- expect: SI-2
SELECT a.id, a.code, SUM(e.amount) AS balance FROM accounts a LEFT JOIN entries e ON e.account = a.id WHERE a.ledger = :l GROUP BY a.id, a.code;
-- name: tags_of_entry
-- expect: unbounded
SELECT tag FROM tags WHERE entry = :e;
-- name: tags_of_entry_first
-- expect: SI-0
SELECT tag FROM tags WHERE entry = :e ORDER BY tag LIMIT 8;
-- name: entries_of_tag
-- expect: SI-1
SELECT e.id, e.memo FROM tags t JOIN entries e ON e.id = t.entry WHERE t.tag = :tag ORDER BY t.entry LIMIT 10;
-- name: rate_on_day
-- expect: unbounded
SELECT rate FROM rates WHERE currency = :c AND day = :d;
-- name: latest_rate
-- expect: SI-1
SELECT rate FROM rates WHERE currency = :c AND day <= :d ORDER BY day DESC LIMIT 1;
-- name: all_sites
-- expect: SI-0
SELECT * FROM sites ORDER BY name;
-- name: sensors_of_site
-- expect: unbounded
SELECT * FROM sensors WHERE site = :s;
-- name: sensor_by_serial
-- expect: SI-1
SELECT * FROM sensors WHERE serial = :serial;
-- name: sensors_of_site_kind_without_serial
-- expect: unbounded
SELECT * FROM sensors WHERE site = :s AND kind = :k AND serial IS NULL;
-- name: sensors_by_serial_lower
-- expect: unbounded
SELECT * FROM sensors WHERE LOWER(serial) = LOWER(:serial);
-- name: count_by_kind
-- expect: SI-2
SELECT kind, COUNT(*) AS n FROM sensors WHERE site = :s GROUP BY kind;
-- name: sites_with_count
-- expect: SI-2
SELECT s.id, s.name, COUNT(x.id) AS n FROM sites s LEFT JOIN sensors x ON x.site = s.id GROUP BY s.id, s.name;
-- name: last_reading
-- expect: SI-0
SELECT * FROM readings WHERE sensor = :s ORDER BY at DESC LIMIT 1;
-- name: last_good_reading
-- expect: SI-1
SELECT * FROM readings WHERE sensor = :s AND NOT bad ORDER BY at DESC LIMIT 1;
-- name: last_high_reading
-- expect: unbounded
SELECT * FROM readings WHERE sensor = :s AND value > :threshold ORDER BY at DESC LIMIT 1;
-- name: reading_at
-- expect: SI-0
SELECT * FROM readings WHERE sensor = :s AND at = :t;
-- name: readings_at_any_sensor
-- expect: unbounded
SELECT * FROM readings WHERE at = :t;
-- name: readings_one_hour
-- expect: unbounded
SELECT * FROM readings WHERE sensor = :s AND at BETWEEN :t AND :u;
-- name: avg_of_sensor
-- expect: SI-2
SELECT AVG(value), COUNT(value) FROM readings WHERE sensor = :s;
-- name: max_of_sensor
-- expect: SI-1
SELECT MAX(value) FROM readings WHERE sensor = :s;
-- name: median_of_sensor
-- expect: unbounded
SELECT PERCENTILE(value, 0.5) FROM readings WHERE sensor = :s;
-- name: open_alarms
-- expect: SI-3
SELECT * FROM alarms WHERE acked = FALSE ORDER BY raised_at DESC LIMIT 20;
-- name: open_alarms_of_sensor
-- expect: SI-1
SELECT * FROM alarms WHERE sensor = :s AND acked = FALSE ORDER BY raised_at DESC LIMIT 20;
-- name: worst_alarms
-- expect: SI-1
SELECT * FROM alarms WHERE acked = FALSE ORDER BY level DESC, id LIMIT 20;
-- name: alarms_of_hour
-- expect: SI-3
SELECT * FROM alarms WHERE DATE_TRUNC('hour', raised_at) = :h ORDER BY raised_at LIMIT 20;
-- name: alarms_by_weekday
-- expect: SI-3
SELECT * FROM alarms WHERE DAYOFWEEK(raised_at) = :d ORDER BY raised_at DESC LIMIT 20;
-- name: alarms_with_sensor
-- expect: SI-1
SELECT a.id, s.kind FROM alarms a JOIN sensors s ON s.id = a.sensor WHERE a.level = :l ORDER BY a.id LIMIT 20;
-- name: devices_with_sensor
-- expect: SI-1
SELECT d.id, s.kind FROM devices d LEFT JOIN sensors s ON s.id = d.sensor WHERE d.tenant = :t ORDER BY d.id LIMIT 20;
-- name: memos_of_ref
-- expect: SI-1
SELECT * FROM memos WHERE ref = :r;
-- name: memos_without_ref
-- expect: unbounded
SELECT * FROM memos WHERE ref IS NULL;
-- name: memos_nullif
-- expect: unbounded
SELECT * FROM memos WHERE COALESCE(ref, '') = :r;
-- name: memos_same_ref
-- expect: SI-1
SELECT b.id FROM memos a JOIN memos b ON a.ref = b.ref WHERE a.id = :id;
-- name: negative_limit
-- expect: unbounded
SELECT * FROM entries WHERE account = :a ORDER BY id LIMIT -1;
-- name: parameter_as_limit_expression
-- expect: SI-1
SELECT * FROM entries WHERE account = :a ORDER BY id LIMIT :n;
-- name: true_or_key
-- expect: unbounded
SELECT * FROM ledgers WHERE id = :id OR :all = 1;
-- name: key_times_two
-- expect: unbounded
SELECT * FROM ledgers WHERE id * 0 = :x;
-- name: not_key
-- expect: unbounded
SELECT * FROM ledgers WHERE NOT (id = :id);
-- name: not_not_key
-- expect: SI-0
SELECT * FROM ledgers WHERE NOT (id <> :id);
-- name: case_key
-- expect: SI-0
SELECT * FROM ledgers WHERE id = CASE WHEN :b THEN :x ELSE :y END;
-- name: volatile_key
-- expect: unbounded
SELECT * FROM ledgers WHERE id = CAST(FLOOR(RAND() * 100) AS BIGINT);
-- name: window_top3_per_account
-- expect: SI-1
SELECT id, account, amount FROM (SELECT e.id, e.account, e.amount, ROW_NUMBER() OVER (PARTITION BY e.account ORDER BY e.booked_at DESC) AS rn FROM accounts a JOIN entries e ON e.account = a.id WHERE a.ledger = :l) WHERE rn <= 3;
-- name: recursive_tree
-- expect: unbounded
WITH RECURSIVE t AS (SELECT id FROM accounts WHERE id = :id UNION ALL SELECT a.id FROM accounts a JOIN t ON a.parent = t.id) SELECT * FROM t;
-- name: left_join_fanout_cut
-- expect: SI-1
SELECT l.id, e.id AS entry FROM ledgers l LEFT JOIN accounts a ON a.ledger = l.id LEFT JOIN entries e ON e.account = a.id WHERE l.id = :id LIMIT 10;
-- name: left_join_where_null
-- expect: unbounded
SELECT e.id FROM entries e LEFT JOIN tags t ON t.entry = e.id WHERE e.account = :a AND t.entry IS NULL ORDER BY e.id LIMIT 10;
-- name: count_distinct_tags
-- expect: unbounded
SELECT COUNT(DISTINCT t.tag) FROM tags t JOIN entries e ON e.id = t.entry WHERE e.account = :a;
-- name: having_after
-- expect: SI-2
SELECT account, COUNT(*) AS n FROM entries GROUP BY account HAVING COUNT(*) > 10 ORDER BY account LIMIT 10;
