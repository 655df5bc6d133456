-- dialect: spark
CREATE TABLE riders (rider_id BIGINT PRIMARY KEY, phone STRING NOT NULL UNIQUE, rating DOUBLE, city STRING NOT NULL);
CREATE TABLE drivers (driver_id BIGINT PRIMARY KEY, plate STRING NOT NULL UNIQUE, city STRING NOT NULL, state STRING NOT NULL CHECK (state IN ('idle', 'busy', 'off')), rating DOUBLE);
CREATE TABLE cities (city STRING PRIMARY KEY, zone STRING NOT NULL, CARDINALITY LIMIT 300 ());
CREATE TABLE trips (trip_id BIGINT PRIMARY KEY, rider_id BIGINT NOT NULL REFERENCES riders (rider_id), driver_id BIGINT REFERENCES drivers (driver_id), city STRING NOT NULL REFERENCES cities (city), status STRING NOT NULL, fare DECIMAL(10, 2), requested_at TIMESTAMP NOT NULL TEMPORAL, ended_at TIMESTAMP);
CREATE TABLE stops (trip_id BIGINT REFERENCES trips (trip_id), seq TINYINT, lat DOUBLE NOT NULL, lon DOUBLE NOT NULL, PRIMARY KEY (trip_id, seq));
CREATE TABLE positions (driver_id BIGINT REFERENCES drivers (driver_id), at TIMESTAMP TEMPORAL, cell STRING NOT NULL, speed DOUBLE, PRIMARY KEY (driver_id, at));
CREATE TABLE shifts (driver_id BIGINT REFERENCES drivers (driver_id), day DATE, minutes INT NOT NULL, PRIMARY KEY (driver_id, day), CARDINALITY LIMIT 400 (driver_id));
CREATE TABLE promos (code STRING, rider_id BIGINT REFERENCES riders (rider_id), used BOOLEAN NOT NULL, PRIMARY KEY (code, rider_id), CARDINALITY LIMIT 25 (rider_id));
CREATE TABLE ratings (trip_id BIGINT REFERENCES trips (trip_id), by_rider BOOLEAN, stars INT NOT NULL CHECK (stars BETWEEN 1 AND 5), note STRING, PRIMARY KEY (trip_id, by_rider));
CREATE TABLE surge (city STRING REFERENCES cities (city), cell STRING, factor DOUBLE NOT NULL, PRIMARY KEY (city, cell)) ON VIOLATION WARN;
CREATE TABLE referrals (referrer BIGINT REFERENCES riders (rider_id), referred BIGINT REFERENCES riders (rider_id), PRIMARY KEY (referrer, referred), UNIQUE (referred));

-- name: rider
-- expect: SI-0
SELECT * FROM riders WHERE rider_id = :rider;
-- name: rider_phone
-- expect: SI-1
SELECT * FROM riders WHERE phone = :phone;
-- name: idle_drivers
-- expect: SI-1
SELECT driver_id, rating FROM drivers WHERE city = :city AND state = 'idle' ORDER BY rating DESC LIMIT 20;
-- name: idle_drivers_count
-- expect: SI-2
SELECT count(*) FROM drivers WHERE city = :city AND state = 'idle';
-- name: driver_states
-- expect: SI-2
SELECT state, count(*) AS n, avg(rating) AS r FROM drivers WHERE city = :city GROUP BY state;
-- name: cities_all
-- expect: SI-0
SELECT * FROM cities ORDER BY zone;
-- name: cities_in_zone_with_count
-- expect: SI-2
SELECT c.city, (SELECT count(*) FROM drivers d WHERE d.city = c.city) AS n FROM cities c WHERE c.zone = :zone;
-- name: city_totals
-- expect: unbounded
SELECT city, sum(fare) AS total, count(*) AS n FROM trips GROUP BY city;
-- name: city_status_totals
-- expect: unbounded
SELECT city, status, count(*) AS n FROM trips GROUP BY city, status;
-- name: trips_of_rider
-- expect: SI-1
SELECT trip_id, fare FROM trips WHERE rider_id = :rider ORDER BY requested_at DESC LIMIT 10;
-- name: trips_of_rider_open
-- expect: unbounded
SELECT trip_id FROM trips WHERE rider_id = :rider AND status IN ('requested', 'matched', 'riding');
-- name: trips_latest
-- expect: SI-3
SELECT trip_id FROM trips ORDER BY requested_at DESC LIMIT 50;
-- name: trips_latest_status
-- expect: SI-1
SELECT trip_id FROM trips WHERE status = :status ORDER BY requested_at DESC LIMIT 50;
-- name: trips_latest_const_status
-- expect: SI-3
SELECT trip_id FROM trips WHERE status = 'requested' ORDER BY requested_at DESC LIMIT 50;
-- name: trips_since_of_city
-- expect: unbounded
SELECT count(*) FROM trips WHERE city = :city AND requested_at > :since;
-- name: trip_stops
-- expect: SI-0
SELECT t.status, s.seq, s.lat FROM trips t JOIN stops s ON s.trip_id = t.trip_id WHERE t.trip_id = :trip ORDER BY s.seq;
-- name: trip_full
-- expect: SI-0
SELECT t.trip_id, r.phone, d.plate, a.stars FROM trips t JOIN riders r ON r.rider_id = t.rider_id LEFT JOIN drivers d ON d.driver_id = t.driver_id LEFT JOIN ratings a ON a.trip_id = t.trip_id AND a.by_rider = true WHERE t.trip_id = :trip;
-- name: trip_ratings
-- expect: SI-0
SELECT * FROM ratings WHERE trip_id = :trip;
-- name: driver_stars
-- expect: SI-2
SELECT avg(a.stars) FROM trips t JOIN ratings a ON a.trip_id = t.trip_id WHERE t.driver_id = :driver AND a.by_rider;
-- name: driver_star_histogram
-- expect: SI-2
SELECT a.stars, count(*) AS n FROM trips t JOIN ratings a ON a.trip_id = t.trip_id WHERE t.driver_id = :driver GROUP BY a.stars;
-- name: driver_notes
-- expect: SI-2
SELECT a.note, t.trip_id FROM trips t JOIN ratings a ON a.trip_id = t.trip_id WHERE t.driver_id = :driver AND a.stars = 5 ORDER BY t.requested_at DESC LIMIT 10;
-- name: position_last
-- expect: SI-0
SELECT cell, speed FROM positions WHERE driver_id = :driver ORDER BY at DESC LIMIT 1;
-- name: position_track
-- expect: unbounded
SELECT cell FROM positions WHERE driver_id = :driver AND at BETWEEN :a AND :b ORDER BY at;
-- name: position_speed_last_minutes
-- expect: SI-2
SELECT avg(speed) FROM positions WHERE driver_id = :driver AND at > current_timestamp() - INTERVAL 5 MINUTES;
-- name: drivers_in_cell
-- expect: unbounded
SELECT DISTINCT driver_id FROM positions WHERE cell = :cell AND at > :since;
-- name: drivers_last_positions
-- expect: SI-0
SELECT driver_id, at, cell FROM (SELECT driver_id, at, cell, row_number() OVER (PARTITION BY driver_id ORDER BY at DESC) AS rn FROM positions WHERE driver_id IN (:a, :b, :c)) WHERE rn = 1;
-- name: drivers_last_positions_ranked
-- expect: unbounded
SELECT driver_id, cell FROM (SELECT driver_id, cell, rank() OVER (PARTITION BY driver_id ORDER BY speed DESC) AS rn FROM positions WHERE driver_id IN (:a, :b, :c)) WHERE rn = 1;
-- name: shifts_of
-- expect: SI-0
SELECT day, minutes FROM shifts WHERE driver_id = :driver AND day >= :since;
-- name: minutes_of
-- expect: SI-0
SELECT sum(minutes) FROM shifts WHERE driver_id = :driver AND day BETWEEN :a AND :b;
-- name: minutes_longest
-- expect: SI-0
SELECT day, minutes FROM shifts WHERE driver_id = :driver ORDER BY minutes * :w DESC LIMIT 3;
-- name: minutes_of_day
-- expect: SI-2
SELECT sum(minutes) FROM shifts WHERE day = :day;
-- name: most_minutes_of_day
-- expect: SI-1
SELECT driver_id, minutes FROM shifts WHERE day = :day ORDER BY minutes DESC LIMIT 10;
-- name: promos_of
-- expect: SI-1
SELECT code FROM promos WHERE rider_id = :rider AND NOT used;
-- name: promo_users
-- expect: SI-2
SELECT count(*) FROM promos WHERE code = :code AND used;
-- name: promo_riders_rated
-- expect: SI-2
SELECT r.rider_id FROM promos p JOIN riders r ON r.rider_id = p.rider_id WHERE p.code = :code ORDER BY r.rating DESC LIMIT 10;
-- name: promo_cities
-- expect: SI-2
SELECT r.city, count(*) AS n FROM promos p JOIN riders r ON r.rider_id = p.rider_id WHERE p.code = :code GROUP BY r.city ORDER BY n DESC LIMIT 5;
-- name: surge_of
-- expect: SI-0
SELECT factor FROM surge WHERE city = :city AND cell = :cell;
-- name: surge_max
-- expect: SI-1
SELECT max(factor) FROM surge WHERE city = :city;
-- name: surge_each_city
-- expect: unbounded
SELECT city, max(factor) FROM surge GROUP BY city;
-- name: surge_times
-- expect: unbounded
SELECT max(factor * :w + length(cell)) FROM surge WHERE city = :city;
-- name: referrals_of
-- expect: unbounded
SELECT referred FROM referrals WHERE referrer = :r;
-- name: referrer_chain
-- expect: SI-1
SELECT a.referrer, b.referrer AS two, c.referrer AS three FROM referrals a LEFT JOIN referrals b ON b.referred = a.referrer LEFT JOIN referrals c ON c.referred = b.referrer WHERE a.referred = :r;
-- name: referral_trips
-- expect: SI-2
SELECT count(*) FROM referrals f JOIN promos p ON p.rider_id = f.referred WHERE f.referrer = :r AND p.used;
-- name: referral_trips_any
-- expect: unbounded
SELECT count(*) FROM referrals f JOIN trips t ON t.rider_id = f.referred WHERE f.referrer = :r;
-- name: uuid_pick
-- expect: unbounded
SELECT trip_id FROM trips WHERE city = :city ORDER BY md5(concat(CAST(trip_id AS STRING), uuid())) LIMIT 3;
-- name: hash_pick
-- expect: SI-1
SELECT trip_id FROM trips WHERE city = :city ORDER BY md5(CAST(trip_id AS STRING)) LIMIT 3;
-- name: case_flag
-- expect: unbounded
SELECT trip_id FROM trips WHERE CASE WHEN :all THEN true ELSE trip_id = :trip END;
-- name: coalesce_key
-- expect: unbounded
SELECT trip_id FROM trips WHERE trip_id = coalesce(:trip, trip_id);
-- name: null_or_filter
-- expect: unbounded
SELECT trip_id FROM trips WHERE (:trip IS NULL OR trip_id = :trip);
-- name: nulls_in_key
-- expect: SI-0
SELECT trip_id FROM trips WHERE trip_id = nullif(:trip, 0);
