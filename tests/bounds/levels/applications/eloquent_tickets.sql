-- dialect: mysql
-- Ticketing as Laravel's Eloquent writes it: backticks, soft deletes, morphs, withCount, whereHas, pivot tables.
create table `tenants` (`id` bigint unsigned not null auto_increment primary key, `domain` varchar(255) not null, unique `tenants_domain_unique`(`domain`));
create table `users` (`id` bigint unsigned not null auto_increment primary key, `tenant_id` bigint unsigned not null, `email` varchar(255) not null, `deleted_at` timestamp null, unique `users_unique`(`tenant_id`, `email`, `deleted_at`));
create table `venues` (`id` bigint unsigned not null auto_increment primary key, `tenant_id` bigint unsigned not null, `name` varchar(255) not null);
create table `events` (`id` bigint unsigned not null auto_increment primary key, `tenant_id` bigint unsigned not null, `venue_id` bigint unsigned null, `name` varchar(255) not null, `starts_at` datetime not null, `status` enum('draft','published','sold_out') not null, `deleted_at` timestamp null);
create table `tickets` (`id` bigint unsigned not null auto_increment primary key, `event_id` bigint unsigned not null, `user_id` bigint unsigned null, `code` char(26) not null, `seat` varchar(10) null, `price` int not null, `checked_in_at` timestamp null, unique `tickets_code_unique`(`code`), unique `tickets_seat_unique`(`event_id`, `seat`));
create table `tags` (`id` bigint unsigned not null auto_increment primary key, `name` varchar(50) not null, unique `tags_name`(`name`));
create table `taggables` (`tag_id` bigint unsigned not null, `taggable_id` bigint unsigned not null, `taggable_type` varchar(255) not null, primary key (`tag_id`, `taggable_id`, `taggable_type`));
create table `notifications` (`id` char(36) not null primary key, `type` varchar(255) not null, `notifiable_type` varchar(255) not null, `notifiable_id` bigint unsigned not null, `read_at` timestamp null, `created_at` timestamp not null);
create table `jobs` (`id` bigint unsigned not null auto_increment primary key, `queue` varchar(255) not null, `attempts` tinyint unsigned not null, `reserved_at` int unsigned null, `available_at` int unsigned not null);
alter table `users` add constraint `u_t` foreign key (`tenant_id`) references `tenants` (`id`);
alter table `events` add constraint `e_t` foreign key (`tenant_id`) references `tenants` (`id`);
alter table `events` add constraint `e_v` foreign key (`venue_id`) references `venues` (`id`) on delete set null;
alter table `tickets` add constraint `t_e` foreign key (`event_id`) references `events` (`id`) on delete cascade;
alter table `tickets` add constraint `t_u` foreign key (`user_id`) references `users` (`id`);
alter table `taggables` add constraint `g_t` foreign key (`tag_id`) references `tags` (`id`);

-- name: tenant_by_domain
-- expect: SI-1
select * from `tenants` where `domain` = ? limit 1;
-- name: user_login
-- expect: SI-1
select * from `users` where `tenant_id` = ? and `email` = ? and `users`.`deleted_at` is null limit 1;
-- name: user_login_no_limit
-- expect: unbounded
select * from `users` where `tenant_id` = ? and `email` = ? and `users`.`deleted_at` is null;
-- name: find_many
-- expect: SI-0
select * from `users` where `users`.`id` in (1, 2, 3) and `users`.`deleted_at` is null;
-- name: upcoming
-- expect: SI-1
select * from `events` where `tenant_id` = ? and `status` = 'published' and `starts_at` > ? and `events`.`deleted_at` is null order by `starts_at` asc limit 15 offset 0;
-- name: upcoming_page_count
-- expect: unbounded
select count(*) as aggregate from `events` where `tenant_id` = ? and `status` = 'published' and `starts_at` > ? and `events`.`deleted_at` is null;
-- name: published_count
-- expect: SI-2
select count(*) as aggregate from `events` where `tenant_id` = ? and `status` = 'published' and `events`.`deleted_at` is null;
-- name: with_venue
-- expect: SI-1
select `events`.*, `venues`.`name` as `venue_name` from `events` left join `venues` on `venues`.`id` = `events`.`venue_id` where `events`.`tenant_id` = ? order by `events`.`id` desc limit 15;
-- name: in_venue_named
-- expect: unbounded
select * from `events` where exists (select * from `venues` where `events`.`venue_id` = `venues`.`id` and `name` = ?) and `events`.`tenant_id` = ? order by `id` limit 15;
-- name: having_venue_inner
-- expect: SI-1
select `events`.`id`, `venues`.`name` from `events` inner join `venues` on `venues`.`id` = `events`.`venue_id` where `events`.`tenant_id` = ? order by `events`.`id` limit 15;
-- name: with_count_tickets
-- expect: SI-2
select `events`.*, (select count(*) from `tickets` where `events`.`id` = `tickets`.`event_id`) as `tickets_count` from `events` where `tenant_id` = ? and `events`.`deleted_at` is null order by `starts_at` desc limit 15;
-- name: with_count_checked
-- expect: SI-2
select `events`.*, (select count(*) from `tickets` where `events`.`id` = `tickets`.`event_id` and `checked_in_at` is not null) as `checked_count` from `events` where `id` = ?;
-- name: with_max_price
-- expect: SI-1
select `events`.*, (select max(`tickets`.`price`) from `tickets` where `events`.`id` = `tickets`.`event_id`) as `tickets_max_price` from `events` where `events`.`id` = ? limit 1;
-- name: popular_events
-- expect: unbounded
select `events`.*, (select count(*) from `tickets` where `events`.`id` = `tickets`.`event_id`) as `tickets_count` from `events` where `tenant_id` = ? order by `tickets_count` desc limit 10;
-- name: has_at_least
-- expect: unbounded
select * from `events` where (select count(*) from `tickets` where `events`.`id` = `tickets`.`event_id`) >= 3 and `tenant_id` = ? limit 15;
-- name: ticket_by_code
-- expect: SI-1
select * from `tickets` where `code` = ? limit 1;
-- name: ticket_of_seat
-- expect: SI-1
select * from `tickets` where `event_id` = ? and `seat` = ?;
-- name: standing_tickets
-- expect: unbounded
select * from `tickets` where `event_id` = ? and `seat` is null;
-- name: taken_or_standing
-- expect: unbounded
select * from `tickets` where `event_id` = ? and (`seat` = ? or `seat` is null);
-- name: seats_any_of
-- expect: SI-1
select * from `tickets` where `event_id` = ? and `seat` in ('A1', 'A2', null);
-- name: tickets_of_user
-- expect: unbounded
select * from `tickets` where `tickets`.`user_id` = ? and `tickets`.`user_id` is not null;
-- name: tickets_of_user_upcoming
-- expect: unbounded
select `tickets`.* from `tickets` inner join `events` on `events`.`id` = `tickets`.`event_id` where `tickets`.`user_id` = ? and `events`.`starts_at` > now() order by `events`.`starts_at` limit 10;
-- name: revenue_of_event
-- expect: SI-2
select sum(`price`) as aggregate from `tickets` where `event_id` = ? and `user_id` is not null;
-- name: tags_of_event
-- expect: unbounded
select `tags`.*, `taggables`.`taggable_id` as `pivot_taggable_id` from `tags` inner join `taggables` on `tags`.`id` = `taggables`.`tag_id` where `taggables`.`taggable_id` = ? and `taggables`.`taggable_type` = 'App\\Models\\Event';
-- name: events_of_tag_name
-- expect: SI-1
select `taggables`.`taggable_id` from `tags` inner join `taggables` on `tags`.`id` = `taggables`.`tag_id` where `tags`.`name` = ? and `taggables`.`taggable_type` = 'event' order by `taggables`.`taggable_id` limit 20;
-- name: unread_notifications
-- expect: SI-1
select * from `notifications` where `notifications`.`notifiable_type` = ? and `notifications`.`notifiable_id` = ? and `read_at` is null order by `created_at` desc limit 20;
-- name: unread_count
-- expect: SI-2
select count(*) as aggregate from `notifications` where `notifications`.`notifiable_type` = ? and `notifications`.`notifiable_id` = ? and `read_at` is null;
-- name: mark_all_read
-- expect: unbounded
update `notifications` set `read_at` = ? where `notifiable_type` = ? and `notifiable_id` = ? and `read_at` is null;
-- name: next_job
-- expect: unbounded
select * from `jobs` where `queue` = ? and ((`reserved_at` is null and `available_at` <= ?) or (`reserved_at` <= ?)) order by `id` asc limit 1 for update skip locked;
-- name: queue_size
-- expect: SI-2
select count(*) as aggregate from `jobs` where `queue` = ?;
-- name: in_random_order
-- expect: unbounded
select * from `events` where `tenant_id` = ? order by RAND() limit 3;
-- name: year_filter
-- expect: SI-1
select * from `events` where `tenant_id` = ? and year(`starts_at`) = ? order by `starts_at` limit 10;
-- name: where_column
-- expect: SI-1
select * from `tickets` where `event_id` = ? and `price` > 0 and `seat` <> `code` order by `id` limit 5;
-- name: group_by_event
-- expect: unbounded
select `event_id`, count(*) as `n` from `tickets` where `user_id` = ? group by `event_id`;
-- name: chunk_by_id
-- expect: SI-0
select * from `tickets` where `id` > ? order by `id` asc limit 1000;
-- name: chunk_by_offset
-- expect: SI-0
select * from `tickets` order by `id` asc limit 1000 offset 50000;
-- name: first_or_create
-- expect: SI-1
select * from `tags` where (`name` = ?) limit 1;
-- name: concat_key
-- expect: unbounded
select * from `tags` where concat(`name`, ?) = ?;
-- name: concat_match
-- expect: SI-1
select * from `tags` where concat(`name`, '-x') = ? limit 3;
-- name: exists_wrapper
-- expect: SI-1
select exists(select * from `tickets` where `code` = ?) as `exists`;
-- name: limit_param_offset_param
-- expect: SI-1
select * from `tickets` where `event_id` = ? order by `price` limit ? offset ?;
-- name: regexp
-- expect: unbounded
select * from `tags` where `name` regexp ? limit 10;
-- name: inner_join_fanout_cut_filter
-- expect: unbounded
select `e`.`id` from `events` `e` inner join `tickets` `t` on `t`.`event_id` = `e`.`id` where `e`.`tenant_id` = ? and `t`.`price` > ? order by `e`.`starts_at` limit 10;
