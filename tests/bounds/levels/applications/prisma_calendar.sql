-- dialect: postgres
-- A calendar as Prisma writes it: quoted camelCase, "t0" aliases, OFFSET $n everywhere, JSON aggregation of relations.
CREATE TABLE "public"."Team" ("id" TEXT NOT NULL, "slug" TEXT NOT NULL, CONSTRAINT "Team_pkey" PRIMARY KEY ("id"));
CREATE TABLE "public"."Person" ("id" TEXT NOT NULL, "teamId" TEXT NOT NULL, "email" TEXT, "tz" TEXT NOT NULL, CONSTRAINT "Person_pkey" PRIMARY KEY ("id"));
CREATE TABLE "public"."Calendar" ("id" TEXT NOT NULL, "ownerId" TEXT NOT NULL, "color" TEXT, "isPrimary" BOOLEAN NOT NULL DEFAULT false, CONSTRAINT "Calendar_pkey" PRIMARY KEY ("id"));
CREATE TABLE "public"."Event" ("id" TEXT NOT NULL, "calendarId" TEXT NOT NULL, "title" TEXT NOT NULL, "startsAt" TIMESTAMP(3) NOT NULL, "endsAt" TIMESTAMP(3) NOT NULL, "recurring" BOOLEAN NOT NULL, "deletedAt" TIMESTAMP(3), CONSTRAINT "Event_pkey" PRIMARY KEY ("id"));
CREATE TABLE "public"."Attendee" ("eventId" TEXT NOT NULL, "personId" TEXT NOT NULL, "response" TEXT NOT NULL, CONSTRAINT "Attendee_pkey" PRIMARY KEY ("eventId","personId"));
CREATE TABLE "public"."Reminder" ("id" SERIAL NOT NULL, "eventId" TEXT NOT NULL, "personId" TEXT NOT NULL, "fireAt" TIMESTAMP(3) NOT NULL, "sent" BOOLEAN NOT NULL DEFAULT false, CONSTRAINT "Reminder_pkey" PRIMARY KEY ("id"));
CREATE UNIQUE INDEX "Team_slug_key" ON "public"."Team"("slug");
CREATE UNIQUE INDEX "Person_email_key" ON "public"."Person"("email");
CREATE UNIQUE INDEX "Calendar_primary_key" ON "public"."Calendar"("ownerId") WHERE "isPrimary";
CREATE UNIQUE INDEX "Reminder_one" ON "public"."Reminder"("eventId", "personId");
ALTER TABLE "public"."Person" ADD CONSTRAINT "Person_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "public"."Team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "public"."Calendar" ADD CONSTRAINT "Calendar_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "public"."Person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "public"."Event" ADD CONSTRAINT "Event_calendarId_fkey" FOREIGN KEY ("calendarId") REFERENCES "public"."Calendar"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "public"."Attendee" ADD CONSTRAINT "Attendee_eventId_fkey" FOREIGN KEY ("eventId") REFERENCES "public"."Event"("id");
ALTER TABLE "public"."Attendee" ADD CONSTRAINT "Attendee_personId_fkey" FOREIGN KEY ("personId") REFERENCES "public"."Person"("id");
ALTER TABLE "public"."Reminder" ADD CONSTRAINT "Reminder_eventId_fkey" FOREIGN KEY ("eventId") REFERENCES "public"."Event"("id") NOT VALID;

-- name: findUniquePerson
-- expect: SI-0
SELECT "public"."Person"."id", "public"."Person"."teamId", "public"."Person"."email" FROM "public"."Person" WHERE ("public"."Person"."id" = $1 AND 1=1) LIMIT $2 OFFSET $3;
-- name: findPersonByEmail
-- expect: SI-1
SELECT "public"."Person"."id" FROM "public"."Person" WHERE ("public"."Person"."email" = $1 AND 1=1);
-- name: findPersonWithoutEmail
-- expect: unbounded
SELECT "public"."Person"."id" FROM "public"."Person" WHERE "public"."Person"."email" IS NULL;
-- name: findManyByIds
-- expect: SI-0
SELECT "public"."Person"."id", "public"."Person"."email" FROM "public"."Person" WHERE "public"."Person"."id" IN ($1,$2,$3,$4) OFFSET $5;
-- name: findManyInsensitive
-- expect: unbounded
SELECT "public"."Person"."id" FROM "public"."Person" WHERE "public"."Person"."email" ILIKE $1 LIMIT 10 OFFSET 0;
-- name: primaryCalendar
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Calendar" AS "t0" WHERE "t0"."ownerId" = $1 AND "t0"."isPrimary" = true;
-- name: primaryCalendarBare
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Calendar" AS "t0" WHERE "t0"."ownerId" = $1 AND "t0"."isPrimary";
-- name: calendarsOfOwner
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Calendar" AS "t0" WHERE "t0"."ownerId" = $1 AND "t0"."isPrimary" = false;
-- name: calendarsOfOwnerTop
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Calendar" AS "t0" WHERE "t0"."ownerId" = $1 ORDER BY "t0"."id" ASC LIMIT $2 OFFSET $3;
-- name: eventsInWindow
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND "t0"."startsAt" >= $2 AND "t0"."startsAt" < $3;
-- name: nextEvents
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND "t0"."startsAt" >= $2 ORDER BY "t0"."startsAt" ASC LIMIT 10;
-- name: overlappingEvents
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND "t0"."startsAt" < $2 AND "t0"."endsAt" > $3 ORDER BY "t0"."startsAt" LIMIT 10;
-- name: nextLiveEvents
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND "t0"."deletedAt" IS NULL AND "t0"."startsAt" >= $2 ORDER BY "t0"."startsAt" ASC LIMIT 10;
-- name: eventsOfOwner
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" LEFT JOIN "public"."Calendar" AS "j0" ON ("j0"."id") = ("t0"."calendarId") WHERE ("j0"."ownerId" = $1 AND ("j0"."id" IS NOT NULL)) ORDER BY "t0"."startsAt" LIMIT 10;
-- name: eventsOfCalendars
-- expect: SI-1
SELECT "t0"."id", "t0"."calendarId" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" IN ($1,$2,$3) ORDER BY "t0"."startsAt" DESC LIMIT 30 OFFSET 0;
-- name: attendeesOfEvent
-- expect: unbounded
SELECT "t0"."personId", "t0"."response" FROM "public"."Attendee" AS "t0" WHERE "t0"."eventId" = $1;
-- name: attendeesOfEventTop
-- expect: SI-0
SELECT "t0"."personId", "j0"."email" FROM "public"."Attendee" AS "t0" LEFT JOIN "public"."Person" AS "j0" ON "j0"."id" = "t0"."personId" WHERE "t0"."eventId" = $1 ORDER BY "t0"."personId" LIMIT 50;
-- name: isAttending
-- expect: SI-0
SELECT "t0"."response" FROM "public"."Attendee" AS "t0" WHERE ("t0"."eventId" = $1 AND "t0"."personId" = $2) LIMIT 1 OFFSET 0;
-- name: isAttendingPairs
-- expect: SI-0
SELECT "t0"."response" FROM "public"."Attendee" AS "t0" WHERE (("t0"."eventId" = $1 AND "t0"."personId" = $2) OR ("t0"."eventId" = $3 AND "t0"."personId" = $4));
-- name: countAttendees
-- expect: SI-2
SELECT COUNT(*) FROM (SELECT "t0"."eventId", "t0"."personId" FROM "public"."Attendee" AS "t0" WHERE "t0"."eventId" = $1 OFFSET 0) AS "sub";
-- name: countAttendeesPlain
-- expect: SI-2
SELECT COUNT(*), COUNT("t0"."response") FROM "public"."Attendee" AS "t0" WHERE "t0"."eventId" = $1;
-- name: countAccepted
-- expect: SI-2
SELECT COUNT(*) FROM "public"."Attendee" AS "t0" WHERE "t0"."eventId" = $1 AND "t0"."response" = $2;
-- name: eventsWithCounts
-- expect: SI-2
SELECT "t0"."id", COALESCE("agg"."n", 0) AS "n" FROM "public"."Event" AS "t0" LEFT JOIN (SELECT "public"."Attendee"."eventId", COUNT(*) AS "n" FROM "public"."Attendee" WHERE 1=1 GROUP BY "public"."Attendee"."eventId") AS "agg" ON "t0"."id" = "agg"."eventId" WHERE "t0"."calendarId" = $1 ORDER BY "t0"."startsAt" DESC LIMIT 20;
-- name: eventsHavingAttendee
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND ("t0"."id") IN (SELECT "t1"."eventId" FROM "public"."Attendee" AS "t1" WHERE ("t1"."personId" = $2 AND "t1"."eventId" IS NOT NULL)) ORDER BY "t0"."startsAt" LIMIT 10;
-- name: remindersOfEvent
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Reminder" AS "t0" WHERE "t0"."eventId" = $1 AND "t0"."personId" = $2;
-- name: dueReminders
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Reminder" AS "t0" WHERE "t0"."sent" = false AND "t0"."fireAt" <= $1 ORDER BY "t0"."fireAt" LIMIT 100;
-- name: dueRemindersNow
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Reminder" AS "t0" WHERE "t0"."sent" = false AND "t0"."fireAt" <= NOW() ORDER BY "t0"."fireAt" LIMIT 100;
-- name: dueRemindersAge
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Reminder" AS "t0" WHERE "t0"."sent" = false ORDER BY AGE(NOW(), "t0"."fireAt") LIMIT 100;
-- name: allDueReminders
-- expect: unbounded
UPDATE "public"."Reminder" SET "sent" = true WHERE "sent" = false AND "fireAt" <= NOW();
-- name: jsonAttendees
-- expect: unbounded
SELECT "t0"."id", (SELECT COALESCE(JSONB_AGG("t1"."personId"), '[]') FROM "public"."Attendee" AS "t1" WHERE "t1"."eventId" = "t0"."id") AS "attendees" FROM "public"."Event" AS "t0" WHERE "t0"."id" = $1;
-- name: titleHash
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE md5("t0"."title") = $1 LIMIT 5;
-- name: titleLengthFilter
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE LENGTH("t0"."title") > $1 AND "t0"."calendarId" = $2 ORDER BY "t0"."startsAt" LIMIT 5;
-- name: eventsOnDay
-- expect: SI-1
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND DATE("t0"."startsAt") = $2 ORDER BY "t0"."startsAt" LIMIT 50;
-- name: eventsOnDayInZone
-- expect: unbounded
SELECT "t0"."id" FROM "public"."Event" AS "t0" WHERE "t0"."calendarId" = $1 AND DATE("t0"."startsAt" AT TIME ZONE $3) = $2 ORDER BY "t0"."startsAt" LIMIT 50;
