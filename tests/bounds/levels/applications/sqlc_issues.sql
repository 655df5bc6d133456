-- dialect: postgres
-- An issue tracker for Go's sqlc: hand-written SQL with CTEs, sqlc.arg replaced by numbers, arrays, RETURNING.
CREATE TYPE issue_state AS ENUM ('open', 'closed', 'draft');
CREATE TABLE orgs (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), slug text NOT NULL UNIQUE);
CREATE TABLE projects (org_id uuid NOT NULL REFERENCES orgs(id), key text NOT NULL, name text NOT NULL, archived boolean NOT NULL DEFAULT false, PRIMARY KEY (org_id, key));
CREATE TABLE people (id uuid PRIMARY KEY, org_id uuid NOT NULL REFERENCES orgs(id), email citext NOT NULL, name text NOT NULL, UNIQUE (org_id, email));
CREATE TABLE issues (org_id uuid NOT NULL, project_key text NOT NULL, number int NOT NULL, title text NOT NULL, state issue_state NOT NULL DEFAULT 'open', author_id uuid NOT NULL REFERENCES people(id), assignee_id uuid REFERENCES people(id), duplicate_of int, priority smallint NOT NULL DEFAULT 3 CHECK (priority BETWEEN 1 AND 5), created_at timestamptz NOT NULL DEFAULT now(), closed_at timestamptz, PRIMARY KEY (org_id, project_key, number), FOREIGN KEY (org_id, project_key) REFERENCES projects(org_id, key));
CREATE TABLE labels (id uuid PRIMARY KEY, org_id uuid NOT NULL REFERENCES orgs(id), name text NOT NULL, UNIQUE (org_id, name));
CREATE TABLE issue_labels (org_id uuid NOT NULL, project_key text NOT NULL, number int NOT NULL, label_id uuid NOT NULL REFERENCES labels(id), PRIMARY KEY (org_id, project_key, number, label_id), FOREIGN KEY (org_id, project_key, number) REFERENCES issues(org_id, project_key, number));
CREATE TABLE comments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org_id uuid NOT NULL, project_key text NOT NULL, number int NOT NULL, author_id uuid NOT NULL REFERENCES people(id), body text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), FOREIGN KEY (org_id, project_key, number) REFERENCES issues(org_id, project_key, number));
CREATE TABLE watchers (person_id uuid NOT NULL REFERENCES people(id), org_id uuid NOT NULL, project_key text NOT NULL, number int NOT NULL, PRIMARY KEY (person_id, org_id, project_key, number));
CREATE TABLE pins (org_id uuid NOT NULL, project_key text NOT NULL, slot smallint NOT NULL CHECK (slot IN (1, 2, 3)), number int NOT NULL, PRIMARY KEY (org_id, project_key, slot), FOREIGN KEY (org_id, project_key, number) REFERENCES issues(org_id, project_key, number));
CREATE UNIQUE INDEX one_open_title ON issues (org_id, project_key, title) WHERE state = 'open';
CREATE VIEW open_issues AS SELECT * FROM issues WHERE state = 'open';
CREATE VIEW urgent_issues AS SELECT * FROM open_issues WHERE priority = 1;
CREATE VIEW issue_comment_counts AS SELECT org_id, project_key, number, count(*) AS n FROM comments GROUP BY org_id, project_key, number;

-- name: GetIssue
-- expect: SI-0
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND number = $3;
-- name: GetIssueTuple
-- expect: SI-0
SELECT * FROM issues WHERE (org_id, project_key, number) = ($1, $2, $3);
-- name: GetIssueByTitle
-- expect: SI-1
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND title = $3 AND state = 'open';
-- name: GetIssueByTitleAnyState
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND title = $3;
-- name: GetIssueByTitleStateParam
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND title = $3 AND state = $4;
-- name: GetOpenByTitleView
-- expect: SI-1
SELECT * FROM open_issues WHERE org_id = $1 AND project_key = $2 AND title = $3;
-- name: UrgentByTitleView
-- expect: SI-1
SELECT * FROM urgent_issues WHERE org_id = $1 AND project_key = $2 AND title = $3;
-- name: ListIssues
-- expect: SI-0
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 ORDER BY number DESC LIMIT $3;
-- name: ListIssuesKeyset
-- expect: SI-0
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND number < $3 ORDER BY number DESC LIMIT 50;
-- name: ListIssuesRowKeyset
-- expect: SI-1
SELECT * FROM issues WHERE org_id = $1 AND (created_at, number) < ($2, $3) ORDER BY created_at DESC, number DESC LIMIT 50;
-- name: ListAll
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 ORDER BY number;
-- name: ListByState
-- expect: SI-1
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND state = $3 ORDER BY created_at DESC LIMIT 50;
-- name: ListUrgent
-- expect: SI-1
SELECT * FROM urgent_issues WHERE org_id = $1 ORDER BY created_at DESC LIMIT 50;
-- name: ListAssigned
-- expect: SI-1
SELECT i.*, p.name FROM issues i JOIN projects p ON p.org_id = i.org_id AND p.key = i.project_key WHERE i.assignee_id = $1 AND i.state = 'open' ORDER BY i.priority, i.created_at LIMIT 25;
-- name: ListAssignedNotArchived
-- expect: unbounded
SELECT i.* FROM issues i JOIN projects p ON p.org_id = i.org_id AND p.key = i.project_key WHERE i.assignee_id = $1 AND NOT p.archived ORDER BY i.created_at LIMIT 25;
-- name: ListAny
-- expect: SI-0
-- param: numbers <= 100
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND number = ANY(:numbers);
-- name: ListAnyNoMax
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 AND project_key = $2 AND number = ANY(:some_numbers);
-- name: PinsOfProject
-- expect: SI-0
SELECT pi.slot, i.title FROM pins pi JOIN issues i USING (org_id, project_key, number) WHERE pi.org_id = $1 AND pi.project_key = $2 ORDER BY pi.slot;
-- name: LabelsOfIssue
-- expect: unbounded
SELECT l.* FROM labels l JOIN issue_labels il ON il.label_id = l.id WHERE il.org_id = $1 AND il.project_key = $2 AND il.number = $3;
-- name: LabelsOfIssueFirst
-- expect: SI-0
SELECT l.* FROM labels l JOIN issue_labels il ON il.label_id = l.id WHERE il.org_id = $1 AND il.project_key = $2 AND il.number = $3 ORDER BY il.label_id LIMIT 20;
-- name: LabelsOfIssueByName
-- expect: unbounded
SELECT l.* FROM labels l JOIN issue_labels il ON il.label_id = l.id WHERE il.org_id = $1 AND il.project_key = $2 AND il.number = $3 ORDER BY l.name LIMIT 20;
-- name: IssuesWithLabel
-- expect: SI-1
SELECT i.* FROM issue_labels il JOIN issues i ON i.org_id = il.org_id AND i.project_key = il.project_key AND i.number = il.number WHERE il.label_id = $1 ORDER BY il.number DESC LIMIT 20;
-- name: OpenIssuesWithLabel
-- expect: unbounded
SELECT i.* FROM issue_labels il JOIN issues i ON i.org_id = il.org_id AND i.project_key = il.project_key AND i.number = il.number WHERE il.label_id = $1 AND i.state = 'open' ORDER BY i.number DESC LIMIT 20;
-- name: IssuesWithBothLabels
-- expect: unbounded
SELECT a.number FROM issue_labels a JOIN issue_labels b ON a.org_id = b.org_id AND a.project_key = b.project_key AND a.number = b.number WHERE a.label_id = $1 AND b.label_id = $2 ORDER BY a.number LIMIT 20;
-- name: CommentCount
-- expect: SI-2
SELECT count(*) FROM comments WHERE org_id = $1 AND project_key = $2 AND number = $3;
-- name: CommentCountView
-- expect: SI-2
SELECT n FROM issue_comment_counts WHERE org_id = $1 AND project_key = $2 AND number = $3;
-- name: CommentsWithAuthors
-- expect: SI-1
SELECT c.*, pe.name FROM comments c JOIN people pe ON pe.id = c.author_id WHERE c.org_id = $1 AND c.project_key = $2 AND c.number = $3 ORDER BY c.created_at LIMIT 100;
-- name: LastComment
-- expect: SI-1
SELECT max(created_at) FROM comments WHERE org_id = $1 AND project_key = $2 AND number = $3;
-- name: IssueWithCommentCount
-- expect: SI-2
SELECT i.title, (SELECT count(*) FROM comments c WHERE c.org_id = i.org_id AND c.project_key = i.project_key AND c.number = i.number) AS n FROM issues i WHERE i.org_id = $1 AND i.project_key = $2 ORDER BY i.number DESC LIMIT 25;
-- name: MostCommented
-- expect: SI-2
SELECT number, count(*) AS n FROM comments WHERE org_id = $1 AND project_key = $2 GROUP BY number ORDER BY n DESC LIMIT 10;
-- name: CteFirstIssues
-- expect: SI-1
WITH recent AS (SELECT * FROM issues WHERE org_id = $1 ORDER BY created_at DESC LIMIT 20) SELECT r.title, pe.name FROM recent r JOIN people pe ON pe.id = r.author_id;
-- name: CteFilteredAfterLimit
-- expect: SI-1
WITH recent AS (SELECT * FROM issues WHERE org_id = $1 ORDER BY created_at DESC LIMIT 20) SELECT r.title FROM recent r WHERE r.state = 'open';
-- name: CteUnlimitedInside
-- expect: SI-2
WITH mine AS (SELECT * FROM issues WHERE author_id = $1) SELECT state, count(*) FROM mine GROUP BY state HAVING count(*) > $2;
-- name: CountByState
-- expect: SI-2
SELECT state, count(*) FROM issues WHERE author_id = $1 GROUP BY state;
-- name: WatchedFirst
-- expect: SI-0
SELECT i.* FROM watchers w JOIN issues i ON i.org_id = w.org_id AND i.project_key = w.project_key AND i.number = w.number WHERE w.person_id = $1 ORDER BY w.org_id, w.project_key, w.number LIMIT 20;
-- name: WatchedExists
-- expect: SI-0
SELECT EXISTS (SELECT 1 FROM watchers WHERE person_id = $1 AND org_id = $2 AND project_key = $3 AND number = $4);
-- name: UnionMine
-- expect: SI-1
(SELECT number, created_at FROM issues WHERE author_id = $1 ORDER BY created_at DESC LIMIT 10) UNION ALL (SELECT number, created_at FROM issues WHERE assignee_id = $1 ORDER BY created_at DESC LIMIT 10);
-- name: UnionMineCutOutside
-- expect: SI-1
SELECT number, created_at FROM issues WHERE author_id = $1 UNION ALL SELECT number, created_at FROM issues WHERE assignee_id = $1 ORDER BY created_at DESC LIMIT 10;
-- name: UnionDistinctCutOutside
-- expect: SI-1
SELECT title FROM issues WHERE author_id = $1 UNION SELECT title FROM issues WHERE assignee_id = $1 ORDER BY title LIMIT 10;
-- name: ExceptCut
-- expect: unbounded
SELECT number FROM issues WHERE author_id = $1 EXCEPT SELECT number FROM issues WHERE assignee_id = $1 LIMIT 10;
-- name: MineOrAssigned
-- expect: SI-1
SELECT * FROM issues WHERE (author_id = $1 OR assignee_id = $1) ORDER BY created_at DESC LIMIT 10;
-- name: DistinctAuthors
-- expect: unbounded
SELECT DISTINCT author_id FROM comments WHERE org_id = $1 AND project_key = $2 AND number = $3;
-- name: DistinctAuthorsCut
-- expect: SI-1
SELECT DISTINCT author_id FROM comments WHERE org_id = $1 AND project_key = $2 AND number = $3 ORDER BY author_id LIMIT 10;
-- name: OwnDuplicates
-- expect: SI-0
SELECT d.title FROM issues i JOIN issues d ON d.org_id = i.org_id AND d.project_key = i.project_key AND d.number = i.duplicate_of WHERE i.org_id = $1 AND i.project_key = $2 AND i.number = $3;
-- name: DuplicatesOf
-- expect: unbounded
SELECT d.* FROM issues d WHERE d.org_id = $1 AND d.project_key = $2 AND d.duplicate_of = $3;
-- name: NextNumber
-- expect: SI-0
SELECT coalesce(max(number), 0) + 1 FROM issues WHERE org_id = $1 AND project_key = $2;
-- name: InsertIssue
-- expect: SI-0
INSERT INTO issues (org_id, project_key, number, title, author_id) SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4 FROM issues WHERE org_id = $1 AND project_key = $2 RETURNING *;
-- name: RunningTotal
-- expect: SI-0
SELECT number, title, row_number() OVER (ORDER BY number) FROM (SELECT number, title FROM issues WHERE org_id = $1 AND project_key = $2 ORDER BY number LIMIT 20) t;
-- name: RankOverAll
-- expect: unbounded
SELECT number, rank() OVER (ORDER BY priority) FROM issues WHERE org_id = $1 AND project_key = $2 LIMIT 20;
-- name: LimitSubquery
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 LIMIT (SELECT count(*) FROM orgs);
-- name: LimitAll
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 LIMIT ALL;
-- name: LimitNull
-- expect: unbounded
SELECT * FROM issues WHERE org_id = $1 LIMIT NULL;
-- name: InLimited
-- expect: SI-1
SELECT * FROM people WHERE id IN (SELECT author_id FROM comments WHERE org_id = $1 AND project_key = $2 AND number = $3 ORDER BY created_at DESC LIMIT 5);
-- name: ValuesJoin
-- expect: SI-0
SELECT i.title FROM (VALUES ($1::int), ($2::int)) AS v(number) JOIN issues i ON i.org_id = $3 AND i.project_key = $4 AND i.number = v.number;
-- name: UnnestJoin
-- expect: unbounded
SELECT i.title FROM unnest($1::int[]) AS v(number) JOIN issues i ON i.org_id = $2 AND i.project_key = $3 AND i.number = v.number;
