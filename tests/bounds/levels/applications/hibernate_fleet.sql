-- A fleet of vehicles as Hibernate, Prisma and Rails ask for it: tenants in composite keys, joined inheritance, rows with
-- a period of validity, trees, polymorphic owners, counters, optimistic versions.
CREATE TABLE tenant (id INT PRIMARY KEY, code STRING NOT NULL UNIQUE);
CREATE TABLE asset (tenant_id INT NOT NULL REFERENCES tenant (id), id BIGINT NOT NULL, dtype STRING NOT NULL, serial STRING, owner_type STRING NOT NULL, owner_id BIGINT NOT NULL, parent_id BIGINT, version INT NOT NULL, retired_at TIMESTAMP, PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, serial), FOREIGN KEY (tenant_id, parent_id) REFERENCES asset (tenant_id, id));
CREATE TABLE truck (tenant_id INT NOT NULL, id BIGINT NOT NULL, plate STRING NOT NULL, axles TINYINT NOT NULL, PRIMARY KEY (tenant_id, id), UNIQUE (plate), FOREIGN KEY (tenant_id, id) REFERENCES asset (tenant_id, id));
CREATE TABLE tariff (tenant_id INT NOT NULL, asset_id BIGINT NOT NULL, valid_from DATE NOT NULL, valid_to DATE, price DECIMAL(10, 2) NOT NULL, PRIMARY KEY (tenant_id, asset_id, valid_from), FOREIGN KEY (tenant_id, asset_id) REFERENCES asset (tenant_id, id));
CREATE TABLE trip (id BIGINT PRIMARY KEY, tenant_id INT NOT NULL, asset_id BIGINT NOT NULL, driver_id BIGINT, started_at TIMESTAMP NOT NULL, ended_at TIMESTAMP, km DOUBLE NOT NULL, FOREIGN KEY (tenant_id, asset_id) REFERENCES asset (tenant_id, id));
CREATE TABLE driver (id BIGINT PRIMARY KEY, tenant_id INT NOT NULL, badge STRING NOT NULL, active BOOLEAN NOT NULL, UNIQUE (tenant_id, badge));
CREATE TABLE driver_skill (driver_id BIGINT NOT NULL REFERENCES driver (id), skill STRING NOT NULL, since DATE, PRIMARY KEY (driver_id, skill), CARDINALITY LIMIT 20 (driver_id));
CREATE TABLE seat (asset_id BIGINT NOT NULL, tenant_id INT NOT NULL, number SMALLINT NOT NULL, driver_id BIGINT, PRIMARY KEY (tenant_id, asset_id, number), CARDINALITY LIMIT 8 (tenant_id, asset_id), CARDINALITY LIMIT 1 (driver_id));

-- name: asset_by_id_class
-- expect: SI-0
SELECT a1_0.tenant_id, a1_0.id, a1_0.dtype, a1_0.version FROM asset a1_0 WHERE (a1_0.id, a1_0.tenant_id) IN ((?, ?));
-- name: asset_by_two_ids
-- expect: SI-0
SELECT * FROM asset a WHERE (a.tenant_id = ? AND a.id = ?) OR (a.tenant_id = ? AND a.id = ?);
-- name: asset_without_tenant
-- expect: unbounded
SELECT * FROM asset a WHERE a.id = :id;
-- name: asset_by_serial
-- expect: SI-1
SELECT * FROM asset a WHERE a.tenant_id = :t AND a.serial = :serial;
-- name: asset_by_serial_any_tenant
-- expect: unbounded
SELECT * FROM asset a WHERE a.serial = :serial;
-- name: asset_by_tenant_code
-- expect: SI-1
SELECT a.* FROM asset a JOIN tenant t ON t.id = a.tenant_id WHERE t.code = :code AND a.id = :id;
-- name: truck_joined
-- expect: SI-0
SELECT t.*, a.serial FROM truck t JOIN asset a ON a.tenant_id = t.tenant_id AND a.id = t.id WHERE t.tenant_id = :t AND t.id = :id;
-- name: asset_polymorphic_load
-- expect: SI-0
SELECT a.id, CASE WHEN t.id IS NOT NULL THEN 1 ELSE 0 END AS clazz_, t.plate FROM asset a LEFT JOIN truck t ON a.id = t.id AND a.tenant_id = t.tenant_id WHERE a.tenant_id = :t AND a.id = :id;
-- name: trucks_of_tenant_inner
-- expect: SI-2
SELECT a.*, t.plate FROM asset a JOIN truck t ON a.id = t.id AND a.tenant_id = t.tenant_id WHERE a.tenant_id = :t AND a.retired_at IS NULL ORDER BY a.serial LIMIT 20;
-- name: trucks_first
-- expect: SI-0
SELECT t.*, a.serial FROM truck t JOIN asset a ON a.id = t.id AND a.tenant_id = t.tenant_id WHERE t.tenant_id = :t ORDER BY t.id LIMIT 20;
-- name: truck_by_plate_number
-- expect: unbounded
SELECT * FROM truck WHERE CAST(plate AS BIGINT) = :plate;
-- name: truck_by_plate_trimmed
-- expect: unbounded
SELECT * FROM truck WHERE TRIM(plate) = :plate;
-- name: truck_by_plate_concat
-- expect: unbounded
SELECT * FROM truck WHERE CONCAT(plate, '') = :plate OR axles = :axles;
-- name: tariff_now
-- expect: SI-0
SELECT * FROM tariff WHERE tenant_id = :t AND asset_id = :a AND valid_from <= :day ORDER BY valid_from DESC LIMIT 1;
-- name: tariff_at
-- expect: unbounded
SELECT * FROM tariff WHERE tenant_id = :t AND asset_id = :a AND valid_from <= :day AND (valid_to IS NULL OR valid_to > :day);
-- name: tariff_at_first
-- expect: unbounded
SELECT * FROM tariff WHERE tenant_id = :t AND asset_id = :a AND valid_from <= :day AND (valid_to IS NULL OR valid_to > :day) ORDER BY valid_from DESC LIMIT 1;
-- name: tariff_by_subquery
-- expect: SI-0
SELECT * FROM tariff o WHERE o.tenant_id = :t AND o.asset_id = :a AND o.valid_from = (SELECT MAX(i.valid_from) FROM tariff i WHERE i.tenant_id = o.tenant_id AND i.asset_id = o.asset_id);
-- name: tariff_prices_overlap
-- expect: unbounded
SELECT x.valid_from FROM tariff x JOIN tariff y ON x.tenant_id = y.tenant_id AND x.asset_id = y.asset_id AND x.valid_from < y.valid_from WHERE x.tenant_id = :t AND x.asset_id = :a AND x.valid_from = :d;
-- name: trip_open_of_driver
-- expect: unbounded
SELECT * FROM trip WHERE driver_id = :d AND ended_at IS NULL;
-- name: trip_newest_of_driver
-- expect: SI-1
SELECT * FROM trip WHERE driver_id = :d ORDER BY started_at DESC, id DESC LIMIT 5;
-- name: trip_with_driver_newest
-- expect: SI-1
SELECT t.*, d.badge FROM trip t JOIN driver d ON d.id = t.driver_id WHERE t.tenant_id = :t ORDER BY t.started_at DESC LIMIT 20;
-- name: trip_with_driver_left
-- expect: SI-1
SELECT t.*, d.badge FROM trip t LEFT JOIN driver d ON d.id = t.driver_id WHERE t.tenant_id = :t ORDER BY t.started_at DESC LIMIT 20;
-- name: trip_of_active_driver
-- expect: unbounded
SELECT t.* FROM trip t LEFT JOIN driver d ON d.id = t.driver_id AND d.active WHERE t.tenant_id = :t AND d.id IS NOT NULL ORDER BY t.started_at DESC LIMIT 20;
-- name: trip_without_driver_row
-- expect: unbounded
SELECT t.* FROM trip t LEFT JOIN driver d ON d.id = t.driver_id WHERE t.tenant_id = :t AND d.id IS NULL ORDER BY t.id LIMIT 20;
-- name: km_of_asset
-- expect: SI-2
SELECT SUM(km), COUNT(*), AVG(km) FROM trip WHERE tenant_id = :t AND asset_id = :a;
-- name: km_of_asset_since
-- expect: unbounded
SELECT SUM(km) FROM trip WHERE tenant_id = :t AND asset_id = :a AND started_at >= :since;
-- name: km_per_driver_of_asset
-- expect: unbounded
SELECT driver_id, SUM(km) FROM trip WHERE tenant_id = :t AND asset_id = :a GROUP BY driver_id;
-- name: median_km
-- expect: unbounded
SELECT PERCENTILE(km, 0.5) FROM trip WHERE driver_id = :d;
-- name: skills_of_driver
-- expect: SI-0
SELECT * FROM driver_skill WHERE driver_id = :d ORDER BY since, skill;
-- name: drivers_with_skill
-- expect: unbounded
SELECT d.* FROM driver d JOIN driver_skill s ON s.driver_id = d.id WHERE s.skill = :skill;
-- name: drivers_with_skill_first
-- expect: SI-1
SELECT d.* FROM driver d JOIN driver_skill s ON s.driver_id = d.id WHERE s.skill = :skill ORDER BY s.driver_id LIMIT 10;
-- name: drivers_with_both_skills
-- expect: SI-2
SELECT a.driver_id FROM driver_skill a JOIN driver_skill b ON b.driver_id = a.driver_id WHERE a.skill = :one AND b.skill = :two ORDER BY a.driver_id LIMIT 10;
-- name: drivers_with_all_skills
-- expect: unbounded
SELECT s.driver_id FROM driver_skill s WHERE s.skill IN (:one, :two) GROUP BY s.driver_id HAVING COUNT(*) = 2;
-- name: skills_as_text
-- expect: SI-0
SELECT d.badge, (SELECT COUNT(*) FROM driver_skill s WHERE s.driver_id = d.id AND s.skill LIKE 'heavy%') AS heavy FROM driver d WHERE d.id = :d;
-- name: seat_of_driver
-- expect: SI-1
SELECT * FROM seat WHERE driver_id = :d;
-- name: empty_seats
-- expect: unbounded
SELECT * FROM seat WHERE driver_id IS NULL;
-- name: seats_of_asset
-- expect: SI-0
SELECT s.number, d.badge FROM seat s LEFT JOIN driver d ON d.id = s.driver_id WHERE s.tenant_id = :t AND s.asset_id = :a ORDER BY s.number;
-- name: children_of_asset
-- expect: unbounded
SELECT c.* FROM asset c WHERE c.tenant_id = :t AND c.parent_id = :p;
-- name: parent_and_grandparent
-- expect: SI-0
SELECT p.id, g.id FROM asset c LEFT JOIN asset p ON p.tenant_id = c.tenant_id AND p.id = c.parent_id LEFT JOIN asset g ON g.tenant_id = p.tenant_id AND g.id = p.parent_id WHERE c.tenant_id = :t AND c.id = :id;
-- name: owned_by
-- expect: SI-1
SELECT * FROM asset WHERE owner_type = 'Driver' AND owner_id = :o AND tenant_id = :t ORDER BY id LIMIT 25;
-- name: owner_badge
-- expect: SI-0
SELECT COALESCE(d.badge, tt.code) AS owner FROM asset a LEFT JOIN driver d ON a.owner_type = 'Driver' AND d.id = a.owner_id LEFT JOIN tenant tt ON a.owner_type = 'Tenant' AND tt.id = a.owner_id WHERE a.tenant_id = :t AND a.id = :id;
-- name: version_check
-- expect: SI-0
SELECT 1 FROM asset WHERE tenant_id = :t AND id = :id AND version = :v;
-- name: mod_shard
-- expect: unbounded
SELECT * FROM trip WHERE id % 16 = :shard;
-- name: mod_shard_page
-- expect: SI-1
SELECT * FROM trip WHERE id % 16 = :shard AND id > :after ORDER BY id LIMIT 100;
-- name: page_by_parameter_shard
-- expect: unbounded
SELECT * FROM trip WHERE id % :shards = :shard ORDER BY id LIMIT 100;
-- name: longest_trips
-- expect: SI-1
SELECT * FROM trip WHERE driver_id = :d ORDER BY km * 1.6 DESC LIMIT 3;
-- name: nearest_trips
-- expect: unbounded
SELECT * FROM trip WHERE driver_id = :d ORDER BY ABS(km - :km) LIMIT 3;
-- name: sort_by_parameter
-- expect: unbounded
SELECT * FROM trip WHERE driver_id = :d ORDER BY CASE WHEN :by = 'km' THEN km ELSE id END LIMIT 3;
-- name: any_status
-- expect: unbounded
SELECT * FROM driver WHERE tenant_id = :t AND active IN (TRUE, FALSE);
-- name: null_safe_parent
-- expect: unbounded
SELECT * FROM asset WHERE tenant_id = :t AND serial <=> :serial;
-- name: offset_page
-- expect: SI-0
SELECT * FROM trip ORDER BY id LIMIT 10 OFFSET 30;
-- name: self_equal
-- expect: unbounded
SELECT * FROM trip t WHERE t.id = t.driver_id;
-- name: contradiction_free
-- expect: unbounded
SELECT * FROM trip t WHERE NOT (t.id <> :id AND t.km < :km);
-- name: double_negation
-- expect: SI-0
SELECT * FROM trip t WHERE NOT (NOT (t.id = :id));
