-- dialect: mysql
-- A forum on MySQL as Eloquent writes it: backticks, question marks, ENUM, MATCH ... AGAINST, soft deletes.
CREATE TABLE `users` (`id` bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, `name` varchar(255) NOT NULL, `email` varchar(255) NOT NULL, `banned` tinyint(1) NOT NULL DEFAULT 0, `created_at` timestamp NULL, UNIQUE KEY `users_email_unique` (`email`)) ENGINE=InnoDB;
CREATE TABLE `forums` (`id` int unsigned NOT NULL AUTO_INCREMENT, `slug` varchar(60) NOT NULL, `title` varchar(120) NOT NULL, PRIMARY KEY (`id`), UNIQUE KEY `forums_slug_unique` (`slug`));
CREATE TABLE `threads` (`id` bigint unsigned NOT NULL AUTO_INCREMENT, `forum_id` int unsigned NOT NULL, `user_id` bigint unsigned NOT NULL, `title` varchar(200) NOT NULL, `kind` enum('question','poll','news') NOT NULL, `pinned` tinyint(1) NOT NULL, `last_post_at` timestamp NOT NULL, `deleted_at` timestamp NULL, PRIMARY KEY (`id`), KEY `threads_forum` (`forum_id`,`last_post_at`), CONSTRAINT `threads_forum_fk` FOREIGN KEY (`forum_id`) REFERENCES `forums` (`id`), CONSTRAINT `threads_user_fk` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`));
CREATE TABLE `posts` (`id` bigint unsigned NOT NULL AUTO_INCREMENT, `thread_id` bigint unsigned NOT NULL, `user_id` bigint unsigned NOT NULL, `number` int NOT NULL, `body` text NOT NULL, `created_at` timestamp NOT NULL, PRIMARY KEY (`id`), UNIQUE KEY `posts_number` (`thread_id`,`number`), FULLTEXT KEY `posts_body` (`body`), CONSTRAINT `posts_thread_fk` FOREIGN KEY (`thread_id`) REFERENCES `threads` (`id`), CONSTRAINT `posts_user_fk` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`));
CREATE TABLE `votes` (`post_id` bigint unsigned NOT NULL, `user_id` bigint unsigned NOT NULL, `value` tinyint NOT NULL, PRIMARY KEY (`post_id`,`user_id`));
CREATE TABLE `settings` (`user_id` bigint unsigned NOT NULL, `name` enum('theme','locale','digest','timezone') NOT NULL, `value` varchar(200) NOT NULL, PRIMARY KEY (`user_id`,`name`));

-- name: user
-- expect: SI-0
select * from `users` where `users`.`id` = ? limit 1;
-- name: user_by_email
-- expect: SI-1
select * from `users` where `email` = ? limit 1;
-- name: users_by_ids
-- expect: SI-0
select * from `users` where `users`.`id` in (?, ?, ?);
-- name: forum
-- expect: SI-1
select * from `forums` where `slug` = ? limit 1;
-- name: all_forums
-- expect: unbounded
select * from `forums` order by `title` asc;
-- name: threads_of_forum
-- expect: SI-1
select * from `threads` where `forum_id` = ? and `threads`.`deleted_at` is null order by `pinned` desc, `last_post_at` desc limit 25 offset 0;
-- name: threads_of_forum_kind
-- expect: SI-1
select * from `threads` where `forum_id` = ? and `kind` = ? and `threads`.`deleted_at` is null order by `last_post_at` desc limit 25;
-- name: threads_total
-- expect: SI-2
select count(*) as aggregate from `threads` where `forum_id` = ? and `threads`.`deleted_at` is null;
-- name: threads_per_kind
-- expect: SI-2
select `kind`, count(*) as `n` from `threads` where `forum_id` = ? group by `kind`;
-- name: thread_with_user
-- expect: SI-0
select `threads`.*, `users`.`name` from `threads` inner join `users` on `users`.`id` = `threads`.`user_id` where `threads`.`id` = ? limit 1;
-- name: thread_page
-- expect: SI-1
select `posts`.*, `users`.`name` from `posts` inner join `users` on `users`.`id` = `posts`.`user_id` where `posts`.`thread_id` = ? and `posts`.`number` between ? and ? order by `posts`.`number` asc limit 20;
-- name: thread_window
-- expect: unbounded
select `posts`.`id` from `posts` where `posts`.`thread_id` = ? and `posts`.`number` > ? and `posts`.`number` <= ? + 20;
-- name: post_by_number
-- expect: SI-1
select * from `posts` where `thread_id` = ? and `number` = ?;
-- name: next_number
-- expect: SI-1
select max(`number`) as aggregate from `posts` where `thread_id` = ?;
-- name: posts_of_user
-- expect: SI-1
select * from `posts` where `user_id` = ? order by `created_at` desc limit 20;
-- name: posts_of_users_subquery
-- expect: SI-1
select * from `posts` where `user_id` in (select `id` from `users` where `email` = ?) order by `created_at` desc limit 20;
-- name: search_posts
-- expect: unbounded
select `id` from `posts` where match (`body`) against (? in natural language mode) limit 20;
-- name: search_posts_like
-- expect: unbounded
select `id` from `posts` where `body` like ? limit 20;
-- name: score_of_post
-- expect: SI-2
select sum(`value`) as aggregate from `votes` where `post_id` = ?;
-- name: my_vote
-- expect: SI-0
select `value` from `votes` where `post_id` = ? and `user_id` = ?;
-- name: voters
-- expect: SI-0
select `user_id` from `votes` where `post_id` = ? order by `user_id` limit 50;
-- name: voters_without_me
-- expect: SI-0
select `user_id` from `votes` where `post_id` = ? and `user_id` <> ? order by `user_id` limit 50;
-- name: votes_of_user
-- expect: unbounded
select `post_id` from `votes` where `user_id` = ?;
-- name: settings_of_user
-- expect: SI-0
select `name`, `value` from `settings` where `user_id` = ?;
-- name: users_with_theme
-- expect: SI-1
select `user_id` from `settings` where `name` = 'theme' and `value` = ? limit 100;
-- name: inactive_forums
-- expect: unbounded
select * from `forums` where not exists (select * from `threads` where `forums`.`id` = `threads`.`forum_id`);
-- name: forum_with_count
-- expect: SI-2
select `forums`.*, (select count(*) from `threads` where `forums`.`id` = `threads`.`forum_id` and `threads`.`deleted_at` is null) as `threads_count` from `forums` where `forums`.`slug` = ? limit 1;
-- name: recent_posters
-- expect: unbounded
select distinct `user_id` from `posts` where `thread_id` = ?;
-- name: random_thread
-- expect: unbounded
select `id` from `threads` where `forum_id` = ? order by rand() limit 1;
-- name: threads_today
-- expect: SI-1
select `id` from `threads` where date(`last_post_at`) = ? limit 50;
-- name: threads_last_day
-- expect: SI-1
select `id` from `threads` where `last_post_at` > date_sub(now(), interval 1 day) order by `last_post_at` desc limit 50;
-- name: soft_delete
-- expect: SI-0
update `threads` set `deleted_at` = now() where `id` = ?;
-- name: either
-- expect: SI-1
select * from `users` where (`email` = ? or `id` = ?) limit 1;
