-- dialect: postgres
-- A team chat as Rails' ActiveRecord writes it, many tenants in one schema.
CREATE TABLE "accounts" ("id" bigserial PRIMARY KEY, "subdomain" character varying NOT NULL, "plan" character varying NOT NULL DEFAULT 'free' CHECK (plan IN ('free','pro','enterprise')), "created_at" timestamp(6) NOT NULL);
CREATE UNIQUE INDEX "index_accounts_on_subdomain" ON "accounts" ("subdomain");
CREATE TABLE "users" ("id" bigserial PRIMARY KEY, "account_id" bigint NOT NULL REFERENCES "accounts" ("id"), "email" character varying NOT NULL, "handle" character varying, "discarded_at" timestamp(6), "admin" boolean NOT NULL DEFAULT FALSE);
CREATE UNIQUE INDEX "idx_users_email" ON "users" ("account_id", lower("email")) WHERE "discarded_at" IS NULL;
CREATE UNIQUE INDEX "idx_users_handle" ON "users" ("account_id", "handle");
CREATE TABLE "channels" ("id" bigserial PRIMARY KEY, "account_id" bigint NOT NULL REFERENCES "accounts" ("id"), "name" character varying NOT NULL, "private" boolean NOT NULL DEFAULT FALSE, "archived_at" timestamp(6), "last_message_id" bigint);
CREATE UNIQUE INDEX "idx_channels_name" ON "channels" ("account_id", "name");
CREATE TABLE "memberships" ("id" bigserial PRIMARY KEY, "channel_id" bigint NOT NULL REFERENCES "channels" ("id"), "user_id" bigint NOT NULL REFERENCES "users" ("id"), "last_read_id" bigint NOT NULL DEFAULT 0, "muted" boolean NOT NULL DEFAULT FALSE);
CREATE UNIQUE INDEX "idx_memberships" ON "memberships" ("channel_id", "user_id");
CREATE TABLE "messages" ("id" bigserial PRIMARY KEY, "channel_id" bigint NOT NULL REFERENCES "channels" ("id"), "user_id" bigint REFERENCES "users" ("id"), "parent_id" bigint REFERENCES "messages" ("id"), "body" text NOT NULL, "edited_at" timestamp(6), "created_at" timestamp(6) NOT NULL);
CREATE TABLE "reactions" ("id" bigserial PRIMARY KEY, "message_id" bigint NOT NULL REFERENCES "messages" ("id"), "user_id" bigint NOT NULL REFERENCES "users" ("id"), "emoji" character varying NOT NULL);
CREATE UNIQUE INDEX "idx_reactions" ON "reactions" ("message_id", "user_id", "emoji");
CREATE TABLE "attachments" ("id" bigserial PRIMARY KEY, "message_id" bigint NOT NULL REFERENCES "messages" ("id"), "byte_size" bigint NOT NULL, "content_type" character varying);

-- name: account_by_subdomain
-- expect: SI-1
SELECT "accounts".* FROM "accounts" WHERE "accounts"."subdomain" = $1 LIMIT $2;
-- name: user_find
-- expect: SI-0
SELECT "users".* FROM "users" WHERE "users"."id" = $1 LIMIT 1;
-- name: user_login_kept
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND lower("users"."email") = $2 AND "users"."discarded_at" IS NULL;
-- name: user_login_forgot_kept
-- expect: unbounded
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND lower("users"."email") = $2;
-- name: user_by_handle
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND "users"."handle" = $2;
-- name: users_without_handle
-- expect: unbounded
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND "users"."handle" IS NULL;
-- name: users_handle_not_distinct
-- expect: unbounded
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND "users"."handle" IS NOT DISTINCT FROM $2;
-- name: admins_first
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND "users"."admin" = TRUE ORDER BY "users"."id" ASC LIMIT 5;
-- name: find_each_batch
-- expect: SI-0
SELECT "users".* FROM "users" WHERE "users"."id" > $1 ORDER BY "users"."id" ASC LIMIT 1000;
-- name: find_each_batch_scoped
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."account_id" = $1 AND "users"."discarded_at" IS NULL AND "users"."id" > $2 ORDER BY "users"."id" ASC LIMIT 1000;
-- name: channel_by_name
-- expect: SI-1
SELECT "channels".* FROM "channels" WHERE "channels"."account_id" = $1 AND "channels"."name" = $2 LIMIT 1;
-- name: channel_names_ci
-- expect: SI-1
SELECT "channels".* FROM "channels" WHERE "channels"."account_id" = $1 AND lower("channels"."name") = lower($2) LIMIT 1;
-- name: channels_autocomplete
-- expect: SI-1
SELECT "channels".* FROM "channels" WHERE "channels"."account_id" = $1 AND "channels"."name" LIKE $2 || '%' ORDER BY "channels"."name" LIMIT 8;
-- name: channels_infix
-- expect: unbounded
SELECT "channels".* FROM "channels" WHERE "channels"."account_id" = $1 AND "channels"."name" LIKE '%' || $2 || '%' ORDER BY "channels"."name" LIMIT 8;
-- name: messages_page
-- expect: SI-1
SELECT "messages".* FROM "messages" WHERE "messages"."channel_id" = $1 AND "messages"."id" < $2 ORDER BY "messages"."id" DESC LIMIT 50;
-- name: messages_page_with_authors
-- expect: SI-1
SELECT "messages".*, "users"."handle" FROM "messages" LEFT OUTER JOIN "users" ON "users"."id" = "messages"."user_id" WHERE "messages"."channel_id" = $1 ORDER BY "messages"."id" DESC LIMIT 50;
-- name: messages_of_active_authors
-- expect: unbounded
SELECT "messages".* FROM "messages" INNER JOIN "users" ON "users"."id" = "messages"."user_id" WHERE "messages"."channel_id" = $1 AND "users"."discarded_at" IS NULL ORDER BY "messages"."id" DESC LIMIT 50;
-- name: thread
-- expect: SI-1
SELECT "messages".* FROM "messages" WHERE "messages"."parent_id" = $1 ORDER BY "messages"."created_at" ASC, "messages"."id" ASC LIMIT 100;
-- name: thread_all
-- expect: unbounded
SELECT "messages".* FROM "messages" WHERE "messages"."parent_id" = $1;
-- name: unread_exists
-- expect: SI-1
SELECT 1 AS one FROM "messages" WHERE "messages"."channel_id" = $1 AND "messages"."id" > $2 LIMIT 1;
-- name: unread_count
-- expect: unbounded
SELECT COUNT(*) FROM "messages" WHERE "messages"."channel_id" = $1 AND "messages"."id" > $2;
-- name: unread_count_capped
-- expect: SI-1
SELECT COUNT(*) FROM (SELECT 1 AS one FROM "messages" WHERE "messages"."channel_id" = $1 AND "messages"."id" > $2 LIMIT 100) subquery_for_count;
-- name: replies_count
-- expect: SI-2
SELECT COUNT(*) FROM "messages" WHERE "messages"."parent_id" = $1;
-- name: reactions_of_page
-- expect: unbounded
SELECT "reactions".* FROM "reactions" WHERE "reactions"."message_id" IN ($1, $2, $3);
-- name: reaction_counts_of_message
-- expect: unbounded
SELECT "reactions"."emoji", COUNT(*) AS count_all FROM "reactions" WHERE "reactions"."message_id" = $1 GROUP BY "reactions"."emoji";
-- name: top_reactions
-- expect: SI-2
SELECT "reactions"."emoji", COUNT(*) AS count_all FROM "reactions" WHERE "reactions"."message_id" = $1 GROUP BY "reactions"."emoji" ORDER BY count_all DESC LIMIT 3;
-- name: my_reaction
-- expect: SI-1
SELECT "reactions".* FROM "reactions" WHERE "reactions"."message_id" = $1 AND "reactions"."user_id" = $2 AND "reactions"."emoji" = $3 LIMIT 1;
-- name: my_reactions_of_message
-- expect: unbounded
SELECT "reactions".* FROM "reactions" WHERE "reactions"."message_id" = $1 AND "reactions"."user_id" = $2;
-- name: my_channels
-- expect: unbounded
SELECT "channels".* FROM "channels" INNER JOIN "memberships" ON "memberships"."channel_id" = "channels"."id" WHERE "memberships"."user_id" = $1 AND "channels"."archived_at" IS NULL ORDER BY "channels"."name";
-- name: my_channels_first
-- expect: SI-1
SELECT "channels".* FROM "channels" INNER JOIN "memberships" ON "memberships"."channel_id" = "channels"."id" WHERE "memberships"."user_id" = $1 ORDER BY "memberships"."id" LIMIT 30;
-- name: members_first
-- expect: SI-1
SELECT "users".* FROM "users" INNER JOIN "memberships" ON "users"."id" = "memberships"."user_id" WHERE "memberships"."channel_id" = $1 ORDER BY "memberships"."id" LIMIT 30;
-- name: membership
-- expect: SI-1
SELECT "memberships".* FROM "memberships" WHERE "memberships"."channel_id" = $1 AND "memberships"."user_id" = $2 LIMIT 1;
-- name: member_count
-- expect: SI-2
SELECT COUNT(*) FROM "memberships" WHERE "memberships"."channel_id" = $1;
-- name: mention_others
-- expect: SI-1
SELECT "memberships".* FROM "memberships" WHERE "memberships"."channel_id" = $1 AND "memberships"."user_id" != $2 ORDER BY "memberships"."id" LIMIT 20;
-- name: muted_or_other
-- expect: unbounded
SELECT "memberships".* FROM "memberships" WHERE ("memberships"."channel_id" = $1 OR "memberships"."muted" = TRUE);
-- name: messages_in_two_channels
-- expect: SI-1
SELECT "messages".* FROM "messages" WHERE "messages"."channel_id" IN ($1, $2) ORDER BY "messages"."id" DESC LIMIT 20;
-- name: attachment_bytes_of_message
-- expect: SI-2
SELECT SUM("attachments"."byte_size") FROM "attachments" WHERE "attachments"."message_id" = $1;
-- name: attachment_bytes_of_channel
-- expect: unbounded
SELECT SUM("attachments"."byte_size") FROM "attachments" INNER JOIN "messages" ON "messages"."id" = "attachments"."message_id" WHERE "messages"."channel_id" = $1;
-- name: random_message
-- expect: unbounded
SELECT "messages".* FROM "messages" WHERE "messages"."channel_id" = $1 ORDER BY RANDOM() LIMIT 1;
-- name: delete_message
-- expect: SI-0
DELETE FROM "messages" WHERE "messages"."id" = $1;
-- name: mark_read
-- expect: SI-1
UPDATE "memberships" SET "last_read_id" = $1 WHERE "memberships"."channel_id" = $2 AND "memberships"."user_id" = $3;
-- name: purge_channel
-- expect: unbounded
DELETE FROM "messages" WHERE "messages"."channel_id" = $1;
-- name: with_ties
-- expect: unbounded
SELECT "messages".* FROM "messages" WHERE "messages"."channel_id" = $1 ORDER BY "messages"."created_at" DESC FETCH FIRST 5 ROWS WITH TIES;
-- name: fetch_first
-- expect: SI-1
SELECT "messages".* FROM "messages" WHERE "messages"."channel_id" = $1 ORDER BY "messages"."created_at" DESC FETCH FIRST 5 ROWS ONLY;
-- name: latest_per_channel_lateral
-- expect: SI-1
SELECT c.id, m.body FROM channels c CROSS JOIN LATERAL (SELECT messages.body FROM messages WHERE messages.channel_id = c.id ORDER BY messages.id DESC LIMIT 1) m WHERE c.account_id = $1 AND c.name IN ($2, $3, $4);
-- name: latest_per_channel_distinct_on
-- expect: unbounded
SELECT DISTINCT ON (messages.channel_id) messages.* FROM messages WHERE messages.user_id = $1 ORDER BY messages.channel_id, messages.id DESC;
-- name: latest_per_channel_rn
-- expect: SI-1
SELECT * FROM (SELECT messages.id, messages.channel_id, messages.body, ROW_NUMBER() OVER (PARTITION BY messages.channel_id ORDER BY messages.id DESC) AS rn FROM messages WHERE messages.channel_id IN ($1, $2, $3)) t WHERE t.rn <= 3;
-- name: distinct_on_one_channel
-- expect: SI-1
SELECT DISTINCT ON (m.channel_id) m.id, m.channel_id, m.body FROM messages m WHERE m.channel_id IN ($1, $2, $3) ORDER BY m.channel_id, m.id DESC;
