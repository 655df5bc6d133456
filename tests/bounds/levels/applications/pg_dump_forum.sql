-- dialect: postgres
-- A forum and sensors as pg_dump writes their schema: casts around everything, partial and expression indexes, partitions.
CREATE TABLE public.country (code char(2) PRIMARY KEY, name text NOT NULL);
CREATE TABLE public.usr (id bigint NOT NULL, email character varying(255) NOT NULL, country char(2) NOT NULL, banned boolean NOT NULL, deleted boolean, karma integer NOT NULL);
ALTER TABLE ONLY public.usr ADD CONSTRAINT usr_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX usr_email ON public.usr USING btree (lower((email)::text));
CREATE UNIQUE INDEX usr_live ON public.usr USING btree (country, karma) WHERE (deleted IS NOT TRUE);
ALTER TABLE ONLY public.usr ADD CONSTRAINT usr_country FOREIGN KEY (country) REFERENCES public.country(code);
CREATE TABLE public.post (id bigint NOT NULL, user_id bigint NOT NULL, topic text NOT NULL, score integer NOT NULL, state character varying(10) NOT NULL, parent_id bigint, CONSTRAINT post_state CHECK (((state)::text = ANY ((ARRAY['draft'::character varying, 'live'::character varying])::text[]))));
ALTER TABLE ONLY public.post ADD CONSTRAINT post_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.post ADD CONSTRAINT post_user FOREIGN KEY (user_id) REFERENCES public.usr(id) ON DELETE CASCADE;
CREATE TABLE public.vote (post_id bigint NOT NULL, user_id bigint NOT NULL, value smallint NOT NULL, CONSTRAINT vote_pkey PRIMARY KEY (post_id, user_id), CONSTRAINT vote_value CHECK ((value = ANY (ARRAY['-1'::integer, 1]))), CONSTRAINT vote_post FOREIGN KEY (post_id) REFERENCES public.post(id));
CREATE VIEW public.live_post AS SELECT post.id, post.user_id, post.score FROM public.post WHERE ((post.state)::text = 'live'::text);
CREATE TABLE measure (sensor int NOT NULL, at timestamptz NOT NULL, v double precision NOT NULL, PRIMARY KEY (sensor, at)) PARTITION BY RANGE (at);
CREATE TABLE measure_2026 PARTITION OF measure FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
-- name: email_ci
-- expect: SI-1
SELECT id FROM usr WHERE lower(email) = lower($1);
-- name: email_ci_cast
-- expect: SI-1
SELECT id FROM usr WHERE lower(email::text) = $1;
-- name: partial_not_true
-- expect: SI-1
SELECT id FROM usr WHERE country = $1 AND karma = $2 AND deleted IS NOT TRUE;
-- name: partial_false
-- expect: unbounded
SELECT id FROM usr WHERE country = $1 AND karma = $2 AND deleted IS NOT FALSE;
-- name: qualified_view
-- expect: SI-1
SELECT id FROM public.live_post WHERE user_id = $1 ORDER BY score DESC LIMIT 5;
-- name: unqualified_view
-- expect: SI-1
SELECT id FROM live_post WHERE user_id = $1 ORDER BY score DESC LIMIT 5;
-- name: count_of_unbanned
-- expect: unbounded
SELECT count(*) FROM post p JOIN usr u ON u.id = p.user_id WHERE p.topic = $1 AND NOT u.banned;
-- name: top_of_country
-- expect: unbounded
SELECT p.id FROM post p JOIN usr u ON u.id = p.user_id WHERE u.country = $1 ORDER BY p.score DESC LIMIT 10;
-- name: top_of_country_name
-- expect: unbounded
SELECT u.id FROM usr u JOIN country c ON c.code = u.country WHERE c.name = $1 ORDER BY u.karma DESC LIMIT 10;
-- name: having_equal
-- expect: SI-2
SELECT user_id FROM post GROUP BY user_id HAVING count(*) = $1 ORDER BY user_id LIMIT 10;
-- name: having_constant
-- expect: SI-2
SELECT post_id, avg(value) AS a FROM vote GROUP BY post_id HAVING count(*) >= 10 ORDER BY a DESC LIMIT 5;
-- name: count_pairs
-- expect: unbounded
SELECT count(DISTINCT (user_id, topic)) FROM post WHERE state = $1;
-- name: few_groups
-- expect: unbounded
SELECT state, count(*) FROM post GROUP BY state;
-- name: votes_of_post
-- expect: SI-2
SELECT value, count(*) FROM vote WHERE post_id = $1 GROUP BY value;
-- name: many_votes_one_post
-- expect: SI-2
SELECT p.id FROM post p WHERE p.id = $1 AND (SELECT count(*) FROM vote v WHERE v.post_id = p.id) > 10;
-- name: many_votes_first
-- expect: unbounded
SELECT p.id FROM post p WHERE p.user_id = $1 AND (SELECT count(*) FROM vote v WHERE v.post_id = p.id) > 10 ORDER BY p.id LIMIT 10;
-- name: rank_beside_limit
-- expect: unbounded
SELECT id, rank() OVER (PARTITION BY topic ORDER BY score DESC) FROM post WHERE user_id = $1 ORDER BY score DESC LIMIT 10;
-- name: offset_expression
-- expect: SI-1
SELECT id FROM post WHERE user_id = $1 ORDER BY score DESC LIMIT 20 OFFSET ($2 - 1) * 20;
-- name: limit_twice
-- expect: SI-1
SELECT id FROM post WHERE user_id = $1 ORDER BY score DESC LIMIT $2 * $3;
-- name: intersect_by_key
-- expect: SI-0
SELECT id FROM post WHERE id = $1 INTERSECT SELECT id FROM usr WHERE id = $2;
-- name: union_in_derived_grouped
-- expect: unbounded
SELECT kind, count(*) FROM (SELECT 'post' AS kind FROM post WHERE user_id = $1 UNION ALL SELECT 'vote' FROM vote WHERE user_id = $1) s GROUP BY kind;
-- name: partition_direct
-- expect: SI-0
SELECT v FROM measure_2026 WHERE sensor = $1 ORDER BY at DESC LIMIT 10;
-- name: latest_measure
-- expect: SI-0
SELECT v FROM measure WHERE sensor = $1 ORDER BY at DESC LIMIT 1;
-- name: measure_average_hour
-- expect: SI-2
SELECT avg(v) FROM measure WHERE sensor = $1 AND at > now() - interval '1 hour';
-- name: measure_per_hour
-- expect: SI-2
SELECT date_trunc('hour', at) AS h, avg(v) FROM measure WHERE sensor = $1 GROUP BY 1 ORDER BY 1 DESC LIMIT 24;
-- name: measure_per_bucket
-- expect: unbounded
SELECT floor(extract(epoch FROM at) / $2) AS h, avg(v) FROM measure WHERE sensor = $1 GROUP BY 1 ORDER BY 1 DESC LIMIT 24;
-- name: measure_previous
-- expect: SI-0
SELECT m.at, (SELECT p.v FROM measure p WHERE p.sensor = m.sensor AND p.at < m.at ORDER BY p.at DESC LIMIT 1) FROM measure m WHERE m.sensor = $1 ORDER BY m.at DESC LIMIT 10;
-- name: measure_gap
-- expect: unbounded
SELECT at, at - lag(at) OVER (ORDER BY at) AS gap FROM measure WHERE sensor = $1 ORDER BY gap DESC LIMIT 10;
-- name: comments_tree_two
-- expect: unbounded
SELECT a.id, b.id FROM post a LEFT JOIN post b ON b.parent_id = a.id WHERE a.id = $1;
-- name: comments_first
-- expect: SI-1
SELECT a.id, b.id FROM post a LEFT JOIN post b ON b.parent_id = a.id WHERE a.id = $1 ORDER BY b.id LIMIT 10;
-- name: comments_joined_order
-- expect: SI-1
SELECT a.id, b.id FROM post a LEFT JOIN post b ON b.parent_id = a.id WHERE a.user_id = $1 ORDER BY a.score DESC, a.id, b.score DESC LIMIT 10;
-- name: comments_other_order
-- expect: unbounded
SELECT a.id, b.id FROM post a LEFT JOIN post b ON b.parent_id = a.id WHERE a.user_id = $1 ORDER BY b.score DESC LIMIT 10;
-- name: any_of_subquery
-- expect: unbounded
SELECT * FROM usr WHERE id = ANY (SELECT user_id FROM post WHERE topic = $1);
-- name: all_of_subquery
-- expect: unbounded
SELECT * FROM usr WHERE id <> ALL (SELECT user_id FROM post WHERE topic = $1) ORDER BY id LIMIT 5;
-- name: exists_in_select_list
-- expect: SI-1
SELECT u.id, EXISTS (SELECT 1 FROM post p WHERE p.user_id = u.id AND p.state = 'live') FROM usr u WHERE u.id = $1;
-- name: max_per_group_join
-- expect: unbounded
SELECT p.* FROM post p JOIN (SELECT user_id, max(score) AS m FROM post GROUP BY user_id) b ON b.user_id = p.user_id AND b.m = p.score WHERE p.user_id = $1;
-- name: values_of_ctes_twice
-- expect: SI-1
WITH mine AS (SELECT id, score FROM post WHERE user_id = $1 ORDER BY id LIMIT 10) SELECT a.id, b.id FROM mine a JOIN mine b ON a.score < b.score;
-- name: cte_unused
-- expect: SI-0
WITH every AS (SELECT * FROM post) SELECT id FROM usr WHERE id = $1;
-- name: is_distinct
-- expect: unbounded
SELECT id FROM post WHERE user_id = $1 AND parent_id IS DISTINCT FROM $2 ORDER BY score LIMIT 5;
-- name: between_dates_of_key
-- expect: unbounded
SELECT v FROM measure WHERE sensor = $1 AND at >= $2 AND at < $2 + interval '1 hour';
-- name: in_two_lists
-- expect: SI-0
SELECT value FROM vote WHERE post_id IN ($1, $2) AND user_id IN ($3, $4, $5);
-- name: or_of_ranges
-- expect: unbounded
SELECT id FROM post WHERE user_id = $1 AND (score > $2 OR id > $3) ORDER BY topic LIMIT 5;
-- name: coalesced_parent
-- expect: SI-1
SELECT id FROM post WHERE COALESCE(parent_id, id) = $1 ORDER BY id LIMIT 50;
-- name: update_returning
-- expect: SI-0
UPDATE post SET score = score + 1 WHERE id = $1 RETURNING score;
-- name: delete_newest
-- expect: SI-1
DELETE FROM post WHERE id IN (SELECT id FROM post WHERE user_id = $1 ORDER BY score LIMIT 10);
