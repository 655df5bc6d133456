-- dialect: mysql
CREATE TABLE `wp_posts` (`ID` bigint unsigned NOT NULL AUTO_INCREMENT, `post_author` bigint unsigned NOT NULL DEFAULT '0', `post_date` datetime NOT NULL, `post_content` longtext NOT NULL, `post_title` text NOT NULL, `post_status` varchar(20) NOT NULL DEFAULT 'publish', `post_name` varchar(200) NOT NULL DEFAULT '', `post_parent` bigint unsigned NOT NULL DEFAULT '0', `menu_order` int NOT NULL DEFAULT '0', `post_type` varchar(20) NOT NULL DEFAULT 'post', `comment_count` bigint NOT NULL DEFAULT '0', PRIMARY KEY (`ID`), KEY `post_name` (`post_name`(191)), KEY `type_status_date` (`post_type`,`post_status`,`post_date`,`ID`), KEY `post_parent` (`post_parent`), KEY `post_author` (`post_author`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `wp_postmeta` (`meta_id` bigint unsigned NOT NULL AUTO_INCREMENT, `post_id` bigint unsigned NOT NULL DEFAULT '0', `meta_key` varchar(255) DEFAULT NULL, `meta_value` longtext, PRIMARY KEY (`meta_id`), KEY `post_id` (`post_id`), KEY `meta_key` (`meta_key`(191))) ENGINE=InnoDB;
CREATE TABLE `wp_options` (`option_id` bigint unsigned NOT NULL AUTO_INCREMENT, `option_name` varchar(191) NOT NULL DEFAULT '', `option_value` longtext NOT NULL, `autoload` varchar(20) NOT NULL DEFAULT 'yes', PRIMARY KEY (`option_id`), UNIQUE KEY `option_name` (`option_name`)) ENGINE=InnoDB;
CREATE TABLE `wp_term_relationships` (`object_id` bigint unsigned NOT NULL DEFAULT '0', `term_taxonomy_id` bigint unsigned NOT NULL DEFAULT '0', `term_order` int NOT NULL DEFAULT '0', PRIMARY KEY (`object_id`,`term_taxonomy_id`), KEY `term_taxonomy_id` (`term_taxonomy_id`));
CREATE TABLE `wp_term_taxonomy` (`term_taxonomy_id` bigint unsigned NOT NULL AUTO_INCREMENT, `term_id` bigint unsigned NOT NULL DEFAULT '0', `taxonomy` varchar(32) NOT NULL DEFAULT '', `count` bigint NOT NULL DEFAULT '0', PRIMARY KEY (`term_taxonomy_id`), UNIQUE KEY `term_id_taxonomy` (`term_id`,`taxonomy`));
CREATE TABLE `wp_terms` (`term_id` bigint unsigned NOT NULL AUTO_INCREMENT, `name` varchar(200) NOT NULL, `slug` varchar(200) NOT NULL, PRIMARY KEY (`term_id`), KEY `slug` (`slug`(191)));
CREATE TABLE `wp_comments` (`comment_ID` bigint unsigned NOT NULL AUTO_INCREMENT, `comment_post_ID` bigint unsigned NOT NULL, `comment_approved` varchar(20) NOT NULL DEFAULT '1', `comment_date_gmt` datetime NOT NULL, `comment_parent` bigint unsigned NOT NULL DEFAULT '0', `user_id` bigint unsigned NOT NULL, PRIMARY KEY (`comment_ID`));
CREATE TABLE page (page_id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, page_namespace int NOT NULL, page_title varbinary(255) NOT NULL, page_is_redirect tinyint unsigned NOT NULL DEFAULT 0, page_latest int unsigned NOT NULL, page_len int unsigned NOT NULL, UNIQUE INDEX page_name_title (page_namespace, page_title));
CREATE TABLE revision (rev_id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, rev_page int unsigned NOT NULL, rev_actor bigint unsigned NOT NULL, rev_timestamp binary(14) NOT NULL, rev_parent_id bigint unsigned DEFAULT NULL, INDEX rev_page_timestamp (rev_page, rev_timestamp));
CREATE TABLE pagelinks (pl_from int unsigned NOT NULL DEFAULT 0, pl_from_namespace int NOT NULL DEFAULT 0, pl_target_id bigint unsigned NOT NULL, PRIMARY KEY (pl_from, pl_target_id));
CREATE TABLE categorylinks (cl_from int unsigned NOT NULL, cl_to varbinary(255) NOT NULL, cl_sortkey varbinary(230) NOT NULL, cl_type ENUM('page', 'subcat', 'file') NOT NULL DEFAULT 'page', PRIMARY KEY (cl_from, cl_to));
CREATE TABLE watchlist (wl_id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, wl_user int unsigned NOT NULL, wl_namespace int NOT NULL DEFAULT 0, wl_title varbinary(255) NOT NULL, UNIQUE INDEX wl_user (wl_user, wl_namespace, wl_title));
CREATE TABLE site_stats (ss_row_id int unsigned NOT NULL PRIMARY KEY, ss_total_edits bigint unsigned);
CREATE TABLE geo_tags (gt_id int unsigned NOT NULL PRIMARY KEY AUTO_INCREMENT, gt_page_id int unsigned NOT NULL, gt_lat decimal(11, 8) NOT NULL, gt_lon decimal(11, 8) NOT NULL, gt_primary bool NOT NULL, location point NOT NULL, SPATIAL INDEX (location));

-- name: get_option
-- expect: SI-1
SELECT option_value FROM wp_options WHERE option_name = ? LIMIT 1;
-- name: get_option_unlimited
-- expect: SI-1
SELECT option_value FROM wp_options WHERE option_name = ?;
-- name: get_option_number
-- expect: unbounded
SELECT option_value FROM wp_options WHERE option_name = 42;
-- name: get_option_binary
-- expect: SI-1
SELECT option_value FROM wp_options WHERE option_name = BINARY ?;
-- name: autoload
-- expect: unbounded
SELECT option_name, option_value FROM wp_options WHERE autoload IN ('yes', 'on', 'auto-on', 'auto');
-- name: post_by_id
-- expect: SI-0
SELECT * FROM wp_posts WHERE ID = ? LIMIT 1;
-- name: post_ids_in
-- expect: SI-0
SELECT wp_posts.* FROM wp_posts WHERE ID IN (12, 14, 17, 99);
-- name: post_ids_list
-- expect: unbounded
SELECT wp_posts.* FROM wp_posts WHERE ID IN (?);
-- name: main_loop_found_rows
-- expect: unbounded
SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE 1=1 AND wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish') ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: main_loop
-- expect: SI-1
SELECT wp_posts.ID FROM wp_posts WHERE 1=1 AND ((wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish'))) ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: main_loop_private
-- expect: SI-1
SELECT wp_posts.ID FROM wp_posts WHERE 1=1 AND wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish' OR wp_posts.post_status = 'private') ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: page_n
-- expect: SI-1
SELECT wp_posts.ID FROM wp_posts WHERE wp_posts.post_type = 'post' AND wp_posts.post_status = 'publish' ORDER BY wp_posts.post_date DESC LIMIT ?, 10;
-- name: category_loop
-- expect: unbounded
SELECT wp_posts.ID FROM wp_posts LEFT JOIN wp_term_relationships ON (wp_posts.ID = wp_term_relationships.object_id) WHERE 1=1 AND (wp_term_relationships.term_taxonomy_id IN (5)) AND wp_posts.post_type = 'post' AND wp_posts.post_status = 'publish' GROUP BY wp_posts.ID ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: category_two
-- expect: unbounded
SELECT wp_posts.ID FROM wp_posts LEFT JOIN wp_term_relationships ON (wp_posts.ID = wp_term_relationships.object_id) WHERE 1=1 AND (wp_term_relationships.term_taxonomy_id IN (5, 8)) AND wp_posts.post_type = 'post' GROUP BY wp_posts.ID ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: meta_of_posts
-- expect: unbounded
SELECT post_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (1, 2, 3) ORDER BY meta_id ASC;
-- name: meta_one
-- expect: SI-1
SELECT meta_value FROM wp_postmeta WHERE post_id = ? AND meta_key = ? ORDER BY meta_id LIMIT 1;
-- name: meta_query
-- expect: unbounded
SELECT wp_posts.ID FROM wp_posts INNER JOIN wp_postmeta ON (wp_posts.ID = wp_postmeta.post_id) WHERE wp_postmeta.meta_key = '_price' AND CAST(wp_postmeta.meta_value AS SIGNED) BETWEEN ? AND ? GROUP BY wp_posts.ID ORDER BY wp_posts.post_date DESC LIMIT 0, 10;
-- name: slug_lookup
-- expect: unbounded
SELECT ID FROM wp_posts WHERE post_name = ? AND post_type IN ('page', 'attachment');
-- name: slug_exists
-- expect: SI-1
SELECT post_name FROM wp_posts WHERE post_name = ? AND post_type = 'post' AND ID != ? LIMIT 1;
-- name: search
-- expect: SI-1
SELECT ID FROM wp_posts WHERE (post_title LIKE '%foo%' OR post_content LIKE '%foo%') AND post_type = 'post' ORDER BY post_date DESC LIMIT 0, 10;
-- name: adjacent
-- expect: SI-1
SELECT p.ID FROM wp_posts AS p WHERE p.post_date < ? AND p.post_type = 'post' AND p.post_status = 'publish' ORDER BY p.post_date DESC LIMIT 1;
-- name: random_post
-- expect: unbounded
SELECT ID FROM wp_posts WHERE post_type = 'post' ORDER BY RAND() LIMIT 1;
-- name: archive_months
-- expect: unbounded
SELECT YEAR(post_date) AS `year`, MONTH(post_date) AS `month`, COUNT(ID) AS posts FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' GROUP BY YEAR(post_date), MONTH(post_date) ORDER BY post_date DESC;
-- name: posts_in_year
-- expect: SI-1
SELECT ID FROM wp_posts WHERE YEAR(post_date) = ? AND MONTH(post_date) = ? AND post_type = 'post' ORDER BY post_date DESC LIMIT 0, 10;
-- name: comments_thread
-- expect: unbounded
SELECT * FROM wp_comments WHERE comment_post_ID = ? AND comment_approved = '1' ORDER BY comment_date_gmt ASC;
-- name: comment_counts
-- expect: unbounded
SELECT comment_approved, COUNT(*) AS num_comments FROM wp_comments WHERE comment_post_ID = ? GROUP BY comment_approved;
-- name: comment_count_approved
-- expect: SI-2
SELECT COUNT(*) FROM wp_comments WHERE comment_post_ID = ? AND comment_approved = '1';
-- name: comment_count_approved_number
-- expect: unbounded
SELECT comment_ID FROM wp_comments WHERE comment_post_ID = ? AND comment_approved = 1 AND comment_ID > ? + RAND() LIMIT 10;
-- name: update_comment_count
-- expect: unbounded
UPDATE wp_posts SET comment_count = (SELECT COUNT(*) FROM wp_comments WHERE comment_post_ID = 7 AND comment_approved = '1') WHERE ID = 7;
-- name: options_upsert
-- expect: SI-1
UPDATE wp_options SET option_value = ? WHERE option_name = ?;
-- name: delete_expired_transients
-- expect: unbounded
DELETE a, b FROM wp_options a, wp_options b WHERE a.option_name LIKE '\_transient\_%' AND b.option_name = CONCAT('_transient_timeout_', SUBSTRING(a.option_name, 12)) AND b.option_value < ?;
-- name: delete_revisions_batch
-- expect: SI-1
DELETE FROM wp_posts WHERE post_type = 'revision' ORDER BY ID LIMIT 100;
-- name: delete_meta_of_post
-- expect: unbounded
DELETE FROM wp_postmeta WHERE post_id = ?;
-- name: update_limited
-- expect: SI-1
UPDATE wp_posts SET post_status = 'trash' WHERE post_status = 'auto-draft' AND post_date < ? ORDER BY post_date LIMIT 50;
-- name: children
-- expect: unbounded
SELECT * FROM wp_posts WHERE post_parent = ? ORDER BY menu_order;
-- name: wiki_page
-- expect: SI-1
SELECT page_id, page_latest FROM page WHERE page_namespace = 0 AND page_title = ? LIMIT 1;
-- name: wiki_page_text_number
-- expect: unbounded
SELECT page_id FROM page WHERE page_namespace = 0 AND page_title = 12;
-- name: wiki_latest
-- expect: SI-1
SELECT rev_id, rev_timestamp FROM page INNER JOIN revision ON rev_id = page_latest WHERE page_namespace = ? AND page_title = ?;
-- name: wiki_history
-- expect: SI-1
SELECT rev_id FROM revision WHERE rev_page = ? ORDER BY rev_timestamp DESC, rev_id DESC LIMIT 51;
-- name: wiki_history_forced
-- expect: SI-1
SELECT rev_id FROM revision FORCE INDEX (rev_page_timestamp) WHERE rev_page = ? AND rev_timestamp < ? ORDER BY rev_timestamp DESC LIMIT 51;
-- name: wiki_backlinks
-- expect: SI-1
SELECT pl_from FROM pagelinks WHERE pl_target_id = ? AND pl_from_namespace = 0 ORDER BY pl_from LIMIT 51;
-- name: wiki_backlinks_pages
-- expect: unbounded
SELECT page_id FROM pagelinks JOIN page ON page_id = pl_from WHERE pl_target_id = ? AND page_is_redirect = 0;
-- name: wiki_links_out
-- expect: unbounded
SELECT pl_target_id FROM pagelinks WHERE pl_from = ?;
-- name: wiki_category_members
-- expect: SI-1
SELECT cl_from FROM categorylinks WHERE cl_to = ? AND cl_type = 'page' ORDER BY cl_sortkey LIMIT 201;
-- name: wiki_category_members_all_types
-- expect: SI-1
SELECT cl_type, cl_from FROM categorylinks WHERE cl_to = ? ORDER BY cl_sortkey LIMIT 201;
-- name: wiki_category_counts
-- expect: SI-2
SELECT cl_type, COUNT(*) FROM categorylinks WHERE cl_to = ? GROUP BY cl_type;
-- name: wiki_watchers
-- expect: SI-2
SELECT COUNT(*) FROM watchlist WHERE wl_namespace = ? AND wl_title = ?;
-- name: wiki_watched
-- expect: SI-1
SELECT 1 FROM watchlist WHERE wl_user = ? AND wl_namespace = 0 AND wl_title = ?;
-- name: wiki_watched_ns
-- expect: unbounded
SELECT wl_title FROM watchlist WHERE wl_user = ? AND wl_namespace IN (0, 1);
-- name: wiki_recent_by_watch
-- expect: unbounded
SELECT rev_id FROM watchlist JOIN page ON page_namespace = wl_namespace AND page_title = wl_title JOIN revision ON rev_page = page_id WHERE wl_user = ? ORDER BY rev_timestamp DESC LIMIT 50;
-- name: wiki_stats
-- expect: SI-0
UPDATE site_stats SET ss_total_edits = ss_total_edits + 1 WHERE ss_row_id = 1;
-- name: wiki_stats_all
-- expect: unbounded
SELECT * FROM site_stats;
-- name: wiki_stats_first
-- expect: SI-0
SELECT * FROM site_stats LIMIT 1;
-- name: wiki_geo_box
-- expect: unbounded
SELECT gt_page_id FROM geo_tags WHERE gt_lat BETWEEN ? AND ? AND gt_lon BETWEEN ? AND ? LIMIT 100;
-- name: wiki_geo_primary
-- expect: SI-1
SELECT gt_lat, gt_lon FROM geo_tags WHERE gt_page_id = ? AND gt_primary = 1 LIMIT 1;
-- name: wiki_geo_distance
-- expect: unbounded
SELECT gt_page_id FROM geo_tags ORDER BY POW(gt_lat - ?, 2) + POW(gt_lon - ?, 2) LIMIT 10;
-- name: wiki_geo_st
-- expect: unbounded
SELECT gt_page_id FROM geo_tags WHERE ST_Contains(ST_MakeEnvelope(POINT(?, ?), POINT(?, ?)), location) LIMIT 10;
-- name: insert_ignore_select
-- expect: unbounded
INSERT IGNORE INTO watchlist (wl_user, wl_namespace, wl_title) SELECT ?, page_namespace, page_title FROM page WHERE page_namespace = ?;
-- name: replace_select
-- expect: SI-0
REPLACE INTO site_stats (ss_row_id, ss_total_edits) SELECT ss_row_id, ss_total_edits + 1 FROM site_stats WHERE ss_row_id = 1;
-- name: odku
-- expect: SI-1
INSERT INTO wp_options (option_name, option_value) SELECT option_name, option_value FROM wp_options WHERE option_name = ? ON DUPLICATE KEY UPDATE option_value = VALUES(option_value);
