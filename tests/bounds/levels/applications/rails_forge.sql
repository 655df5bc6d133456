-- dialect: postgres
CREATE TYPE issue_state AS ENUM ('opened', 'closed', 'locked');
CREATE TABLE users (id bigserial PRIMARY KEY, username varchar NOT NULL, email citext NOT NULL, admin boolean NOT NULL DEFAULT false, state varchar NOT NULL DEFAULT 'active', last_sign_in_at timestamptz);
CREATE UNIQUE INDEX index_users_on_username ON users (lower(username));
CREATE UNIQUE INDEX index_users_on_email ON users (email);
CREATE TABLE namespaces (id bigserial PRIMARY KEY, path varchar NOT NULL, parent_id bigint REFERENCES namespaces (id) ON DELETE CASCADE, type varchar);
CREATE UNIQUE INDEX index_namespaces_on_parent_path ON namespaces (parent_id, path);
CREATE TABLE projects (id bigserial PRIMARY KEY, namespace_id bigint NOT NULL REFERENCES namespaces (id), name varchar NOT NULL, path varchar NOT NULL, visibility_level int NOT NULL DEFAULT 0, archived boolean NOT NULL DEFAULT false, star_count int NOT NULL DEFAULT 0, deleted_at timestamptz, last_activity_at timestamptz NOT NULL);
CREATE UNIQUE INDEX index_projects_on_namespace_path ON projects (namespace_id, path) WHERE deleted_at IS NULL;
CREATE TABLE issues (id bigserial PRIMARY KEY, project_id bigint NOT NULL REFERENCES projects (id), iid int NOT NULL, title varchar NOT NULL, author_id bigint REFERENCES users (id), state issue_state NOT NULL DEFAULT 'opened', confidential boolean NOT NULL DEFAULT false, weight int, closed_at timestamptz, created_at timestamptz NOT NULL, UNIQUE (project_id, iid));
CREATE TABLE notes (id bigserial PRIMARY KEY, noteable_type varchar NOT NULL, noteable_id bigint NOT NULL, author_id bigint NOT NULL REFERENCES users (id), body text NOT NULL, system boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL);
CREATE TABLE labels (id bigserial PRIMARY KEY, project_id bigint NOT NULL REFERENCES projects (id), title varchar NOT NULL, UNIQUE (project_id, title));
CREATE TABLE label_links (label_id bigint NOT NULL REFERENCES labels (id), target_type varchar NOT NULL, target_id bigint NOT NULL, PRIMARY KEY (label_id, target_type, target_id));
CREATE TABLE members (id bigserial PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id), source_type varchar NOT NULL, source_id bigint NOT NULL, access_level int NOT NULL, expires_at date);
CREATE UNIQUE INDEX index_members ON members (source_type, source_id, user_id);
CREATE TABLE issue_assignees (issue_id bigint NOT NULL REFERENCES issues (id), user_id bigint NOT NULL REFERENCES users (id), PRIMARY KEY (issue_id, user_id));
CREATE TABLE namespace_closures (ancestor_id bigint NOT NULL REFERENCES namespaces (id), descendant_id bigint NOT NULL REFERENCES namespaces (id), depth int NOT NULL, PRIMARY KEY (ancestor_id, descendant_id));
CREATE TABLE redirect_routes (id bigserial PRIMARY KEY, path varchar NOT NULL, source_id bigint NOT NULL, UNIQUE (path) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE internal_ids (project_id bigint NOT NULL, usage int NOT NULL CHECK (usage IN (0, 1, 2, 3)), last_value int NOT NULL, UNIQUE (project_id, usage));

-- name: user_by_login
-- expect: SI-1
SELECT "users".* FROM "users" WHERE lower("users"."username") = lower($1) LIMIT 1;
-- name: user_by_email
-- expect: SI-1
SELECT "users".* FROM "users" WHERE "users"."email" = $1;
-- name: user_by_login_or_email
-- expect: SI-1
SELECT "users".* FROM "users" WHERE lower("users"."username") = $1 OR "users"."email" = $2;
-- name: user_by_login_or_state
-- expect: unbounded
SELECT "users".* FROM "users" WHERE lower("users"."username") = $1 OR "users"."state" = $2;
-- name: project_by_path
-- expect: SI-1
SELECT "projects".* FROM "projects" WHERE "projects"."deleted_at" IS NULL AND "projects"."namespace_id" = $1 AND "projects"."path" = $2;
-- name: project_by_path_with_deleted
-- expect: unbounded
SELECT "projects".* FROM "projects" WHERE "projects"."namespace_id" = $1 AND "projects"."path" = $2;
-- name: project_by_full_path
-- expect: unbounded
SELECT "projects".* FROM "projects" INNER JOIN "namespaces" ON "namespaces"."id" = "projects"."namespace_id" WHERE "projects"."deleted_at" IS NULL AND "namespaces"."path" = $1 AND "projects"."path" = $2;
-- name: project_by_nested_path
-- expect: SI-1
SELECT "projects".* FROM "projects" INNER JOIN "namespaces" ON "namespaces"."id" = "projects"."namespace_id" WHERE "projects"."deleted_at" IS NULL AND "namespaces"."parent_id" = $1 AND "namespaces"."path" = $2 AND "projects"."path" = $3;
-- name: root_namespace
-- expect: unbounded
SELECT * FROM namespaces WHERE parent_id IS NULL AND path = $1;
-- name: root_namespace_first
-- expect: SI-1
SELECT * FROM namespaces WHERE parent_id IS NULL AND path = $1 ORDER BY id ASC LIMIT 1;
-- name: issue_by_iid
-- expect: SI-1
SELECT "issues".* FROM "issues" WHERE "issues"."project_id" = $1 AND "issues"."iid" = $2 LIMIT 1;
-- name: issues_opened
-- expect: SI-1
SELECT "issues".* FROM "issues" WHERE "issues"."project_id" = $1 AND "issues"."state" = 'opened' ORDER BY "issues"."created_at" DESC, "issues"."id" DESC LIMIT 20 OFFSET 40;
-- name: issues_visible
-- expect: SI-1
SELECT "issues".* FROM "issues" WHERE "issues"."project_id" = $1 AND ("issues"."confidential" = FALSE OR "issues"."author_id" = $2) ORDER BY "issues"."created_at" DESC LIMIT 20;
-- name: issues_visible_to_assignee
-- expect: unbounded
SELECT "issues".* FROM "issues" WHERE "issues"."project_id" = $1 AND ("issues"."confidential" = FALSE OR EXISTS (SELECT 1 FROM issue_assignees WHERE issue_assignees.issue_id = issues.id AND issue_assignees.user_id = $2)) ORDER BY "issues"."created_at" DESC LIMIT 20;
-- name: issues_without_label
-- expect: unbounded
SELECT "issues".* FROM "issues" WHERE "issues"."project_id" = $1 AND NOT EXISTS (SELECT 1 FROM label_links WHERE label_links.target_type = 'Issue' AND label_links.target_id = issues.id) ORDER BY "issues"."id" DESC LIMIT 20;
-- name: issues_with_label
-- expect: SI-0
SELECT "issues".* FROM "issues" INNER JOIN "label_links" ON "label_links"."target_id" = "issues"."id" AND "label_links"."target_type" = 'Issue' WHERE "label_links"."label_id" = $1 ORDER BY "issues"."id" DESC LIMIT 20;
-- name: issues_with_label_by_weight
-- expect: unbounded
SELECT "issues".* FROM "issues" INNER JOIN "label_links" ON "label_links"."target_id" = "issues"."id" AND "label_links"."target_type" = 'Issue' WHERE "label_links"."label_id" = $1 ORDER BY "issues"."weight" DESC LIMIT 20;
-- name: issues_weight_coalesced
-- expect: SI-1
SELECT * FROM issues WHERE project_id = $1 ORDER BY COALESCE(weight, 0) DESC, id LIMIT 20;
-- name: issues_weight_param_default
-- expect: unbounded
SELECT * FROM issues WHERE project_id = $1 ORDER BY COALESCE(weight, $2) DESC, id LIMIT 20;
-- name: issue_counts_by_state
-- expect: SI-2
SELECT COUNT(*) AS count_all, "issues"."state" AS issues_state FROM "issues" WHERE "issues"."project_id" = $1 GROUP BY "issues"."state";
-- name: issue_counts_by_author
-- expect: unbounded
SELECT COUNT(*) AS count_all, "issues"."author_id" FROM "issues" WHERE "issues"."project_id" = $1 GROUP BY "issues"."author_id";
-- name: issue_counts_closed_since
-- expect: unbounded
SELECT COUNT(*) FROM issues WHERE project_id = $1 AND closed_at >= $2;
-- name: top_authors
-- expect: SI-2
SELECT author_id, COUNT(*) AS n FROM issues WHERE project_id = $1 GROUP BY author_id ORDER BY n DESC LIMIT 10;
-- name: top_authors_since
-- expect: unbounded
SELECT author_id, COUNT(*) AS n FROM issues WHERE project_id = $1 AND created_at > $2 GROUP BY author_id ORDER BY n DESC LIMIT 10;
-- name: notes_of_issue
-- expect: SI-1
SELECT "notes".* FROM "notes" WHERE "notes"."noteable_id" = $1 AND "notes"."noteable_type" = $2 ORDER BY "notes"."created_at" ASC LIMIT $3;
-- name: notes_of_issue_all
-- expect: unbounded
SELECT "notes".* FROM "notes" WHERE "notes"."noteable_id" = $1 AND "notes"."noteable_type" = 'Issue';
-- name: notes_counted
-- expect: SI-2
SELECT COUNT(*) FROM "notes" WHERE "notes"."noteable_id" = $1 AND "notes"."noteable_type" = 'Issue' AND "notes"."system" = FALSE;
-- name: notes_keyset
-- expect: SI-1
SELECT * FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT 50;
-- name: notes_keyset_mixed
-- expect: unbounded
SELECT * FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1 AND (created_at, id) > ($2, $3) ORDER BY id LIMIT 50;
-- name: member_of
-- expect: SI-1
SELECT 1 AS one FROM "members" WHERE "members"."source_type" = 'Project' AND "members"."source_id" = $1 AND "members"."user_id" = $2 AND "members"."access_level" >= $3 LIMIT 1;
-- name: member_of_any
-- expect: unbounded
SELECT MAX(access_level) FROM members WHERE user_id = $1 AND source_type = 'Project' AND source_id IN (SELECT id FROM projects WHERE namespace_id = $2);
-- name: max_access
-- expect: SI-1
SELECT MAX(access_level) FROM members WHERE user_id = $1;
-- name: max_access_unexpired
-- expect: unbounded
SELECT MAX(access_level) FROM members WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > CURRENT_DATE);
-- name: members_unexpired_first
-- expect: SI-1
SELECT * FROM members WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > CURRENT_DATE) LIMIT 5;
-- name: descendants
-- expect: unbounded
SELECT n.* FROM namespaces n JOIN namespace_closures c ON c.descendant_id = n.id WHERE c.ancestor_id = $1;
-- name: descendants_page
-- expect: SI-1
SELECT n.* FROM namespaces n JOIN namespace_closures c ON c.descendant_id = n.id WHERE c.ancestor_id = $1 ORDER BY c.depth, c.descendant_id LIMIT 30;
-- name: is_descendant
-- expect: SI-0
SELECT EXISTS (SELECT 1 FROM namespace_closures WHERE ancestor_id = $1 AND descendant_id = $2);
-- name: ancestors_recursive
-- expect: unbounded
WITH RECURSIVE base AS (SELECT * FROM namespaces WHERE id = $1 UNION SELECT n.* FROM namespaces n, base WHERE n.id = base.parent_id) SELECT * FROM base;
-- name: redirect
-- expect: unbounded
SELECT * FROM redirect_routes WHERE path = $1;
-- name: internal_ids_of_project
-- expect: SI-1
SELECT * FROM internal_ids WHERE project_id = $1;
-- name: internal_id_bump
-- expect: SI-1
UPDATE internal_ids SET last_value = GREATEST(last_value, $1) + 1 WHERE project_id = $2 AND usage = $3 RETURNING last_value;
-- name: namespace_destroy
-- expect: unbounded
DELETE FROM namespaces WHERE id = $1;
-- name: issue_reassign
-- expect: unbounded
UPDATE issues SET author_id = $1 WHERE author_id = $2;
-- name: assignees_batch
-- expect: unbounded
SELECT user_id FROM issue_assignees WHERE issue_id IN ($1, $2, $3);
-- name: assignee_pairs
-- expect: SI-0
SELECT * FROM issue_assignees WHERE (issue_id, user_id) IN (($1, $2), ($3, $4));
-- name: random_project
-- expect: unbounded
SELECT "projects".* FROM "projects" WHERE "projects"."visibility_level" = 20 ORDER BY RANDOM() LIMIT 1;
-- name: trending
-- expect: SI-1
SELECT * FROM projects WHERE visibility_level = 20 AND archived = FALSE AND deleted_at IS NULL ORDER BY star_count DESC LIMIT 10;
-- name: search_by_title
-- expect: unbounded
SELECT * FROM issues WHERE project_id = $1 AND title ILIKE $2 LIMIT 20;
