-- dialect: mysql
-- A game with guilds, leaderboards, a chat and an inventory, as ActiveRecord asks MySQL: backticks, exists?, find_each, counts, DISTINCT.
create table `players` (`id` bigint not null auto_increment primary key, `handle` varchar(30) not null, `email` varchar(255) default null, `region` enum('eu','us','asia') not null, `rating` int not null default 1000, `xp` bigint not null, `banned_at` datetime(6) default null, `last_seen_at` datetime(6) not null, unique key `index_players_on_handle` (`handle`), unique key `index_players_on_email` (`email`));
create table `guilds` (`id` bigint not null auto_increment primary key, `name` varchar(50) not null, `members_count` int not null default 0, unique key (`name`));
create table `memberships` (`id` bigint not null auto_increment primary key, `guild_id` bigint not null, `player_id` bigint not null, `role` tinyint not null default 0, `joined_at` datetime not null, unique key (`player_id`), constraint `fk_guild` foreign key (`guild_id`) references `guilds` (`id`), constraint `fk_player` foreign key (`player_id`) references `players` (`id`));
create table `seasons` (`id` int not null primary key, `name` varchar(20) not null, `starts_on` date not null, `ends_on` date not null);
create table `scores` (`season_id` int not null, `player_id` bigint not null, `points` int not null, `updated_at` datetime not null, primary key (`season_id`, `player_id`), constraint foreign key (`player_id`) references `players` (`id`), constraint foreign key (`season_id`) references `seasons` (`id`));
create table `matches` (`id` bigint not null auto_increment primary key, `season_id` int not null, `winner_id` bigint default null, `loser_id` bigint default null, `played_at` datetime not null, constraint foreign key (`season_id`) references `seasons` (`id`), constraint foreign key (`winner_id`) references `players` (`id`), constraint foreign key (`loser_id`) references `players` (`id`));
create table `items` (`id` int not null primary key, `kind` varchar(20) not null, `name` varchar(40) not null, `rarity` tinyint not null, check (`rarity` in (1, 2, 3, 4)));
create table `inventory` (`player_id` bigint not null, `slot` smallint not null, `item_id` int not null, `quantity` int not null, primary key (`player_id`, `slot`), constraint `slots` check (`slot` >= 0 and `slot` < 60), constraint foreign key (`item_id`) references `items` (`id`), constraint foreign key (`player_id`) references `players` (`id`));
create table `channels` (`id` bigint not null auto_increment primary key, `guild_id` bigint not null, `name` varchar(40) not null, `deleted_at` datetime default null, unique key (`guild_id`, `name`), constraint foreign key (`guild_id`) references `guilds` (`id`));
create table `messages` (`id` bigint not null auto_increment primary key, `channel_id` bigint not null, `player_id` bigint not null, `body` text not null, `reply_to_id` bigint default null, `created_at` datetime(6) not null, constraint foreign key (`channel_id`) references `channels` (`id`), constraint foreign key (`player_id`) references `players` (`id`), fulltext key (`body`));
create table `friendships` (`player_id` bigint not null, `friend_id` bigint not null, `accepted` tinyint(1) not null, primary key (`player_id`, `friend_id`), constraint foreign key (`player_id`) references `players` (`id`), constraint foreign key (`friend_id`) references `players` (`id`));

-- name: find
-- expect: SI-0
SELECT `players`.* FROM `players` WHERE `players`.`id` = ? LIMIT 1;
-- name: find_by_handle
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`handle` = ? LIMIT 1;
-- name: exists_by_email
-- expect: SI-1
SELECT 1 AS one FROM `players` WHERE `players`.`email` = ? LIMIT 1;
-- name: email_missing
-- expect: unbounded
SELECT `players`.* FROM `players` WHERE `players`.`email` IS NULL;
-- name: email_missing_first
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`email` IS NULL ORDER BY `players`.`id` ASC LIMIT 1;
-- name: email_null_safe
-- expect: unbounded
SELECT `players`.`id` FROM `players` WHERE `players`.`email` <=> ?;
-- name: find_each
-- expect: SI-0
SELECT `players`.* FROM `players` WHERE `players`.`id` > ? ORDER BY `players`.`id` ASC LIMIT 1000;
-- name: find_each_banned
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`banned_at` IS NOT NULL AND `players`.`id` > ? ORDER BY `players`.`id` ASC LIMIT 1000;
-- name: find_each_seen
-- expect: unbounded
SELECT `players`.* FROM `players` WHERE `players`.`last_seen_at` > ? AND `players`.`id` > ? ORDER BY `players`.`id` ASC LIMIT 1000;
-- name: ladder
-- expect: SI-1
SELECT `players`.`id`, `players`.`handle`, `players`.`rating` FROM `players` WHERE `players`.`banned_at` IS NULL ORDER BY `players`.`rating` DESC LIMIT 100;
-- name: ladder_of_region
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`region` = ? AND `players`.`banned_at` IS NULL ORDER BY `players`.`rating` DESC, `players`.`id` ASC LIMIT 50 OFFSET 50;
-- name: ladder_of_two_regions
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`region` IN ('eu', 'us') ORDER BY `players`.`rating` DESC LIMIT 50;
-- name: ladder_other_regions
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`region` != 'asia' ORDER BY `players`.`rating` DESC LIMIT 50;
-- name: rank_of_player
-- expect: unbounded
SELECT COUNT(*) + 1 FROM `players` WHERE `players`.`rating` > ?;
-- name: ladder_ratio
-- expect: SI-1
SELECT `players`.`id` FROM `players` ORDER BY `players`.`xp` / `players`.`rating` DESC LIMIT 10;
-- name: closest_rating
-- expect: unbounded
SELECT `players`.`id` FROM `players` ORDER BY ABS(`players`.`rating` - ?) LIMIT 10;
-- name: closest_above
-- expect: SI-1
SELECT `players`.`id` FROM `players` WHERE `players`.`rating` >= ? AND `players`.`region` = ? ORDER BY `players`.`rating` LIMIT 10;
-- name: season_ladder
-- expect: SI-1
SELECT `scores`.`points`, `players`.`handle` FROM `scores` INNER JOIN `players` ON `players`.`id` = `scores`.`player_id` WHERE `scores`.`season_id` = ? ORDER BY `scores`.`points` DESC LIMIT 100;
-- name: season_ladder_of_region
-- expect: unbounded
SELECT `scores`.`points`, `players`.`handle` FROM `scores` INNER JOIN `players` ON `players`.`id` = `scores`.`player_id` WHERE `scores`.`season_id` = ? AND `players`.`region` = ? ORDER BY `scores`.`points` DESC LIMIT 100;
-- name: season_ladder_ranked
-- expect: unbounded
SELECT `player_id`, RANK() OVER (ORDER BY `points` DESC) AS `place` FROM `scores` WHERE `season_id` = ? ORDER BY `points` DESC LIMIT 100;
-- name: current_season_ladder
-- expect: unbounded
SELECT `scores`.* FROM `scores` INNER JOIN `seasons` ON `seasons`.`id` = `scores`.`season_id` WHERE CURRENT_DATE BETWEEN `seasons`.`starts_on` AND `seasons`.`ends_on` ORDER BY `scores`.`points` DESC LIMIT 100;
-- name: my_score
-- expect: SI-0
SELECT `scores`.* FROM `scores` WHERE `scores`.`season_id` = ? AND `scores`.`player_id` = ? LIMIT 1;
-- name: my_seasons
-- expect: unbounded
SELECT `scores`.* FROM `scores` WHERE `scores`.`player_id` = ?;
-- name: total_points
-- expect: SI-2
SELECT SUM(`scores`.`points`) FROM `scores` WHERE `scores`.`player_id` = ?;
-- name: best_seasons
-- expect: SI-1
SELECT `scores`.* FROM `scores` WHERE `scores`.`player_id` = ? ORDER BY `scores`.`points` DESC LIMIT 3;
-- name: all_time_ladder
-- expect: SI-2
SELECT `scores`.`player_id`, SUM(`scores`.`points`) AS `sum_points` FROM `scores` GROUP BY `scores`.`player_id` ORDER BY `sum_points` DESC LIMIT 10;
-- name: all_time_ladder_of_region
-- expect: unbounded
SELECT `scores`.`player_id`, SUM(`scores`.`points`) AS `sum_points` FROM `scores` INNER JOIN `players` ON `players`.`id` = `scores`.`player_id` WHERE `players`.`region` = ? GROUP BY `scores`.`player_id` ORDER BY `sum_points` DESC LIMIT 10;
-- name: wins
-- expect: SI-2
SELECT COUNT(*) FROM `matches` WHERE `matches`.`winner_id` = ?;
-- name: games
-- expect: unbounded
SELECT COUNT(*) FROM `matches` WHERE (`matches`.`winner_id` = ? OR `matches`.`loser_id` = ?);
-- name: history
-- expect: SI-1
SELECT `matches`.* FROM `matches` WHERE (`matches`.`winner_id` = ? OR `matches`.`loser_id` = ?) ORDER BY `matches`.`played_at` DESC LIMIT 20;
-- name: head_to_head
-- expect: SI-2
SELECT COUNT(*) FROM `matches` WHERE `matches`.`winner_id` = ? AND `matches`.`loser_id` = ? AND `matches`.`season_id` = ?;
-- name: unfinished
-- expect: SI-1
SELECT `matches`.* FROM `matches` WHERE `matches`.`winner_id` IS NULL AND `matches`.`season_id` = ? ORDER BY `matches`.`id` DESC LIMIT 10;
-- name: inventory_of_player
-- expect: SI-0
SELECT `inventory`.`slot`, `items`.`name` FROM `inventory` INNER JOIN `items` ON `items`.`id` = `inventory`.`item_id` WHERE `inventory`.`player_id` = ? ORDER BY `inventory`.`slot`;
-- name: inventory_of_kind
-- expect: SI-0
SELECT `inventory`.`slot` FROM `inventory` INNER JOIN `items` ON `items`.`id` = `inventory`.`item_id` WHERE `inventory`.`player_id` = ? AND `items`.`kind` = ?;
-- name: inventory_by_rarity
-- expect: SI-0
SELECT `items`.`rarity`, SUM(`inventory`.`quantity`) FROM `inventory` INNER JOIN `items` ON `items`.`id` = `inventory`.`item_id` WHERE `inventory`.`player_id` = ? GROUP BY `items`.`rarity`;
-- name: inventories_of_friends
-- expect: unbounded
SELECT `inventory`.* FROM `inventory` INNER JOIN `friendships` ON `friendships`.`friend_id` = `inventory`.`player_id` WHERE `friendships`.`player_id` = ? AND `inventory`.`item_id` = ?;
-- name: who_has_item
-- expect: SI-1
SELECT DISTINCT `inventory`.`player_id` FROM `inventory` WHERE `inventory`.`item_id` = ? ORDER BY `inventory`.`player_id` LIMIT 10;
-- name: guild_of_player
-- expect: SI-1
SELECT `guilds`.* FROM `guilds` INNER JOIN `memberships` ON `guilds`.`id` = `memberships`.`guild_id` WHERE `memberships`.`player_id` = ? LIMIT 1;
-- name: members
-- expect: SI-1
SELECT `players`.* FROM `players` INNER JOIN `memberships` ON `players`.`id` = `memberships`.`player_id` WHERE `memberships`.`guild_id` = ? ORDER BY `memberships`.`role` DESC, `memberships`.`joined_at` LIMIT 50;
-- name: members_online
-- expect: unbounded
SELECT COUNT(*) FROM `players` INNER JOIN `memberships` ON `players`.`id` = `memberships`.`player_id` WHERE `memberships`.`guild_id` = ? AND `players`.`last_seen_at` > ?;
-- name: members_strongest
-- expect: SI-2
SELECT `players`.`id`, `players`.`rating` FROM `players` INNER JOIN `memberships` ON `players`.`id` = `memberships`.`player_id` WHERE `memberships`.`guild_id` = ? ORDER BY `players`.`rating` DESC LIMIT 10;
-- name: guild_strength
-- expect: SI-2
SELECT AVG(`players`.`rating`) FROM `players` INNER JOIN `memberships` ON `players`.`id` = `memberships`.`player_id` WHERE `memberships`.`guild_id` = ?;
-- name: strongest_guilds
-- expect: SI-2
SELECT `memberships`.`guild_id`, SUM(`players`.`rating`) AS `s` FROM `players` INNER JOIN `memberships` ON `players`.`id` = `memberships`.`player_id` GROUP BY `memberships`.`guild_id` ORDER BY `s` DESC LIMIT 10;
-- name: channels_of_guild
-- expect: unbounded
SELECT `channels`.* FROM `channels` WHERE `channels`.`deleted_at` IS NULL AND `channels`.`guild_id` = ?;
-- name: newest_messages
-- expect: SI-1
SELECT `messages`.*, `players`.`handle` FROM `messages` INNER JOIN `players` ON `players`.`id` = `messages`.`player_id` WHERE `messages`.`channel_id` = ? AND `messages`.`id` < ? ORDER BY `messages`.`id` DESC LIMIT 50;
-- name: newest_of_channels
-- expect: SI-1
SELECT `messages`.* FROM `messages` WHERE `messages`.`channel_id` IN (?, ?, ?) ORDER BY `messages`.`created_at` DESC LIMIT 20;
-- name: newest_of_guild
-- expect: unbounded
SELECT `messages`.* FROM `messages` INNER JOIN `channels` ON `channels`.`id` = `messages`.`channel_id` WHERE `channels`.`guild_id` = ? ORDER BY `messages`.`created_at` DESC LIMIT 20;
-- name: unread
-- expect: unbounded
SELECT COUNT(*) FROM `messages` WHERE `messages`.`channel_id` = ? AND `messages`.`id` > ?;
-- name: unread_capped
-- expect: SI-1
SELECT COUNT(count_column) FROM (SELECT 1 AS count_column FROM `messages` WHERE `messages`.`channel_id` = ? AND `messages`.`id` > ? LIMIT 100) subquery_for_count;
-- name: search_messages
-- expect: unbounded
SELECT `messages`.* FROM `messages` WHERE MATCH (`messages`.`body`) AGAINST (? IN BOOLEAN MODE) LIMIT 20;
-- name: thread
-- expect: SI-1
SELECT `messages`.* FROM `messages` WHERE `messages`.`reply_to_id` = ? ORDER BY `messages`.`created_at` LIMIT 30;
-- name: reply_and_parent
-- expect: SI-0
SELECT `messages`.`body`, `parents_messages`.`body` FROM `messages` LEFT OUTER JOIN `messages` `parents_messages` ON `parents_messages`.`id` = `messages`.`reply_to_id` WHERE `messages`.`id` = ?;
-- name: friends_page
-- expect: SI-1
SELECT `players`.* FROM `players` INNER JOIN `friendships` ON `players`.`id` = `friendships`.`friend_id` WHERE `friendships`.`player_id` = ? AND `friendships`.`accepted` = TRUE ORDER BY `friendships`.`friend_id` LIMIT 25;
-- name: friends_by_handle
-- expect: unbounded
SELECT `players`.* FROM `players` INNER JOIN `friendships` ON `players`.`id` = `friendships`.`friend_id` WHERE `friendships`.`player_id` = ? ORDER BY `players`.`handle` LIMIT 25;
-- name: mutual
-- expect: SI-0
SELECT 1 AS one FROM `friendships` `a` INNER JOIN `friendships` `b` ON `b`.`player_id` = `a`.`friend_id` AND `b`.`friend_id` = `a`.`player_id` WHERE `a`.`player_id` = ? AND `a`.`friend_id` = ? LIMIT 1;
-- name: not_friends
-- expect: unbounded
SELECT `players`.* FROM `players` WHERE `players`.`id` NOT IN (SELECT `friendships`.`friend_id` FROM `friendships` WHERE `friendships`.`player_id` = ?) ORDER BY `players`.`rating` DESC LIMIT 5;
-- name: not_these
-- expect: SI-1
SELECT `players`.* FROM `players` WHERE `players`.`id` NOT IN (?, ?) ORDER BY `players`.`rating` DESC LIMIT 5;
-- name: lucky
-- expect: unbounded
SELECT `players`.* FROM `players` ORDER BY RAND() LIMIT 1;
-- name: destroy_all
-- expect: unbounded
DELETE FROM `messages` WHERE `messages`.`player_id` = ?;
-- name: increment_counter
-- expect: SI-0
UPDATE `guilds` SET `guilds`.`members_count` = COALESCE(`guilds`.`members_count`, 0) + 1 WHERE `guilds`.`id` = ?;
