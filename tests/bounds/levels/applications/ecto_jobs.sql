-- dialect: postgres
CREATE TYPE job_state AS ENUM ('available', 'scheduled', 'executing', 'retryable', 'completed', 'discarded', 'cancelled');
CREATE TABLE queues (name text PRIMARY KEY, paused boolean NOT NULL DEFAULT false, max_running int NOT NULL);
CREATE TABLE jobs (id bigserial PRIMARY KEY, state job_state NOT NULL DEFAULT 'available', queue text NOT NULL REFERENCES queues (name), worker text NOT NULL, args jsonb NOT NULL DEFAULT '{}', attempt int NOT NULL DEFAULT 0, max_attempts int NOT NULL DEFAULT 20, priority int NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 9), inserted_at timestamp NOT NULL, scheduled_at timestamp NOT NULL, attempted_at timestamp, completed_at timestamp, unique_key text, meta jsonb);
CREATE UNIQUE INDEX jobs_unique ON jobs (queue, unique_key) WHERE state IN ('available', 'scheduled', 'executing', 'retryable');
CREATE INDEX jobs_fetch ON jobs (state, queue, priority, scheduled_at, id);
CREATE TABLE job_errors (job_id bigint NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, attempt int NOT NULL, message text, PRIMARY KEY (job_id, attempt));
CREATE TABLE job_logs (job_id bigint NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, line int NOT NULL, text text, PRIMARY KEY (job_id, line), CARDINALITY LIMIT 200 (job_id));
CREATE TABLE producers (uuid uuid PRIMARY KEY, name text NOT NULL, node text NOT NULL, queue text NOT NULL, running_ids bigint[] NOT NULL, updated_at timestamp NOT NULL);
CREATE TABLE crons (name text PRIMARY KEY, expression text NOT NULL, worker text NOT NULL, opts jsonb, insertions timestamp[]);
CREATE TABLE workflows (id uuid PRIMARY KEY, name text, started_at timestamp NOT NULL TEMPORAL);
CREATE TABLE workflow_steps (workflow_id uuid NOT NULL REFERENCES workflows (id), step text NOT NULL, job_id bigint UNIQUE REFERENCES jobs (id), PRIMARY KEY (workflow_id, step), CARDINALITY LIMIT 40 (workflow_id));
CREATE TABLE workflow_deps (workflow_id uuid NOT NULL, step text NOT NULL, needs text NOT NULL, PRIMARY KEY (workflow_id, step, needs), FOREIGN KEY (workflow_id, step) REFERENCES workflow_steps (workflow_id, step), FOREIGN KEY (workflow_id, needs) REFERENCES workflow_steps (workflow_id, step));

-- name: job
-- expect: SI-0
SELECT j0."id", j0."state" FROM "jobs" AS j0 WHERE (j0."id" = $1);
-- name: jobs_by_ids
-- expect: unbounded
SELECT j0."id", j0."state" FROM "jobs" AS j0 WHERE (j0."id" = ANY($1));
-- name: fetch_available
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE (j0."state" = 'available') AND (j0."queue" = $1) ORDER BY j0."priority", j0."scheduled_at", j0."id" LIMIT $2;
-- name: fetch_available_locked
-- expect: unbounded
WITH subset AS MATERIALIZED (SELECT sj0."id" FROM "jobs" AS sj0 WHERE sj0."state" = 'available' AND sj0."queue" = $1 ORDER BY sj0."priority", sj0."scheduled_at", sj0."id" LIMIT $2 FOR UPDATE SKIP LOCKED) UPDATE "jobs" AS j0 SET "state" = 'executing', "attempted_at" = $3, "attempt" = j0."attempt" + 1 FROM "subset" AS f1 WHERE (j0."id" = f1."id") RETURNING j0."id";
-- name: fetch_available_claim
-- expect: SI-1
UPDATE "jobs" AS j0 SET "state" = 'executing', "attempt" = j0."attempt" + 1 FROM (SELECT sj0."id" FROM "jobs" AS sj0 WHERE sj0."state" = 'available' AND sj0."queue" = $1 ORDER BY sj0."priority", sj0."id" LIMIT 10) AS f1 WHERE (j0."id" = f1."id");
-- name: stage_due
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."state" IN ('scheduled', 'retryable') AND j0."scheduled_at" <= $1 ORDER BY j0."scheduled_at" LIMIT 500;
-- name: stage_due_update
-- expect: unbounded
UPDATE "jobs" SET "state" = 'available' WHERE "state" IN ('scheduled', 'retryable') AND "scheduled_at" <= $1;
-- name: unique_conflict
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."unique_key" = $2 AND j0."state" IN ('available', 'scheduled', 'executing', 'retryable');
-- name: unique_conflict_narrower
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."unique_key" = $2 AND j0."state" = 'available';
-- name: unique_conflict_wider
-- expect: unbounded
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."unique_key" = $2 AND j0."state" IN ('available', 'scheduled', 'completed');
-- name: unique_conflict_null
-- expect: unbounded
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."unique_key" IS NULL AND j0."state" = 'available';
-- name: unique_by_args
-- expect: unbounded
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."worker" = $1 AND j0."args" @> $2 LIMIT 1;
-- name: unique_by_worker_time
-- expect: SI-1
SELECT TRUE FROM "jobs" AS j0 WHERE j0."worker" = $1 AND j0."queue" = $2 AND j0."inserted_at" >= $3 LIMIT 1;
-- name: queue_state_counts
-- expect: unbounded
SELECT j0."queue", j0."state", count(j0."id") FROM "jobs" AS j0 GROUP BY j0."queue", j0."state";
-- name: state_counts_of_queue
-- expect: SI-2
SELECT j0."state", count(j0."id") FROM "jobs" AS j0 WHERE j0."queue" = $1 GROUP BY j0."state";
-- name: one_state_count
-- expect: SI-2
SELECT count(*) FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."state" = 'executing';
-- name: running_against_limit
-- expect: SI-2
SELECT q0."max_running" - (SELECT count(*) FROM "jobs" AS sj0 WHERE sj0."queue" = q0."name" AND sj0."state" = 'executing') FROM "queues" AS q0 WHERE q0."name" = $1;
-- name: queues_all
-- expect: unbounded
SELECT q0."name" FROM "queues" AS q0;
-- name: oldest_available
-- expect: SI-1
SELECT min(j0."scheduled_at") FROM "jobs" AS j0 WHERE j0."state" = 'available' AND j0."queue" = $1;
-- name: oldest_available_each_priority
-- expect: SI-1
SELECT p.v, (SELECT min(j0."scheduled_at") FROM "jobs" AS j0 WHERE j0."state" = 'available' AND j0."queue" = $1 AND j0."priority" = p.v) FROM (VALUES (0), (1), (2), (3)) AS p (v);
-- name: latency
-- expect: SI-2
SELECT avg(extract(epoch FROM j0."completed_at" - j0."inserted_at")) FROM "jobs" AS j0 WHERE j0."worker" = $1 AND j0."completed_at" > now() - interval '1 hour';
-- name: slowest
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."worker" = $1 AND j0."state" = 'completed' ORDER BY j0."completed_at" - j0."attempted_at" DESC LIMIT 10;
-- name: oldest_age_now
-- expect: unbounded
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."worker" = $1 ORDER BY abs(extract(epoch FROM now() - j0."scheduled_at")) LIMIT 10;
-- name: attempts_left
-- expect: SI-1
SELECT j0."id" FROM "jobs" AS j0 WHERE j0."queue" = $1 AND j0."attempt" >= j0."max_attempts" ORDER BY j0."id" LIMIT 10;
-- name: errors_of
-- expect: unbounded
SELECT e0."attempt", e0."message" FROM "job_errors" AS e0 WHERE e0."job_id" = $1;
-- name: logs_of
-- expect: SI-0
SELECT l0."text" FROM "job_logs" AS l0 WHERE l0."job_id" = $1 ORDER BY l0."line";
-- name: logs_of_queue
-- expect: SI-2
SELECT l0."text" FROM "job_logs" AS l0 JOIN "jobs" AS j1 ON j1."id" = l0."job_id" WHERE j1."queue" = $1 ORDER BY l0."job_id" DESC LIMIT 50;
-- name: logs_like
-- expect: SI-0
SELECT l0."line" FROM "job_logs" AS l0 WHERE l0."job_id" = $1 AND l0."text" ~ $2;
-- name: log_lines_total
-- expect: SI-0
SELECT count(*), sum(length(l0."text")) FROM "job_logs" AS l0 WHERE l0."job_id" = $1;
-- name: log_lines_of_worker
-- expect: SI-2
SELECT count(*) FROM "job_logs" AS l0 JOIN "jobs" AS j1 ON j1."id" = l0."job_id" WHERE j1."worker" = $1;
-- name: error_lines_of_worker
-- expect: unbounded
SELECT count(*) FROM "job_errors" AS l0 JOIN "jobs" AS j1 ON j1."id" = l0."job_id" WHERE j1."worker" = $1;
-- name: steps
-- expect: SI-0
SELECT s0."step", j1."state" FROM "workflow_steps" AS s0 LEFT OUTER JOIN "jobs" AS j1 ON j1."id" = s0."job_id" WHERE s0."workflow_id" = $1;
-- name: steps_ready
-- expect: SI-0
SELECT s0."step" FROM "workflow_steps" AS s0 WHERE s0."workflow_id" = $1 AND NOT EXISTS (SELECT 1 FROM "workflow_deps" AS d JOIN "workflow_steps" AS n ON n."workflow_id" = d."workflow_id" AND n."step" = d."needs" LEFT JOIN "jobs" AS j ON j."id" = n."job_id" WHERE d."workflow_id" = s0."workflow_id" AND d."step" = s0."step" AND j."state" <> 'completed');
-- name: workflow_of_job
-- expect: SI-1
SELECT w1.* FROM "workflow_steps" AS s0 INNER JOIN "workflows" AS w1 ON w1."id" = s0."workflow_id" WHERE s0."job_id" = $1;
-- name: workflows_newest
-- expect: SI-3
SELECT w0."id" FROM "workflows" AS w0 ORDER BY w0."started_at" DESC LIMIT 20;
-- name: workflows_newest_named
-- expect: SI-1
SELECT w0."id" FROM "workflows" AS w0 WHERE w0."name" = $1 ORDER BY w0."started_at" DESC LIMIT 20;
-- name: workflows_newest_unnamed
-- expect: SI-3
SELECT w0."id" FROM "workflows" AS w0 WHERE w0."name" IS NULL ORDER BY w0."started_at" DESC LIMIT 20;
-- name: producers_stale
-- expect: SI-1
SELECT p0."uuid" FROM "producers" AS p0 WHERE p0."updated_at" < now() - interval '60 seconds' LIMIT 10;
-- name: producers_running
-- expect: unbounded
SELECT p0."uuid" FROM "producers" AS p0 WHERE $1 = ANY (p0."running_ids");
-- name: prune
-- expect: unbounded
DELETE FROM "jobs" AS j0 USING (SELECT id FROM jobs WHERE state = 'completed' AND completed_at < $1 LIMIT 1000) AS s1 WHERE j0."id" = s1."id";
-- name: prune_errors
-- expect: SI-0
DELETE FROM "job_errors" WHERE "job_id" = $1 AND "attempt" = $2;
-- name: job_delete
-- expect: unbounded
DELETE FROM "jobs" WHERE "id" = $1;
-- name: cancel_of_workflow
-- expect: SI-0
UPDATE "jobs" AS j0 SET "state" = 'cancelled' FROM "workflow_steps" AS w1 WHERE w1."workflow_id" = $1 AND j0."id" = w1."job_id";
