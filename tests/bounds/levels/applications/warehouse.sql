-- A metering service in Headwater's own SQL: limits, TEMPORAL columns, windows of time, rankings.
CREATE TABLE tenants (id BIGINT PRIMARY KEY, name STRING NOT NULL, region STRING NOT NULL, CARDINALITY LIMIT 5000 ());
CREATE TABLE meters (id BIGINT PRIMARY KEY, tenant BIGINT NOT NULL REFERENCES tenants (id), kind STRING NOT NULL, online BOOLEAN NOT NULL, CARDINALITY LIMIT 200 (tenant));
CREATE TABLE readings (meter BIGINT NOT NULL REFERENCES meters (id), at TIMESTAMP NOT NULL TEMPORAL, value DOUBLE, PRIMARY KEY (meter, at));
CREATE TABLE alerts (id BIGINT PRIMARY KEY, meter BIGINT NOT NULL REFERENCES meters (id), raised TIMESTAMP NOT NULL TEMPORAL, severity TINYINT NOT NULL, open BOOLEAN NOT NULL);
CREATE TABLE notes (id BIGINT PRIMARY KEY, alert BIGINT REFERENCES alerts (id), author STRING, CARDINALITY LIMIT 50 (alert)) ON VIOLATION WARN;

-- name: tenant_list
-- expect: SI-0
SELECT * FROM tenants;
-- name: meters_of_tenant
-- expect: SI-1
SELECT * FROM meters WHERE tenant = :t;
-- name: last_readings
-- expect: SI-0
SELECT at, value FROM readings WHERE meter = :m ORDER BY at DESC LIMIT 100;
-- name: readings_between
-- expect: unbounded
SELECT at, value FROM readings WHERE meter = :m AND at BETWEEN :a AND :b;
-- name: last_of_each_meter
-- expect: SI-1
SELECT m.id, (SELECT MAX(r.at) FROM readings r WHERE r.meter = m.id) FROM meters m WHERE m.tenant = :t;
-- name: newest_readings
-- expect: SI-3
SELECT meter, at, value FROM readings ORDER BY at DESC LIMIT 20;
-- name: open_alerts
-- expect: SI-3
SELECT id, meter FROM alerts WHERE open = TRUE ORDER BY raised DESC LIMIT 50;
-- name: alerts_of_day
-- expect: SI-3
SELECT id FROM alerts WHERE DATE(raised) = CURRENT_DATE LIMIT 50;
-- name: alerts_of_meter
-- expect: SI-1
SELECT id, raised FROM alerts WHERE meter = :m ORDER BY raised DESC LIMIT 20;
-- name: alerts_of_tenant
-- expect: SI-1
SELECT a.id, a.raised FROM meters m JOIN alerts a ON a.meter = m.id WHERE m.tenant = :t ORDER BY a.raised DESC LIMIT 20;
-- name: open_alert_count
-- expect: SI-2
SELECT COUNT(*) FROM alerts WHERE meter = :m AND open = TRUE;
-- name: noisiest_meters
-- expect: SI-2
SELECT meter, COUNT(*) AS n FROM alerts GROUP BY meter ORDER BY n DESC LIMIT 10;
-- name: noisiest_this_hour
-- expect: SI-3
SELECT meter, COUNT(*) AS n FROM alerts WHERE raised >= :now - INTERVAL '1' HOUR GROUP BY meter ORDER BY n DESC LIMIT 10;
-- name: notes_of_alert
-- expect: unbounded
SELECT * FROM notes WHERE alert = :a;
-- name: notes_of_alert_page
-- expect: SI-1
SELECT * FROM notes WHERE alert = :a ORDER BY id LIMIT 20;
-- name: average_of_meter
-- expect: SI-2
SELECT AVG(value), COUNT(*) FROM readings WHERE meter = :m;
-- name: above_threshold
-- expect: unbounded
SELECT COUNT(*) FROM readings WHERE meter = :m AND value > :threshold;
-- name: severity_ranking
-- expect: SI-1
SELECT id FROM alerts WHERE meter = :m AND severity >= :s ORDER BY raised DESC LIMIT 20;
-- name: kinds_of_tenant
-- expect: SI-1
SELECT DISTINCT kind FROM meters WHERE tenant = :t;
-- name: unknown_function
-- expect: not analysed
SELECT id FROM alerts WHERE meter = :m ORDER BY fancy_score(severity) LIMIT 5;
-- name: unknown_table
-- expect: not analysed
SELECT id FROM alertz WHERE meter = :m;
