-- dialect: mysql
create table `users` (`id` bigint unsigned not null auto_increment primary key, `email` varchar(255) not null, `role` enum('student','teacher','admin') not null, `remember_token` varchar(100) null, `deleted_at` timestamp null);
alter table `users` add unique `users_email_unique`(`email`);
create table `courses` (`id` bigint unsigned not null auto_increment primary key, `teacher_id` bigint unsigned not null, `slug` varchar(120) not null, `title` varchar(255) not null, `published_at` timestamp null, `price_cents` int unsigned not null default '0', `deleted_at` timestamp null, `rating` decimal(3, 2) null);
alter table `courses` add unique `courses_slug_unique`(`slug`);
alter table `courses` add constraint `courses_teacher_id_foreign` foreign key (`teacher_id`) references `users` (`id`) on delete cascade;
create table `lessons` (`id` bigint unsigned not null auto_increment primary key, `course_id` bigint unsigned not null, `ordinal` smallint unsigned not null, `title` varchar(255) not null, `minutes` int not null);
alter table `lessons` add unique `lessons_course_id_ordinal_unique`(`course_id`, `ordinal`);
alter table `lessons` add constraint `lessons_course_id_foreign` foreign key (`course_id`) references `courses` (`id`);
create table `enrollments` (`user_id` bigint unsigned not null, `course_id` bigint unsigned not null, `progress` tinyint unsigned not null default '0', `enrolled_at` timestamp not null, `completed_at` timestamp null, primary key (`user_id`, `course_id`));
create table `lesson_progress` (`user_id` bigint unsigned not null, `lesson_id` bigint unsigned not null, `seconds` int unsigned not null, `done` tinyint(1) not null default '0', primary key (`user_id`, `lesson_id`));
create table `quiz_attempts` (`id` bigint unsigned not null auto_increment primary key, `user_id` bigint unsigned not null, `lesson_id` bigint unsigned not null, `attempt` tinyint unsigned not null, `score` double null, `submitted_at` datetime null);
alter table `quiz_attempts` add unique `attempt_unique`(`user_id`, `lesson_id`, `attempt`);
create table `comments` (`id` bigint unsigned not null auto_increment primary key, `commentable_type` varchar(255) not null, `commentable_id` bigint unsigned not null, `parent_id` bigint unsigned null, `user_id` bigint unsigned not null, `body` text not null, `created_at` timestamp null, `deleted_at` timestamp null);
create table `taggables` (`tag_id` bigint unsigned not null, `taggable_id` bigint unsigned not null, `taggable_type` varchar(60) not null, primary key (`tag_id`, `taggable_id`, `taggable_type`));
create table `jobs` (`id` bigint unsigned not null auto_increment primary key, `queue` varchar(255) not null, `payload` longtext not null, `attempts` tinyint unsigned not null, `reserved_at` int unsigned null, `available_at` int unsigned not null);
create table `settings` (`singleton` tinyint not null primary key default 1 check (`singleton` = 1), `theme` varchar(20));
create table `certificates` (`code` binary(16) not null primary key, `user_id` bigint unsigned not null, `course_id` bigint unsigned not null, unique (`user_id`, `course_id`));

-- name: auth_retrieve_by_id
-- expect: SI-0
select * from `users` where `id` = ? and `users`.`deleted_at` is null limit 1;
-- name: auth_by_credentials
-- expect: SI-1
select * from `users` where `email` = ? and `users`.`deleted_at` is null limit 1;
-- name: auth_by_token
-- expect: SI-1
select * from `users` where `id` = ? and `remember_token` = ? or `email` = ?;
-- name: unique_rule
-- expect: SI-1
select count(*) as aggregate from `users` where `email` = ? and `id` <> ?;
-- name: course_by_slug
-- expect: SI-1
select * from `courses` where `slug` = ? and `courses`.`deleted_at` is null;
-- name: course_by_slug_with_lessons_count
-- expect: SI-2
select `courses`.*, (select count(*) from `lessons` where `courses`.`id` = `lessons`.`course_id`) as `lessons_count` from `courses` where `slug` = ?;
-- name: course_with_sum_minutes
-- expect: SI-2
select `courses`.*, (select sum(`lessons`.`minutes`) from `lessons` where `courses`.`id` = `lessons`.`course_id`) as `lessons_sum_minutes` from `courses` where `courses`.`published_at` is not null and `courses`.`deleted_at` is null order by `published_at` desc limit 12;
-- name: course_with_max_minutes
-- expect: SI-1
select `courses`.`id`, (select max(`lessons`.`minutes`) from `lessons` where `courses`.`id` = `lessons`.`course_id`) as `m` from `courses` where `slug` = ?;
-- name: course_has_lessons
-- expect: unbounded
select * from `courses` where exists (select * from `lessons` where `courses`.`id` = `lessons`.`course_id` and `minutes` > ?) and `courses`.`deleted_at` is null limit 12;
-- name: course_doesnt_have
-- expect: unbounded
select * from `courses` where not exists (select * from `enrollments` where `courses`.`id` = `enrollments`.`course_id`) order by `id` limit 12;
-- name: course_ordered_by_enrollments
-- expect: unbounded
select `courses`.*, (select count(*) from `enrollments` where `courses`.`id` = `enrollments`.`course_id` and `enrolled_at` > ?) as `enrollments_count` from `courses` order by `enrollments_count` desc limit 10;
-- name: courses_most_enrolled
-- expect: SI-2
select `course_id`, count(*) as `n` from `enrollments` group by `course_id` order by `n` desc limit 10;
-- name: courses_page
-- expect: SI-1
select * from `courses` where `published_at` is not null and `courses`.`deleted_at` is null order by `rating` desc, `id` desc limit 15 offset 30;
-- name: courses_page_total
-- expect: unbounded
select count(*) as aggregate from `courses` where `published_at` is not null and `courses`.`deleted_at` is null;
-- name: courses_under_price
-- expect: SI-1
select * from `courses` where `deleted_at` is null and `price_cents` <= ? order by `price_cents` desc limit 10;
-- name: courses_under_price_by_rating
-- expect: unbounded
select * from `courses` where `deleted_at` is null and `price_cents` <= ? order by `rating` desc limit 10;
-- name: courses_random
-- expect: unbounded
select * from `courses` where `courses`.`deleted_at` is null order by RAND() limit 3;
-- name: courses_of_teacher_email
-- expect: SI-1
select `courses`.`id` from `courses` inner join `users` on `users`.`id` = `courses`.`teacher_id` where `users`.`email` = ? order by `courses`.`published_at` desc limit 10;
-- name: courses_of_role
-- expect: unbounded
select `courses`.`id` from `courses` inner join `users` on `users`.`id` = `courses`.`teacher_id` where `users`.`role` = 'teacher' order by `courses`.`published_at` desc limit 10;
-- name: lessons_of_course
-- expect: unbounded
select * from `lessons` where `lessons`.`course_id` = ? and `lessons`.`course_id` is not null order by `ordinal` asc;
-- name: lesson_next
-- expect: SI-1
select * from `lessons` where `course_id` = ? and `ordinal` > ? order by `ordinal` asc limit 1;
-- name: lesson_eager
-- expect: unbounded
select * from `lessons` where `lessons`.`course_id` in (1, 2, 3);
-- name: lesson_eager_limited
-- expect: SI-1
select * from (select *, row_number() over (partition by `lessons`.`course_id` order by `ordinal` asc) as `laravel_row` from `lessons` where `lessons`.`course_id` in (1, 2, 3)) as `laravel_table` where `laravel_row` <= 5 order by `laravel_row`;
-- name: enrolled
-- expect: SI-0
select exists(select * from `enrollments` where `user_id` = ? and `course_id` = ?) as `exists`;
-- name: my_courses
-- expect: SI-0
select `courses`.*, `enrollments`.`progress` as `pivot_progress` from `courses` inner join `enrollments` on `courses`.`id` = `enrollments`.`course_id` where `enrollments`.`user_id` = ? order by `enrollments`.`course_id` limit 20;
-- name: my_courses_kept
-- expect: unbounded
select `courses`.*, `enrollments`.`progress` as `pivot_progress` from `courses` inner join `enrollments` on `courses`.`id` = `enrollments`.`course_id` where `enrollments`.`user_id` = ? and `courses`.`deleted_at` is null order by `enrollments`.`enrolled_at` desc limit 20;
-- name: my_progress
-- expect: SI-2
select avg(`progress`) as aggregate from `enrollments` where `user_id` = ?;
-- name: my_progress_in_course
-- expect: unbounded
select sum(`lp`.`seconds`) from `lesson_progress` as `lp` inner join `lessons` on `lessons`.`id` = `lp`.`lesson_id` where `lp`.`user_id` = ? and `lessons`.`course_id` = ?;
-- name: attempts
-- expect: SI-1
select * from `quiz_attempts` where `user_id` = ? and `lesson_id` = ? order by `attempt` desc;
-- name: best_attempt
-- expect: SI-1
select max(`score`) from `quiz_attempts` where `user_id` = ? and `lesson_id` = ?;
-- name: best_attempts_of_lesson
-- expect: SI-2
select `user_id`, max(`score`) as `best` from `quiz_attempts` where `lesson_id` = ? group by `user_id` order by `best` desc limit 10;
-- name: comments_morph
-- expect: SI-1
select * from `comments` where `comments`.`commentable_id` = ? and `comments`.`commentable_type` = 'App\\Models\\Lesson' and `parent_id` is null and `comments`.`deleted_at` is null order by `created_at` desc limit 25;
-- name: comments_morph_union
-- expect: SI-1
(select `id` from `comments` where `commentable_type` = 'lesson' and `commentable_id` = ? order by `id` desc limit 5) union all (select `id` from `comments` where `commentable_type` = 'course' and `commentable_id` = ? order by `id` desc limit 5) order by `id` desc limit 5;
-- name: comment_thread
-- expect: unbounded
with recursive `thread` as (select `id`, 0 as `depth` from `comments` where `id` = ? union all select `c`.`id`, `depth` + 1 from `comments` `c` join `thread` on `c`.`parent_id` = `thread`.`id` where `depth` < 3) select * from `thread`;
-- name: tagged_courses
-- expect: unbounded
select `courses`.* from `courses` inner join `taggables` on `courses`.`id` = `taggables`.`taggable_id` where `taggables`.`tag_id` = ? and `taggables`.`taggable_type` = 'course' order by `courses`.`title` limit 10;
-- name: tagged_both
-- expect: unbounded
select `a`.`taggable_id` from `taggables` `a` join `taggables` `b` on `b`.`taggable_id` = `a`.`taggable_id` and `b`.`taggable_type` = `a`.`taggable_type` where `a`.`tag_id` = ? and `b`.`tag_id` = ? limit 10;
-- name: job_pop
-- expect: unbounded
select * from `jobs` where `queue` = ? and ((`reserved_at` is null and `available_at` <= ?) or (`reserved_at` <= ?)) order by `id` asc limit 1 for update;
-- name: job_pop_unreserved
-- expect: unbounded
select * from `jobs` where `queue` = ? and `reserved_at` is null and `available_at` <= ? order by `id` asc limit 1;
-- name: job_pop_any
-- expect: SI-1
select * from `jobs` where `queue` = ? and `reserved_at` is null and `available_at` <= ? limit 1;
-- name: job_size
-- expect: SI-2
select count(*) as aggregate from `jobs` where `queue` = ?;
-- name: job_delete
-- expect: SI-0
delete from `jobs` where `id` = ?;
-- name: settings_all
-- expect: SI-0
select * from `settings`;
-- name: certificate
-- expect: SI-0
select `user_id` from `certificates` where `code` = uuid_to_bin(?);
-- name: certificate_of
-- expect: SI-1
select hex(`code`) from `certificates` where `user_id` = ? and `course_id` = ?;
-- name: destroy_user
-- expect: unbounded
delete from `users` where `id` = ?;
-- name: touch_user
-- expect: SI-0
update `users` set `remember_token` = ? where `id` = ?;
-- name: soft_delete_course
-- expect: SI-0
update `courses` set `deleted_at` = ? where `id` = ?;
-- name: increment_by_join
-- expect: SI-0
update `enrollments` inner join `courses` on `courses`.`id` = `enrollments`.`course_id` set `enrollments`.`progress` = `enrollments`.`progress` + 1 where `enrollments`.`user_id` = ? and `enrollments`.`course_id` = ?;
-- name: complete_all
-- expect: unbounded
update `enrollments` set `completed_at` = now() where `progress` >= 100 and `completed_at` is null;
