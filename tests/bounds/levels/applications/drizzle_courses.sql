-- dialect: postgres
-- Online courses as Drizzle and Kysely ask for them: LATERAL json, DISTINCT ON, windows, tags, full text, feeds, a calendar.
CREATE TYPE "lesson_kind" AS ENUM ('video', 'text', 'quiz');
CREATE TABLE "users" ("id" serial PRIMARY KEY NOT NULL, "email" text NOT NULL, "name" text NOT NULL, "referrer_id" integer, CONSTRAINT "users_email_unique" UNIQUE ("email"));
CREATE TABLE "courses" ("id" serial PRIMARY KEY NOT NULL, "slug" text NOT NULL, "owner_id" integer NOT NULL, "title" text NOT NULL, "published_at" timestamp, "archived" boolean DEFAULT false NOT NULL, "search" tsvector);
CREATE TABLE "lessons" ("course_id" integer NOT NULL, "position" integer NOT NULL, "kind" "lesson_kind" NOT NULL, "title" text NOT NULL, CONSTRAINT "lessons_pk" PRIMARY KEY ("course_id", "position"));
CREATE TABLE "enrollments" ("user_id" integer NOT NULL, "course_id" integer NOT NULL, "enrolled_at" timestamp NOT NULL, "finished_at" timestamp, CONSTRAINT "enrollments_pk" PRIMARY KEY ("user_id", "course_id"));
CREATE TABLE "progress" ("user_id" integer NOT NULL, "course_id" integer NOT NULL, "position" integer NOT NULL, "seconds" integer NOT NULL, "done" boolean NOT NULL, "updated_at" timestamp NOT NULL, CONSTRAINT "progress_pk" PRIMARY KEY ("user_id", "course_id", "position"));
CREATE TABLE "course_tags" ("course_id" integer NOT NULL, "tag" text NOT NULL, CONSTRAINT "course_tags_pk" PRIMARY KEY ("course_id", "tag"));
CREATE TABLE "featured" ("place" smallint PRIMARY KEY NOT NULL, "course_id" integer NOT NULL, CONSTRAINT "eight_places" CHECK ("place" BETWEEN 1 AND 8));
CREATE TABLE "sessions" ("id" uuid PRIMARY KEY NOT NULL, "course_id" integer NOT NULL, "room" text NOT NULL, "starts_at" timestamp NOT NULL, "ends_at" timestamp NOT NULL, "cancelled" boolean NOT NULL);
CREATE TABLE "activity" ("id" bigserial PRIMARY KEY NOT NULL, "actor_id" integer NOT NULL, "verb" text NOT NULL, "payload" jsonb NOT NULL, "created_at" timestamp NOT NULL);
CREATE TABLE "follows" ("follower_id" integer NOT NULL, "followed_id" integer NOT NULL, CONSTRAINT "follows_pk" PRIMARY KEY ("follower_id", "followed_id"));
CREATE UNIQUE INDEX "courses_slug" ON "courses" ("slug") WHERE NOT "archived";
CREATE UNIQUE INDEX "courses_owner_title" ON "courses" ("owner_id", "title") WHERE "published_at" IS NOT NULL;
ALTER TABLE "courses" ADD CONSTRAINT "courses_owner" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE no action;
ALTER TABLE "lessons" ADD CONSTRAINT "lessons_course" FOREIGN KEY ("course_id") REFERENCES "courses"("id") ON DELETE cascade;
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_user" FOREIGN KEY ("user_id") REFERENCES "users"("id");
ALTER TABLE "enrollments" ADD CONSTRAINT "enrollments_course" FOREIGN KEY ("course_id") REFERENCES "courses"("id");
ALTER TABLE "progress" ADD CONSTRAINT "progress_enrollment" FOREIGN KEY ("user_id", "course_id") REFERENCES "enrollments"("user_id", "course_id");
ALTER TABLE "course_tags" ADD CONSTRAINT "course_tags_course" FOREIGN KEY ("course_id") REFERENCES "courses"("id");
ALTER TABLE "featured" ADD CONSTRAINT "featured_course" FOREIGN KEY ("course_id") REFERENCES "courses"("id");
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_course" FOREIGN KEY ("course_id") REFERENCES "courses"("id");
ALTER TABLE "activity" ADD CONSTRAINT "activity_actor" FOREIGN KEY ("actor_id") REFERENCES "users"("id");
ALTER TABLE "follows" ADD CONSTRAINT "follows_followed" FOREIGN KEY ("followed_id") REFERENCES "users"("id");

-- name: userById
-- expect: SI-0
select "id", "email", "name" from "users" where "users"."id" = $1;
-- name: courseBySlug
-- expect: SI-1
select "id", "title" from "courses" where ("courses"."slug" = $1 and not "courses"."archived");
-- name: courseBySlugFalse
-- expect: SI-1
select "id", "title" from "courses" where ("courses"."slug" = $1 and "courses"."archived" = false);
-- name: courseBySlugAny
-- expect: unbounded
select "id", "title" from "courses" where "courses"."slug" = $1;
-- name: courseByOwnerAndTitle
-- expect: SI-1
select "id" from "courses" where "owner_id" = $1 and "title" = $2 and "published_at" < $3;
-- name: courseByOwnerAndTitleDraft
-- expect: unbounded
select "id" from "courses" where "owner_id" = $1 and "title" = $2 and "published_at" is null;
-- name: courseWithLessons
-- expect: unbounded
select "courses"."id", "courses_lessons"."data" as "lessons" from "courses" left join lateral (select coalesce(json_agg(json_build_array("courses_lessons"."position", "courses_lessons"."title") order by "courses_lessons"."position"), '[]'::json) as "data" from "lessons" "courses_lessons" where "courses_lessons"."course_id" = "courses"."id") "courses_lessons" on true where "courses"."id" = $1;
-- name: courseWithFirstLessons
-- expect: SI-0
select "courses"."id", "l"."title" from "courses" left join lateral (select "position", "title" from "lessons" where "lessons"."course_id" = "courses"."id" order by "position" limit 5) "l" on true where "courses"."id" = $1;
-- name: lessonsAll
-- expect: unbounded
select "position", "title" from "lessons" where "course_id" = $1 order by "position";
-- name: lessonNext
-- expect: SI-0
select "position" from "lessons" where "course_id" = $1 and "position" > $2 order by "position" limit 1;
-- name: lessonNeighbours
-- expect: SI-0
select "position", "title" from "lessons" where "course_id" = $1 and "position" between $2::int - 1 and $2::int + 1;
-- name: lessonKinds
-- expect: SI-2
select "kind", count(*)::int as "n" from "lessons" where "course_id" = $1 group by "kind";
-- name: enrolledCourses
-- expect: SI-1
select "courses"."id", "courses"."title" from "enrollments" inner join "courses" on "enrollments"."course_id" = "courses"."id" where "enrollments"."user_id" = $1 order by "enrollments"."enrolled_at" desc limit $2;
-- name: enrolledPublished
-- expect: unbounded
select "courses"."id" from "enrollments" inner join "courses" on "enrollments"."course_id" = "courses"."id" where "enrollments"."user_id" = $1 and "courses"."published_at" is not null order by "enrollments"."enrolled_at" desc limit 20;
-- name: studentsCount
-- expect: SI-2
select count(*) from "enrollments" where "course_id" = $1 and "finished_at" is null;
-- name: studentsOfOwner
-- expect: unbounded
select count(*) from "enrollments" inner join "courses" on "courses"."id" = "enrollments"."course_id" where "courses"."owner_id" = $1;
-- name: finishedShare
-- expect: SI-2
select count(*) filter (where "finished_at" is not null)::float / nullif(count(*), 0) as "share" from "enrollments" where "course_id" = $1;
-- name: finishedSince
-- expect: unbounded
select count(*) filter (where "finished_at" > $2) from "enrollments" where "course_id" = $1;
-- name: secondsWatched
-- expect: SI-2
select sum("seconds") from "progress" where "user_id" = $1 and "course_id" = $2;
-- name: lastProgress
-- expect: SI-1
select distinct on ("course_id") "course_id", "position", "updated_at" from "progress" where "user_id" = $1 and "course_id" in ($2, $3, $4) order by "course_id", "updated_at" desc;
-- name: lastProgressAll
-- expect: unbounded
select distinct on ("course_id") "course_id", "position", "updated_at" from "progress" where "user_id" = $1 order by "course_id", "updated_at" desc;
-- name: lastProgressFirstCourses
-- expect: SI-1
select distinct on ("course_id") "course_id", "position", "updated_at" from "progress" where "user_id" = $1 order by "course_id", "updated_at" desc limit 10;
-- name: continueWatching
-- expect: SI-2
select * from (select distinct on ("course_id") "course_id", "position", "updated_at" from "progress" where "user_id" = $1 order by "course_id", "updated_at" desc) "p" order by "p"."updated_at" desc limit 3;
-- name: leaders
-- expect: SI-2
select "user_id", sum("seconds") as "s" from "progress" where "course_id" = $1 group by "user_id" order by "s" desc limit 10;
-- name: leadersThisWeek
-- expect: unbounded
select "user_id", sum("seconds") as "s" from "progress" where "course_id" = $1 and "updated_at" > $2 group by "user_id" order by "s" desc limit 10;
-- name: leadersWithNames
-- expect: SI-2
select "u"."name", "t"."s" from (select "user_id", sum("seconds") as "s" from "progress" where "course_id" = $1 group by "user_id" order by "s" desc limit 10) "t" inner join "users" "u" on "u"."id" = "t"."user_id" order by "t"."s" desc;
-- name: myPlace
-- expect: unbounded
select "place" from (select "user_id", row_number() over (order by sum("seconds") desc) as "place" from "progress" where "course_id" = $1 group by "user_id") "t" where "user_id" = $2;
-- name: topThreePerCourse
-- expect: SI-1
select * from (select "user_id", "course_id", "seconds", row_number() over (partition by "course_id" order by "seconds" desc) as "rn" from "progress" where "course_id" in ($1, $2)) "t" where "t"."rn" <= 3;
-- name: topThreePerCourseDense
-- expect: unbounded
select * from (select "user_id", "course_id", "seconds", dense_rank() over (partition by "course_id" order by "seconds" desc) as "rn" from "progress" where "course_id" in ($1, $2)) "t" where "t"."rn" <= 3;
-- name: topThreePerCourseOuterFilter
-- expect: unbounded
select * from (select "user_id", "course_id", "done", row_number() over (partition by "course_id" order by "seconds" desc) as "rn" from "progress") "t" where "t"."rn" <= 3 and "t"."user_id" = $1;
-- name: byTag
-- expect: SI-1
select "course_tags"."course_id", "courses"."title" from "course_tags" inner join "courses" on "courses"."id" = "course_tags"."course_id" where "course_tags"."tag" = $1 order by "course_tags"."course_id" limit 20;
-- name: byTwoTags
-- expect: unbounded
select "a"."course_id" from "course_tags" "a" inner join "course_tags" "b" on "a"."course_id" = "b"."course_id" where "a"."tag" = $1 and "b"."tag" = $2 limit 20;
-- name: byAllTags
-- expect: unbounded
select "course_id" from "course_tags" where "tag" in ($1, $2) group by "course_id" having count(*) = 2 limit 20;
-- name: byTagPublished
-- expect: unbounded
select "courses"."id" from "courses" where "courses"."published_at" is not null and exists (select 1 from "course_tags" where "course_tags"."course_id" = "courses"."id" and "course_tags"."tag" = $1) order by "courses"."id" limit 20;
-- name: tagCloud
-- expect: SI-2
select "tag", count(*) as "n" from "course_tags" group by "tag" order by "n" desc, "tag" limit 30;
-- name: relatedCourses
-- expect: unbounded
select "b"."course_id", count(*) as "n" from "course_tags" "a" inner join "course_tags" "b" on "b"."tag" = "a"."tag" and "b"."course_id" <> "a"."course_id" where "a"."course_id" = $1 group by "b"."course_id" order by "n" desc limit 5;
-- name: featuredCourses
-- expect: SI-0
select "featured"."place", "courses"."title" from "featured" inner join "courses" on "courses"."id" = "featured"."course_id" order by "featured"."place";
-- name: featuredLive
-- expect: SI-0
select "courses"."title" from "featured" inner join "courses" on "courses"."id" = "featured"."course_id" where not "courses"."archived" order by "featured"."place" limit 4;
-- name: searchCourses
-- expect: unbounded
select "id" from "courses" where "search" @@ websearch_to_tsquery('english', $1) order by ts_rank("search", websearch_to_tsquery('english', $1)) desc limit 10;
-- name: suggestCourses
-- expect: SI-1
select "id" from "courses" where lower("title") like lower($1) || '%' order by lower("title") limit 10;
-- name: feed
-- expect: unbounded
select "activity".* from "activity" inner join "follows" on "follows"."followed_id" = "activity"."actor_id" where "follows"."follower_id" = $1 order by "activity"."created_at" desc limit 30;
-- name: feedOfFirst
-- expect: SI-1
select "a"."id", "a"."verb" from (select "followed_id" from "follows" where "follower_id" = $1 order by "followed_id" limit 50) "f" cross join lateral (select "id", "verb", "created_at" from "activity" where "actor_id" = "f"."followed_id" order by "created_at" desc limit 5) "a" order by "a"."created_at" desc limit 30;
-- name: feedOfFirstUnlimitedInside
-- expect: unbounded
select "a"."id" from (select "followed_id" from "follows" where "follower_id" = $1 order by "followed_id" limit 50) "f" cross join lateral (select "id", "created_at" from "activity" where "actor_id" = "f"."followed_id") "a" order by "a"."id" % 7 desc, "a"."created_at" desc;
-- name: activityByPayload
-- expect: SI-1
select "id" from "activity" where ("payload" ->> 'course')::int = $1 order by "created_at" desc limit 20;
-- name: activityOfVerbs
-- expect: SI-1
select "id" from "activity" where "actor_id" = $1 and "verb" in ('enrolled', 'finished') order by "created_at" desc limit 20;
-- name: activityPage
-- expect: SI-1
select "id" from "activity" where "actor_id" = $1 and ("created_at", "id") < ($2, $3) order by "created_at" desc, "id" desc limit 20;
-- name: activityPageMixed
-- expect: unbounded
select "id" from "activity" where "actor_id" = $1 and ("created_at", "id") < ($2, $3) order by "verb", "created_at" desc limit 20;
-- name: clashes
-- expect: unbounded
select "id" from "sessions" where "room" = $1 and "starts_at" < $3 and "ends_at" > $2;
-- name: nextSessions
-- expect: SI-1
select "sessions"."id", "courses"."title" from "sessions" inner join "courses" on "courses"."id" = "sessions"."course_id" where "sessions"."course_id" = $1 and not "sessions"."cancelled" and "sessions"."starts_at" > now() order by "sessions"."starts_at" limit 5;
-- name: sessionsOfMonth
-- expect: unbounded
select "id" from "sessions" where "course_id" = $1 and date_trunc('month', "starts_at") = $2;
-- name: sessionsOfMonthFirst
-- expect: SI-1
select "id" from "sessions" where "course_id" = $1 and date_trunc('month', "starts_at") = $2 order by "starts_at" limit 10;
-- name: sessionsByUnit
-- expect: unbounded
select "id" from "sessions" where "course_id" = $1 and date_trunc($3, "starts_at") = $2 order by "starts_at" limit 10;
-- name: sessionsPerDay
-- expect: SI-2
select date_trunc('day', "starts_at") as "day", count(*) as "n" from "sessions" where "course_id" = $1 group by 1 order by 1 desc limit 31;
-- name: unionFeed
-- expect: SI-1
(select 'enrolled' as "what", "enrolled_at" as "at" from "enrollments" where "user_id" = $1) union all (select 'progress', "updated_at" from "progress" where "user_id" = $1) order by "at" desc limit 20;
-- name: referralChain
-- expect: SI-0
select "b"."name" from "users" "a" inner join "users" "b" on "b"."id" = "a"."referrer_id" where "a"."id" = $1;
-- name: referred
-- expect: unbounded
select "id" from "users" where "referrer_id" = $1;
