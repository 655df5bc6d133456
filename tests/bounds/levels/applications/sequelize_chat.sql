-- dialect: mysql
CREATE TABLE IF NOT EXISTS `Users` (`id` INTEGER auto_increment, `handle` VARCHAR(255) NOT NULL UNIQUE, `status` ENUM('online', 'away', 'offline') DEFAULT 'offline', `createdAt` DATETIME NOT NULL, `updatedAt` DATETIME NOT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Channels` (`id` INTEGER auto_increment, `workspaceId` INTEGER NOT NULL, `name` VARCHAR(80) NOT NULL, `isPrivate` TINYINT(1) NOT NULL DEFAULT 0, `archivedAt` DATETIME, UNIQUE `ws_name` (`workspaceId`, `name`), PRIMARY KEY (`id`)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Memberships` (`ChannelId` INTEGER NOT NULL, `UserId` INTEGER NOT NULL, `lastReadId` BIGINT, `muted` TINYINT(1) NOT NULL DEFAULT 0, `joinedAt` DATETIME NOT NULL, PRIMARY KEY (`ChannelId`, `UserId`), FOREIGN KEY (`ChannelId`) REFERENCES `Channels` (`id`) ON DELETE CASCADE ON UPDATE CASCADE, FOREIGN KEY (`UserId`) REFERENCES `Users` (`id`) ON DELETE CASCADE) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Messages` (`id` BIGINT auto_increment, `ChannelId` INTEGER NOT NULL, `UserId` INTEGER, `threadId` BIGINT, `body` TEXT, `pinned` TINYINT(1) NOT NULL DEFAULT 0, `createdAt` DATETIME(3) NOT NULL, `deletedAt` DATETIME, PRIMARY KEY (`id`), FOREIGN KEY (`ChannelId`) REFERENCES `Channels` (`id`), FOREIGN KEY (`UserId`) REFERENCES `Users` (`id`) ON DELETE SET NULL, FULLTEXT `msg_body` (`body`)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Reactions` (`MessageId` BIGINT NOT NULL, `UserId` INTEGER NOT NULL, `emoji` VARCHAR(16) NOT NULL, PRIMARY KEY (`MessageId`, `emoji`, `UserId`), FOREIGN KEY (`MessageId`) REFERENCES `Messages` (`id`) ON DELETE CASCADE) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `DirectPairs` (`lowId` INTEGER NOT NULL, `highId` INTEGER NOT NULL, `ChannelId` INTEGER NOT NULL UNIQUE, PRIMARY KEY (`lowId`, `highId`), CHECK (`lowId` < `highId`)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Blocks` (`blockerId` INTEGER NOT NULL, `blockedId` INTEGER NOT NULL, PRIMARY KEY (`blockerId`, `blockedId`)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `Attachments` (`id` CHAR(36) BINARY, `MessageId` BIGINT, `sort` TINYINT UNSIGNED NOT NULL, `url` VARCHAR(2048) NOT NULL, PRIMARY KEY (`id`), UNIQUE (`MessageId`, `sort`)) ENGINE=InnoDB;

-- name: user_pk
-- expect: SI-0
SELECT `id`, `handle` FROM `Users` AS `User` WHERE `User`.`id` = 7;
-- name: user_pk_text
-- expect: SI-0
SELECT `id`, `handle` FROM `Users` AS `User` WHERE `User`.`id` = '7';
-- name: user_handle
-- expect: SI-1
SELECT `id` FROM `Users` AS `User` WHERE `User`.`handle` = 'ann' LIMIT 1;
-- name: user_handle_number
-- expect: unbounded
SELECT `id` FROM `Users` AS `User` WHERE `User`.`handle` = 0;
-- name: user_handle_like_param
-- expect: unbounded
SELECT `id` FROM `Users` AS `User` WHERE `User`.`handle` LIKE ? ORDER BY `User`.`handle` LIMIT 10;
-- name: user_handle_prefix
-- expect: SI-1
SELECT `id` FROM `Users` AS `User` WHERE `User`.`handle` LIKE 'ann%' ORDER BY `User`.`handle` LIMIT 10;
-- name: users_find_and_count
-- expect: unbounded
SELECT count(*) AS `count` FROM `Users` AS `User` WHERE `User`.`createdAt` > ?;
-- name: channel_by_name
-- expect: SI-1
SELECT `Channel`.`id` FROM `Channels` AS `Channel` WHERE (`Channel`.`archivedAt` IS NULL AND (`Channel`.`workspaceId` = ? AND `Channel`.`name` = ?));
-- name: channels_of_workspace
-- expect: SI-1
SELECT `id`, `name` FROM `Channels` AS `Channel` WHERE `Channel`.`workspaceId` = ? AND `Channel`.`isPrivate` = false ORDER BY `Channel`.`name` ASC LIMIT 0, 50;
-- name: my_channels
-- expect: unbounded
SELECT `Channel`.`id` FROM `Channels` AS `Channel` INNER JOIN `Memberships` AS `m` ON `Channel`.`id` = `m`.`ChannelId` AND `m`.`UserId` = ?;
-- name: my_channels_joined
-- expect: SI-1
SELECT `Channel`.`id`, `m`.`muted` FROM `Channels` AS `Channel` INNER JOIN `Memberships` AS `m` ON `Channel`.`id` = `m`.`ChannelId` AND `m`.`UserId` = ? ORDER BY `m`.`joinedAt` DESC LIMIT 30;
-- name: my_channels_by_name
-- expect: unbounded
SELECT `Channel`.`id`, `m`.`muted` FROM `Channels` AS `Channel` INNER JOIN `Memberships` AS `m` ON `Channel`.`id` = `m`.`ChannelId` AND `m`.`UserId` = ? ORDER BY `Channel`.`name` LIMIT 30;
-- name: history
-- expect: SI-1
SELECT `Message`.`id`, `Message`.`body`, `User`.`handle` AS `User.handle` FROM `Messages` AS `Message` LEFT OUTER JOIN `Users` AS `User` ON `Message`.`UserId` = `User`.`id` WHERE (`Message`.`deletedAt` IS NULL AND `Message`.`ChannelId` = ? AND `Message`.`id` < ?) ORDER BY `Message`.`id` DESC LIMIT 50;
-- name: history_with_reactions
-- expect: unbounded
SELECT `Message`.*, `Reactions`.`emoji` FROM (SELECT `Message`.`id`, `Message`.`body` FROM `Messages` AS `Message` WHERE `Message`.`ChannelId` = ? ORDER BY `Message`.`id` DESC LIMIT 50) AS `Message` LEFT OUTER JOIN `Reactions` AS `Reactions` ON `Message`.`id` = `Reactions`.`MessageId` ORDER BY `Message`.`id` DESC;
-- name: history_with_attachments
-- expect: SI-1
SELECT `Message`.*, `a`.`url` FROM (SELECT `Message`.`id`, `Message`.`body` FROM `Messages` AS `Message` WHERE `Message`.`ChannelId` = ? ORDER BY `Message`.`id` DESC LIMIT 50) AS `Message` LEFT OUTER JOIN `Attachments` AS `a` ON `Message`.`id` = `a`.`MessageId` ORDER BY `Message`.`id` DESC, `a`.`sort`;
-- name: history_join_limit
-- expect: SI-1
SELECT m.`id`, a.`url` FROM `Messages` m JOIN `Attachments` a ON a.`MessageId` = m.`id` WHERE m.`id` = ? ORDER BY a.`sort`;
-- name: history_with_attachment_inner
-- expect: SI-2
SELECT m.`id`, a.`url` FROM `Messages` m JOIN `Attachments` a ON a.`MessageId` = m.`id` WHERE m.`ChannelId` = ? ORDER BY m.`id` DESC LIMIT 20;
-- name: history_unblocked
-- expect: unbounded
SELECT m.`id` FROM `Messages` m WHERE m.`ChannelId` = ? AND m.`UserId` NOT IN (SELECT `blockedId` FROM `Blocks` WHERE `blockerId` = ?) ORDER BY m.`id` DESC LIMIT 20;
-- name: history_then_unblocked
-- expect: SI-1
SELECT h.`id` FROM (SELECT `id`, `UserId` FROM `Messages` WHERE `ChannelId` = ? ORDER BY `id` DESC LIMIT 100) h WHERE NOT EXISTS (SELECT 1 FROM `Blocks` b WHERE b.`blockerId` = ? AND b.`blockedId` = h.`UserId`);
-- name: thread
-- expect: SI-1
SELECT `id` FROM `Messages` WHERE `threadId` = ? AND `deletedAt` IS NULL ORDER BY `createdAt`, `id` LIMIT 100;
-- name: thread_counts
-- expect: SI-2
SELECT m.`id`, (SELECT COUNT(*) FROM `Messages` r WHERE r.`threadId` = m.`id` AND r.`deletedAt` IS NULL) AS replies FROM `Messages` m WHERE m.`ChannelId` = ? AND m.`threadId` IS NULL ORDER BY m.`id` DESC LIMIT 30;
-- name: threads_last_reply
-- expect: SI-1
SELECT m.`id`, (SELECT MAX(r.`createdAt`) FROM `Messages` r WHERE r.`threadId` = m.`id`) AS last FROM `Messages` m WHERE m.`ChannelId` = ? AND m.`threadId` IS NULL ORDER BY m.`id` DESC LIMIT 30;
-- name: threads_by_last_reply
-- expect: SI-2
SELECT r.`threadId`, MAX(r.`id`) AS last FROM `Messages` r WHERE r.`ChannelId` = ? AND r.`threadId` IS NOT NULL GROUP BY r.`threadId` ORDER BY last DESC LIMIT 20;
-- name: unread
-- expect: unbounded
SELECT COUNT(*) FROM `Messages` m JOIN `Memberships` s ON s.`ChannelId` = m.`ChannelId` WHERE s.`UserId` = ? AND s.`ChannelId` = ? AND m.`id` > s.`lastReadId`;
-- name: unread_exists
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM `Messages` m WHERE m.`ChannelId` = s.`ChannelId` AND m.`id` > s.`lastReadId`) FROM `Memberships` s WHERE s.`UserId` = ? AND s.`ChannelId` = ?;
-- name: unread_capped
-- expect: SI-1
SELECT COUNT(*) FROM (SELECT 1 FROM `Messages` WHERE `ChannelId` = ? AND `id` > ? LIMIT 100) capped;
-- name: reaction_summary
-- expect: unbounded
SELECT `emoji`, COUNT(*) FROM `Reactions` WHERE `MessageId` = ? GROUP BY `emoji`;
-- name: reaction_summary_limited
-- expect: SI-2
SELECT `emoji`, COUNT(*) FROM `Reactions` WHERE `MessageId` = ? GROUP BY `emoji` ORDER BY `emoji` LIMIT 20;
-- name: reaction_kinds
-- expect: SI-0
SELECT DISTINCT `emoji` FROM `Reactions` WHERE `MessageId` = ? ORDER BY `emoji` LIMIT 20;
-- name: reacted
-- expect: SI-0
SELECT 1 FROM `Reactions` WHERE `MessageId` = ? AND `emoji` = ? AND `UserId` = ?;
-- name: reacted_any_emoji
-- expect: unbounded
SELECT `emoji` FROM `Reactions` WHERE `MessageId` = ? AND `UserId` = ?;
-- name: direct_pair
-- expect: SI-0
SELECT `ChannelId` FROM `DirectPairs` WHERE `lowId` = LEAST(?, ?) AND `highId` = GREATEST(?, ?);
-- name: direct_pair_either
-- expect: SI-0
SELECT `ChannelId` FROM `DirectPairs` WHERE (`lowId` = ? AND `highId` = ?) OR (`lowId` = ? AND `highId` = ?);
-- name: direct_of_user
-- expect: unbounded
SELECT `ChannelId` FROM `DirectPairs` WHERE `lowId` = ? OR `highId` = ?;
-- name: pinned
-- expect: SI-1
SELECT `id` FROM `Messages` WHERE `ChannelId` = ? AND `pinned` = 1 ORDER BY `createdAt` DESC LIMIT 10;
-- name: search
-- expect: unbounded
SELECT `id` FROM `Messages` WHERE `ChannelId` = ? AND MATCH (`body`) AGAINST (? IN NATURAL LANGUAGE MODE) ORDER BY `id` DESC LIMIT 20;
-- name: attachment_null_message
-- expect: unbounded
SELECT `id` FROM `Attachments` WHERE `MessageId` IS NULL AND `sort` = 0;
-- name: attachments_first
-- expect: SI-1
SELECT `url` FROM `Attachments` WHERE `MessageId` = ? AND `sort` = 0;
-- name: mark_read
-- expect: SI-0
UPDATE `Memberships` SET `lastReadId` = GREATEST(COALESCE(`lastReadId`, 0), ?) WHERE `ChannelId` = ? AND `UserId` = ?;
-- name: mark_all_read
-- expect: unbounded
UPDATE `Memberships` m JOIN `Channels` c ON c.`id` = m.`ChannelId` SET m.`lastReadId` = 0 WHERE m.`UserId` = ?;
-- name: message_destroy
-- expect: unbounded
DELETE FROM `Messages` WHERE `id` = ?;
-- name: message_paranoid
-- expect: SI-0
UPDATE `Messages` SET `deletedAt` = ? WHERE `id` = ? AND `deletedAt` IS NULL;
-- name: user_destroy
-- expect: unbounded
DELETE FROM `Users` WHERE `id` = ?;
-- name: member_leave
-- expect: SI-0
DELETE FROM `Memberships` WHERE `ChannelId` = ? AND `UserId` = ? LIMIT 1;
