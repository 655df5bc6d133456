-- dialect: postgres
CREATE TYPE visibility AS ENUM ('public', 'unlisted', 'private', 'direct');
CREATE DOMAIN short_code AS varchar(8) CHECK (length(VALUE) > 2);
CREATE TABLE accounts (id bigserial PRIMARY KEY, username varchar NOT NULL, domain varchar, display_name varchar NOT NULL DEFAULT '', suspended_at timestamp, created_at timestamp NOT NULL, settings jsonb NOT NULL DEFAULT '{}', tags text[] NOT NULL DEFAULT '{}');
CREATE UNIQUE INDEX index_accounts_on_username_and_domain_lower ON accounts (lower(username), COALESCE(lower(domain), ''));
CREATE TABLE statuses (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, uri varchar, in_reply_to_id bigint REFERENCES statuses (id) ON DELETE SET NULL, reblog_of_id bigint REFERENCES statuses (id), visibility visibility NOT NULL DEFAULT 'public', text text NOT NULL DEFAULT '', language short_code, deleted_at timestamp, created_at timestamp NOT NULL, edited_at timestamp, word_count int GENERATED ALWAYS AS (length(text)) STORED);
CREATE UNIQUE INDEX index_statuses_on_uri ON statuses (uri) WHERE uri IS NOT NULL;
CREATE INDEX index_statuses_20190820 ON statuses (account_id, id DESC, visibility, created_at) WHERE deleted_at IS NULL;
CREATE TABLE follows (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), target_account_id bigint NOT NULL REFERENCES accounts (id), show_reblogs boolean NOT NULL DEFAULT true);
CREATE UNIQUE INDEX index_follows ON follows (account_id, target_account_id);
CREATE TABLE blocks (account_id bigint NOT NULL, target_account_id bigint NOT NULL, PRIMARY KEY (account_id, target_account_id));
CREATE TABLE favourites (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), status_id bigint NOT NULL REFERENCES statuses (id), created_at timestamp NOT NULL, UNIQUE (account_id, status_id));
CREATE TABLE status_pins (id bigserial PRIMARY KEY, account_id bigint NOT NULL, status_id bigint NOT NULL, UNIQUE (account_id, status_id));
CREATE TABLE notifications (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), from_account_id bigint NOT NULL REFERENCES accounts (id), type varchar NOT NULL, activity_id bigint NOT NULL, created_at timestamp NOT NULL);
CREATE UNIQUE INDEX account_activity ON notifications (account_id, activity_id, type);
CREATE TABLE tags (id bigserial PRIMARY KEY, name varchar NOT NULL, trendable boolean);
CREATE UNIQUE INDEX index_tags_on_name_lower ON tags (lower(name) varchar_pattern_ops);
CREATE TABLE statuses_tags (status_id bigint NOT NULL REFERENCES statuses (id), tag_id bigint NOT NULL REFERENCES tags (id), UNIQUE (tag_id, status_id));
CREATE TABLE polls (id bigserial PRIMARY KEY, status_id bigint NOT NULL UNIQUE REFERENCES statuses (id), options varchar[] NOT NULL, expires_at timestamp);
CREATE TABLE poll_votes (id bigserial PRIMARY KEY, account_id bigint NOT NULL, poll_id bigint NOT NULL REFERENCES polls (id), choice int NOT NULL);
CREATE TABLE preview_cards_statuses (preview_card_id bigint NOT NULL, status_id bigint NOT NULL, url varchar, PRIMARY KEY (status_id, preview_card_id));

-- name: account_by_acct
-- expect: SI-1
SELECT accounts.* FROM accounts WHERE lower(accounts.username) = $1 AND COALESCE(lower(accounts.domain), '') = $2 LIMIT 1;
-- name: account_by_acct_unlimited
-- expect: SI-1
SELECT accounts.* FROM accounts WHERE lower(accounts.username) = lower($1) AND COALESCE(lower(accounts.domain), '') = lower($2);
-- name: account_local
-- expect: unbounded
SELECT accounts.* FROM accounts WHERE lower(accounts.username) = $1 AND accounts.domain IS NULL;
-- name: account_local_coalesced
-- expect: SI-1
SELECT accounts.* FROM accounts WHERE lower(accounts.username) = $1 AND COALESCE(lower(accounts.domain), '') = '';
-- name: account_username_cased
-- expect: unbounded
SELECT accounts.* FROM accounts WHERE accounts.username = $1 AND accounts.domain = $2;
-- name: status_by_uri
-- expect: SI-1
SELECT statuses.* FROM statuses WHERE statuses.uri = $1;
-- name: status_by_uri_null
-- expect: unbounded
SELECT statuses.* FROM statuses WHERE statuses.uri IS NOT DISTINCT FROM $1;
-- name: account_timeline
-- expect: SI-1
SELECT statuses.id, statuses.updated FROM (SELECT id, account_id, created_at AS updated FROM statuses WHERE deleted_at IS NULL AND visibility IN ('public', 'unlisted')) statuses WHERE statuses.account_id = $1 ORDER BY statuses.id DESC LIMIT 20;
-- name: account_timeline_keyset
-- expect: SI-1
SELECT statuses.* FROM statuses WHERE statuses.account_id = $1 AND statuses.deleted_at IS NULL AND statuses.id < $2 ORDER BY statuses.id DESC LIMIT $3;
-- name: account_timeline_no_replies
-- expect: SI-1
SELECT statuses.* FROM statuses WHERE statuses.account_id = $1 AND statuses.deleted_at IS NULL AND statuses.in_reply_to_id IS NULL AND statuses.reblog_of_id IS NULL ORDER BY statuses.id DESC LIMIT 20;
-- name: account_timeline_self_replies
-- expect: unbounded
SELECT statuses.* FROM statuses WHERE statuses.account_id = $1 AND statuses.deleted_at IS NULL AND (statuses.in_reply_to_id IS NULL OR statuses.account_id IN (SELECT p.account_id FROM statuses p WHERE p.id = statuses.in_reply_to_id)) ORDER BY statuses.id DESC LIMIT 20;
-- name: home_timeline
-- expect: unbounded
SELECT s.* FROM statuses s INNER JOIN follows f ON f.target_account_id = s.account_id WHERE f.account_id = $1 AND s.deleted_at IS NULL ORDER BY s.id DESC LIMIT 20;
-- name: public_timeline_no_blocks
-- expect: unbounded
SELECT s.* FROM statuses s WHERE s.visibility = 'public' AND s.reblog_of_id IS NULL AND s.account_id NOT IN (SELECT target_account_id FROM blocks WHERE account_id = $1) ORDER BY s.id DESC LIMIT 20;
-- name: public_timeline
-- expect: SI-1
SELECT s.* FROM statuses s WHERE s.visibility = 'public' AND s.reblog_of_id IS NULL AND s.deleted_at IS NULL ORDER BY s.id DESC LIMIT 20;
-- name: tag_timeline
-- expect: unbounded
SELECT s.id FROM statuses s JOIN statuses_tags st ON st.status_id = s.id WHERE st.tag_id = $1 AND s.visibility = 'public' ORDER BY s.created_at DESC LIMIT 20;
-- name: tag_timeline_by_key
-- expect: SI-1
SELECT st.status_id FROM statuses_tags st WHERE st.tag_id = $1 ORDER BY st.status_id DESC LIMIT 40;
-- name: favourited_by
-- expect: SI-1
SELECT a.* FROM accounts a JOIN favourites f ON f.account_id = a.id WHERE f.status_id = $1 ORDER BY f.id DESC LIMIT 40;
-- name: favourites_of_status_count
-- expect: SI-2
SELECT COUNT(*) FROM favourites WHERE favourites.status_id = $1;
-- name: favourited_ids
-- expect: unbounded
SELECT favourites.status_id FROM favourites WHERE favourites.status_id = ANY($1) AND favourites.account_id = $2;
-- name: favourited_one
-- expect: SI-1
SELECT 1 AS one FROM favourites WHERE favourites.status_id = $1 AND favourites.account_id = $2 LIMIT 1;
-- name: followers_count_counter
-- expect: SI-2
SELECT COUNT(*) FROM follows WHERE follows.target_account_id = $1;
-- name: relationship
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM follows WHERE account_id = $1 AND target_account_id = $2) AS following, EXISTS (SELECT 1 FROM follows WHERE account_id = $2 AND target_account_id = $1) AS followed_by, EXISTS (SELECT 1 FROM blocks WHERE account_id = $1 AND target_account_id = $2) AS blocking;
-- name: mutual_follows
-- expect: unbounded
SELECT f.target_account_id FROM follows f JOIN follows g ON g.account_id = f.target_account_id AND g.target_account_id = f.account_id WHERE f.account_id = $1;
-- name: notifications_page
-- expect: SI-1
SELECT n.* FROM notifications n WHERE n.account_id = $1 AND n.type = $2 AND n.id > $3 ORDER BY n.id ASC LIMIT 15;
-- name: notifications_with_from
-- expect: SI-1
SELECT n.id, a.username FROM notifications n JOIN accounts a ON a.id = n.from_account_id WHERE n.account_id = $1 ORDER BY n.id DESC LIMIT 15;
-- name: notifications_unsuspended
-- expect: unbounded
SELECT n.id, a.username FROM notifications n JOIN accounts a ON a.id = n.from_account_id AND a.suspended_at IS NULL WHERE n.account_id = $1 ORDER BY n.id DESC LIMIT 15;
-- name: notifications_grouped
-- expect: unbounded
SELECT n.type, COUNT(*) FROM notifications n WHERE n.account_id = $1 GROUP BY n.type;
-- name: tag_find
-- expect: SI-1
SELECT * FROM tags WHERE lower(name) = lower($1) LIMIT 1;
-- name: tag_find_raw
-- expect: unbounded
SELECT * FROM tags WHERE name = $1;
-- name: tag_prefix
-- expect: SI-1
SELECT * FROM tags WHERE lower(name) LIKE lower($1) || '%' ORDER BY lower(name) LIMIT 10;
-- name: tag_contains
-- expect: unbounded
SELECT * FROM tags WHERE name ILIKE '%' || $1 || '%' LIMIT 10;
-- name: ancestors
-- expect: unbounded
WITH RECURSIVE search_tree (id, in_reply_to_id, path) AS (SELECT id, in_reply_to_id, ARRAY[id] FROM statuses WHERE id = $1 UNION ALL SELECT statuses.id, statuses.in_reply_to_id, path || statuses.id FROM search_tree JOIN statuses ON statuses.id = search_tree.in_reply_to_id WHERE NOT statuses.id = ANY (path)) SELECT id FROM search_tree ORDER BY path LIMIT $2;
-- name: accounts_tagged
-- expect: unbounded
SELECT id FROM accounts WHERE tags @> ARRAY[$1];
-- name: accounts_any_tag
-- expect: unbounded
SELECT id FROM accounts WHERE $1 = ANY (tags);
-- name: accounts_setting
-- expect: unbounded
SELECT id FROM accounts WHERE settings ->> 'locale' = $1;
-- name: accounts_setting_limited
-- expect: SI-1
SELECT id FROM accounts WHERE settings ->> 'locale' = $1 ORDER BY id LIMIT 10;
-- name: poll_of_status
-- expect: SI-1
SELECT p.*, s.text FROM polls p JOIN statuses s ON s.id = p.status_id WHERE p.status_id = $1;
-- name: poll_tally
-- expect: unbounded
SELECT choice, COUNT(*) FROM poll_votes WHERE poll_id = $1 GROUP BY choice;
-- name: poll_options_unnested
-- expect: unbounded
SELECT o FROM polls p, unnest(p.options) AS o WHERE p.id = $1;
-- name: vote_upsert
-- expect: SI-1
INSERT INTO favourites (account_id, status_id, created_at) SELECT $1, s.id, now() FROM statuses s WHERE s.uri = $2 ON CONFLICT (account_id, status_id) DO NOTHING;
-- name: delete_old_notifications
-- expect: unbounded
DELETE FROM notifications WHERE created_at < $1;
-- name: delete_old_notifications_batch
-- expect: unbounded
DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE created_at < $1 ORDER BY id LIMIT 1000);
-- name: delete_old_notifications_batch_by_time
-- expect: SI-1
DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE created_at < $1 ORDER BY created_at LIMIT 1000);
-- name: soft_delete_account_statuses
-- expect: unbounded
UPDATE statuses SET deleted_at = now() WHERE account_id = $1 AND deleted_at IS NULL;
-- name: soft_delete_status
-- expect: SI-0
UPDATE statuses SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id;
-- name: trending
-- expect: unbounded
SELECT st.tag_id, COUNT(DISTINCT s.account_id) AS c FROM statuses_tags st JOIN statuses s ON s.id = st.status_id WHERE s.created_at > $1 GROUP BY st.tag_id ORDER BY c DESC LIMIT 10;
-- name: pins
-- expect: unbounded
SELECT s.* FROM statuses s JOIN status_pins p ON p.status_id = s.id WHERE p.account_id = $1;
-- name: word_count_generated
-- expect: SI-1
SELECT id FROM statuses WHERE account_id = $1 ORDER BY word_count DESC LIMIT 5;
-- name: keyset_tuple
-- expect: SI-1
SELECT id FROM statuses WHERE account_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT 30;
-- name: keyset_expanded
-- expect: SI-1
SELECT id FROM statuses WHERE account_id = $1 AND (created_at < $2 OR (created_at = $2 AND id < $3)) ORDER BY created_at DESC, id DESC LIMIT 30;
-- name: reply_counts_lateral
-- expect: SI-2
SELECT s.id, c.n FROM statuses s LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM statuses r WHERE r.in_reply_to_id = s.id) c ON true WHERE s.account_id = $1 ORDER BY s.id DESC LIMIT 10;
-- name: last_reply_lateral
-- expect: SI-1
SELECT s.id, c.id FROM statuses s LEFT JOIN LATERAL (SELECT r.id FROM statuses r WHERE r.in_reply_to_id = s.id ORDER BY r.id DESC LIMIT 1) c ON true WHERE s.account_id = $1 ORDER BY s.id DESC LIMIT 10;
-- name: last_reply_lateral_inner
-- expect: unbounded
SELECT s.id, c.id FROM statuses s CROSS JOIN LATERAL (SELECT r.id FROM statuses r WHERE r.in_reply_to_id = s.id ORDER BY r.id DESC LIMIT 1) c WHERE s.account_id = $1 ORDER BY s.id DESC LIMIT 10;
-- name: last_reply_lateral_unordered
-- expect: unbounded
SELECT s.id, c.m FROM statuses s LEFT JOIN LATERAL (SELECT max(char_length(r.text)) AS m FROM statuses r WHERE r.in_reply_to_id = s.id AND r.text LIKE $2) c ON true WHERE s.account_id = $1 ORDER BY s.id DESC LIMIT 10;
-- name: union_timelines
-- expect: SI-1
(SELECT id FROM statuses WHERE account_id = $1 ORDER BY id DESC LIMIT 20) UNION ALL (SELECT status_id FROM favourites WHERE account_id = $1 ORDER BY status_id DESC LIMIT 20) ORDER BY 1 DESC LIMIT 20;
-- name: union_timelines_cut_outside
-- expect: SI-1
SELECT id FROM statuses WHERE account_id = $1 UNION ALL SELECT status_id FROM favourites WHERE account_id = $1 ORDER BY 1 DESC LIMIT 20;
-- name: intersect_ids
-- expect: unbounded
SELECT status_id FROM favourites WHERE account_id = $1 INTERSECT SELECT status_id FROM favourites WHERE account_id = $2;
-- name: except_ids
-- expect: unbounded
SELECT id FROM statuses WHERE id = $1 EXCEPT SELECT status_id FROM favourites WHERE account_id = $2;
-- name: cards
-- expect: unbounded
SELECT * FROM preview_cards_statuses WHERE status_id = $1;
-- name: enum_count
-- expect: SI-2
SELECT visibility, COUNT(*) FROM statuses WHERE account_id = $1 GROUP BY visibility;
-- name: enum_any
-- expect: SI-1
SELECT id FROM statuses WHERE account_id = $1 AND visibility = ANY (ARRAY['public', 'unlisted']::visibility[]) ORDER BY id DESC LIMIT 5;
