-- dialect: postgres
CREATE TABLE tenants (id SERIAL NOT NULL, name VARCHAR(80) NOT NULL, PRIMARY KEY (id));
CREATE TABLE sites (tenant_id INTEGER NOT NULL, site_no SMALLINT NOT NULL, label VARCHAR, PRIMARY KEY (tenant_id, site_no), FOREIGN KEY(tenant_id) REFERENCES tenants (id));
CREATE TABLE devices (id UUID NOT NULL, tenant_id INTEGER NOT NULL, site_no SMALLINT NOT NULL, serial VARCHAR(40) NOT NULL, model VARCHAR(40) NOT NULL, firmware INTEGER, last_seen TIMESTAMP WITH TIME ZONE, retired BOOLEAN NOT NULL, PRIMARY KEY (id), CONSTRAINT uq_serial UNIQUE (serial), FOREIGN KEY(tenant_id, site_no) REFERENCES sites (tenant_id, site_no));
CREATE TABLE sensors (device_id UUID NOT NULL, channel SMALLINT NOT NULL, unit VARCHAR(8) NOT NULL, PRIMARY KEY (device_id, channel), CONSTRAINT ch CHECK (channel BETWEEN 0 AND 15), FOREIGN KEY(device_id) REFERENCES devices (id) ON DELETE CASCADE);
CREATE TABLE readings (device_id UUID NOT NULL, channel SMALLINT NOT NULL, at TIMESTAMP WITHOUT TIME ZONE NOT NULL, value DOUBLE PRECISION, quality SMALLINT, PRIMARY KEY (device_id, channel, at), FOREIGN KEY(device_id, channel) REFERENCES sensors (device_id, channel));
CREATE TABLE alerts (id BIGSERIAL NOT NULL, device_id UUID NOT NULL, severity VARCHAR(8) NOT NULL, raised_at TIMESTAMP WITHOUT TIME ZONE NOT NULL, cleared_at TIMESTAMP WITHOUT TIME ZONE, ack_by INTEGER, PRIMARY KEY (id), FOREIGN KEY(device_id) REFERENCES devices (id), CHECK (severity IN ('info', 'warn', 'crit')));
CREATE UNIQUE INDEX ux_open_alert ON alerts (device_id, severity) WHERE cleared_at IS NULL;
CREATE TABLE device_groups (id SERIAL NOT NULL, tenant_id INTEGER NOT NULL, name VARCHAR NOT NULL, PRIMARY KEY (id), CONSTRAINT uq_group UNIQUE (tenant_id, name));
CREATE TABLE device_group_members (group_id INTEGER NOT NULL REFERENCES device_groups (id), device_id UUID NOT NULL REFERENCES devices (id), PRIMARY KEY (group_id, device_id), CARDINALITY LIMIT 5 (device_id));
CREATE TABLE commands (id BIGSERIAL NOT NULL, device_id UUID NOT NULL REFERENCES devices (id), nonce VARCHAR(16) NOT NULL, status VARCHAR(10) NOT NULL, created TIMESTAMP WITHOUT TIME ZONE NOT NULL, args JSONB, tags VARCHAR[] NOT NULL, PRIMARY KEY (id), CONSTRAINT uq_nonce UNIQUE (device_id, nonce), CARDINALITY LIMIT 50 (device_id, status));

-- name: device
-- expect: SI-0
SELECT devices.id, devices.serial FROM devices WHERE devices.id = %(pk_1)s;
-- name: device_by_serial
-- expect: SI-1
SELECT devices.id FROM devices WHERE devices.serial = %(serial_1)s;
-- name: device_by_serial_upper
-- expect: unbounded
SELECT devices.id FROM devices WHERE upper(devices.serial) = upper(%(serial_1)s);
-- name: device_for_tenant
-- expect: SI-0
SELECT devices.id FROM devices WHERE devices.id = %(id_1)s AND devices.tenant_id = %(tenant_id_1)s;
-- name: devices_of_site
-- expect: unbounded
SELECT devices.id FROM devices WHERE devices.tenant_id = %(t)s AND devices.site_no = %(s)s AND NOT devices.retired;
-- name: devices_of_site_page
-- expect: SI-1
SELECT devices.id FROM devices WHERE devices.tenant_id = %(t)s AND devices.site_no = %(s)s AND NOT devices.retired ORDER BY devices.serial LIMIT %(param_1)s OFFSET %(param_2)s;
-- name: sites_of_tenant
-- expect: unbounded
SELECT sites.site_no, sites.label FROM sites WHERE sites.tenant_id = %(t)s;
-- name: sites_selectin
-- expect: SI-0
SELECT sites.tenant_id, sites.label FROM sites WHERE (sites.tenant_id, sites.site_no) IN ((%(a)s, %(b)s), (%(c)s, %(d)s), (%(e)s, %(f)s));
-- name: sensors_of_device
-- expect: SI-0
SELECT sensors.channel, sensors.unit FROM sensors WHERE sensors.device_id = %(d)s ORDER BY sensors.channel;
-- name: latest_of_sensor
-- expect: SI-0
SELECT readings.value FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s ORDER BY readings.at DESC LIMIT 1;
-- name: latest_of_device
-- expect: SI-0
SELECT s.channel, r.value, r.at FROM sensors s CROSS JOIN LATERAL (SELECT value, at FROM readings WHERE readings.device_id = s.device_id AND readings.channel = s.channel ORDER BY at DESC LIMIT 1) r WHERE s.device_id = %(d)s;
-- name: latest_of_device_left
-- expect: SI-0
SELECT s.channel, r.value FROM sensors s LEFT JOIN LATERAL (SELECT value FROM readings WHERE readings.device_id = s.device_id AND readings.channel = s.channel ORDER BY at DESC LIMIT 1) r ON true WHERE s.device_id = %(d)s;
-- name: latest_of_device_distinct_on
-- expect: SI-0
SELECT DISTINCT ON (readings.channel) readings.channel, readings.value FROM readings WHERE readings.device_id = %(d)s AND readings.channel IN (0, 1, 2) ORDER BY readings.channel, readings.at DESC;
-- name: latest_unlimited_lateral
-- expect: unbounded
SELECT s.channel, r.value FROM sensors s CROSS JOIN LATERAL (SELECT value, at FROM readings WHERE readings.device_id = s.device_id AND readings.channel = s.channel AND readings.value > %(v)s) r WHERE s.device_id = %(d)s;
-- name: lateral_by_quality
-- expect: SI-1
SELECT s.channel, r.value FROM sensors s CROSS JOIN LATERAL (SELECT value FROM readings WHERE readings.device_id = s.device_id AND readings.channel = s.channel AND readings.quality = %(q)s ORDER BY at DESC LIMIT 3) r WHERE s.device_id = %(d)s;
-- name: lateral_param_order
-- expect: unbounded
SELECT s.channel, r.value FROM sensors s CROSS JOIN LATERAL (SELECT value FROM readings WHERE readings.device_id = s.device_id AND readings.channel = s.channel ORDER BY abs(value - %(q)s) LIMIT 3) r WHERE s.device_id = %(d)s;
-- name: average_between
-- expect: unbounded
SELECT avg(readings.value) FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s AND readings.at BETWEEN %(a)s AND %(b)s;
-- name: average_all
-- expect: SI-2
SELECT avg(readings.value), min(readings.value), max(readings.value), count(*) FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s;
-- name: average_last_100
-- expect: SI-0
SELECT avg(anon_1.value) FROM (SELECT readings.value AS value FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s ORDER BY readings.at DESC LIMIT 100) AS anon_1;
-- name: median_last_100
-- expect: SI-0
SELECT anon_1.value FROM (SELECT readings.value AS value FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s ORDER BY readings.at DESC LIMIT 100) AS anon_1 ORDER BY anon_1.value LIMIT 1 OFFSET 50;
-- name: last_100_then_filter
-- expect: SI-0
SELECT count(*) FROM (SELECT readings.value AS value FROM readings WHERE readings.device_id = %(d)s AND readings.channel = %(c)s ORDER BY readings.at DESC LIMIT 100) AS anon_1 WHERE anon_1.value > %(limit)s;
-- name: cte_twice
-- expect: SI-0
WITH recent AS (SELECT at, value FROM readings WHERE device_id = %(d)s AND channel = %(c)s ORDER BY at DESC LIMIT 50) SELECT r.at FROM recent r WHERE r.value = (SELECT max(value) FROM recent);
-- name: cte_twice_unbounded
-- expect: unbounded
WITH recent AS (SELECT at, value FROM readings WHERE device_id = %(d)s AND channel = %(c)s) SELECT r.at FROM recent r WHERE r.value > (SELECT avg(value) FROM recent) ORDER BY r.at DESC LIMIT 10;
-- name: open_alerts
-- expect: SI-1
SELECT alerts.id, alerts.severity FROM alerts WHERE alerts.device_id = %(d)s AND alerts.cleared_at IS NULL;
-- name: open_alert_like
-- expect: SI-1
SELECT alerts.id FROM alerts WHERE alerts.device_id = %(d)s AND alerts.severity = %(s)s AND alerts.cleared_at IS NULL AND alerts.ack_by IS NULL;
-- name: alerts_cleared_or_not
-- expect: unbounded
SELECT alerts.id FROM alerts WHERE alerts.device_id = %(d)s AND alerts.severity = %(s)s AND (alerts.cleared_at IS NULL OR alerts.cleared_at > %(since)s);
-- name: alerts_per_severity
-- expect: SI-2
SELECT alerts.severity, count(alerts.id) FROM alerts WHERE alerts.device_id = %(d)s GROUP BY alerts.severity;
-- name: alerts_per_severity_crit_last
-- expect: SI-1
SELECT alerts.severity, max(alerts.raised_at) FROM alerts WHERE alerts.device_id = %(d)s GROUP BY alerts.severity;
-- name: alerts_newest_critical
-- expect: SI-1
SELECT alerts.id, devices.serial FROM alerts JOIN devices ON devices.id = alerts.device_id WHERE alerts.severity = 'crit' AND alerts.cleared_at IS NULL ORDER BY alerts.raised_at DESC LIMIT 20;
-- name: alerts_newest_of_tenant
-- expect: SI-2
SELECT alerts.id, devices.serial FROM alerts JOIN devices ON devices.id = alerts.device_id WHERE devices.tenant_id = %(t)s AND alerts.cleared_at IS NULL ORDER BY alerts.raised_at DESC LIMIT 20;
-- name: groups_of_device
-- expect: SI-1
SELECT g.name FROM device_group_members m JOIN device_groups g ON g.id = m.group_id WHERE m.device_id = %(d)s ORDER BY g.name;
-- name: devices_of_group
-- expect: unbounded
SELECT m.device_id FROM device_group_members m WHERE m.group_id = %(g)s;
-- name: newest_seen_of_group
-- expect: SI-2
SELECT d.id, d.last_seen FROM device_group_members m JOIN devices d ON d.id = m.device_id WHERE m.group_id = %(g)s ORDER BY d.last_seen DESC LIMIT 10;
-- name: newest_seen_of_named_group
-- expect: SI-2
SELECT d.id, d.last_seen FROM device_groups g JOIN device_group_members m ON m.group_id = g.id JOIN devices d ON d.id = m.device_id WHERE g.tenant_id = %(t)s AND g.name = %(n)s ORDER BY d.last_seen DESC LIMIT 10;
-- name: shared_groups
-- expect: SI-1
SELECT count(*) FROM device_group_members a JOIN device_group_members b ON a.group_id = b.group_id WHERE a.device_id = %(a)s AND b.device_id = %(b)s;
-- name: open_alerts_of_group
-- expect: SI-2
SELECT count(*) FROM device_group_members m JOIN alerts a ON a.device_id = m.device_id WHERE m.group_id = %(g)s AND a.cleared_at IS NULL;
-- name: firmware_histogram
-- expect: unbounded
SELECT devices.firmware, count(*) FROM devices WHERE devices.model = %(m)s GROUP BY devices.firmware;
-- name: firmware_outdated
-- expect: unbounded
SELECT count(*) FROM devices WHERE devices.model = %(m)s AND devices.firmware < %(f)s;
-- name: pending_commands
-- expect: SI-1
SELECT commands.id, commands.args FROM commands WHERE commands.device_id = %(d)s AND commands.status = 'pending' ORDER BY commands.created;
-- name: unfinished_commands
-- expect: SI-1
SELECT commands.id FROM commands WHERE commands.device_id = %(d)s AND commands.status IN ('pending', 'sent');
-- name: not_done_commands
-- expect: unbounded
SELECT commands.id FROM commands WHERE commands.device_id = %(d)s AND commands.status <> 'done';
-- name: commands_any_status
-- expect: unbounded
SELECT commands.id FROM commands WHERE commands.device_id = %(d)s AND commands.status = ANY(%(statuses)s);
-- name: commands_any_array
-- expect: SI-1
SELECT commands.id FROM commands WHERE commands.device_id = %(d)s AND commands.status = ANY(ARRAY['pending', 'sent']);
-- name: commands_tagged
-- expect: unbounded
SELECT commands.id FROM commands WHERE %(tag)s = ANY (commands.tags) LIMIT 10;
-- name: commands_overlap
-- expect: SI-1
SELECT commands.id FROM commands WHERE commands.device_id = %(d)s AND commands.status = 'pending' AND commands.tags && %(tags)s;
-- name: retire_device
-- expect: SI-0
UPDATE devices SET retired=true WHERE devices.id = %(id)s;
-- name: delete_device
-- expect: SI-0
DELETE FROM devices WHERE devices.id = %(id)s;
-- name: clear_alerts
-- expect: SI-1
UPDATE alerts SET cleared_at=now() WHERE alerts.device_id = %(d)s AND alerts.cleared_at IS NULL;
-- name: clear_alerts_old
-- expect: unbounded
UPDATE alerts SET cleared_at=now() WHERE alerts.raised_at < %(t)s AND alerts.cleared_at IS NULL;
