-- dialect: postgres
-- param: limit <= 100
CREATE TABLE events (stream_ordering bigint PRIMARY KEY, topological_ordering bigint NOT NULL, event_id text NOT NULL, type text NOT NULL, room_id text NOT NULL, sender text, contains_url boolean, received_ts bigint, state_key text, rejection_reason text, UNIQUE (event_id));
CREATE TABLE event_json (event_id text NOT NULL, room_id text NOT NULL, json text NOT NULL, format_version int, UNIQUE (event_id));
CREATE TABLE event_edges (event_id text NOT NULL, prev_event_id text NOT NULL, is_state boolean NOT NULL DEFAULT false);
CREATE UNIQUE INDEX event_edges_event_id_prev ON event_edges (event_id, prev_event_id);
CREATE TABLE current_state_events (event_id text NOT NULL, room_id text NOT NULL, type text NOT NULL, state_key text NOT NULL, membership text, UNIQUE (event_id), UNIQUE (room_id, type, state_key));
CREATE TABLE room_memberships (event_id text NOT NULL UNIQUE, user_id text NOT NULL, sender text NOT NULL, room_id text NOT NULL, membership text NOT NULL, forgotten int DEFAULT 0, display_name text);
CREATE TABLE receipts_linearized (stream_id bigint NOT NULL, room_id text NOT NULL, receipt_type text NOT NULL, user_id text NOT NULL, event_id text NOT NULL, thread_id text, event_stream_ordering bigint, CONSTRAINT receipts_linearized_uniqueness_thread UNIQUE (room_id, receipt_type, user_id, thread_id));
CREATE UNIQUE INDEX receipts_linearized_unique_index ON receipts_linearized (room_id, receipt_type, user_id) WHERE thread_id IS NULL;
CREATE TABLE devices (user_id text NOT NULL, device_id text NOT NULL, display_name text, last_seen bigint, hidden boolean DEFAULT false, CONSTRAINT device_uniqueness UNIQUE (user_id, device_id));
CREATE TABLE device_inbox (user_id text NOT NULL, device_id text NOT NULL, stream_id bigint NOT NULL, message_json text NOT NULL, instance_name text);
CREATE TABLE access_tokens (id bigint PRIMARY KEY, user_id text NOT NULL, device_id text, token text NOT NULL, last_validated bigint, UNIQUE (token));
CREATE TABLE users (name text UNIQUE, password_hash text, creation_ts bigint, admin smallint NOT NULL DEFAULT 0, deactivated smallint NOT NULL DEFAULT 0);
CREATE TABLE ratelimit_override (user_id text NOT NULL, messages_per_second bigint, burst_count bigint);
CREATE UNIQUE INDEX ratelimit_override_idx ON ratelimit_override (user_id);
CREATE TABLE e2e_one_time_keys_json (user_id text NOT NULL, device_id text NOT NULL, algorithm text NOT NULL, key_id text NOT NULL, ts_added_ms bigint NOT NULL, key_json text NOT NULL, CONSTRAINT e2e_otk UNIQUE (user_id, device_id, algorithm, key_id));
CREATE TABLE event_push_actions (room_id text NOT NULL, event_id text NOT NULL, user_id text NOT NULL, notif smallint, highlight smallint, stream_ordering bigint, CONSTRAINT event_id_user_id_uniqueness UNIQUE (room_id, event_id, user_id));
CREATE TABLE stats_incremental_position (Lock char(1) NOT NULL DEFAULT 'X' UNIQUE, stream_id bigint, CHECK (Lock = 'X'));

-- name: event_by_id
-- expect: SI-1
SELECT e.stream_ordering, j.json FROM events e JOIN event_json j USING (event_id) WHERE e.event_id = $1;
-- name: events_by_ids
-- expect: unbounded
SELECT e.stream_ordering, j.json FROM events AS e JOIN event_json AS j USING (event_id) WHERE e.event_id = ANY($1::text[]);
-- name: paginate_back
-- expect: SI-1
SELECT event_id, topological_ordering FROM events WHERE room_id = $1 AND (topological_ordering, stream_ordering) < ($2, $3) ORDER BY topological_ordering DESC, stream_ordering DESC LIMIT $4;
-- name: paginate_back_three
-- expect: SI-1
SELECT event_id FROM events WHERE room_id = $1 AND (topological_ordering < $2 OR (topological_ordering = $2 AND stream_ordering < $3)) AND rejection_reason IS NULL ORDER BY topological_ordering DESC, stream_ordering DESC LIMIT 10;
-- name: paginate_not_rejected_type
-- expect: SI-1
SELECT event_id FROM events WHERE room_id = $1 AND type = 'm.room.message' AND stream_ordering > $2 ORDER BY stream_ordering LIMIT 10;
-- name: paginate_not_types
-- expect: unbounded
SELECT event_id FROM events WHERE room_id = $1 AND type <> ALL($2) ORDER BY stream_ordering DESC LIMIT 10;
-- name: paginate_no_edges
-- expect: unbounded
SELECT e.event_id FROM events e LEFT JOIN event_edges ee ON ee.prev_event_id = e.event_id WHERE e.room_id = $1 AND ee.event_id IS NULL ORDER BY e.stream_ordering DESC LIMIT 10;
-- name: max_stream
-- expect: SI-0
SELECT COALESCE(MAX(stream_ordering), 1) FROM events;
-- name: min_max_stream
-- expect: SI-0
SELECT MIN(stream_ordering), MAX(stream_ordering) FROM events;
-- name: max_stream_room
-- expect: SI-1
SELECT MAX(stream_ordering) FROM events WHERE room_id = $1;
-- name: max_stream_filtered
-- expect: unbounded
SELECT MAX(stream_ordering) FROM events WHERE stream_ordering <= $1 AND sender LIKE $2;
-- name: state_one
-- expect: SI-1
SELECT event_id FROM current_state_events WHERE room_id = $1 AND type = $2 AND state_key = $3;
-- name: state_type
-- expect: unbounded
SELECT event_id, state_key FROM current_state_events WHERE room_id = $1 AND type = $2;
-- name: joined_members
-- expect: unbounded
SELECT state_key FROM current_state_events WHERE type = 'm.room.member' AND room_id = $1 AND membership = 'join';
-- name: joined_count
-- expect: SI-2
SELECT count(*) FROM current_state_events WHERE type = 'm.room.member' AND room_id = $1 AND membership = $2;
-- name: receipt_unthreaded
-- expect: SI-1
SELECT event_id FROM receipts_linearized WHERE room_id = $1 AND receipt_type = $2 AND user_id = $3 AND thread_id IS NULL;
-- name: receipt_threaded
-- expect: SI-1
SELECT event_id FROM receipts_linearized WHERE room_id = $1 AND receipt_type = $2 AND user_id = $3 AND thread_id = $4;
-- name: receipt_any_thread
-- expect: unbounded
SELECT event_id FROM receipts_linearized WHERE room_id = $1 AND receipt_type = $2 AND user_id = $3;
-- name: receipt_coalesced
-- expect: unbounded
SELECT event_id FROM receipts_linearized WHERE room_id = $1 AND receipt_type = $2 AND user_id = $3 AND COALESCE(thread_id, '') = $4;
-- name: receipt_either
-- expect: SI-1
SELECT event_id FROM receipts_linearized WHERE room_id = $1 AND receipt_type = $2 AND user_id = $3 AND (thread_id = $4 OR thread_id IS NULL);
-- name: token
-- expect: SI-1
SELECT u.name, t.device_id FROM users u JOIN access_tokens t ON u.name = t.user_id WHERE t.token = $1;
-- name: device_list
-- expect: unbounded
SELECT * FROM devices WHERE user_id = $1 AND NOT hidden;
-- name: inbox
-- expect: SI-1
SELECT stream_id, message_json FROM device_inbox WHERE user_id = $1 AND device_id = $2 AND $3 < stream_id AND stream_id <= $4 ORDER BY stream_id LIMIT $5;
-- name: inbox_delete
-- expect: unbounded
DELETE FROM device_inbox WHERE user_id = $1 AND device_id = $2 AND stream_id <= $3;
-- name: inbox_delete_ctid
-- expect: unbounded
DELETE FROM device_inbox WHERE ctid = ANY(SELECT ctid FROM device_inbox WHERE user_id = $1 AND stream_id <= $2 LIMIT 100);
-- name: claim_otk
-- expect: SI-1
DELETE FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 AND algorithm = $3 AND key_id IN (SELECT key_id FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 AND algorithm = $3 ORDER BY ts_added_ms LIMIT 1) RETURNING key_id, key_json;
-- name: claim_otk_skip_locked
-- expect: unbounded
DELETE FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 AND algorithm = $3 AND key_id IN (SELECT key_id FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 AND algorithm = $3 LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING key_id;
-- name: count_otk
-- expect: unbounded
SELECT algorithm, COUNT(key_id) FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 GROUP BY algorithm;
-- name: otk_first
-- expect: SI-1
SELECT key_id FROM e2e_one_time_keys_json WHERE user_id = $1 AND device_id = $2 AND algorithm = $3 LIMIT 1;
-- name: unread
-- expect: SI-2
SELECT COUNT(CASE WHEN notif = 1 THEN 1 END), COUNT(CASE WHEN highlight = 1 THEN 1 END) FROM event_push_actions WHERE user_id = $1 AND room_id = $2;
-- name: unread_since
-- expect: unbounded
SELECT COUNT(*) FROM event_push_actions WHERE user_id = $1 AND room_id = $2 AND stream_ordering > $3;
-- name: unread_capped
-- expect: SI-1
SELECT COUNT(*) FROM (SELECT 1 FROM event_push_actions WHERE user_id = $1 AND room_id = $2 AND stream_ordering > $3 LIMIT 100) capped;
-- name: single_row_lock
-- expect: SI-0
SELECT stream_id FROM stats_incremental_position;
-- name: user_by_name
-- expect: SI-1
SELECT * FROM users WHERE name = $1;
-- name: user_by_name_lower
-- expect: unbounded
SELECT * FROM users WHERE lower(name) = lower($1);
-- name: users_page
-- expect: SI-1
SELECT name FROM users WHERE deactivated = 0 ORDER BY name ASC LIMIT 100 OFFSET $1;
-- name: users_last_seen
-- expect: unbounded
SELECT u.name, MAX(d.last_seen) FROM users u LEFT JOIN devices d ON d.user_id = u.name GROUP BY u.name ORDER BY MAX(d.last_seen) DESC NULLS LAST LIMIT 50;
-- name: rooms_shared
-- expect: unbounded
SELECT room_id FROM room_memberships WHERE user_id = $1 AND membership = 'join' INTERSECT SELECT room_id FROM room_memberships WHERE user_id = $2 AND membership = 'join';
-- name: share_a_room
-- expect: unbounded
SELECT EXISTS (SELECT 1 FROM room_memberships a JOIN room_memberships b USING (room_id) WHERE a.user_id = $1 AND b.user_id = $2);
-- name: forward_edges
-- expect: unbounded
WITH RECURSIVE prev AS (SELECT $1::text AS event_id, 0 AS depth UNION SELECT e.prev_event_id, p.depth + 1 FROM prev p JOIN event_edges e USING (event_id) WHERE p.depth < 10) SELECT * FROM prev LIMIT 100;
-- name: unnest_lookup
-- expect: unbounded
SELECT x.id, e.stream_ordering FROM unnest($1::text[]) AS x(id) LEFT JOIN events e ON e.event_id = x.id;
-- name: values_lookup
-- expect: SI-1
SELECT x.id, e.stream_ordering FROM (VALUES ($1), ($2), ($3)) AS x(id) LEFT JOIN events e ON e.event_id = x.id;
-- name: upsert_receipt
-- expect: SI-1
UPDATE receipts_linearized SET event_id = $1 WHERE room_id = $2 AND receipt_type = $3 AND user_id = $4 AND thread_id IS NULL;
-- name: event_extremum
-- expect: SI-1
SELECT event_id FROM events WHERE room_id = $1 AND stream_ordering = (SELECT MAX(stream_ordering) FROM events WHERE room_id = $1);
-- name: event_extremum_all_rooms
-- expect: unbounded
SELECT room_id, event_id FROM events o WHERE stream_ordering = (SELECT MAX(stream_ordering) FROM events i WHERE i.room_id = o.room_id) AND sender = $1;
