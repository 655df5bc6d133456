-- dialect: postgres
-- A social network as Prisma writes it: schema-qualified quoted names, $1, enums, IN lists, OFFSET $n.
CREATE TYPE "Role" AS ENUM ('USER', 'ADMIN', 'BANNED');
CREATE TABLE "User" ("id" TEXT NOT NULL, "email" TEXT NOT NULL, "handle" TEXT NOT NULL, "role" "Role" NOT NULL DEFAULT 'USER', "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, CONSTRAINT "User_pkey" PRIMARY KEY ("id"));
CREATE TABLE "Post" ("id" TEXT NOT NULL, "authorId" TEXT NOT NULL, "text" TEXT NOT NULL, "deleted" BOOLEAN NOT NULL DEFAULT false, "createdAt" TIMESTAMP(3) NOT NULL, CONSTRAINT "Post_pkey" PRIMARY KEY ("id"));
CREATE TABLE "Follow" ("followerId" TEXT NOT NULL, "followedId" TEXT NOT NULL, "createdAt" TIMESTAMP(3) NOT NULL, CONSTRAINT "Follow_pkey" PRIMARY KEY ("followerId", "followedId"));
CREATE TABLE "Like" ("userId" TEXT NOT NULL, "postId" TEXT NOT NULL, "createdAt" TIMESTAMP(3) NOT NULL, CONSTRAINT "Like_pkey" PRIMARY KEY ("userId", "postId"));
CREATE TABLE "Block" ("userId" TEXT NOT NULL, "blockedId" TEXT NOT NULL, CONSTRAINT "Block_pkey" PRIMARY KEY ("userId", "blockedId"));
CREATE TABLE "Notification" ("id" TEXT NOT NULL, "userId" TEXT NOT NULL, "kind" TEXT NOT NULL, "read" BOOLEAN NOT NULL, "createdAt" TIMESTAMP(3) NOT NULL, CONSTRAINT "Notification_pkey" PRIMARY KEY ("id"));
CREATE TABLE "Membership" ("userId" TEXT NOT NULL, "role" "Role" NOT NULL, "groupId" TEXT NOT NULL, CONSTRAINT "Membership_pkey" PRIMARY KEY ("userId", "role"));
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");
CREATE UNIQUE INDEX "User_handle_key" ON "User"("handle");
ALTER TABLE "Post" ADD CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "Follow" ADD CONSTRAINT "Follow_followerId_fkey" FOREIGN KEY ("followerId") REFERENCES "User"("id");
ALTER TABLE "Follow" ADD CONSTRAINT "Follow_followedId_fkey" FOREIGN KEY ("followedId") REFERENCES "User"("id");
ALTER TABLE "Like" ADD CONSTRAINT "Like_postId_fkey" FOREIGN KEY ("postId") REFERENCES "Post"("id");
ALTER TABLE "Like" ADD CONSTRAINT "Like_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id");

-- name: find_unique
-- expect: SI-0
SELECT "public"."User"."id", "public"."User"."email" FROM "public"."User" WHERE ("public"."User"."id" = $1 AND 1=1) LIMIT $2 OFFSET $3;
-- name: find_by_handle
-- expect: SI-1
SELECT "public"."User"."id" FROM "public"."User" WHERE ("public"."User"."handle" = $1 AND 1=1) LIMIT $2 OFFSET $3;
-- name: authors_of_posts
-- expect: SI-0
SELECT "public"."User"."id", "public"."User"."handle" FROM "public"."User" WHERE "public"."User"."id" IN ($1,$2,$3,$4,$5) OFFSET $6;
-- name: posts_of_author
-- expect: SI-1
SELECT "public"."Post"."id", "public"."Post"."text" FROM "public"."Post" WHERE ("public"."Post"."authorId" = $1 AND "public"."Post"."deleted" = $2) ORDER BY "public"."Post"."createdAt" DESC LIMIT $3 OFFSET $4;
-- name: posts_of_authors
-- expect: SI-1
SELECT "public"."Post"."id" FROM "public"."Post" WHERE "public"."Post"."authorId" IN ($1,$2,$3) ORDER BY "public"."Post"."createdAt" DESC LIMIT $4;
-- name: posts_of_authors_all
-- expect: unbounded
SELECT "public"."Post"."id" FROM "public"."Post" WHERE "public"."Post"."authorId" IN ($1,$2,$3) OFFSET $4;
-- name: cursor_page
-- expect: SI-1
SELECT "public"."Post"."id" FROM "public"."Post" WHERE "public"."Post"."authorId" = $1 AND "public"."Post"."createdAt" <= $2 ORDER BY "public"."Post"."createdAt" DESC LIMIT $3;
-- name: is_following
-- expect: SI-0
SELECT "public"."Follow"."followerId" FROM "public"."Follow" WHERE ("public"."Follow"."followerId" = $1 AND "public"."Follow"."followedId" = $2) LIMIT $3;
-- name: following
-- expect: SI-0
SELECT "public"."Follow"."followedId", "public"."User"."handle" FROM "public"."Follow" INNER JOIN "public"."User" ON "public"."User"."id" = "public"."Follow"."followedId" WHERE "public"."Follow"."followerId" = $1 ORDER BY "public"."Follow"."followedId" LIMIT $2;
-- name: followers
-- expect: SI-1
SELECT "public"."Follow"."followerId" FROM "public"."Follow" WHERE "public"."Follow"."followedId" = $1 ORDER BY "public"."Follow"."createdAt" DESC LIMIT $2;
-- name: followers_count
-- expect: SI-2
SELECT COUNT(*) FROM (SELECT "public"."Follow"."followerId" FROM "public"."Follow" WHERE "public"."Follow"."followedId" = $1 OFFSET $2) AS "sub";
-- name: followers_count_plain
-- expect: SI-2
SELECT COUNT(*) AS "_count$_all" FROM "public"."Follow" WHERE "public"."Follow"."followedId" = $1;
-- name: home_feed
-- expect: unbounded
SELECT "p"."id", "p"."text" FROM "public"."Post" AS "p" INNER JOIN "public"."Follow" AS "f" ON "f"."followedId" = "p"."authorId" WHERE "f"."followerId" = $1 ORDER BY "p"."createdAt" DESC LIMIT 50;
-- name: mutuals
-- expect: unbounded
SELECT "a"."followedId" FROM "public"."Follow" "a" INNER JOIN "public"."Follow" "b" ON "a"."followedId" = "b"."followerId" AND "b"."followedId" = "a"."followerId" WHERE "a"."followerId" = $1;
-- name: mutuals_page
-- expect: SI-2
SELECT "a"."followedId" FROM "public"."Follow" "a" INNER JOIN "public"."Follow" "b" ON "a"."followedId" = "b"."followerId" AND "b"."followedId" = "a"."followerId" WHERE "a"."followerId" = $1 ORDER BY "a"."followedId" LIMIT 20;
-- name: has_liked
-- expect: SI-0
SELECT 1 FROM "public"."Like" WHERE "userId" = $1 AND "postId" = $2;
-- name: likes_of_post
-- expect: SI-2
SELECT COUNT(*) FROM "public"."Like" WHERE "postId" = $1;
-- name: likers_of_post
-- expect: SI-1
SELECT "u"."handle" FROM "public"."Like" "l" JOIN "public"."User" "u" ON "u"."id" = "l"."userId" WHERE "l"."postId" = $1 AND "l"."userId" <> $2 ORDER BY "l"."createdAt" DESC LIMIT 10;
-- name: liked_by_me_in_page
-- expect: SI-0
SELECT "postId" FROM "public"."Like" WHERE "userId" = $1 AND "postId" IN ($2,$3,$4,$5);
-- name: top_posts
-- expect: SI-2
SELECT "postId", COUNT(*) AS "n" FROM "public"."Like" GROUP BY "postId" ORDER BY "n" DESC LIMIT 10;
-- name: post_with_like_count
-- expect: SI-2
SELECT "p"."id", "p"."text", COALESCE("agg"."n", 0) FROM "public"."Post" "p" LEFT JOIN (SELECT "postId", COUNT(*) AS "n" FROM "public"."Like" GROUP BY "postId") AS "agg" ON "agg"."postId" = "p"."id" WHERE "p"."id" = $1;
-- name: unread_count
-- expect: SI-2
SELECT COUNT(*) FROM "public"."Notification" WHERE "userId" = $1 AND "read" = false;
-- name: unread
-- expect: SI-1
SELECT "id", "kind" FROM "public"."Notification" WHERE "userId" = $1 AND "read" = false ORDER BY "createdAt" DESC LIMIT 20;
-- name: mark_read
-- expect: unbounded
UPDATE "public"."Notification" SET "read" = true WHERE "userId" = $1 AND "read" = false;
-- name: kinds_of_user
-- expect: unbounded
SELECT DISTINCT "kind" FROM "public"."Notification" WHERE "userId" = $1;
-- name: admins
-- expect: SI-1
SELECT "id" FROM "public"."User" WHERE "role" = 'ADMIN'::"Role" ORDER BY "createdAt" LIMIT 100;
-- name: memberships
-- expect: SI-0
SELECT "groupId", "role" FROM "public"."Membership" WHERE "userId" = $1;
-- name: not_blocked_posts
-- expect: unbounded
SELECT "p"."id" FROM "public"."Post" "p" WHERE "p"."deleted" = false AND NOT EXISTS (SELECT 1 FROM "public"."Block" "b" WHERE "b"."userId" = $1 AND "b"."blockedId" = "p"."authorId") ORDER BY "p"."createdAt" DESC LIMIT 20;
-- name: suggestions
-- expect: unbounded
SELECT "id" FROM "public"."User" "u" WHERE NOT EXISTS (SELECT 1 FROM "public"."Follow" "f" WHERE "f"."followerId" = $1 AND "f"."followedId" = "u"."id") ORDER BY "u"."createdAt" DESC LIMIT 10;
-- name: raw_random
-- expect: unbounded
SELECT "id" FROM "public"."User" ORDER BY random() LIMIT 3;
-- name: upsert_like
-- expect: SI-0
INSERT INTO "public"."Like" ("userId", "postId", "createdAt") VALUES ($1,$2,$3) ON CONFLICT DO NOTHING;
