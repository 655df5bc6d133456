-- dialect: postgres
create table "people" ("id" uuid primary key, "mail" text not null, "zone" text not null);
create unique index "people_mail" on "people" (lower("mail")) include ("zone");
create table "calendars" ("id" uuid primary key, "owner_id" uuid not null references "people" ("id"), "name" text not null, "is_default" boolean not null, "color" int);
create unique index "one_default" on "calendars" ("owner_id") where "is_default";
create table "shares" ("calendar_id" uuid not null references "calendars" ("id"), "person_id" uuid not null references "people" ("id"), "role" text not null check ("role" = 'read' or "role" = 'write'), primary key ("calendar_id", "person_id"));
create table "events" ("id" uuid primary key, "calendar_id" uuid not null references "calendars" ("id"), "uid" text not null, "recurrence_id" timestamptz, "starts" timestamptz not null, "ends" timestamptz not null, "during" tstzrange generated always as (tstzrange("starts", "ends")) stored, "title" text, "busy" boolean not null default true, "sequence" int not null, unique ("calendar_id", "uid", "recurrence_id"), exclude using gist ("calendar_id" with =, "during" with &&));
create table "attendees" ("event_id" uuid not null references "events" ("id") on delete cascade, "person_id" uuid not null references "people" ("id"), "answer" char(1) not null check ("answer" in ('y', 'n', 'm', '?')), primary key ("event_id", "person_id"));
create table "rooms" ("code" text primary key, "floor" int not null, "seats" int not null);
create table "bookings" ("room" text references "rooms" ("code"), "day" date, "slot" smallint, "event_id" uuid not null references "events" ("id"), primary key ("room", "day", "slot"), check ("slot" in (8, 9, 10, 11, 12, 13, 14, 15, 16, 17)));
create table "reminders" ("event_id" uuid not null, "person_id" uuid not null, "minutes" int not null check ("minutes" between 0 and 60), "channel" text not null check ("channel" in ('mail', 'push')), primary key ("event_id", "person_id", "minutes", "channel"), foreign key ("event_id", "person_id") references "attendees" ("event_id", "person_id") on delete cascade);
create table "holidays" ("country" char(2) not null, "day" date not null, "name" text, unique ("country", "day"));
create table "config" ("only" boolean primary key default true check ("only"), "timezone" text not null);

-- name: person_by_mail
-- expect: SI-1
select "people"."id" from "people" where lower("people"."mail") = lower(cast(? as text));
-- name: person_by_mail_ilike
-- expect: unbounded
select "people"."id" from "people" where "people"."mail" ilike ?;
-- name: config
-- expect: SI-0
select "timezone" from "config";
-- name: default_calendar
-- expect: SI-1
select * from "calendars" where "owner_id" = ? and "is_default" = true;
-- name: default_calendar_bare
-- expect: SI-1
select * from "calendars" where "owner_id" = ? and "is_default";
-- name: not_default_calendars
-- expect: unbounded
select * from "calendars" where "owner_id" = ? and not "is_default";
-- name: default_calendar_is_param
-- expect: unbounded
select * from "calendars" where "owner_id" = ? and "is_default" = ?;
-- name: default_calendar_row
-- expect: SI-1
select * from "calendars" where ("owner_id", "is_default") = (?, true);
-- name: default_of_mail
-- expect: SI-1
select c."id" from "people" p join "calendars" c on c."owner_id" = p."id" and c."is_default" where lower(p."mail") = ?;
-- name: shares_of_calendar
-- expect: unbounded
select "person_id", "role" from "shares" where "calendar_id" = ?;
-- name: shares_page
-- expect: SI-0
select "person_id", "role" from "shares" where "calendar_id" = ? and "person_id" > ? order by "person_id" fetch next 20 rows only;
-- name: shared_with_me
-- expect: unbounded
select c."id" from "shares" s join "calendars" c on c."id" = s."calendar_id" where s."person_id" = ? order by c."name";
-- name: shared_roles_count
-- expect: SI-2
select "role", count(*) from "shares" where "calendar_id" = ? group by "role";
-- name: next_events
-- expect: SI-1
select "id", "title" from "events" where "calendar_id" = ? and "starts" >= now() order by "starts" limit 10;
-- name: running_events
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and now() between "starts" and "ends";
-- name: overlapping_range
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and "during" && tstzrange(?, ?);
-- name: conflict_exists
-- expect: unbounded
select exists (select 1 from "events" where "calendar_id" = ? and "busy" and "starts" < ? and "ends" > ?);
-- name: event_instances
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and "uid" = ?;
-- name: event_instance
-- expect: SI-1
select "id" from "events" where "calendar_id" = ? and "uid" = ? and "recurrence_id" = ?;
-- name: event_master
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and "uid" = ? and "recurrence_id" is null;
-- name: event_master_newest
-- expect: SI-1
select distinct on ("uid") "id", "uid" from "events" where "calendar_id" = ? and "uid" = ? and "recurrence_id" is null order by "uid", "sequence" desc;
-- name: events_of_my_default
-- expect: SI-1
select e."id" from "calendars" c join "events" e on e."calendar_id" = c."id" where c."owner_id" = ? and c."is_default" and e."starts" >= ? order by e."starts" limit 20;
-- name: events_of_my_calendars
-- expect: unbounded
select e."id" from "calendars" c join "events" e on e."calendar_id" = c."id" where c."owner_id" = ? and e."starts" >= ? order by e."starts" limit 20;
-- name: events_day
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and cast("starts" as date) = ?;
-- name: events_day_limited
-- expect: SI-1
select "id" from "events" where "calendar_id" = ? and cast("starts" as date) = ? order by "starts" limit 40;
-- name: events_in_zone
-- expect: unbounded
select "id" from "events" where "calendar_id" = ? and cast("starts" at time zone ? as date) = ? order by "starts" limit 40;
-- name: longest
-- expect: SI-1
select "id" from "events" where "calendar_id" = ? order by "ends" - "starts" desc limit 3;
-- name: attendees_of
-- expect: unbounded
select "person_id" from "attendees" where "event_id" = ?;
-- name: answers_of
-- expect: SI-2
select "answer", count(*) from "attendees" where "event_id" = ? group by "answer";
-- name: going_capped
-- expect: SI-1
select p."mail" from "attendees" a join "people" p on p."id" = a."person_id" where a."event_id" = ? and a."answer" = 'y' limit 20;
-- name: my_week
-- expect: unbounded
select e."id" from "attendees" a join "events" e on e."id" = a."event_id" where a."person_id" = ? and e."starts" between ? and ? order by e."starts";
-- name: both_attend
-- expect: unbounded
select count(*) from "attendees" a join "attendees" b on a."event_id" = b."event_id" where a."person_id" = ? and b."person_id" = ?;
-- name: room_day
-- expect: SI-0
select "slot", "event_id" from "bookings" where "room" = ? and "day" = ?;
-- name: room_week
-- expect: SI-0
select "day", "slot" from "bookings" where "room" = ? and "day" in (?, ?, ?, ?, ?, ?, ?) order by "day", "slot";
-- name: room_days
-- expect: unbounded
select "day", "slot" from "bookings" where "room" = ? and "day" between ? and ?;
-- name: room_free
-- expect: SI-0
select s."slot" from (values (8), (9), (10), (11)) s ("slot") where not exists (select 1 from "bookings" b where b."room" = ? and b."day" = ? and b."slot" = s."slot");
-- name: rooms_free
-- expect: unbounded
select r."code" from "rooms" r where r."seats" >= ? and not exists (select 1 from "bookings" b where b."room" = r."code" and b."day" = ? and b."slot" = ?) limit 5;
-- name: rooms_by_size
-- expect: SI-1
select "code" from "rooms" where ("seats", "code") > (?, ?) order by "seats", "code" limit 10;
-- name: rooms_by_size_desc_mixed
-- expect: SI-1
select "code" from "rooms" where "seats" < ? or ("seats" = ? and "code" > ?) order by "seats" desc, "code" limit 10;
-- name: reminders_of
-- expect: SI-0
select "minutes", "channel" from "reminders" where "event_id" = ? and "person_id" = ?;
-- name: reminders_due
-- expect: unbounded
select r."person_id" from "reminders" r join "events" e on e."id" = r."event_id" where e."starts" - r."minutes" * interval '1 minute' < now();
-- name: holiday
-- expect: SI-1
select "name" from "holidays" where "country" = ? and "day" = current_date;
-- name: holidays_of_year
-- expect: unbounded
select "day" from "holidays" where "country" = ? and extract(year from "day") = ?;
-- name: remove_attendee
-- expect: SI-0
delete from "attendees" where "event_id" = ? and "person_id" = ?;
-- name: remove_event
-- expect: unbounded
delete from "events" where "id" = ?;
-- name: move_event
-- expect: SI-0
update "events" set "starts" = ?, "ends" = ?, "sequence" = "sequence" + 1 where "id" = ? returning "sequence";
-- name: unset_default
-- expect: SI-1
update "calendars" set "is_default" = false where "owner_id" = ? and "is_default";
-- name: hand_over
-- expect: unbounded
update "calendars" set "owner_id" = ? where "owner_id" = ?;
