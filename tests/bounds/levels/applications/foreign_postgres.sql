-- dialect: postgres
CREATE TABLE tenant (id bigint PRIMARY KEY, name text NOT NULL, plan text);
CREATE TABLE account (id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES tenant (id), email text NOT NULL, name text, age int, deleted_at timestamptz, settings jsonb, labels text[], created_at timestamptz NOT NULL, is_active boolean NOT NULL, manager_id bigint REFERENCES account (id), UNIQUE (tenant_id, email));
CREATE TABLE orders (id bigint PRIMARY KEY, account_id bigint NOT NULL REFERENCES account (id), tenant_id bigint NOT NULL REFERENCES tenant (id), status text NOT NULL CHECK (status IN ('new', 'paid', 'shipped')), total numeric(12,2) NOT NULL, created_at timestamptz NOT NULL, note text);
CREATE TABLE item (order_id bigint NOT NULL REFERENCES orders (id), line_no int NOT NULL, product_id bigint NOT NULL REFERENCES product (id), qty int NOT NULL, PRIMARY KEY (order_id, line_no));
CREATE TABLE product (id bigint PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL, price numeric(12,2) NOT NULL, category_id bigint);
CREATE TABLE category (id bigint PRIMARY KEY, parent_id bigint, name text NOT NULL);
CREATE TABLE member (account_id bigint NOT NULL REFERENCES account (id), team_id bigint NOT NULL REFERENCES team (id), role text NOT NULL, joined_at timestamptz NOT NULL, PRIMARY KEY (account_id, team_id));
CREATE TABLE team (id bigint PRIMARY KEY, tenant_id bigint NOT NULL, slug text NOT NULL UNIQUE);
CREATE TABLE job (id bigint PRIMARY KEY, queue text NOT NULL, state text NOT NULL, run_at timestamptz NOT NULL, attempts int NOT NULL, payload jsonb);
CREATE TABLE message (id bigint PRIMARY KEY, room_id bigint NOT NULL, sender_id bigint NOT NULL REFERENCES account (id), body text NOT NULL, sent_at timestamptz NOT NULL, reply_to bigint);
CREATE TABLE stock (product_id bigint NOT NULL REFERENCES product (id), place_id int NOT NULL, amount int NOT NULL, PRIMARY KEY (product_id, place_id));
CREATE TABLE log (at timestamptz NOT NULL, kind text, body jsonb);
CREATE TABLE session (token text PRIMARY KEY, account_id bigint NOT NULL, expires_at timestamptz NOT NULL);
CREATE VIEW active_account AS SELECT id, tenant_id, email, name FROM account WHERE deleted_at IS NULL;
CREATE VIEW order_totals AS SELECT account_id, SUM(total) AS total, COUNT(*) AS n FROM orders GROUP BY account_id;
-- name: q1
-- expect: SI-0
SELECT * FROM account WHERE id = $1;
-- name: q2
-- expect: SI-0
SELECT * FROM ONLY account WHERE id = $1;
-- name: q3
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND email = $2;
-- name: q4
-- expect: SI-1
SELECT * FROM account WHERE (tenant_id, email) = ($1, $2);
-- name: q5
-- expect: SI-1
SELECT * FROM account WHERE (tenant_id, email) IN (($1, $2), ($3, $4));
-- name: q6
-- expect: unbounded
SELECT * FROM account WHERE email = $1;
-- name: q7
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1;
-- name: q8
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id LIMIT 20;
-- name: q9
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id LIMIT 20 OFFSET 40;
-- name: q10
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20;
-- name: q11
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT 20;
-- name: q12
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT 50;
-- name: q13
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT ALL;
-- name: q14
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id LIMIT NULL;
-- name: q15
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id OFFSET 10;
-- name: q16
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id FETCH FIRST 10 ROWS ONLY;
-- name: q17
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id FETCH FIRST ROW ONLY;
-- name: q18
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 ORDER BY id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY;
-- name: q19
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 ORDER BY created_at FETCH FIRST 10 ROWS WITH TIES;
-- name: q20
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 LIMIT (SELECT COUNT(*) FROM account);
-- name: q21
-- expect: unbounded
SELECT * FROM account TABLESAMPLE SYSTEM (1) LIMIT 10;
-- name: q22
-- expect: unbounded
SELECT * FROM account ORDER BY random() LIMIT 1;
-- name: q23
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND random() < 0.1 LIMIT 5;
-- name: q24
-- expect: SI-1
SELECT * FROM account WHERE ($1::bigint IS NULL OR tenant_id = $1) ORDER BY id LIMIT 10;
-- name: q25
-- expect: unbounded
SELECT * FROM account WHERE ($1::bigint IS NULL OR tenant_id = $1);
-- name: q26
-- expect: unbounded
SELECT * FROM account WHERE ($1::bigint IS NULL OR id = $1);
-- name: q27
-- expect: unbounded
SELECT * FROM account WHERE id = COALESCE($1, id);
-- name: q28
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = COALESCE($1, tenant_id) LIMIT 10;
-- name: q29
-- expect: SI-0
SELECT * FROM account WHERE id = COALESCE($1, 0);
-- name: q30
-- expect: SI-0
SELECT * FROM account WHERE id = NULLIF($1, 0);
-- name: q31
-- expect: unbounded
SELECT * FROM account WHERE NULLIF(id, 0) = $1;
-- name: q32
-- expect: unbounded
SELECT * FROM account WHERE CASE WHEN $1 THEN id = $2 ELSE TRUE END;
-- name: q33
-- expect: unbounded
SELECT * FROM account WHERE CASE WHEN $1 THEN id ELSE tenant_id END = $2;
-- name: q34
-- expect: unbounded
SELECT * FROM account WHERE id::text = $1;
-- name: q35
-- expect: unbounded
SELECT * FROM account WHERE id + 0 = $1;
-- name: q36
-- expect: SI-0
SELECT * FROM account WHERE id = $1::bigint;
-- name: q37
-- expect: SI-0
SELECT * FROM account WHERE id = CAST($1 AS bigint) + 1;
-- name: q38
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND email LIKE $2 || '%' ORDER BY email LIMIT 10;
-- name: q39
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND email LIKE '%' || $2 ORDER BY email LIMIT 10;
-- name: q40
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND email LIKE $2 ORDER BY email LIMIT 10;
-- name: q41
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND email ILIKE $2 LIMIT 10;
-- name: q42
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND email ~ $2 LIMIT 10;
-- name: q43
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND email LIKE 'a%' ORDER BY email LIMIT 10;
-- name: q44
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND lower(email) = lower($2) ORDER BY id LIMIT 10;
-- name: q45
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND lower(email) = lower($2);
-- name: q46
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND email COLLATE "C" = $2;
-- name: q47
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND age BETWEEN $2 AND $3 ORDER BY age LIMIT 10;
-- name: q48
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND age BETWEEN $2 AND $3 ORDER BY created_at LIMIT 10;
-- name: q49
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND age BETWEEN $2 AND $3;
-- name: q50
-- expect: unbounded
SELECT * FROM account WHERE tenant_id = $1 AND $2 BETWEEN age AND id LIMIT 10;
-- name: q51
-- expect: SI-1
SELECT * FROM account WHERE tenant_id = $1 AND age > $2 AND age < $3 LIMIT 10;
-- name: q52
-- expect: unbounded
SELECT * FROM account WHERE age > $1 AND created_at > $2 LIMIT 10;
-- name: q53
-- expect: SI-1
SELECT * FROM account WHERE age > $1 LIMIT 10;
-- name: q54
-- expect: SI-0
SELECT * FROM account LIMIT 10;
-- name: q55
-- expect: SI-0
SELECT * FROM account ORDER BY id DESC LIMIT 10;
-- name: q56
-- expect: unbounded
SELECT count(*) FROM account;
-- name: q57
-- expect: SI-2
SELECT count(*) FROM account WHERE tenant_id = $1;
-- name: q58
-- expect: SI-2
SELECT count(*) FROM account WHERE tenant_id = $1 AND deleted_at IS NULL;
-- name: q59
-- expect: unbounded
SELECT count(*) FROM account WHERE tenant_id = $1 AND age > $2;
-- name: q60
-- expect: SI-2
SELECT count(*), sum(total), avg(total) FROM orders WHERE account_id = $1;
-- name: q61
-- expect: unbounded
SELECT count(*) FROM orders WHERE total > $1;
-- name: q62
-- expect: SI-1
SELECT min(created_at), max(created_at) FROM orders WHERE account_id = $1;
-- name: q63
-- expect: SI-2
SELECT status, count(*) FROM orders WHERE account_id = $1 GROUP BY status;
-- name: q64
-- expect: SI-2
SELECT status, count(*) FROM orders WHERE account_id = $1 GROUP BY 1 ORDER BY 2 DESC;
-- name: q65
-- expect: SI-2
SELECT count(*) FILTER (WHERE status = 'paid') AS paid, count(*) AS n FROM orders WHERE account_id = $1;
-- name: q66
-- expect: unbounded
SELECT count(DISTINCT note) FROM orders WHERE account_id = $1;
-- name: q67
-- expect: unbounded
SELECT status, count(*) FROM orders WHERE account_id = $1 GROUP BY GROUPING SETS ((status), ());
-- name: q68
-- expect: unbounded
SELECT status, count(*) FROM orders WHERE account_id = $1 GROUP BY ROLLUP (status);
-- name: q69
-- expect: unbounded
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders WHERE account_id = $1;
-- name: q70
-- expect: SI-0
SELECT o.id, o.total, a.email FROM orders o JOIN account a ON a.id = o.account_id WHERE o.id = $1;
-- name: q71
-- expect: unbounded
SELECT o.*, i.* FROM orders o JOIN item i ON i.order_id = o.id WHERE o.id = $1;
-- name: q72
-- expect: SI-0
SELECT o.*, i.* FROM orders o JOIN item i ON i.order_id = o.id WHERE o.id = $1 LIMIT 100;
-- name: q73
-- expect: SI-1
SELECT o.id, a.email FROM orders o JOIN account a ON a.id = o.account_id WHERE o.tenant_id = $1 ORDER BY o.created_at DESC LIMIT 20;
-- name: q74
-- expect: unbounded
SELECT o.id, a.email FROM orders o JOIN account a ON a.id = o.account_id WHERE o.tenant_id = $1 ORDER BY a.email LIMIT 20;
-- name: q75
-- expect: SI-1
SELECT o.id FROM orders o LEFT JOIN account m ON m.id = o.account_id WHERE o.tenant_id = $1 ORDER BY o.id LIMIT 20;
-- name: q76
-- expect: unbounded
SELECT a.id FROM account a LEFT JOIN orders o ON o.account_id = a.id WHERE a.tenant_id = $1 AND o.id IS NULL ORDER BY a.id LIMIT 20;
-- name: q77
-- expect: unbounded
SELECT a.id FROM account a WHERE a.tenant_id = $1 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.account_id = a.id) ORDER BY a.id LIMIT 20;
-- name: q78
-- expect: unbounded
SELECT a.id FROM account a WHERE a.tenant_id = $1 AND EXISTS (SELECT 1 FROM orders o WHERE o.account_id = a.id) ORDER BY a.id LIMIT 20;
-- name: q79
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM orders WHERE account_id = $1);
-- name: q80
-- expect: SI-1
SELECT EXISTS (SELECT 1 FROM orders WHERE account_id = $1 AND status = 'paid') AS has_paid;
-- name: q81
-- expect: SI-0
SELECT 1 AS one FROM member WHERE account_id = $1 AND team_id = $2 LIMIT 1;
-- name: q82
-- expect: SI-0
SELECT t.* FROM team t JOIN member m ON m.team_id = t.id WHERE m.account_id = $1 AND t.id = $2;
-- name: q83
-- expect: unbounded
SELECT t.* FROM team t JOIN member m ON m.team_id = t.id WHERE m.account_id = $1;
-- name: q84
-- expect: SI-0
SELECT t.* FROM team t JOIN member m ON m.team_id = t.id WHERE m.account_id = $1 ORDER BY m.team_id LIMIT 50;
-- name: q85
-- expect: SI-1
SELECT a.name, m.role FROM member m JOIN account a ON a.id = m.account_id WHERE m.team_id = $1 ORDER BY m.joined_at LIMIT 20;
-- name: q86
-- expect: unbounded
SELECT * FROM job WHERE queue = $1 AND state = 'ready' AND run_at <= now() ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED;
-- name: q87
-- expect: SI-1
SELECT * FROM job WHERE queue = $1 AND state = 'ready' AND run_at <= now() ORDER BY run_at LIMIT 1 FOR UPDATE;
-- name: q88
-- expect: SI-1
SELECT * FROM job WHERE queue = $1 AND state = 'ready' ORDER BY run_at LIMIT 1 FOR NO KEY UPDATE NOWAIT;
-- name: q89
-- expect: unbounded
UPDATE job SET state = 'run' WHERE id = (SELECT id FROM job WHERE queue = $1 AND state = 'ready' ORDER BY run_at FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *;
-- name: q90
-- expect: SI-1
UPDATE job SET state = 'run' WHERE id = (SELECT id FROM job WHERE queue = $1 AND state = 'ready' ORDER BY run_at LIMIT 1) RETURNING *;
-- name: q91
-- expect: SI-1
UPDATE job SET state = 'run' WHERE id IN (SELECT id FROM job WHERE queue = $1 AND state = 'ready' ORDER BY run_at LIMIT 10);
-- name: q92
-- expect: unbounded
UPDATE job SET state = 'ready' WHERE state = 'run' AND run_at < now() - interval '1 hour';
-- name: q93
-- expect: SI-0
UPDATE account SET name = $1 WHERE id = $2;
-- name: q94
-- expect: SI-0
UPDATE account SET name = $1 WHERE id = $2 RETURNING id, name;
-- name: q95
-- expect: unbounded
UPDATE account SET is_active = false WHERE tenant_id = $1;
-- name: q96
-- expect: SI-0
DELETE FROM session WHERE token = $1;
-- name: q97
-- expect: unbounded
DELETE FROM session WHERE expires_at < now();
-- name: q98
-- expect: unbounded
DELETE FROM session WHERE account_id = $1;
-- name: q99
-- expect: SI-1
DELETE FROM session WHERE token IN (SELECT token FROM session WHERE expires_at < now() ORDER BY expires_at LIMIT 1000);
-- name: q100
-- expect: unbounded
DELETE FROM orders USING account WHERE orders.account_id = account.id AND account.tenant_id = $1;
-- name: q101
-- expect: SI-0
DELETE FROM item USING orders WHERE item.order_id = orders.id AND orders.id = $1 AND item.line_no = $2;
-- name: q102
-- expect: SI-0
UPDATE orders SET note = a.name FROM account a WHERE a.id = orders.account_id AND orders.id = $1;
-- name: q103
-- expect: unbounded
UPDATE orders SET note = a.name FROM account a WHERE a.id = orders.account_id AND a.id = $1;
-- name: q104
-- expect: SI-2
UPDATE account SET age = (SELECT count(*) FROM orders o WHERE o.account_id = account.id) WHERE id = $1;
-- name: q105
-- expect: unbounded
UPDATE account SET age = (SELECT count(*) FROM orders o WHERE o.total > account.age) WHERE id = $1;
-- name: q106
-- expect: SI-0
INSERT INTO member VALUES ($1, $2, $3, now());
-- name: q107
-- expect: SI-0
INSERT INTO member (account_id, team_id, role, joined_at) VALUES ($1, $2, 'x', now()) ON CONFLICT (account_id, team_id) DO UPDATE SET role = EXCLUDED.role RETURNING *;
-- name: q108
-- expect: SI-0
INSERT INTO member (account_id, team_id, role, joined_at) VALUES ($1, $2, 'x', now()) ON CONFLICT DO NOTHING;
-- name: q109
-- expect: unbounded
INSERT INTO log (at, kind) SELECT created_at, status FROM orders WHERE tenant_id = $1;
-- name: q110
-- expect: SI-1
INSERT INTO log (at, kind) SELECT created_at, status FROM orders WHERE tenant_id = $1 ORDER BY created_at LIMIT 5;
-- name: q111
-- expect: unbounded
INSERT INTO stock VALUES ($1, $2, (SELECT sum(qty) FROM item WHERE qty > $3));
-- name: q112
-- expect: SI-2
INSERT INTO stock VALUES ($1, $2, (SELECT sum(qty) FROM item WHERE product_id = $1));
-- name: q113
-- expect: unbounded
INSERT INTO log TABLE log;
-- name: q114
-- expect: unbounded
WITH gone AS (DELETE FROM log WHERE at < $1 RETURNING *) SELECT 1;
-- name: q115
-- expect: unbounded
WITH gone AS (DELETE FROM log WHERE at < $1 RETURNING *) INSERT INTO log SELECT * FROM gone;
-- name: q116
-- expect: unbounded
WITH moved AS (UPDATE orders SET note = '' WHERE tenant_id = $1 RETURNING id) SELECT id FROM account WHERE id = $2;
-- name: q117
-- expect: SI-0
WITH a AS (SELECT * FROM account WHERE id = $1) SELECT a.name, t.name FROM a JOIN tenant t ON t.id = a.tenant_id;
-- name: q118
-- expect: SI-0
WITH a AS MATERIALIZED (SELECT * FROM account WHERE id = $1) SELECT * FROM a;
-- name: q119
-- expect: unbounded
WITH a AS MATERIALIZED (SELECT * FROM account) SELECT * FROM a WHERE id = $1;
-- name: q120
-- expect: SI-0
WITH a AS NOT MATERIALIZED (SELECT * FROM account) SELECT * FROM a WHERE id = $1;
-- name: q121
-- expect: unbounded
WITH RECURSIVE tree AS (SELECT id FROM category WHERE id = $1 UNION ALL SELECT c.id FROM category c JOIN tree t ON c.parent_id = t.id) SELECT * FROM tree;
-- name: q122
-- expect: unbounded
WITH RECURSIVE tree AS (SELECT id FROM category WHERE id = $1 UNION ALL SELECT c.id FROM category c JOIN tree t ON c.parent_id = t.id) SELECT * FROM tree LIMIT 10;
-- name: q123
-- expect: SI-0
SELECT c.name, p.name, g.name FROM category c LEFT JOIN category p ON p.id = c.parent_id LEFT JOIN category g ON g.id = p.parent_id WHERE c.id = $1;
-- name: q124
-- expect: SI-0
SELECT a.id, m.name FROM account a LEFT JOIN account m ON m.id = a.manager_id WHERE a.id = $1;
-- name: q125
-- expect: unbounded
SELECT a.id FROM account a JOIN account b ON a.manager_id = b.manager_id WHERE b.id = $1;
-- name: q126
-- expect: SI-1
SELECT a.id FROM account a JOIN account b ON a.manager_id = b.id WHERE b.id = $1 ORDER BY a.id LIMIT 10;
-- name: q127
-- expect: SI-1
-- param: 1 <= 20
SELECT DISTINCT ON (room_id) room_id, body FROM message WHERE room_id = ANY($1) ORDER BY room_id, sent_at DESC;
-- name: q128
-- expect: unbounded
SELECT DISTINCT ON (room_id) room_id, body FROM message ORDER BY room_id, sent_at DESC;
-- name: q129
-- expect: SI-1
SELECT DISTINCT ON (room_id) room_id, body FROM message ORDER BY room_id, sent_at DESC LIMIT 10;
-- name: q130
-- expect: unbounded
SELECT DISTINCT sender_id FROM message WHERE room_id = $1;
-- name: q131
-- expect: SI-2
SELECT room_id, max(sent_at) AS last FROM message GROUP BY room_id ORDER BY last DESC LIMIT 20;
-- name: q132
-- expect: SI-1
SELECT * FROM (SELECT m.*, row_number() OVER (PARTITION BY room_id ORDER BY sent_at DESC) AS rn FROM message m WHERE room_id IN ($1, $2)) x WHERE rn <= 3;
-- name: q133
-- expect: unbounded
SELECT *, rank() OVER (ORDER BY total DESC) FROM orders WHERE tenant_id = $1 LIMIT 10;
-- name: q134
-- expect: unbounded
SELECT *, sum(total) OVER (PARTITION BY account_id) FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT 10;
-- name: q135
-- expect: unbounded
SELECT id, lag(id) OVER w FROM orders WHERE account_id = $1 WINDOW w AS (ORDER BY created_at);
-- name: q136
-- expect: SI-1
SELECT a.id, x.id FROM account a CROSS JOIN LATERAL (SELECT o.id FROM orders o WHERE o.account_id = a.id ORDER BY o.created_at DESC LIMIT 3) x WHERE a.id = $1;
-- name: q137
-- expect: unbounded
SELECT a.id, x.id FROM account a CROSS JOIN LATERAL (SELECT o.id FROM orders o WHERE o.account_id = a.id) x WHERE a.id = $1;
-- name: q138
-- expect: SI-1
SELECT a.id, x.id FROM account a LEFT JOIN LATERAL (SELECT o.id FROM orders o WHERE o.account_id = a.id ORDER BY o.created_at DESC LIMIT 3) x ON true WHERE a.tenant_id = $1 ORDER BY a.id LIMIT 10;
-- name: q139
-- expect: SI-0
SELECT settings->>'theme' FROM account WHERE id = $1;
-- name: q140
-- expect: unbounded
SELECT * FROM account WHERE settings->>'theme' = $1;
-- name: q141
-- expect: SI-1
SELECT * FROM account WHERE settings->>'theme' = $1 ORDER BY id LIMIT 10;
-- name: q142
-- expect: unbounded
SELECT * FROM account WHERE settings @> $1 LIMIT 10;
-- name: q143
-- expect: unbounded
SELECT * FROM account WHERE settings ? $1 LIMIT 10;
-- name: q144
-- expect: unbounded
SELECT * FROM account WHERE $1 = ANY(labels) LIMIT 10;
-- name: q145
-- expect: unbounded
SELECT * FROM account WHERE labels && $1 LIMIT 10;
-- name: q146
-- expect: unbounded
SELECT * FROM account WHERE labels @> ARRAY[$1] LIMIT 10;
-- name: q147
-- expect: SI-0
SELECT id, unnest(labels) FROM account WHERE id = $1;
-- name: q148
-- expect: unbounded
SELECT * FROM account WHERE id = ANY($1);
-- name: q149
-- expect: SI-0
-- param: 1 <= 100
SELECT * FROM account WHERE id = ANY($1);
-- name: q150
-- expect: SI-0
-- param: 1 <= 100
SELECT * FROM account WHERE id = ANY($1::bigint[]);
-- name: q151
-- expect: SI-0
SELECT * FROM account WHERE id IN ($1, $2, $3);
-- name: q152
-- expect: SI-0
SELECT * FROM account WHERE id = ANY(ARRAY[$1, $2]);
-- name: q153
-- expect: unbounded
-- param: 1 <= 100
SELECT * FROM account WHERE id <> ALL($1);
-- name: q154
-- expect: SI-0
-- param: 1 <= 100
SELECT * FROM account WHERE id <> ALL($1) ORDER BY id LIMIT 10;
-- name: q155
-- expect: unbounded
-- param: 1 <= 100
SELECT * FROM account WHERE id > ANY($1);
-- name: q156
-- expect: unbounded
SELECT * FROM account WHERE id = ANY(SELECT account_id FROM orders WHERE tenant_id = $1);
-- name: q157
-- expect: SI-1
SELECT * FROM account WHERE id IN (SELECT account_id FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT 10);
-- name: q158
-- expect: unbounded
SELECT * FROM account WHERE age >= ALL (SELECT age FROM account WHERE tenant_id = $1);
-- name: q159
-- expect: SI-1
SELECT * FROM orders WHERE account_id = $1 AND created_at > now() - interval '7 days' ORDER BY created_at DESC LIMIT 50;
-- name: q160
-- expect: unbounded
SELECT * FROM orders WHERE account_id = $1 AND created_at > now() - interval '7 days';
-- name: q161
-- expect: unbounded
SELECT sum(total) FROM orders WHERE account_id = $1 AND created_at BETWEEN $2 AND $3;
-- name: q162
-- expect: SI-1
SELECT * FROM orders WHERE account_id = $1 AND date_trunc('day', created_at) = $2 ORDER BY id LIMIT 10;
-- name: q163
-- expect: unbounded
SELECT date_trunc('day', created_at) d, count(*) FROM orders WHERE account_id = $1 GROUP BY d;
-- name: q164
-- expect: SI-1
SELECT * FROM orders WHERE account_id = $1 AND status <> 'new' ORDER BY id LIMIT 10;
-- name: q165
-- expect: unbounded
SELECT * FROM orders WHERE account_id = $1 AND status <> $2;
-- name: q166
-- expect: unbounded
SELECT * FROM orders WHERE account_id = $1 AND total <> $2 ORDER BY id LIMIT 10;
-- name: q167
-- expect: SI-1
SELECT * FROM orders WHERE account_id = $1 AND status IN ('new', 'paid') ORDER BY created_at DESC LIMIT 10;
-- name: q168
-- expect: SI-1
SELECT id FROM orders WHERE account_id = $1 UNION ALL SELECT id FROM message WHERE sender_id = $1 ORDER BY id LIMIT 10;
-- name: q169
-- expect: unbounded
SELECT id FROM orders WHERE account_id = $1 UNION SELECT id FROM message WHERE sender_id = $1;
-- name: q170
-- expect: SI-1
SELECT id FROM orders WHERE account_id = $1 UNION SELECT id FROM message WHERE sender_id = $1 LIMIT 10;
-- name: q171
-- expect: SI-1
(SELECT id FROM orders WHERE account_id = $1 ORDER BY id LIMIT 5) UNION (SELECT id FROM message WHERE sender_id = $1 ORDER BY id LIMIT 5) ORDER BY 1;
-- name: q172
-- expect: unbounded
SELECT id FROM orders WHERE account_id = $1 EXCEPT SELECT id FROM message LIMIT 10;
-- name: q173
-- expect: unbounded
SELECT id FROM orders INTERSECT SELECT id FROM message LIMIT 10;
-- name: q174
-- expect: SI-0
SELECT * FROM active_account WHERE id = $1;
-- name: q175
-- expect: SI-1
SELECT * FROM active_account WHERE tenant_id = $1 ORDER BY id LIMIT 10;
-- name: q176
-- expect: SI-2
SELECT * FROM order_totals WHERE account_id = $1;
-- name: q177
-- expect: SI-2
SELECT a.name, t.total FROM account a JOIN order_totals t ON t.account_id = a.id WHERE a.id = $1;
-- name: q178
-- expect: SI-2
SELECT * FROM order_totals ORDER BY total DESC LIMIT 10;
-- name: q179
-- expect: unbounded
SELECT * FROM order_totals WHERE n > 5;
-- name: q180
-- expect: SI-2
SELECT a.id, (SELECT count(*) FROM orders o WHERE o.account_id = a.id) AS n FROM account a WHERE a.tenant_id = $1 ORDER BY a.id LIMIT 20;
-- name: q181
-- expect: unbounded
SELECT a.id, (SELECT count(*) FROM orders o WHERE o.account_id = a.id) AS n FROM account a WHERE a.tenant_id = $1 ORDER BY n DESC LIMIT 20;
-- name: q182
-- expect: SI-2
SELECT a.id, (SELECT count(*) FROM orders o WHERE o.account_id = a.id) AS n FROM account a WHERE a.id IN ($1, $2, $3) ORDER BY n DESC LIMIT 2;
-- name: q183
-- expect: SI-1
SELECT a.id, (SELECT max(created_at) FROM orders o WHERE o.account_id = a.id) AS last FROM account a WHERE a.id = $1;
-- name: q184
-- expect: unbounded
SELECT id FROM account a WHERE (SELECT count(*) FROM orders o WHERE o.account_id = a.id) > 5 ORDER BY id LIMIT 10;
-- name: q185
-- expect: SI-0
SELECT * FROM stock WHERE product_id = $1 AND place_id = $2 UNION ALL SELECT * FROM stock WHERE product_id = $1 AND place_id = $3;
-- name: q186
-- expect: SI-0
SELECT * FROM product WHERE id = $1 OR id = $2;
-- name: q187
-- expect: SI-1
SELECT * FROM product WHERE id = $1 OR sku = $2;
-- name: q188
-- expect: unbounded
SELECT * FROM product WHERE id = $1 OR name = $2;
-- name: q189
-- expect: SI-1
SELECT * FROM product WHERE sku = $1 AND price > 10;
-- name: q190
-- expect: SI-0
SELECT * FROM product WHERE id = $1 AND random() > 0.5;
-- name: q191
-- expect: not analysed
SELECT my_function(id) FROM product WHERE id = $1;
-- name: q192
-- expect: not analysed
SELECT * FROM my_rows($1);
-- name: q193
-- expect: unbounded
SELECT * FROM generate_series(1, $1) g;
-- name: q194
-- expect: unbounded
SELECT * FROM log WHERE kind = $1 ORDER BY at DESC;
-- name: q195
-- expect: SI-1
SELECT * FROM log WHERE kind = $1 ORDER BY at DESC LIMIT 10;
-- name: q196
-- expect: SI-0
SELECT p.*, (SELECT name FROM category c WHERE c.id = p.category_id) FROM product p WHERE p.id = $1;
-- name: q197
-- expect: SI-0
SELECT CASE WHEN EXISTS (SELECT 1 FROM stock s WHERE s.product_id = p.id) THEN 1 ELSE 0 END FROM product p WHERE p.id = $1;
-- name: q198
-- expect: SI-0
VALUES (1, 2), (3, 4);
-- name: q199
-- expect: SI-0
SELECT 1;
-- name: q200
-- expect: SI-0
SELECT now(), current_user;
-- name: q201
-- expect: SI-0
SELECT * FROM product p NATURAL JOIN (VALUES ($1::bigint), ($2)) AS v(id);
-- name: q202
-- expect: unbounded
SELECT * FROM item WHERE order_id = $1 AND line_no <= 10;
-- name: q203
-- expect: unbounded
SELECT * FROM item WHERE order_id = $1 AND line_no >= 10;
-- name: q204
-- expect: unbounded
SELECT * FROM item WHERE order_id = $1 AND line_no <= $2;
-- name: q205
-- expect: SI-0
SELECT * FROM item WHERE order_id = $1 AND line_no BETWEEN $2 AND $2 + 9;
-- name: q206
-- expect: unbounded
SELECT i.product_id, sum(qty) FROM item i JOIN orders o ON o.id = i.order_id WHERE o.account_id = $1 GROUP BY i.product_id;
-- name: q207
-- expect: SI-2
SELECT sum(qty) FROM item WHERE product_id = $1;
-- name: q208
-- expect: SI-2
SELECT product_id, sum(qty) AS sold FROM item GROUP BY product_id ORDER BY sold DESC LIMIT 10;
-- name: q209
-- expect: SI-2
SELECT p.name, s.sold FROM (SELECT product_id, sum(qty) AS sold FROM item GROUP BY product_id ORDER BY sold DESC LIMIT 10) s JOIN product p ON p.id = s.product_id;
-- name: q210
-- expect: SI-1
SELECT id FROM message WHERE room_id = $1 AND id > $2 ORDER BY id LIMIT 100;
-- name: q211
-- expect: SI-1
SELECT id FROM message WHERE room_id = $1 AND id > (SELECT max(id) FROM message WHERE room_id = $2) ORDER BY id LIMIT 100;
-- name: q212
-- expect: unbounded
SELECT id FROM message WHERE room_id = $1 AND to_tsvector('english', body) @@ plainto_tsquery('english', $2) ORDER BY id LIMIT 10;
-- name: q213
-- expect: SI-1
SELECT id FROM message WHERE room_id = $1 AND to_tsvector('english', body) @@ plainto_tsquery('english', 'invoice') ORDER BY id LIMIT 10;
-- name: q214
-- expect: unbounded
SELECT id, ts_rank(to_tsvector(body), plainto_tsquery($2)) r FROM message WHERE room_id = $1 ORDER BY r DESC LIMIT 10;
-- name: q215
-- expect: unbounded
SELECT id FROM product ORDER BY name <-> $1 LIMIT 5;
-- name: q216
-- expect: unbounded
SELECT id FROM product ORDER BY similarity(name, $1) DESC LIMIT 5;
-- name: q217
-- expect: unbounded
SELECT id FROM product WHERE name % $1 LIMIT 5;
-- name: q218
-- expect: SI-1
SELECT id FROM product ORDER BY length(name) DESC LIMIT 5;
-- name: q219
-- expect: SI-1
SELECT id FROM product ORDER BY category_id NULLS FIRST, price DESC LIMIT 5;
-- name: q220
-- expect: SI-1
SELECT id FROM product WHERE category_id IS NULL ORDER BY id LIMIT 5;
-- name: q221
-- expect: unbounded
SELECT id FROM product WHERE category_id IS NOT DISTINCT FROM $1;
-- name: q222
-- expect: SI-1
SELECT id FROM product WHERE category_id IS NOT DISTINCT FROM $1 ORDER BY id LIMIT 5;
-- name: q223
-- expect: unbounded
SELECT id FROM product WHERE category_id IS DISTINCT FROM $1 ORDER BY id LIMIT 5;
-- name: q224
-- expect: unbounded
SELECT string_agg(name, ',') FROM product WHERE category_id = $1;
-- name: q225
-- expect: unbounded
SELECT array_agg(id ORDER BY id) FROM product WHERE category_id = $1;
-- name: q226
-- expect: SI-1
SELECT count(*) FROM (SELECT 1 FROM orders WHERE account_id = $1 LIMIT 100) x;
-- name: q227
-- expect: SI-1
SELECT sum(x.total) FROM (SELECT total FROM orders WHERE account_id = $1 ORDER BY created_at DESC LIMIT 10) x;
-- name: q228
-- expect: unbounded
SELECT sum(x.total) FROM (SELECT total FROM orders WHERE account_id = $1 ORDER BY created_at DESC OFFSET 10) x;
