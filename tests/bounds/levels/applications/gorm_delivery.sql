-- dialect: mysql
-- Deliveries as GORM and Sequelize ask MySQL for them.
CREATE TABLE `couriers` (`id` bigint unsigned AUTO_INCREMENT, `created_at` datetime(3) NULL, `updated_at` datetime(3) NULL, `deleted_at` datetime(3) NULL, `phone` varchar(20) NOT NULL, `city` varchar(40) NOT NULL, `rating` decimal(3,2) NOT NULL, `online` tinyint(1) NOT NULL, `lat` double, `lng` double, PRIMARY KEY (`id`), UNIQUE INDEX `uni_phone` (`phone`), INDEX `idx_deleted` (`deleted_at`));
CREATE TABLE `parcels` (`id` bigint unsigned AUTO_INCREMENT, `tracking` char(12) NOT NULL, `sender_id` bigint unsigned NOT NULL, `courier_id` bigint unsigned, `state` enum('new','picked','done','lost') NOT NULL, `weight` int NOT NULL, `tags` json, `note` text, `due` datetime NOT NULL, `due_day` date GENERATED ALWAYS AS (date(`due`)) STORED, `deleted_at` datetime(3) NULL, PRIMARY KEY (`id`), UNIQUE KEY `uni_tracking` (`tracking`), FULLTEXT KEY `ft_note` (`note`), CONSTRAINT `fk_courier` FOREIGN KEY (`courier_id`) REFERENCES `couriers` (`id`));
CREATE TABLE `stops` (`parcel_id` bigint unsigned NOT NULL, `seq` tinyint unsigned NOT NULL, `at` datetime NOT NULL, `place` varchar(80) NOT NULL, PRIMARY KEY (`parcel_id`,`seq`), CONSTRAINT `fk_parcel` FOREIGN KEY (`parcel_id`) REFERENCES `parcels` (`id`) ON DELETE CASCADE);
CREATE TABLE `pings` (`courier_id` bigint unsigned NOT NULL, `at` bigint NOT NULL, `lat` double NOT NULL, `lng` double NOT NULL, PRIMARY KEY (`courier_id`, `at`));
CREATE TABLE `zones` (`city` varchar(40) NOT NULL, `code` varchar(8) NOT NULL, `fee` int NOT NULL, PRIMARY KEY (`city`, `code`));
CREATE TABLE `attachments` (`id` bigint AUTO_INCREMENT PRIMARY KEY, `owner_type` varchar(30) NOT NULL, `owner_id` bigint NOT NULL, `kind` varchar(20) NOT NULL, `url` text NOT NULL, UNIQUE KEY (`owner_type`, `owner_id`, `kind`));

-- name: g1
-- expect: SI-0
SELECT * FROM `couriers` WHERE `couriers`.`id` = ? AND `couriers`.`deleted_at` IS NULL ORDER BY `couriers`.`id` LIMIT 1;
-- name: g2
-- expect: SI-1
SELECT * FROM `couriers` WHERE phone = ? AND `couriers`.`deleted_at` IS NULL;
-- name: g3
-- expect: unbounded
SELECT * FROM `couriers` WHERE phone = 4917012345;
-- name: g4
-- expect: unbounded
SELECT * FROM `couriers` WHERE phone LIKE ?;
-- name: g5
-- expect: unbounded
SELECT * FROM `couriers` WHERE phone LIKE CONCAT(?, '%');
-- name: g6
-- expect: SI-1
SELECT * FROM `couriers` WHERE phone LIKE CONCAT(?, '%') ORDER BY phone LIMIT 20;
-- name: g7
-- expect: unbounded
SELECT * FROM `couriers` WHERE phone LIKE CONCAT('%', ?, '%') ORDER BY phone LIMIT 20;
-- name: g8
-- expect: unbounded
SELECT * FROM `couriers` WHERE BINARY phone = ?;
-- name: g9
-- expect: SI-1
SELECT * FROM `couriers` WHERE city = ? AND online = 1 AND deleted_at IS NULL ORDER BY rating DESC, id LIMIT ?;
-- name: g10
-- expect: SI-1
SELECT * FROM `couriers` WHERE city = ? AND online AND NOT deleted_at IS NOT NULL ORDER BY rating DESC LIMIT 10 OFFSET 20;
-- name: g11
-- expect: unbounded
SELECT * FROM `couriers` WHERE city = ? ORDER BY (lat - ?) * (lat - ?) + (lng - ?) * (lng - ?) LIMIT 10;
-- name: g12
-- expect: unbounded
SELECT * FROM `couriers` WHERE lat BETWEEN ? AND ? AND lng BETWEEN ? AND ? LIMIT 50;
-- name: g13
-- expect: SI-1
SELECT * FROM `couriers` WHERE lat BETWEEN ? AND ? ORDER BY lat LIMIT 50;
-- name: g14
-- expect: SI-2
SELECT count(*) FROM `couriers` WHERE city = ? AND online = true AND `couriers`.`deleted_at` IS NULL;
-- name: g15
-- expect: SI-2
SELECT city, COUNT(*) AS n, AVG(rating) AS r FROM `couriers` WHERE deleted_at IS NULL GROUP BY city ORDER BY n DESC LIMIT 10;
-- name: g16
-- expect: unbounded
SELECT city, COUNT(*) AS n FROM `couriers` GROUP BY city WITH ROLLUP LIMIT 10;
-- name: g17
-- expect: unbounded
SELECT city, COUNT(*) AS n FROM `couriers` GROUP BY city HAVING n > ?;
-- name: g18
-- expect: SI-2
SELECT city, COUNT(*) AS n FROM `couriers` GROUP BY city HAVING n > ? ORDER BY n DESC LIMIT 5;
-- name: g19
-- expect: SI-1
SELECT * FROM `parcels` WHERE tracking = ? LIMIT 1;
-- name: g20
-- expect: SI-1
SELECT `parcels`.*, `Courier`.`phone` AS `Courier__phone` FROM `parcels` LEFT JOIN `couriers` `Courier` ON `parcels`.`courier_id` = `Courier`.`id` AND `Courier`.`deleted_at` IS NULL WHERE `parcels`.`tracking` = ?;
-- name: g21
-- expect: unbounded
SELECT `p`.id FROM `parcels` p JOIN `couriers` c ON `p`.`courier_id` = c.`id` AND c.`deleted_at` IS NULL WHERE p.sender_id = ? ORDER BY p.due LIMIT 10;
-- name: g22
-- expect: SI-1
SELECT `p`.id FROM `parcels` p LEFT JOIN `couriers` c ON `p`.`courier_id` = c.`id` AND c.`deleted_at` IS NULL WHERE p.sender_id = ? ORDER BY p.due LIMIT 10;
-- name: g23
-- expect: unbounded
SELECT `p`.id FROM `parcels` p LEFT JOIN `couriers` c ON `p`.`courier_id` = c.`id` WHERE p.sender_id = ? AND c.deleted_at IS NULL ORDER BY p.due LIMIT 10;
-- name: g24
-- expect: unbounded
SELECT `p`.id FROM `parcels` p LEFT JOIN `couriers` c ON `p`.`courier_id` = c.`id` WHERE p.sender_id = ? ORDER BY c.rating, p.due LIMIT 10;
-- name: g25
-- expect: SI-0
SELECT * FROM `stops` WHERE `stops`.`parcel_id` IN (?,?,?,?);
-- name: g26
-- expect: SI-0
SELECT * FROM `stops` WHERE `stops`.`parcel_id` = ? ORDER BY seq LIMIT 100;
-- name: g27
-- expect: SI-0
SELECT * FROM `stops` WHERE (parcel_id, seq) IN ((?, ?), (?, ?));
-- name: g28
-- expect: SI-0
SELECT * FROM `stops` WHERE (parcel_id = ? AND seq = ?) OR (parcel_id = ? AND seq = ?);
-- name: g29
-- expect: SI-0
SELECT MAX(seq) FROM `stops` WHERE parcel_id = ?;
-- name: g30
-- expect: SI-0
SELECT * FROM `stops` s WHERE s.parcel_id = ? AND s.seq = (SELECT MAX(seq) FROM stops t WHERE t.parcel_id = s.parcel_id);
-- name: g31
-- expect: unbounded
SELECT s.* FROM `stops` s JOIN (SELECT parcel_id, MAX(seq) AS m FROM stops GROUP BY parcel_id) t ON t.parcel_id = s.parcel_id AND t.m = s.seq WHERE s.place = ?;
-- name: g32
-- expect: SI-0
SELECT * FROM `pings` WHERE courier_id = ? ORDER BY at DESC LIMIT 1;
-- name: g33
-- expect: unbounded
SELECT * FROM `pings` WHERE courier_id = ? AND at > UNIX_TIMESTAMP() - 3600;
-- name: g34
-- expect: SI-0
SELECT * FROM `pings` WHERE courier_id = ? AND at BETWEEN ? AND ? ORDER BY at LIMIT 500;
-- name: g35
-- expect: unbounded
SELECT AVG(lat) FROM `pings` WHERE courier_id = ? AND at BETWEEN ? AND ?;
-- name: g36
-- expect: SI-0
SELECT AVG(lat) FROM (SELECT lat FROM `pings` WHERE courier_id = ? ORDER BY at DESC LIMIT 60) recent;
-- name: g37
-- expect: unbounded
SELECT * FROM `pings` WHERE at = ?;
-- name: g38
-- expect: SI-1
SELECT * FROM `parcels` WHERE courier_id = ? AND state = 'picked' AND deleted_at IS NULL ORDER BY due LIMIT 30;
-- name: g39
-- expect: SI-1
SELECT * FROM `parcels` WHERE courier_id = ? AND state IN ('new', 'picked') AND deleted_at IS NULL ORDER BY due LIMIT 30;
-- name: g40
-- expect: SI-1
SELECT * FROM `parcels` WHERE courier_id = ? AND state <> 'done' ORDER BY due LIMIT 30;
-- name: g41
-- expect: SI-1
SELECT * FROM `parcels` WHERE courier_id IS NULL AND state = 'new' ORDER BY due LIMIT 30;
-- name: g42
-- expect: unbounded
SELECT * FROM `parcels` WHERE courier_id IS NULL AND state = 'new';
-- name: g43
-- expect: SI-1
SELECT * FROM `parcels` WHERE due_day = ? AND courier_id = ? ORDER BY id LIMIT 30;
-- name: g44
-- expect: unbounded
SELECT * FROM `parcels` WHERE due_day = ? AND courier_id = ?;
-- name: g45
-- expect: unbounded
SELECT * FROM `parcels` WHERE JSON_CONTAINS(tags, ?) LIMIT 10;
-- name: g46
-- expect: SI-1
SELECT * FROM `parcels` WHERE JSON_UNQUOTE(JSON_EXTRACT(tags, '$.color')) = ? LIMIT 10;
-- name: g47
-- expect: unbounded
SELECT * FROM `parcels` WHERE JSON_EXTRACT(tags, ?) = 'red' LIMIT 10;
-- name: g48
-- expect: unbounded
SELECT * FROM `parcels` WHERE MATCH(note) AGAINST (? IN BOOLEAN MODE) LIMIT 10;
-- name: g49
-- expect: SI-0
INSERT INTO `stops` (`parcel_id`,`seq`,`at`,`place`) VALUES (?,?,?,?) ON DUPLICATE KEY UPDATE `at`=VALUES(`at`),`place`=VALUES(`place`);
-- name: g50
-- expect: unbounded
INSERT INTO `stops` (`parcel_id`,`seq`,`at`,`place`) VALUES (?,?,?,?) ON DUPLICATE KEY UPDATE `place`=(SELECT MAX(place) FROM `parcels` p JOIN zones z ON z.city = p.note WHERE p.weight > ?);
-- name: g51
-- expect: SI-0
INSERT INTO `stops` SELECT ?, COALESCE(MAX(seq), 0) + 1, NOW(), ? FROM stops WHERE parcel_id = ?;
-- name: g52
-- expect: SI-0
UPDATE `parcels` SET `deleted_at`=NOW(3) WHERE `parcels`.`id` = ? AND `parcels`.`deleted_at` IS NULL;
-- name: g53
-- expect: unbounded
UPDATE `parcels` SET `deleted_at`=NOW(3) WHERE sender_id = ? AND `parcels`.`deleted_at` IS NULL;
-- name: g54
-- expect: SI-1
UPDATE `parcels` SET `state`='lost' WHERE sender_id = ? ORDER BY id LIMIT 100;
-- name: g55
-- expect: SI-1
DELETE FROM `attachments` WHERE owner_type = 'parcels' AND owner_id = ? AND kind = ?;
-- name: g56
-- expect: unbounded
DELETE FROM `attachments` WHERE owner_type = 'parcels' AND owner_id = ?;
-- name: g57
-- expect: SI-1
SELECT a.url FROM `attachments` a JOIN `parcels` p ON a.owner_id = p.id AND a.owner_type = 'parcels' AND a.kind = 'label' WHERE p.id = ?;
-- name: g58
-- expect: unbounded
SELECT a.url FROM `attachments` a JOIN `parcels` p ON a.owner_id = p.id AND a.kind = 'label' WHERE p.id = ?;
-- name: g59
-- expect: unbounded
SELECT z.fee FROM zones z, couriers c WHERE c.id = ? AND z.city = c.city;
-- name: g60
-- expect: SI-0
SELECT z.fee FROM zones z, couriers c WHERE c.id = ? AND z.city = c.city AND z.code = ?;
-- name: g61
-- expect: SI-0
SELECT STRAIGHT_JOIN z.fee FROM zones z JOIN couriers c ON z.city = c.city WHERE c.id = ? AND z.code = ?;
-- name: g62
-- expect: SI-0
SELECT p.id, (SELECT COUNT(*) FROM (SELECT 1 FROM stops s WHERE s.parcel_id = p.id LIMIT 5) q) AS n FROM parcels p WHERE p.id = ?;
-- name: g63
-- expect: SI-0
SELECT p.id, (SELECT COUNT(*) FROM stops s WHERE s.parcel_id = p.id) AS n FROM parcels p WHERE p.id IN (?, ?);
-- name: g64
-- expect: unbounded
SELECT p.id, (SELECT COUNT(*) FROM parcels s WHERE s.weight > p.weight) AS n FROM parcels p WHERE p.id IN (?, ?);
-- name: g65
-- expect: unbounded
SELECT p.id FROM parcels p WHERE p.id IN (?, ?) ORDER BY (SELECT COUNT(*) FROM parcels s WHERE s.weight > p.weight);
-- name: g66
-- expect: SI-0
SELECT p.id FROM parcels p WHERE p.id IN (?, ?) ORDER BY FIELD(p.id, ?, ?);
-- name: g67
-- expect: SI-0
SELECT GROUP_CONCAT(place ORDER BY seq) FROM stops WHERE parcel_id = ?;
-- name: g68
-- expect: SI-0
SELECT DISTINCT place FROM stops WHERE parcel_id = ?;
-- name: g69
-- expect: SI-0
SELECT DISTINCT place FROM stops WHERE parcel_id = ? ORDER BY place LIMIT 5;
-- name: g70
-- expect: unbounded
SELECT SQL_NO_CACHE * FROM parcels p USE INDEX (uni_tracking) WHERE p.weight = ? AND p.note = ?;
