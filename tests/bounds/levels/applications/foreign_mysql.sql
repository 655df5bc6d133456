-- dialect: mysql
CREATE TABLE users (id bigint unsigned NOT NULL AUTO_INCREMENT, email varchar(191) NOT NULL, name varchar(191), role enum('admin','editor','reader') NOT NULL, active tinyint(1) NOT NULL DEFAULT 1, deleted_at datetime DEFAULT NULL, created_at datetime NOT NULL, meta json, PRIMARY KEY (id), UNIQUE KEY users_email (email));
CREATE TABLE posts (id bigint unsigned NOT NULL AUTO_INCREMENT, user_id bigint unsigned NOT NULL, slug varchar(100) NOT NULL, title varchar(200) NOT NULL, body text, published tinyint(1) NOT NULL, published_at datetime, views int NOT NULL DEFAULT 0, PRIMARY KEY (id), UNIQUE KEY (slug), KEY (user_id), CONSTRAINT fk1 FOREIGN KEY (user_id) REFERENCES users (id));
CREATE TABLE comments (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, post_id bigint unsigned NOT NULL, user_id bigint unsigned, body text, created_at datetime NOT NULL, FOREIGN KEY (post_id) REFERENCES posts (id));
CREATE TABLE taggables (tag_id bigint unsigned NOT NULL, taggable_id bigint unsigned NOT NULL, taggable_type varchar(50) NOT NULL, PRIMARY KEY (tag_id, taggable_id, taggable_type));
CREATE TABLE tags (id bigint unsigned NOT NULL PRIMARY KEY, name varchar(50) NOT NULL UNIQUE);
CREATE TABLE likes (user_id bigint unsigned NOT NULL, post_id bigint unsigned NOT NULL, created_at datetime NOT NULL, PRIMARY KEY (user_id, post_id));
CREATE TABLE migrations (id int NOT NULL PRIMARY KEY, batch int NOT NULL);
-- name: q1
-- expect: SI-1
select * from `users` where `email` = ? limit 1;
-- name: q2
-- expect: SI-1
select * from `users` where `email` = ? and `users`.`deleted_at` is null limit 1;
-- name: q3
-- expect: SI-0
select * from `users` where `users`.`id` = ? and `users`.`deleted_at` is null limit 1;
-- name: q4
-- expect: SI-0
select * from `users` where `users`.`id` in (1, 2, 3);
-- name: q5
-- expect: unbounded
select * from `posts` where `posts`.`user_id` = ? and `posts`.`user_id` is not null;
-- name: q6
-- expect: SI-1
select * from `posts` where `user_id` = ? order by `published_at` desc limit 15 offset 0;
-- name: q7
-- expect: SI-1
select * from `posts` where `user_id` = ? order by `published_at` desc limit 30, 15;
-- name: q8
-- expect: SI-2
select count(*) as aggregate from `posts` where `user_id` = ?;
-- name: q9
-- expect: unbounded
select count(*) as aggregate from `posts`;
-- name: q10
-- expect: SI-1
select exists(select * from `likes` where `post_id` = ?) as `exists`;
-- name: q11
-- expect: SI-0
select exists(select * from `likes` where `user_id` = ? and `post_id` = ?) as `exists`;
-- name: q12
-- expect: SI-2
select `posts`.*, (select count(*) from `comments` where `posts`.`id` = `comments`.`post_id`) as `comments_count` from `posts` where `slug` = ? limit 1;
-- name: q13
-- expect: SI-2
select `posts`.*, (select count(*) from `comments` where `posts`.`id` = `comments`.`post_id`) as `comments_count` from `posts` where `user_id` = ? order by `id` desc limit 10;
-- name: q14
-- expect: unbounded
select `posts`.*, (select count(*) from `comments` where `posts`.`id` = `comments`.`post_id`) as `comments_count` from `posts` order by `comments_count` desc limit 10;
-- name: q15
-- expect: SI-2
select * from `posts` where exists (select * from `comments` where `posts`.`id` = `comments`.`post_id`) limit 10;
-- name: q16
-- expect: unbounded
select * from `posts` where not exists (select * from `comments` where `posts`.`id` = `comments`.`post_id`) limit 10;
-- name: q17
-- expect: unbounded
select * from `posts` where (select count(*) from `comments` where `posts`.`id` = `comments`.`post_id`) >= 3 limit 10;
-- name: q18
-- expect: unbounded
select `tags`.*, `taggables`.`taggable_id` as `pivot_taggable_id` from `tags` inner join `taggables` on `tags`.`id` = `taggables`.`tag_id` where `taggables`.`taggable_id` = ? and `taggables`.`taggable_type` = ?;
-- name: q19
-- expect: SI-1
select `tags`.* from `tags` inner join `taggables` on `tags`.`id` = `taggables`.`tag_id` where `taggables`.`taggable_id` = ? and `taggables`.`taggable_type` = ? limit 20;
-- name: q20
-- expect: unbounded
select * from `posts` where `title` like ? limit 10;
-- name: q21
-- expect: unbounded
select * from `posts` where `title` like concat('%', ?, '%') limit 10;
-- name: q22
-- expect: SI-1
select * from `posts` where `title` like concat(?, '%') order by `title` limit 10;
-- name: q23
-- expect: SI-1
select * from `posts` where `title` regexp '^a' limit 10;
-- name: q24
-- expect: unbounded
select * from `posts` where match (title, body) against (? in boolean mode) limit 10;
-- name: q25
-- expect: unbounded
select * from `posts` where match (title) against (?) limit 10;
-- name: q26
-- expect: unbounded
select * from posts order by rand() limit 1;
-- name: q27
-- expect: SI-0
select * from posts where id = (select max(id) from posts);
-- name: q28
-- expect: SI-0
select * from posts use index (primary) where id = ?;
-- name: q29
-- expect: SI-1
select * from posts force index (posts_user) where user_id = ? limit 10;
-- name: q30
-- expect: unbounded
select sql_calc_found_rows * from posts where user_id = ? limit 10;
-- name: q31
-- expect: SI-0
select found_rows();
-- name: q32
-- expect: SI-0
select sql_no_cache * from posts where id = ?;
-- name: q33
-- expect: SI-0
select straight_join p.title, u.name from posts p join users u on u.id = p.user_id where p.id = ?;
-- name: q34
-- expect: SI-1
select * from users where role = 'admin' order by id limit 10;
-- name: q35
-- expect: unbounded
select * from users where role = 'admin';
-- name: q36
-- expect: unbounded
select role, count(*) from users group by role;
-- name: q37
-- expect: SI-1
select * from users where active = 1 and deleted_at is null order by created_at desc limit 25;
-- name: q38
-- expect: SI-1
select * from users where active order by created_at desc limit 25;
-- name: q39
-- expect: SI-1
select * from users where not active order by created_at desc limit 25;
-- name: q40
-- expect: unbounded
select * from users where email = 0;
-- name: q41
-- expect: SI-1
select * from users where binary email = ? limit 10;
-- name: q42
-- expect: unbounded
select * from users where cast(id as char) = ?;
-- name: q43
-- expect: unbounded
select * from users where id = ? or 1 = 1;
-- name: q44
-- expect: SI-0
select * from users where id = ? and 1 = 1;
-- name: q45
-- expect: SI-0
select * from users where 1 = 0;
-- name: q46
-- expect: unbounded
select * from users where id != ?;
-- name: q47
-- expect: SI-0
select * from users where id != ? order by id limit 10;
-- name: q48
-- expect: SI-0
select * from users where id not in (?, ?, ?) order by id limit 10;
-- name: q49
-- expect: SI-0
select * from users where id between ? and ? order by id limit 10;
-- name: q50
-- expect: unbounded
select * from users where id between ? and ?;
-- name: q51
-- expect: unbounded
select * from users where id between ? and ? + 99;
-- name: q52
-- expect: SI-0
select * from users where id > ? order by id asc limit 1000;
-- name: q53
-- expect: SI-0
select `id` from `users` where `id` > ? order by `id` limit 500 for update;
-- name: q54
-- expect: unbounded
select `id` from `users` where `active` = 1 order by `id` limit 1 for update skip locked;
-- name: q55
-- expect: SI-0
select * from users where id = ? lock in share mode;
-- name: q56
-- expect: SI-0
select * from users where id <=> ?;
-- name: q57
-- expect: SI-1
select * from users where deleted_at <=> null order by id limit 5;
-- name: q58
-- expect: unbounded
select * from comments where user_id <=> ?;
-- name: q59
-- expect: SI-1
select * from comments where user_id <=> ? order by id limit 3;
-- name: q60
-- expect: unbounded
select * from users where ifnull(?, id) = id;
-- name: q61
-- expect: SI-0
select * from users where id = ifnull(?, 1);
-- name: q62
-- expect: unbounded
select * from users where if(? = '', 1, email = ?);
-- name: q63
-- expect: unbounded
select * from posts where date(published_at) = curdate();
-- name: q64
-- expect: SI-1
select * from posts where date(published_at) = ? order by id limit 10;
-- name: q65
-- expect: SI-1
select * from posts where year(published_at) = 2024 order by id limit 10;
-- name: q66
-- expect: unbounded
select year(published_at) y, count(*) from posts where user_id = ? group by y;
-- name: q67
-- expect: unbounded
select * from posts where published_at > now() - interval 1 day;
-- name: q68
-- expect: SI-1
select * from posts where published_at > date_sub(now(), interval 1 day) order by published_at limit 10;
-- name: q69
-- expect: unbounded
select * from posts where published_at + interval 1 day > now() and user_id > ? limit 5;
-- name: q70
-- expect: SI-0
insert into likes (user_id, post_id, created_at) values (?, ?, now()) on duplicate key update created_at = now();
-- name: q71
-- expect: SI-0
insert ignore into likes (user_id, post_id, created_at) values (?, ?, now());
-- name: q72
-- expect: SI-0
replace into tags (id, name) values (?, ?);
-- name: q73
-- expect: unbounded
insert into likes (user_id, post_id, created_at) select user_id, ?, now() from comments where post_id = ?;
-- name: q74
-- expect: SI-0
update posts set views = views + 1 where id = ?;
-- name: q75
-- expect: SI-1
update posts set views = views + 1 where slug = ? limit 1;
-- name: q76
-- expect: unbounded
update posts p join users u on u.id = p.user_id set p.published = 0 where u.email = ?;
-- name: q77
-- expect: SI-1
update posts set published = 0 where user_id = ? order by id limit 10;
-- name: q78
-- expect: unbounded
update posts set published = 0;
-- name: q79
-- expect: unbounded
delete from comments where post_id = ?;
-- name: q80
-- expect: SI-1
delete from comments where post_id = ? limit 100;
-- name: q81
-- expect: SI-0
delete from comments where id = ?;
-- name: q82
-- expect: unbounded
delete c from comments c join posts p on p.id = c.post_id where p.user_id = ?;
-- name: q83
-- expect: unbounded
delete from comments;
-- name: q85
-- expect: SI-0
select json_extract(meta, '$.theme') from users where id = ?;
-- name: q86
-- expect: SI-0
select meta->>'$.theme' from users where id = ?;
-- name: q87
-- expect: unbounded
select * from users where meta->>'$.theme' = ?;
-- name: q88
-- expect: SI-1
select * from users where meta->>'$.theme' = ? order by id limit 10;
-- name: q89
-- expect: unbounded
select * from users where json_contains(meta, ?, '$.tags') limit 10;
-- name: q90
-- expect: unbounded
select group_concat(name separator ', ') from users where role = ?;
-- name: q91
-- expect: SI-2
select u.*, max(p.id) from users u join posts p on p.user_id = u.id where u.id = ? group by u.id;
-- name: q92
-- expect: SI-1
select max(p.id) from posts p where p.user_id = ?;
-- name: q93
-- expect: unbounded
select p.* from posts p inner join (select user_id, max(id) as latest from posts group by user_id) t on t.latest = p.id;
-- name: q94
-- expect: unbounded
select p.*, t.n from posts p inner join (select post_id, count(*) as n from comments group by post_id) t on t.post_id = p.id where p.user_id = ? order by p.id limit 10;
-- name: q95
-- expect: SI-2
select p.*, t.n from posts p left join (select post_id, count(*) as n from comments group by post_id) t on t.post_id = p.id where p.user_id = ? order by p.id limit 10;
-- name: q96
-- expect: SI-2
select p.id, count(c.id) from posts p left join comments c on c.post_id = p.id where p.id = ? group by p.id;
-- name: q97
-- expect: SI-2
select post_id, count(*) as n from likes group by post_id order by n desc limit 10;
-- name: q98
-- expect: unbounded
select post_id, count(*) as n from likes where created_at > ? group by post_id order by n desc limit 10;
-- name: q99
-- expect: SI-1
select @row := @row + 1 as r, p.* from posts p, (select @row := 0) x where user_id = ? limit 10;
-- name: q100
-- expect: unbounded
select * from posts where user_id = ? procedure analyse();
-- name: q101
-- expect: SI-0
select * from posts where id = ? union select * from posts where id = ?;
-- name: q102
-- expect: SI-1
select * from posts where slug = ? and user_id = ?;
-- name: q103
-- expect: unbounded
select 1 from posts where user_id = ? having 1 = 1;
-- name: q104
-- expect: SI-2
select user_id, count(*) c from posts group by user_id having c > 5 order by c desc limit 10;
-- name: q105
-- expect: SI-1
select distinct user_id from posts where published = 1 limit 10;
-- name: q106
-- expect: SI-1
select distinct user_id from posts limit 10;
-- name: q107
-- expect: SI-2
select distinct user_id, title from posts where published = ? order by title limit 10;
-- name: q108
-- expect: SI-0
select last_insert_id();
-- name: q109
-- expect: SI-0
select p.* from posts p where p.id in (select post_id from likes where user_id = ? and post_id in (?, ?));
-- name: q110
-- expect: unbounded
select p.* from posts p where p.id in (select post_id from likes where user_id = ?);
-- name: q111
-- expect: SI-0
select p.* from posts p join likes l on l.post_id = p.id where l.user_id = ? order by l.post_id limit 10;
-- name: q112
-- expect: unbounded
select p.* from posts p join likes l on l.post_id = p.id where l.user_id = ? order by p.views limit 10;
-- name: q113
-- expect: unbounded
select l2.post_id from likes l1 join likes l2 on l2.user_id = l1.user_id where l1.post_id = ? limit 10;
