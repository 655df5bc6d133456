-- dialect: mysql
-- What MySQL means by it: || is OR, texts are numbers, HAVING filters rows, the greatest LIMIT is none, collations.
create table `a` (`id` bigint not null primary key, `code` varchar(20) not null, `flag` tinyint(1) not null, `k` bigint not null, `state` enum('x','y') not null, unique key (`code`), unique key `kf` (`k`, `flag`));
create table `pre` (`id` bigint not null primary key, `url` varchar(500) not null, `year` int not null, `at` datetime not null, unique key (`url`(20)), unique key ((year(`at`))));
create table `c` (`id` bigint not null primary key, `a_id` bigint not null, constraint foreign key (`a_id`) references `a` (`id`) on delete cascade);
-- name: no_limit_with_offset
-- expect: unbounded
SELECT * FROM `a` WHERE `state` = ? ORDER BY `id` LIMIT 18446744073709551615 OFFSET 10;
-- name: offset_first
-- expect: SI-1
SELECT * FROM `a` WHERE `k` = ? ORDER BY `id` LIMIT 10, 20;
-- name: pipes_are_or
-- expect: unbounded
SELECT * FROM `a` WHERE `code` = ? || `k` > ? ORDER BY `id` LIMIT 10;
-- name: pipes_in_like
-- expect: unbounded
SELECT * FROM `a` WHERE `code` LIKE ? || '%' ORDER BY `code` LIMIT 10;
-- name: xor
-- expect: unbounded
SELECT * FROM `a` WHERE `id` = ? XOR `k` = ?;
-- name: text_is_true
-- expect: unbounded
SELECT * FROM `a` WHERE `code` = TRUE;
-- name: text_decimal
-- expect: unbounded
SELECT * FROM `a` WHERE `code` = 1.5;
-- name: text_mixed_list
-- expect: unbounded
SELECT * FROM `a` WHERE `code` IN (?, 7);
-- name: text_as_number
-- expect: unbounded
SELECT * FROM `a` WHERE `code` + 0 = ?;
-- name: text_negative
-- expect: unbounded
SELECT * FROM `a` WHERE `code` = -1;
-- name: collate
-- expect: unbounded
SELECT * FROM `a` WHERE `code` COLLATE utf8mb4_general_ci = ?;
-- name: collate_value
-- expect: unbounded
SELECT * FROM `a` WHERE `code` = ? COLLATE utf8mb4_general_ci;
-- name: tinyint_one
-- expect: SI-1
SELECT * FROM `a` WHERE `k` = ?;
-- name: state_order
-- expect: unbounded
SELECT * FROM `a` WHERE `state` = ?;
-- name: prefix_key
-- expect: SI-1
SELECT * FROM `pre` WHERE `url` = ?;
-- name: function_key
-- expect: unbounded
SELECT * FROM `pre` WHERE `year` = ?;
-- name: sysdate
-- expect: unbounded
SELECT * FROM `pre` WHERE `at` < SYSDATE() AND `year` > ? ORDER BY `id` LIMIT 5;
-- name: field_order
-- expect: unbounded
SELECT * FROM `a` WHERE `k` > ? ORDER BY FIELD(`id`, 3, 1, 2) LIMIT 5;
-- name: found_rows
-- expect: unbounded
SELECT SQL_CALC_FOUND_ROWS * FROM `a` WHERE `k` > ? ORDER BY `k` LIMIT 10;
-- name: delete_cascading
-- expect: SI-0
DELETE FROM `a` WHERE `id` = ?;
-- name: group_concat
-- expect: unbounded
SELECT GROUP_CONCAT(`id` ORDER BY `id` SEPARATOR ',') FROM `c` WHERE `a_id` = ?;
-- name: having_alias
-- expect: SI-1
SELECT `id`, `k` * 2 AS `d` FROM `a` HAVING `d` > 10 LIMIT 5;
-- name: variable
-- expect: SI-1
SELECT @n := @n + 1 AS place, `id` FROM `a` WHERE `k` > ? ORDER BY `k` LIMIT 10;
-- name: order_null
-- expect: SI-1
SELECT * FROM `a` WHERE `k` = ? ORDER BY NULL LIMIT 10;
-- name: straight_join
-- expect: SI-1
SELECT `a`.`id` FROM `c` STRAIGHT_JOIN `a` ON `a`.`id` = `c`.`a_id` WHERE `c`.`a_id` = ? LIMIT 5;
