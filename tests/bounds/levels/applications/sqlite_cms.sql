-- dialect: sqlite
CREATE TABLE sites (id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE, theme TEXT) STRICT;
CREATE TABLE pages (id INTEGER PRIMARY KEY AUTOINCREMENT, site_id INTEGER NOT NULL REFERENCES sites (id), parent_id INTEGER REFERENCES pages (id) ON DELETE CASCADE, slug TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('draft', 'live', 'gone')), position INTEGER NOT NULL DEFAULT 0, published_at INTEGER, word_count INTEGER GENERATED ALWAYS AS (length(title)) VIRTUAL) STRICT;
CREATE UNIQUE INDEX pages_slug ON pages (site_id, slug);
CREATE UNIQUE INDEX pages_root ON pages (site_id) WHERE parent_id IS NULL;
CREATE TABLE page_paths (ancestor INTEGER NOT NULL, descendant INTEGER NOT NULL, depth INTEGER NOT NULL, PRIMARY KEY (ancestor, descendant)) STRICT, WITHOUT ROWID;
CREATE TABLE revisions (page_id INTEGER NOT NULL, rev INTEGER NOT NULL, author TEXT, body TEXT NOT NULL, saved_at INTEGER NOT NULL, PRIMARY KEY (page_id, rev)) STRICT, WITHOUT ROWID;
CREATE TABLE translations (page_id INTEGER NOT NULL, lang TEXT NOT NULL CHECK (lang IN ('de', 'en', 'fr')), title TEXT, PRIMARY KEY (page_id, lang)) STRICT, WITHOUT ROWID;
CREATE TABLE translations_loose (page_id INTEGER, lang TEXT CHECK (lang IN ('de', 'en', 'fr')), title TEXT, PRIMARY KEY (page_id, lang));
CREATE TABLE tags (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, uses INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE page_tags (page_id INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (tag, page_id)) STRICT, WITHOUT ROWID;
CREATE TABLE assets (sha BLOB PRIMARY KEY NOT NULL, mime TEXT NOT NULL, bytes INTEGER NOT NULL, uploaded INTEGER NOT NULL) STRICT;
CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
CREATE TABLE visits (page_id INTEGER NOT NULL, day TEXT NOT NULL, hits INTEGER NOT NULL, PRIMARY KEY (page_id, day)) STRICT, WITHOUT ROWID;
CREATE TABLE redirects (from_path TEXT, to_path TEXT, UNIQUE (from_path));
CREATE INDEX pages_lower ON pages (lower(title));

-- name: site_by_host
-- expect: SI-1
SELECT * FROM sites WHERE host = ?;
-- name: page_by_host_slug
-- expect: SI-1
SELECT p.* FROM sites s JOIN pages p ON p.site_id = s.id WHERE s.host = ? AND p.slug = ?;
-- name: root_page
-- expect: SI-1
SELECT * FROM pages WHERE site_id = ? AND parent_id IS NULL;
-- name: root_page_is
-- expect: unbounded
SELECT * FROM pages WHERE site_id = ? AND parent_id IS ?;
-- name: children
-- expect: unbounded
SELECT id, title FROM pages WHERE parent_id = ? ORDER BY position;
-- name: children_first
-- expect: SI-1
SELECT id, title FROM pages WHERE parent_id = ? AND status = 'live' ORDER BY position, id LIMIT 50;
-- name: children_not_gone
-- expect: SI-1
SELECT id FROM pages WHERE parent_id = ? AND status <> 'gone' ORDER BY position LIMIT 50;
-- name: breadcrumbs
-- expect: unbounded
SELECT p.title FROM page_paths x JOIN pages p ON p.id = x.ancestor WHERE x.descendant = ? ORDER BY x.depth DESC;
-- name: breadcrumbs_limited
-- expect: SI-1
SELECT p.title FROM page_paths x JOIN pages p ON p.id = x.ancestor WHERE x.descendant = ? ORDER BY x.depth DESC LIMIT 10;
-- name: subtree_live
-- expect: unbounded
SELECT p.id FROM page_paths x JOIN pages p ON p.id = x.descendant WHERE x.ancestor = ? AND p.status = 'live' LIMIT 100;
-- name: neighbours
-- expect: SI-1
SELECT (SELECT id FROM pages WHERE parent_id = :p AND position < :pos ORDER BY position DESC LIMIT 1) AS prev, (SELECT id FROM pages WHERE parent_id = :p AND position > :pos ORDER BY position LIMIT 1) AS next;
-- name: newest_revision
-- expect: SI-0
SELECT body FROM revisions WHERE page_id = ? ORDER BY rev DESC LIMIT 1;
-- name: newest_revision_max
-- expect: SI-0
SELECT r.body FROM revisions r WHERE r.page_id = ?1 AND r.rev = (SELECT MAX(rev) FROM revisions WHERE page_id = ?1);
-- name: revision_count
-- expect: SI-2
SELECT COUNT(*) FROM revisions WHERE page_id = ?;
-- name: revision_diff
-- expect: SI-0
SELECT a.body, b.body FROM revisions a JOIN revisions b ON b.page_id = a.page_id AND b.rev = a.rev - 1 WHERE a.page_id = ? AND a.rev = ?;
-- name: revision_older
-- expect: unbounded
SELECT a.rev, b.rev FROM revisions a JOIN revisions b ON b.page_id = a.page_id AND b.rev < a.rev WHERE a.page_id = ? AND a.rev = ?;
-- name: authors_of_page
-- expect: unbounded
SELECT DISTINCT author FROM revisions WHERE page_id = ?;
-- name: authors_of_page_first
-- expect: SI-1
SELECT DISTINCT author FROM revisions WHERE page_id = ? ORDER BY author LIMIT 5;
-- name: newest_by_author
-- expect: SI-1
SELECT page_id, rev FROM revisions WHERE author = ? ORDER BY saved_at DESC LIMIT 20;
-- name: translations_of
-- expect: SI-0
SELECT lang, title FROM translations WHERE page_id = ?;
-- name: translations_loose_of
-- expect: unbounded
SELECT lang, title FROM translations_loose WHERE page_id = ?;
-- name: translation_or_default
-- expect: SI-0
SELECT COALESCE((SELECT title FROM translations WHERE page_id = p.id AND lang = ?), p.title) FROM pages p WHERE p.id = ?;
-- name: missing_translation
-- expect: unbounded
SELECT p.id FROM pages p LEFT JOIN translations t ON t.page_id = p.id AND t.lang = ? WHERE p.site_id = ? AND t.title IS NULL LIMIT 20;
-- name: tag
-- expect: SI-0
SELECT uses FROM tags WHERE name = ?;
-- name: tag_binary
-- expect: unbounded
SELECT uses FROM tags WHERE name = ? COLLATE RTRIM;
-- name: tag_joined
-- expect: unbounded
SELECT t.uses FROM page_tags pt JOIN tags t ON t.name = pt.tag WHERE pt.page_id = ?;
-- name: pages_tagged
-- expect: SI-0
SELECT page_id FROM page_tags WHERE tag = ? ORDER BY page_id DESC LIMIT 20;
-- name: pages_tagged_newest
-- expect: unbounded
SELECT p.id FROM page_tags t JOIN pages p ON p.id = t.page_id WHERE t.tag = ? ORDER BY p.published_at DESC LIMIT 20;
-- name: pages_tagged_both
-- expect: unbounded
SELECT a.page_id FROM page_tags a INTERSECT SELECT b.page_id FROM page_tags b WHERE b.tag = ?;
-- name: pages_except
-- expect: unbounded
SELECT page_id FROM page_tags WHERE tag = ? EXCEPT SELECT page_id FROM page_tags WHERE tag = ? LIMIT 10;
-- name: tag_use_counts
-- expect: SI-2
SELECT tag, COUNT(*) AS n FROM page_tags GROUP BY tag ORDER BY n DESC LIMIT 30;
-- name: tag_page_is_tagged
-- expect: SI-0
SELECT EXISTS (SELECT 1 FROM page_tags WHERE tag = ? AND page_id = ?);
-- name: asset
-- expect: SI-0
SELECT mime FROM assets WHERE sha = ?;
-- name: asset_hex
-- expect: unbounded
SELECT mime FROM assets WHERE hex(sha) = ?;
-- name: asset_biggest
-- expect: SI-1
SELECT sha FROM assets WHERE mime LIKE 'image/%' ORDER BY mime, bytes DESC LIMIT 10;
-- name: asset_biggest_images
-- expect: SI-1
SELECT sha FROM assets WHERE mime LIKE 'image/%' ORDER BY bytes DESC LIMIT 10;
-- name: setting
-- expect: SI-0
SELECT value FROM settings WHERE key = 'home';
-- name: settings_in
-- expect: SI-0
SELECT key, value FROM settings WHERE key IN ('home', 'title', 'lang');
-- name: setting_glob
-- expect: SI-0
SELECT key FROM settings WHERE key >= 'mail.' AND key < 'mail/' ORDER BY key LIMIT 20;
-- name: hits_of_day
-- expect: SI-1
SELECT page_id, hits FROM visits WHERE day = ? ORDER BY hits DESC LIMIT 10;
-- name: hits_total
-- expect: SI-2
SELECT SUM(hits) FROM visits WHERE page_id = ?;
-- name: hits_between
-- expect: unbounded
SELECT SUM(hits) FROM visits WHERE page_id = ? AND day BETWEEN ? AND ?;
-- name: hits_month
-- expect: SI-2
SELECT SUM(hits) FROM visits WHERE page_id = ? AND substr(day, 1, 7) = ?;
-- name: hits_month_param_width
-- expect: unbounded
SELECT SUM(hits) FROM visits WHERE page_id = ? AND substr(day, 1, ?) = ?;
-- name: hits_days
-- expect: SI-0
SELECT day, hits FROM visits WHERE page_id = ? AND day IN (?, ?, ?, ?, ?, ?, ?);
-- name: hits_top_all_time
-- expect: SI-2
SELECT page_id, SUM(hits) AS h FROM visits GROUP BY page_id ORDER BY h DESC LIMIT 10;
-- name: redirect
-- expect: SI-1
SELECT to_path FROM redirects WHERE from_path = ?;
-- name: redirect_null
-- expect: unbounded
SELECT to_path FROM redirects WHERE from_path IS NULL;
-- name: title_lower
-- expect: unbounded
SELECT id FROM pages WHERE lower(title) = lower(?);
-- name: word_counts
-- expect: SI-1
SELECT id FROM pages WHERE site_id = ? ORDER BY word_count DESC LIMIT 3;
-- name: upsert_hit
-- expect: SI-0
UPDATE visits SET hits = hits + 1 WHERE page_id = ? AND day = date('now');
-- name: upsert_hit_insert
-- expect: SI-1
INSERT INTO visits (page_id, day, hits) SELECT id, ?, 1 FROM pages WHERE site_id = ? AND slug = ? ON CONFLICT (page_id, day) DO UPDATE SET hits = hits + 1;
-- name: replace_translation
-- expect: SI-0
INSERT OR REPLACE INTO translations (page_id, lang, title) SELECT page_id, 'fr', title FROM translations WHERE page_id = ? AND lang = 'de';
-- name: delete_old_revisions
-- expect: unbounded
DELETE FROM revisions WHERE page_id = ? AND rev < (SELECT MAX(rev) - 50 FROM revisions WHERE page_id = ?);
-- name: last_page_random
-- expect: unbounded
SELECT * FROM pages WHERE site_id = ? AND id >= abs(random()) % (SELECT MAX(id) FROM pages) ORDER BY id LIMIT 1;
