-- dialect: sqlite
CREATE TABLE accounts (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE COLLATE NOCASE, kind TEXT CHECK (kind IN ('imap', 'pop')));
CREATE TABLE folders (account_id INTEGER NOT NULL REFERENCES accounts (id), path TEXT NOT NULL, uidvalidity INT, unread INT, PRIMARY KEY (account_id, path)) WITHOUT ROWID;
CREATE TABLE messages (account_id INTEGER NOT NULL, path TEXT NOT NULL, uid INTEGER NOT NULL, subject TEXT, sender TEXT, date INTEGER, seen BOOLEAN NOT NULL DEFAULT 0, size INT, PRIMARY KEY (account_id, path, uid)) STRICT, WITHOUT ROWID;
CREATE TABLE labels (name TEXT PRIMARY KEY, color TEXT);
CREATE TABLE message_labels (account_id INTEGER, uid INTEGER, label TEXT, PRIMARY KEY (account_id, uid, label));
CREATE TABLE attachments (id INTEGER PRIMARY KEY AUTOINCREMENT, message_uid INT NOT NULL, hash BLOB, name TEXT, UNIQUE (message_uid, name));
CREATE TABLE kv (k TEXT PRIMARY KEY NOT NULL, v ANY) STRICT;
CREATE TABLE kv_loose (k PRIMARY KEY, v);
CREATE TABLE contacts (id INT PRIMARY KEY, email TEXT, name TEXT);
CREATE UNIQUE INDEX contacts_email ON contacts (email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX contacts_lower ON contacts (lower(name));
CREATE VIRTUAL TABLE messages_fts USING fts5 (subject, sender, content='messages');
CREATE TEMP TABLE scratch (id INTEGER PRIMARY KEY, n INT);
CREATE TABLE prio (level INTEGER PRIMARY KEY CHECK (level IN (1, 2, 3)), label TEXT);
CREATE TRIGGER t_ins AFTER INSERT ON messages BEGIN UPDATE folders SET unread = unread + 1 WHERE account_id = new.account_id AND path = new.path; END;

-- name: account
-- expect: SI-0
SELECT * FROM accounts WHERE id = ?;
-- name: account_rowid
-- expect: SI-0
SELECT * FROM accounts WHERE rowid = ?;
-- name: account_by_email
-- expect: SI-1
SELECT * FROM accounts WHERE email = ?;
-- name: account_by_email_binary
-- expect: unbounded
SELECT * FROM accounts WHERE email = ? COLLATE BINARY;
-- name: folder
-- expect: SI-0
SELECT * FROM folders WHERE account_id = ? AND path = ?;
-- name: folders
-- expect: unbounded
SELECT path FROM folders WHERE account_id = ?;
-- name: folder_page
-- expect: SI-0
SELECT path FROM folders WHERE account_id = ? AND path > ? ORDER BY path LIMIT 50;
-- name: message
-- expect: SI-0
SELECT * FROM messages WHERE account_id = ? AND path = ? AND uid = ?;
-- name: newest_uid
-- expect: SI-0
SELECT max(uid) FROM messages WHERE account_id = ? AND path = ?;
-- name: bare_column_max
-- expect: SI-0
SELECT max(uid), subject FROM messages WHERE account_id = ? AND path = ?;
-- name: unread_page
-- expect: SI-1
SELECT uid, subject FROM messages WHERE account_id = ? AND path = ? AND NOT seen ORDER BY date DESC LIMIT 50;
-- name: unread_page_is
-- expect: SI-1
SELECT uid FROM messages WHERE account_id = ? AND path = ? AND seen IS 0 ORDER BY date DESC LIMIT 50;
-- name: limit_offset_comma
-- expect: SI-1
SELECT uid FROM messages WHERE account_id = ? ORDER BY date LIMIT 100, 10;
-- name: limit_negative
-- expect: unbounded
SELECT uid FROM messages WHERE account_id = ? ORDER BY date LIMIT -5;
-- name: limit_negative_expr
-- expect: unbounded
SELECT uid FROM messages WHERE account_id = ? ORDER BY date LIMIT 5 - 10;
-- name: limit_text
-- expect: unbounded
SELECT uid FROM messages WHERE account_id = ? ORDER BY date LIMIT CAST(? AS TEXT) || '000000';
-- name: message_labels
-- expect: unbounded
SELECT label FROM message_labels WHERE account_id = ? AND uid = ?;
-- name: message_label
-- expect: SI-0
SELECT 1 FROM message_labels WHERE account_id = ? AND uid = ? AND label = ?;
-- name: message_label_nulls
-- expect: unbounded
SELECT 1 FROM message_labels WHERE account_id = ? AND uid = ? AND label IS ?;
-- name: label_null_pk
-- expect: unbounded
SELECT color FROM labels WHERE name IS NULL;
-- name: label_is_param
-- expect: unbounded
SELECT color FROM labels WHERE name IS ?;
-- name: kv
-- expect: SI-0
SELECT v FROM kv WHERE k = ?;
-- name: kv_loose
-- expect: SI-0
SELECT v FROM kv_loose WHERE k = ?;
-- name: kv_number
-- expect: unbounded
SELECT v FROM kv WHERE CAST(k AS INTEGER) = ?;
-- name: contact
-- expect: SI-1
SELECT * FROM contacts WHERE email = ?;
-- name: contact_lower
-- expect: SI-1
SELECT * FROM contacts WHERE lower(name) = lower(?);
-- name: contact_like
-- expect: unbounded
SELECT * FROM contacts WHERE email LIKE ?;
-- name: contact_glob
-- expect: unbounded
SELECT * FROM contacts WHERE email GLOB ?;
-- name: contact_id_null
-- expect: unbounded
SELECT * FROM contacts WHERE id IS NULL;
-- name: fts
-- expect: unbounded
SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 20;
-- name: fts_column
-- expect: unbounded
SELECT rowid FROM messages_fts WHERE subject MATCH 'invoice' LIMIT 20;
-- name: json_each
-- expect: unbounded
SELECT m.uid FROM messages m JOIN json_each(?) j ON m.uid = j.value WHERE m.account_id = ? AND m.path = ?;
-- name: generate
-- expect: unbounded
SELECT value FROM generate_series(1, ?);
-- name: prio_all
-- expect: SI-0
SELECT * FROM prio;
-- name: prio_join
-- expect: SI-0
SELECT p.label, k.v FROM prio p LEFT JOIN kv k ON k.k = p.label;
-- name: attach
-- expect: unbounded
SELECT * FROM attachments WHERE message_uid = ?;
-- name: attach_named
-- expect: SI-1
SELECT * FROM attachments WHERE message_uid = ? AND name = ?;
-- name: attach_hash
-- expect: unbounded
SELECT * FROM attachments WHERE hash = x'00';
-- name: scratch
-- expect: SI-0
SELECT n FROM scratch WHERE id = ?;
-- name: upsert
-- expect: SI-0
INSERT INTO kv (k, v) SELECT k, v FROM kv WHERE k = ? ON CONFLICT (k) DO UPDATE SET v = excluded.v;
-- name: update_from
-- expect: SI-0
UPDATE folders SET unread = a.id FROM accounts a WHERE a.id = folders.account_id AND folders.account_id = ? AND folders.path = ?;
-- name: delete_limit
-- expect: SI-1
DELETE FROM messages WHERE account_id = ? ORDER BY date LIMIT 10;
-- name: count_filter
-- expect: SI-2
SELECT count(*) FILTER (WHERE NOT seen) FROM messages WHERE account_id = ? AND path = ?;
-- name: total_size
-- expect: SI-2
SELECT total(size) FROM messages WHERE account_id = ? AND path = ?;
-- name: group_concat
-- expect: unbounded
SELECT group_concat(subject) FROM messages WHERE account_id = ? AND path = ?;
-- name: iif
-- expect: unbounded
SELECT uid FROM messages WHERE account_id = ? AND path = ? AND uid = iif(? > 0, ?, uid);
-- name: window_running
-- expect: unbounded
SELECT uid, sum(size) OVER (ORDER BY uid) FROM messages WHERE account_id = ? AND path = ? LIMIT 10;
-- name: text_key_number
-- expect: SI-0
SELECT v FROM kv WHERE k = 5;
