-- dialect: postgres
-- An arena of games as TypeORM, Prisma and Django ask for it: leaderboards, counters, inventories, friends, feeds, unions.
CREATE TABLE player (id integer PRIMARY KEY, handle text NOT NULL UNIQUE, guild_id integer, region text NOT NULL, xp bigint NOT NULL, banned boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL);
CREATE TABLE guild (id integer PRIMARY KEY, tag varchar(5) NOT NULL UNIQUE, leader_id integer NOT NULL REFERENCES player (id));
ALTER TABLE player ADD CONSTRAINT player_guild FOREIGN KEY (guild_id) REFERENCES guild (id);
CREATE TABLE friend (a_id integer NOT NULL REFERENCES player (id), b_id integer NOT NULL REFERENCES player (id), since timestamptz NOT NULL, accepted boolean NOT NULL, PRIMARY KEY (a_id, b_id), CHECK (a_id < b_id));
CREATE TABLE item (owner_id integer NOT NULL REFERENCES player (id), slot smallint NOT NULL, kind_id integer NOT NULL, worn boolean NOT NULL, attrs jsonb NOT NULL, PRIMARY KEY (owner_id, slot), CHECK (slot >= 1 AND slot <= 40));
CREATE TABLE kind (id integer PRIMARY KEY, name text NOT NULL, rarity text NOT NULL, CHECK (rarity IN ('common', 'rare', 'epic')));
CREATE TABLE score (player_id integer NOT NULL REFERENCES player (id), board_id integer NOT NULL, week date NOT NULL, points integer NOT NULL, PRIMARY KEY (player_id, board_id, week));
CREATE TABLE event (id bigint PRIMARY KEY, player_id integer NOT NULL REFERENCES player (id), verb text NOT NULL, target_type text, target_id integer, at timestamptz NOT NULL);
CREATE TABLE block (blocker_id integer NOT NULL, blocked_id integer NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
CREATE TABLE setting (key text PRIMARY KEY, value text);
CREATE TABLE season (id smallint PRIMARY KEY, starts date NOT NULL, ends date NOT NULL, EXCLUDE USING gist (daterange(starts, ends) WITH &&));
CREATE VIEW visible AS SELECT p.*, g.tag FROM player p LEFT JOIN guild g ON g.id = p.guild_id WHERE NOT p.banned;
CREATE VIEW visible_lite AS SELECT id, handle, tag FROM visible;
CREATE VIEW totals AS SELECT player_id, sum(points) AS points FROM score GROUP BY player_id;
CREATE VIEW everyone AS SELECT id AS who, handle AS label, 'player' AS sort FROM player UNION ALL SELECT id, tag, 'guild' FROM guild;

-- name: a1
-- expect: SI-0
SELECT * FROM visible_lite WHERE id = $1;
-- name: a2
-- expect: SI-1
SELECT * FROM visible_lite WHERE handle = $1;
-- name: a3
-- expect: unbounded
SELECT * FROM visible_lite WHERE tag = $1;
-- name: a4
-- expect: SI-2
SELECT * FROM totals WHERE player_id = $1;
-- name: a5
-- expect: SI-2
SELECT p.handle, t.points FROM totals t JOIN player p ON p.id = t.player_id ORDER BY t.points DESC LIMIT 10;
-- name: a6
-- expect: unbounded
SELECT p.handle, t.points FROM totals t JOIN player p ON p.id = t.player_id WHERE p.region = $1 ORDER BY t.points DESC LIMIT 10;
-- name: a7
-- expect: SI-1
SELECT player_id, points FROM score WHERE board_id = $1 AND week = $2 ORDER BY points DESC, player_id LIMIT 100;
-- name: a8
-- expect: SI-1
SELECT player_id, points FROM score WHERE board_id = $1 AND week = $2 AND (points, player_id) < ($3, $4) ORDER BY points DESC, player_id DESC LIMIT 100;
-- name: a9
-- expect: unbounded
SELECT count(*) FROM score WHERE board_id = $1 AND week = $2 AND points > $3;
-- name: a10
-- expect: SI-2
SELECT count(*) FROM score WHERE board_id = $1 AND week = $2 AND points = $3;
-- name: a11
-- expect: unbounded
SELECT player_id, sum(points) FROM score WHERE board_id = $1 AND week > $2 GROUP BY player_id ORDER BY 2 DESC LIMIT 10;
-- name: a12
-- expect: unbounded
SELECT avg(points) FROM score WHERE board_id = $1 HAVING count(*) > (SELECT count(*) FROM score s WHERE s.points > $2);
-- name: a13
-- expect: SI-0
SELECT value FROM setting WHERE key IN ('motd', 'version');
-- name: a14
-- expect: unbounded
SELECT value FROM setting;
-- name: a15
-- expect: SI-0
SELECT (SELECT value FROM setting WHERE key = 'motd') AS motd, p.handle FROM player p WHERE p.id = $1;
-- name: a16
-- expect: unbounded
SELECT handle FROM player LIMIT (SELECT value::int FROM setting WHERE key = 'page');
-- name: a17
-- expect: SI-1
(SELECT b_id AS f FROM friend WHERE a_id = $1 ORDER BY b_id LIMIT 50) UNION ALL (SELECT a_id FROM friend WHERE b_id = $1 ORDER BY a_id LIMIT 50);
-- name: a18
-- expect: unbounded
SELECT b_id AS f FROM friend WHERE a_id = $1 UNION ALL (SELECT a_id FROM friend WHERE b_id = $1 ORDER BY a_id LIMIT 50);
-- name: a19
-- expect: unbounded
SELECT x.f FROM (SELECT b_id AS f FROM friend WHERE a_id = $1 UNION ALL SELECT a_id FROM friend WHERE b_id = $1) x;
-- name: a20
-- expect: SI-1
SELECT x.f FROM (SELECT b_id AS f FROM friend WHERE a_id = $1 UNION ALL SELECT a_id FROM friend WHERE b_id = $1) x LIMIT 20;
-- name: a21
-- expect: unbounded
SELECT count(*) FROM (SELECT b_id AS f FROM friend WHERE a_id = $1 AND accepted UNION SELECT a_id FROM friend WHERE b_id = $1) x WHERE f > $2;
-- name: a22
-- expect: unbounded
SELECT b_id FROM friend WHERE a_id = $1 INTERSECT SELECT b_id FROM friend WHERE a_id = $2;
-- name: a23
-- expect: unbounded
SELECT b_id FROM friend WHERE a_id = $1 INTERSECT SELECT b_id FROM friend WHERE a_id = $2 LIMIT 10;
-- name: a24
-- expect: unbounded
(SELECT b_id FROM friend WHERE a_id = $1 ORDER BY b_id LIMIT 10) EXCEPT SELECT blocked_id FROM block WHERE blocker_id > $1;
-- name: a25
-- expect: SI-0
SELECT who, label FROM everyone WHERE who = $1;
-- name: a26
-- expect: SI-1
SELECT who FROM everyone WHERE label = $1;
-- name: a27
-- expect: unbounded
SELECT who FROM everyone WHERE sort = $1;
-- name: a28
-- expect: SI-0
SELECT i.slot, k.name FROM item i JOIN kind k ON k.id = i.kind_id WHERE i.owner_id = $1;
-- name: a29
-- expect: SI-0
SELECT i.slot, k.name FROM item i JOIN kind k ON k.id = i.kind_id WHERE i.owner_id = $1 AND k.rarity = 'epic' ORDER BY k.name;
-- name: a30
-- expect: unbounded
SELECT i.owner_id FROM item i JOIN kind k ON k.id = i.kind_id WHERE k.rarity = $1 LIMIT 10;
-- name: a31
-- expect: unbounded
SELECT k.name FROM kind k LEFT JOIN item i ON i.kind_id = k.id AND i.owner_id = $1 WHERE i.slot IS NULL LIMIT 10;
-- name: a32
-- expect: SI-0
SELECT k.id, i.slot FROM item i RIGHT JOIN kind k ON k.id = i.kind_id AND i.owner_id = $1 WHERE k.id = $2;
-- name: a33
-- expect: unbounded
SELECT k.id, i.slot FROM item i RIGHT JOIN kind k ON k.id = i.kind_id WHERE i.owner_id = $1 OR i.owner_id IS NULL;
-- name: a34
-- expect: unbounded
SELECT k.id, i.slot FROM kind k LEFT JOIN item i ON k.id = i.kind_id AND i.owner_id = $1;
-- name: a35
-- expect: SI-0
SELECT k.id, i.slot FROM kind k RIGHT JOIN item i ON k.id = i.kind_id WHERE i.owner_id = $1;
-- name: a36
-- expect: unbounded
SELECT a.slot, b.slot FROM item a FULL JOIN item b ON a.slot = b.slot AND a.owner_id = $1 AND b.owner_id = $2;
-- name: a37
-- expect: SI-0
SELECT a.slot, b.slot FROM item a JOIN item b ON a.kind_id = b.kind_id WHERE a.owner_id = $1 AND b.owner_id = $2;
-- name: a38
-- expect: SI-0
SELECT i.slot FROM item i WHERE i.owner_id = (SELECT p.id FROM player p WHERE p.id = $1);
-- name: a39
-- expect: SI-1
SELECT i.slot FROM item i WHERE i.owner_id IN (SELECT p.id FROM player p WHERE p.handle IN ($1, $2));
-- name: a40
-- expect: unbounded
SELECT i.slot FROM item i WHERE i.owner_id IN (SELECT p.id FROM player p WHERE p.region = $1);
-- name: a41
-- expect: unbounded
SELECT i.slot FROM item i WHERE i.owner_id = $1 AND EXISTS (SELECT 1 FROM event e WHERE e.target_id = i.kind_id AND e.at > $2 AND e.id <> $3 AND e.verb <> $4);
-- name: a42
-- expect: SI-1
SELECT i.slot FROM item i WHERE i.owner_id = $1 AND EXISTS (SELECT 1 FROM event e WHERE e.target_id = i.kind_id AND e.at > $2);
-- name: a43
-- expect: unbounded
SELECT i.slot FROM item i WHERE i.attrs->>'gem' = $1 AND i.slot < $2;
-- name: a44
-- expect: unbounded
SELECT e.id FROM event e JOIN friend f ON f.b_id = e.player_id WHERE f.a_id = $1 ORDER BY e.at DESC LIMIT 20;
-- name: a45
-- expect: unbounded
SELECT e.id FROM event e WHERE e.player_id = ANY($1) ORDER BY e.at DESC LIMIT 20;
-- name: a46
-- expect: SI-1
SELECT e.id FROM event e WHERE e.player_id = ANY(ARRAY[$1, $2]::int[]) ORDER BY e.at DESC LIMIT 20;
-- name: a47
-- expect: unbounded
SELECT e.id FROM event e WHERE e.player_id = ANY(ARRAY(SELECT b_id FROM friend WHERE a_id = $1)) ORDER BY e.at DESC LIMIT 20;
-- name: a48
-- expect: unbounded
SELECT e.id FROM event e WHERE e.player_id <> ALL(ARRAY(SELECT blocked_id FROM block WHERE blocker_id = $1)) ORDER BY e.at DESC LIMIT 20;
-- name: a49
-- expect: unbounded
SELECT e.id FROM event e WHERE e.player_id <> $1 AND e.verb = 'win' ORDER BY e.at DESC LIMIT 20;
-- name: a50
-- expect: unbounded
SELECT e.id FROM event e WHERE e.player_id = $1 AND e.at + interval '1 day' * $2 > now() ORDER BY e.id LIMIT 20;
-- name: a51
-- expect: SI-1
SELECT e.id FROM event e WHERE e.player_id = $1 AND e.at >= now() - $2::interval ORDER BY e.at LIMIT 20;
-- name: a52
-- expect: SI-1
SELECT e.id FROM event e WHERE e.target_type IS NOT DISTINCT FROM $1 AND e.target_id IS NOT DISTINCT FROM $2 ORDER BY e.at DESC LIMIT 20;
-- name: a53
-- expect: unbounded
SELECT e.id FROM event e WHERE (e.target_type = $1) IS NOT TRUE AND e.player_id = $2 LIMIT 20;
-- name: a54
-- expect: unbounded
SELECT e.id FROM event e WHERE e.target_type IS DISTINCT FROM $1 AND e.player_id = $2;
-- name: a55
-- expect: unbounded
SELECT s.id FROM season s WHERE $1 BETWEEN s.starts AND s.ends;
-- name: a56
-- expect: SI-1
SELECT s.id FROM season s WHERE s.starts <= $1 ORDER BY s.starts DESC LIMIT 1;
-- name: a57
-- expect: unbounded
SELECT DISTINCT e.verb FROM event e WHERE e.player_id = $1;
-- name: a58
-- expect: SI-0
SELECT DISTINCT q.verb FROM (SELECT e.verb FROM event e ORDER BY e.id DESC LIMIT 100) q;
-- name: a59
-- expect: unbounded
SELECT DISTINCT ON (e.verb) e.verb, e.id FROM event e WHERE e.player_id = $1 ORDER BY e.verb, e.at DESC;
-- name: a60
-- expect: unbounded
SELECT p.id FROM player p WHERE p.handle > $1 ORDER BY p.handle COLLATE "C" LIMIT 20;
-- name: a61
-- expect: unbounded
SELECT p.id FROM player p WHERE p.handle COLLATE "de-x-icu" > $1 ORDER BY p.handle LIMIT 20;
-- name: a62
-- expect: SI-1
UPDATE player SET xp = xp + v.d FROM (VALUES ($1, $2::int), ($3, $4::int)) AS v(h, d) WHERE player.handle = v.h RETURNING player.id;
-- name: a63
-- expect: unbounded
UPDATE player SET xp = xp + (SELECT count(*) FROM event e WHERE e.verb = 'win' AND e.at > player.created_at AND e.player_id <> player.id AND e.id % 2 = 0) WHERE id = $1;
-- name: a64
-- expect: SI-0
WITH moved AS (SELECT kind_id FROM item WHERE owner_id = $1 AND slot = $2) UPDATE item SET kind_id = (SELECT kind_id FROM moved) WHERE owner_id = $1 AND slot = $3;
-- name: a65
-- expect: unbounded
SELECT p.id, w.n FROM player p CROSS JOIN LATERAL (SELECT count(*) AS n FROM event e WHERE e.player_id = p.id AND e.at > $2) w WHERE p.id = $1;
-- name: a66
-- expect: SI-2
SELECT p.id, w.n FROM player p CROSS JOIN LATERAL (SELECT count(*) AS n FROM event e WHERE e.player_id = p.id) w WHERE p.id = $1;
-- name: a67
-- expect: unbounded
SELECT g.tag, sum(p.xp) FROM guild g JOIN player p ON p.guild_id = g.id WHERE p.region = $1 GROUP BY g.tag;
-- name: a68
-- expect: SI-2
SELECT sum(p.xp) FROM guild g JOIN player p ON p.guild_id = g.id WHERE g.tag = $1;
-- name: a69
-- expect: unbounded
SELECT p.id FROM player p, unnest($1::int[]) WITH ORDINALITY AS u(id, o) WHERE p.id = u.id ORDER BY u.o;
-- name: a70
-- expect: unbounded
SELECT p.id, generate_series(1, p.xp) FROM player p WHERE p.id = $1;
