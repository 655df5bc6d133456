-- dialect: postgres
-- Sports clubs as Ecto asks for them: tenants, soft deletes, polymorphic comments, trees, counters, upserts, keysets, ranges of time.
CREATE TABLE "clubs" ("id" bigserial PRIMARY KEY, "slug" citext NOT NULL, "name" varchar(255) NOT NULL, "parent_id" bigint REFERENCES "clubs"("id"), "deleted_at" timestamp(0), "inserted_at" timestamp(0) NOT NULL);
CREATE UNIQUE INDEX "clubs_slug_index" ON "clubs" ("slug");
CREATE TABLE "people" ("id" uuid PRIMARY KEY, "club_id" bigint NOT NULL REFERENCES "clubs"("id"), "email" varchar(255), "born_on" date, "rating" numeric(8,3), "handicap" double precision, "locale" char(5) NOT NULL, "is_coach" boolean NOT NULL DEFAULT false, "deleted_at" timestamp(0), "inserted_at" timestamp(0) NOT NULL);
CREATE UNIQUE INDEX "people_club_email_live" ON "people" ("club_id", lower("email")) WHERE "deleted_at" IS NULL;
CREATE TABLE "matches" ("id" bigserial PRIMARY KEY, "club_id" bigint NOT NULL REFERENCES "clubs"("id"), "home_id" uuid NOT NULL REFERENCES "people"("id"), "away_id" uuid NOT NULL REFERENCES "people"("id"), "round" smallint NOT NULL CHECK ("round" BETWEEN 1 AND 7), "season" integer NOT NULL, "played_at" timestamptz, "home_points" integer, "away_points" integer, UNIQUE ("season", "round", "home_id"));
CREATE TABLE "comments" ("id" bigserial PRIMARY KEY, "subject_type" varchar(32) NOT NULL, "subject_id" bigint NOT NULL, "parent_id" bigint REFERENCES "comments"("id"), "path" text NOT NULL UNIQUE, "author_id" uuid NOT NULL REFERENCES "people"("id"), "body" text NOT NULL, "score" integer NOT NULL DEFAULT 0, "inserted_at" timestamptz NOT NULL);
CREATE TABLE "reactions" ("comment_id" bigint NOT NULL REFERENCES "comments"("id"), "person_id" uuid NOT NULL REFERENCES "people"("id"), "kind" varchar(8) NOT NULL CHECK ("kind" IN ('up', 'down', 'laugh')), PRIMARY KEY ("comment_id", "person_id", "kind"));
CREATE TABLE "bookings" ("court_id" integer NOT NULL, "day" date NOT NULL, "slot" smallint NOT NULL CHECK ("slot" >= 0 AND "slot" < 24), "person_id" uuid NOT NULL REFERENCES "people"("id"), "paid_cents" bigint NOT NULL, "meta" jsonb, PRIMARY KEY ("court_id", "day", "slot"));
CREATE TABLE "memberships" ("person_id" uuid NOT NULL, "club_id" bigint NOT NULL, "since" date NOT NULL, "until" date, PRIMARY KEY ("person_id", "club_id"), FOREIGN KEY ("person_id") REFERENCES "people"("id"));
CREATE TABLE "duties" ("person_id" uuid NOT NULL, "club_id" bigint NOT NULL, "duty" varchar(20) NOT NULL, PRIMARY KEY ("person_id", "club_id", "duty"), FOREIGN KEY ("person_id", "club_id") REFERENCES "memberships"("person_id", "club_id"));
CREATE VIEW "live_people" AS SELECT * FROM "people" WHERE "deleted_at" IS NULL;
CREATE VIEW "coaches" AS SELECT "id", "club_id", "email", "inserted_at" FROM "live_people" WHERE "is_coach";
CREATE VIEW "latest_ten" AS SELECT * FROM "people" ORDER BY "inserted_at" DESC LIMIT 10;

-- name: e1
-- expect: SI-0
SELECT c0."id", c0."slug" FROM "clubs" AS c0 WHERE (c0."id" = $1) AND (c0."deleted_at" IS NULL);
-- name: e2
-- expect: SI-1
SELECT c0."id" FROM "clubs" AS c0 WHERE (c0."slug" = $1) AND (c0."deleted_at" IS NULL);
-- name: e3
-- expect: SI-1
SELECT p0."id" FROM "people" AS p0 WHERE (p0."club_id" = $1) AND (lower(p0."email") = lower($2)) AND (p0."deleted_at" IS NULL);
-- name: e4
-- expect: unbounded
SELECT p0."id" FROM "people" AS p0 WHERE (p0."club_id" = $1) AND (lower(p0."email") = lower($2));
-- name: e5
-- expect: unbounded
SELECT p0."id" FROM "people" AS p0 WHERE (p0."club_id" = $1) AND (p0."email" = $2);
-- name: e6
-- expect: SI-1
SELECT p0."id" FROM "people" AS p0 WHERE (p0."club_id" = $1) AND (p0."email" = $2) AND p0."deleted_at" IS NULL LIMIT 1;
-- name: e7
-- expect: unbounded
SELECT p0."id" FROM "people" AS p0 WHERE (p0."club_id" = $1) AND (lower(p0."email") = lower($2)) AND (p0."deleted_at" IS NULL OR p0."deleted_at" > $3);
-- name: e8
-- expect: SI-1
SELECT p0."id" FROM "live_people" AS p0 WHERE p0."club_id" = $1 AND lower(p0."email") = $2;
-- name: e9
-- expect: SI-1
SELECT p0."id" FROM "coaches" AS p0 WHERE p0."club_id" = $1 ORDER BY p0."inserted_at" DESC LIMIT 20;
-- name: e10
-- expect: unbounded
SELECT p0."id" FROM "coaches" AS p0 WHERE p0."club_id" = $1;
-- name: e11
-- expect: SI-1
SELECT * FROM "latest_ten" WHERE "club_id" = $1;
-- name: e12
-- expect: SI-1
SELECT l."id", c."name" FROM "latest_ten" l JOIN "clubs" c ON c."id" = l."club_id" WHERE c."deleted_at" IS NULL;
-- name: e13
-- expect: unbounded
SELECT p."id" FROM "latest_ten" l JOIN "people" p ON p."club_id" = l."club_id";
-- name: e14
-- expect: SI-1
SELECT p0."id", p0."inserted_at" FROM "people" AS p0 WHERE p0."club_id" = $1 AND ((p0."inserted_at" < $2) OR (p0."inserted_at" = $2 AND p0."id" > $3)) ORDER BY p0."inserted_at" DESC, p0."id" LIMIT 25;
-- name: e15
-- expect: unbounded
SELECT p0."id" FROM "people" AS p0 WHERE p0."club_id" = $1 AND (p0."inserted_at", p0."id") < ($2, $3) ORDER BY p0."id", p0."inserted_at" LIMIT 25;
-- name: e16
-- expect: SI-1
SELECT m0."id" FROM "matches" AS m0 WHERE m0."season" = $1 AND m0."home_id" = $2;
-- name: e17
-- expect: unbounded
SELECT m0."id" FROM "matches" AS m0 WHERE m0."season" = $1 AND m0."away_id" = $2;
-- name: e18
-- expect: SI-1
SELECT m0."id" FROM "matches" AS m0 WHERE m0."season" = $1 AND m0."away_id" = $2 AND m0."round" < $3 ORDER BY m0."round" LIMIT 10;
-- name: e19
-- expect: SI-1
SELECT m0."id" FROM "matches" AS m0 WHERE m0."season" = $1 AND (m0."home_id" = $2 OR m0."away_id" = $2) ORDER BY m0."played_at" DESC NULLS LAST LIMIT 10;
-- name: e20
-- expect: SI-2
SELECT count(m0."id"), sum(m0."home_points"), sum(m0."away_points") FROM "matches" AS m0 WHERE m0."season" = $1 AND m0."away_id" = $2;
-- name: e21
-- expect: unbounded
SELECT count(*) FROM "matches" AS m0 WHERE m0."season" = $1 AND (m0."home_points" > m0."away_points" + $2);
-- name: e22
-- expect: SI-2
SELECT count(*) FILTER (WHERE m0."home_points" > m0."away_points") FROM "matches" AS m0 WHERE m0."season" = $1;
-- name: e23
-- expect: unbounded
SELECT date_trunc('week', m0."played_at"), count(*) FROM "matches" AS m0 WHERE m0."club_id" = $1 GROUP BY 1 ORDER BY 1;
-- name: e24
-- expect: SI-2
SELECT count(*) FROM "matches" AS m0 WHERE m0."club_id" = $1 AND date_trunc('day', m0."played_at" AT TIME ZONE 'UTC') = $2;
-- name: e25
-- expect: unbounded
SELECT count(*) FROM "matches" AS m0 WHERE m0."club_id" = $1 AND date_trunc('day', m0."played_at" AT TIME ZONE $3) = $2;
-- name: e26
-- expect: unbounded
SELECT m0."id" FROM "matches" AS m0 WHERE m0."club_id" = $1 AND (m0."played_at" AT TIME ZONE $3)::date = $2 LIMIT 10;
-- name: e27
-- expect: SI-1
SELECT c0."id" FROM "comments" AS c0 WHERE c0."subject_type" = 'Match' AND c0."subject_id" = $1 ORDER BY c0."inserted_at" DESC LIMIT 30;
-- name: e28
-- expect: unbounded
SELECT c0."id" FROM "comments" AS c0 WHERE c0."subject_type" = 'Match' AND c0."subject_id" = $1 ORDER BY c0."score" - extract(epoch from now() - c0."inserted_at") / 45000 DESC LIMIT 30;
-- name: e29
-- expect: SI-1
SELECT c0."id" FROM "comments" AS c0 WHERE c0."subject_type" = 'Match' AND c0."subject_id" = $1 ORDER BY c0."score" + extract(epoch from c0."inserted_at") / 45000 DESC LIMIT 30;
-- name: e30
-- expect: SI-2
SELECT c0."subject_id", count(*) FROM "comments" AS c0 WHERE c0."subject_type" = $1 AND c0."subject_id" IN ($2, $3, $4) GROUP BY c0."subject_id";
-- name: e31
-- expect: unbounded
WITH RECURSIVE t AS (SELECT id, parent_id, 0 AS depth FROM comments WHERE id = $1 UNION ALL SELECT c.id, c.parent_id, t.depth + 1 FROM comments c JOIN t ON c.parent_id = t.id WHERE t.depth < 3) SELECT * FROM t LIMIT 100;
-- name: e32
-- expect: unbounded
SELECT c0."id" FROM "comments" AS c0 WHERE c0."path" LIKE (SELECT path || '%' FROM "comments" WHERE id = $1);
-- name: e33
-- expect: SI-1
SELECT c0."id" FROM "comments" AS c0 WHERE c0."path" >= $1 AND c0."path" < $2 ORDER BY c0."path" LIMIT 50;
-- name: e34
-- expect: unbounded
SELECT c0."id" FROM "comments" AS c0 WHERE $1 LIKE c0."path" || '%' LIMIT 50;
-- name: e35
-- expect: SI-0
SELECT c."id", p."body", g."body" FROM "comments" c LEFT JOIN "comments" p ON p."id" = c."parent_id" LEFT JOIN "comments" g ON g."id" = p."parent_id" WHERE c."id" = $1;
-- name: e36
-- expect: unbounded
SELECT c."id" FROM "comments" c RIGHT JOIN "comments" p ON p."id" = c."parent_id" WHERE c."id" = $1 OR c."id" IS NULL;
-- name: e37
-- expect: unbounded
SELECT c."id", r."body" FROM "comments" c LEFT JOIN "comments" r ON r."parent_id" = c."id" WHERE c."id" = $1;
-- name: e38
-- expect: SI-2
SELECT r."kind", count(*) FROM "reactions" r WHERE r."comment_id" = $1 GROUP BY r."kind";
-- name: e39
-- expect: SI-0
SELECT r."kind" FROM "reactions" r WHERE r."comment_id" = $1 AND r."person_id" = $2;
-- name: e40
-- expect: unbounded
SELECT r."person_id" FROM "reactions" r WHERE r."comment_id" = $1 AND r."kind" = 'up';
-- name: e41
-- expect: SI-0
INSERT INTO "reactions" ("comment_id", "person_id", "kind") VALUES ($1, $2, $3) ON CONFLICT ("comment_id", "person_id", "kind") DO NOTHING RETURNING "kind";
-- name: e42
-- expect: SI-2
INSERT INTO "reactions" AS r ("comment_id", "person_id", "kind") VALUES ($1, $2, $3) RETURNING (SELECT count(*) FROM "reactions" x WHERE x."comment_id" = r."comment_id");
-- name: e43
-- expect: unbounded
INSERT INTO "reactions" AS r ("comment_id", "person_id", "kind") VALUES ($1, $2, $3) RETURNING (SELECT count(*) FROM "reactions" x WHERE x."person_id" < r."person_id");
-- name: e44
-- expect: SI-0
UPDATE "comments" SET "score" = "score" + 1 WHERE "id" = $1 RETURNING "score";
-- name: e45
-- expect: SI-0
SELECT * FROM "bookings" b WHERE b."court_id" = $1 AND b."day" = $2;
-- name: e46
-- expect: unbounded
SELECT * FROM "bookings" b WHERE b."court_id" = $1 AND b."day" BETWEEN $2 AND $3;
-- name: e47
-- expect: SI-0
SELECT * FROM "bookings" b WHERE b."court_id" = $1 AND b."day" BETWEEN $2 AND $3 ORDER BY b."day", b."slot" LIMIT 168;
-- name: e48
-- expect: SI-1
SELECT * FROM "bookings" b WHERE b."person_id" = $1 AND b."day" >= CURRENT_DATE ORDER BY b."day" LIMIT 20;
-- name: e49
-- expect: unbounded
SELECT * FROM "bookings" b WHERE b."meta" @> $1 LIMIT 20;
-- name: e50
-- expect: SI-1
SELECT * FROM "bookings" b WHERE b."meta"->>'coach' = $1 ORDER BY b."day" DESC LIMIT 20;
-- name: e51
-- expect: unbounded
SELECT * FROM "bookings" b WHERE b."meta"->>$2 = $1 ORDER BY b."day" DESC LIMIT 20;
-- name: e52
-- expect: unbounded
SELECT sum(b."paid_cents") FROM "bookings" b WHERE b."court_id" = $1 AND b."day" >= $2;
-- name: e53
-- expect: SI-0
SELECT sum(b."paid_cents") FROM "bookings" b WHERE b."court_id" = $1 AND b."day" = $2;
-- name: e54
-- expect: unbounded
SELECT generate_series(0, 23) EXCEPT SELECT b."slot" FROM "bookings" b WHERE b."court_id" = $1 AND b."day" = $2;
-- name: e55
-- expect: SI-0
SELECT s."duty" FROM "duties" s JOIN "memberships" m ON (m."person_id", m."club_id") = (s."person_id", s."club_id") WHERE s."person_id" = $1 AND s."club_id" = $2 ORDER BY s."duty" LIMIT 10;
-- name: e56
-- expect: SI-1
SELECT s."duty", m."since" FROM "duties" s JOIN "memberships" m USING ("person_id", "club_id") WHERE s."club_id" = $1 ORDER BY s."duty" LIMIT 10;
-- name: e57
-- expect: unbounded
SELECT s."duty", m."since" FROM "duties" s JOIN "memberships" m USING ("person_id") WHERE s."club_id" = $1 ORDER BY s."duty";
-- name: e58
-- expect: unbounded
SELECT s."duty", m."since" FROM "duties" s NATURAL JOIN "memberships" m WHERE "club_id" = $1;
-- name: e59
-- expect: SI-0
SELECT s."duty", m."since" FROM "duties" s NATURAL JOIN "memberships" m WHERE "club_id" = $1 AND "person_id" = $2 AND "duty" = $3;
-- name: e60
-- expect: unbounded
SELECT s."duty", m."since" FROM "memberships" m FULL JOIN "duties" s USING ("person_id", "club_id") WHERE "person_id" = $1 AND "club_id" = $2 LIMIT 5;
-- name: e61
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."rating" = (SELECT max("rating") FROM "people" q WHERE q."club_id" = p."club_id") AND p."club_id" = $1;
-- name: e62
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE p."club_id" = $1 ORDER BY p."rating" DESC NULLS LAST, p."id" LIMIT 1;
-- name: e63
-- expect: unbounded
SELECT count(*) + 1 AS rank FROM "people" p WHERE p."club_id" = $1 AND p."rating" > (SELECT q."rating" FROM "people" q WHERE q."id" = $2);
-- name: e64
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE p."club_id" = $1 AND p."rating" > (SELECT q."rating" FROM "people" q WHERE q."id" = $2) ORDER BY p."rating" LIMIT 5;
-- name: e65
-- expect: unbounded
SELECT p."id", rank() OVER (PARTITION BY p."club_id" ORDER BY p."rating" DESC) FROM "people" p WHERE p."id" = ANY(SELECT "person_id" FROM "memberships" WHERE "club_id" = $1);
-- name: e66
-- expect: unbounded
SELECT * FROM (SELECT p."id", p."club_id", rank() OVER (PARTITION BY p."club_id" ORDER BY p."rating" DESC) AS r FROM "people" p) x WHERE x."id" = $1;
-- name: e67
-- expect: SI-0
SELECT p."id", rank() OVER (ORDER BY p."rating" DESC) FROM "people" p WHERE p."id" = $1;
-- name: e68
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."born_on" + interval '18 years' > now() ORDER BY p."rating" DESC LIMIT 10;
-- name: e69
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE age(p."born_on") > interval '18 years' LIMIT 10;
-- name: e70
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE p."born_on" > now() - interval '18 years' ORDER BY p."born_on" LIMIT 10;
-- name: e71
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE extract(month FROM p."born_on") = extract(month FROM now()) AND extract(day FROM p."born_on") = extract(day FROM now()) ORDER BY p."id" LIMIT 10;
-- name: e72
-- expect: SI-0
SELECT p."id" FROM "people" p WHERE p."id"::text = $1;
-- name: e73
-- expect: SI-0
SELECT p."id" FROM "people" p WHERE p."id" = $1::uuid;
-- name: e74
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."id" IN (SELECT "person_id" FROM "duties" WHERE "club_id" = $1 AND "duty" = $2);
-- name: e75
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE p."id" IN (SELECT "person_id" FROM "duties" WHERE "club_id" = $1 AND "duty" = $2 ORDER BY "person_id" LIMIT 5);
-- name: e76
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."id" NOT IN (SELECT "person_id" FROM "duties" WHERE "club_id" = $1 AND "duty" = $2 ORDER BY "person_id" LIMIT 5);
-- name: e77
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE p."id" NOT IN (SELECT "person_id" FROM "duties" WHERE "club_id" = $1 AND "duty" = $2 ORDER BY "person_id" LIMIT 5) ORDER BY p."id" LIMIT 10;
-- name: e78
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."club_id" = $1 OFFSET 5 ROWS;
-- name: e79
-- expect: SI-0
SELECT p."id" FROM "people" p WHERE p."id" = $1 OR p."id" = $2;
-- name: e80
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE p."id" = $1 OR p."club_id" = $2;
-- name: e81
-- expect: unbounded
SELECT p."id" FROM "people" p WHERE COALESCE(p."email", p."locale") = $1;
-- name: e82
-- expect: SI-1
SELECT p."id" FROM "people" p WHERE COALESCE(p."email", p."locale") = $1 LIMIT 3;
-- name: e83
-- expect: unbounded
SELECT c."id" FROM "clubs" c WHERE c."slug"::text = $1;
-- name: e84
-- expect: unbounded
SELECT c."id" FROM "clubs" c WHERE lower(c."slug") = $1;
-- name: e85
-- expect: SI-0
INSERT INTO "memberships" ("person_id","club_id","since") VALUES ($1,$2,$3) ON CONFLICT ("person_id","club_id") DO UPDATE SET "until" = NULL WHERE "memberships"."until" < EXCLUDED."since" RETURNING *;
-- name: e86
-- expect: unbounded
INSERT INTO "memberships" ("person_id","club_id","since") VALUES ($1,$2,$3) ON CONFLICT ("person_id","club_id") DO UPDATE SET "until" = NULL WHERE (SELECT count(*) FROM "duties" d WHERE d."duty" <> EXCLUDED."person_id"::text) > 3;
