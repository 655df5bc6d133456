-- dialect: mysql
CREATE TABLE `Organization` (`id` VARCHAR(191) NOT NULL, `slug` VARCHAR(191) NOT NULL, `plan` ENUM('FREE','PRO','SCALE') NOT NULL DEFAULT 'FREE', `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), UNIQUE INDEX `Organization_slug_key`(`slug`), PRIMARY KEY (`id`)) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE `Environment` (`id` VARCHAR(191) NOT NULL, `orgId` VARCHAR(191) NOT NULL, `name` ENUM('dev','stage','prod') NOT NULL, `apiKey` CHAR(32) NOT NULL, UNIQUE INDEX `Environment_apiKey_key`(`apiKey`), UNIQUE INDEX `Environment_orgId_name_key`(`orgId`, `name`), PRIMARY KEY (`id`));
CREATE TABLE `Flag` (`id` INTEGER NOT NULL AUTO_INCREMENT, `orgId` VARCHAR(191) NOT NULL, `key` VARCHAR(191) NOT NULL, `enabled` BOOLEAN NOT NULL DEFAULT false, `archivedAt` DATETIME(3) NULL, `rollout` TINYINT UNSIGNED NOT NULL DEFAULT 0, UNIQUE INDEX `Flag_orgId_key_key`(`orgId`, `key`), PRIMARY KEY (`id`));
CREATE TABLE `Rule` (`flagId` INTEGER NOT NULL, `position` TINYINT NOT NULL, `segmentId` INTEGER NULL, `variant` VARCHAR(20) NOT NULL, PRIMARY KEY (`flagId`, `position`));
CREATE TABLE `Segment` (`id` INTEGER NOT NULL AUTO_INCREMENT, `orgId` VARCHAR(191) NOT NULL, `definition` JSON NOT NULL, `kind` VARCHAR(10) AS (JSON_UNQUOTE(JSON_EXTRACT(`definition`, '$.kind'))) STORED, PRIMARY KEY (`id`), INDEX `seg_kind` (`orgId`, `kind`));
CREATE TABLE `Evaluation` (`id` BIGINT NOT NULL AUTO_INCREMENT, `flagId` INTEGER NOT NULL, `subject` VARCHAR(191) NOT NULL, `variant` VARCHAR(20) NOT NULL, `at` DATETIME(3) NOT NULL, `ms` INTEGER NULL, PRIMARY KEY (`id`), UNIQUE INDEX `Evaluation_once`(`flagId`, `subject`));
CREATE TABLE `AuditEvent` (`orgId` VARCHAR(191) NOT NULL, `seq` BIGINT UNSIGNED NOT NULL, `actorId` VARCHAR(191) NULL, `verb` VARCHAR(30) NOT NULL, `at` DATETIME(3) NOT NULL, PRIMARY KEY (`orgId`, `seq`));
ALTER TABLE `Environment` ADD CONSTRAINT `Environment_orgId_fkey` FOREIGN KEY (`orgId`) REFERENCES `Organization`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE `Flag` ADD CONSTRAINT `Flag_orgId_fkey` FOREIGN KEY (`orgId`) REFERENCES `Organization`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE `Rule` ADD CONSTRAINT `Rule_flagId_fkey` FOREIGN KEY (`flagId`) REFERENCES `Flag`(`id`) ON DELETE CASCADE;
ALTER TABLE `Rule` ADD CONSTRAINT `Rule_segmentId_fkey` FOREIGN KEY (`segmentId`) REFERENCES `Segment`(`id`) ON DELETE SET NULL;

-- name: org_by_slug
-- expect: SI-1
SELECT `main`.`id`, `main`.`slug` FROM `Organization` AS `main` WHERE (`main`.`slug` = ? AND 1=1) LIMIT ? OFFSET ?;
-- name: org_by_id_number
-- expect: unbounded
SELECT `id` FROM `Organization` WHERE `id` = 12345;
-- name: env_by_key
-- expect: SI-1
SELECT e.`id`, o.`plan` FROM `Environment` e INNER JOIN `Organization` o ON o.`id` = e.`orgId` WHERE e.`apiKey` = ?;
-- name: env_of_org
-- expect: SI-1
SELECT `name`, `apiKey` FROM `Environment` WHERE `orgId` = ?;
-- name: env_by_binary_key
-- expect: unbounded
SELECT `id` FROM `Environment` WHERE BINARY `apiKey` = ? OR `name` = 'prod' ORDER BY RAND() LIMIT 1;
-- name: flag
-- expect: SI-1
SELECT `id`, `enabled` FROM `Flag` WHERE `orgId` = ? AND `key` = ?;
-- name: flag_nullsafe
-- expect: SI-1
SELECT `id` FROM `Flag` WHERE `orgId` <=> ? AND `key` <=> ?;
-- name: flags_of_org
-- expect: unbounded
SELECT `key`, `enabled` FROM `Flag` WHERE `orgId` = ? AND `archivedAt` IS NULL;
-- name: flags_cursor
-- expect: SI-1
SELECT `id`, `key` FROM `Flag` WHERE `orgId` = ? AND `archivedAt` IS NULL AND `key` >= ? ORDER BY `key` ASC LIMIT 51;
-- name: flags_search
-- expect: SI-1
SELECT `id`, `key` FROM `Flag` WHERE `orgId` = ? AND `key` LIKE CONCAT(?, '%') ORDER BY `key` LIMIT 10;
-- name: flags_search_anywhere
-- expect: unbounded
SELECT `id`, `key` FROM `Flag` WHERE `orgId` = ? AND `key` LIKE CONCAT('%', ?) ORDER BY `key` LIMIT 10;
-- name: flags_rollout
-- expect: SI-1
SELECT `id` FROM `Flag` WHERE `orgId` = ? AND `rollout` > ? AND `id` > ? ORDER BY `id` LIMIT 10;
-- name: flags_rollout_bucket
-- expect: unbounded
SELECT `id` FROM `Flag` WHERE `orgId` = ? AND `rollout` > CRC32(CONCAT(?, `key`)) % 100 ORDER BY `id` LIMIT 10;
-- name: rules
-- expect: SI-0
SELECT `position`, `variant` FROM `Rule` WHERE `flagId` = ? ORDER BY `position`;
-- name: rules_with_segments
-- expect: SI-0
SELECT r.`position`, s.`definition` FROM `Rule` r LEFT JOIN `Segment` s ON s.`id` = r.`segmentId` WHERE r.`flagId` = ?;
-- name: rules_of_key
-- expect: SI-1
SELECT r.`position`, r.`variant` FROM `Flag` f JOIN `Rule` r ON r.`flagId` = f.`id` WHERE f.`orgId` = ? AND f.`key` = ? ORDER BY r.`position`;
-- name: rules_using_segment
-- expect: unbounded
SELECT `flagId` FROM `Rule` WHERE `segmentId` = ?;
-- name: rules_json
-- expect: SI-0
SELECT f.`id`, (SELECT COUNT(*) FROM `Rule` r WHERE r.`flagId` = f.`id`) AS `rules` FROM `Flag` f WHERE f.`id` IN (?, ?, ?);
-- name: segments_by_kind
-- expect: SI-1
SELECT `id` FROM `Segment` WHERE `orgId` = ? AND `kind` = ? ORDER BY `id` LIMIT 20;
-- name: segments_by_json
-- expect: unbounded
SELECT `id` FROM `Segment` WHERE `orgId` = ? AND JSON_CONTAINS(`definition`, JSON_QUOTE(?), '$.users');
-- name: evaluation_once
-- expect: SI-1
SELECT `variant` FROM `Evaluation` WHERE `flagId` = ? AND `subject` = ?;
-- name: evaluation_counts
-- expect: unbounded
SELECT `variant`, COUNT(*) FROM `Evaluation` WHERE `flagId` = ? GROUP BY `variant`;
-- name: evaluation_counts_top
-- expect: SI-2
SELECT `variant`, COUNT(*) AS c, AVG(`ms`) AS a FROM `Evaluation` WHERE `flagId` = ? GROUP BY `variant` ORDER BY c DESC LIMIT 5;
-- name: evaluation_counts_variant
-- expect: SI-2
SELECT COUNT(*), AVG(`ms`), STDDEV_POP(`ms`) FROM `Evaluation` WHERE `flagId` = ? AND `variant` = ?;
-- name: evaluation_counts_day
-- expect: SI-2
SELECT COUNT(*) FROM `Evaluation` WHERE `flagId` = ? AND DATE(`at`) = ?;
-- name: evaluation_counts_org
-- expect: unbounded
SELECT COUNT(*) FROM `Evaluation` e JOIN `Flag` f ON f.`id` = e.`flagId` WHERE f.`orgId` = ?;
-- name: evaluation_bit_or
-- expect: unbounded
SELECT BIT_OR(`ms`) FROM `Evaluation` WHERE `flagId` = ?;
-- name: evaluation_group_concat
-- expect: unbounded
SELECT GROUP_CONCAT(`subject` ORDER BY `at` SEPARATOR ',') FROM `Evaluation` WHERE `flagId` = ?;
-- name: evaluation_upsert
-- expect: SI-0
INSERT INTO `Evaluation` (`flagId`, `subject`, `variant`, `at`) SELECT `flagId`, ?, 'on', NOW(3) FROM `Rule` WHERE `flagId` = ? AND `position` = ? ON DUPLICATE KEY UPDATE `variant` = VALUES(`variant`);
-- name: audit_page
-- expect: SI-0
SELECT `seq`, `verb` FROM `AuditEvent` WHERE `orgId` = ? AND `seq` < ? ORDER BY `seq` DESC LIMIT 100;
-- name: audit_page_by_verbs
-- expect: SI-1
SELECT `seq`, `verb` FROM `AuditEvent` WHERE `orgId` = ? AND `verb` IN ('create', 'delete') ORDER BY `seq` DESC LIMIT 100;
-- name: audit_next
-- expect: SI-0
SELECT COALESCE(MAX(`seq`), 0) + 1 FROM `AuditEvent` WHERE `orgId` = ?;
-- name: audit_found_rows
-- expect: unbounded
SELECT SQL_CALC_FOUND_ROWS `seq` FROM `AuditEvent` WHERE `orgId` = ? ORDER BY `seq` DESC LIMIT 10;
-- name: audit_all_offset
-- expect: unbounded
SELECT `seq` FROM `AuditEvent` WHERE `orgId` = ? ORDER BY `seq` LIMIT 18446744073709551615 OFFSET 10;
-- name: delete_flag
-- expect: SI-0
DELETE FROM `Flag` WHERE `id` = ?;
-- name: delete_segment
-- expect: unbounded
DELETE FROM `Segment` WHERE `id` = ?;
-- name: delete_org
-- expect: SI-1
DELETE FROM `Organization` WHERE `id` = ?;
-- name: rename_org_key
-- expect: unbounded
UPDATE `Organization` SET `id` = ? WHERE `id` = ?;
-- name: delete_flags_archived
-- expect: SI-1
DELETE FROM `Flag` WHERE `orgId` = ? AND `archivedAt` < ? ORDER BY `archivedAt` LIMIT 100;
