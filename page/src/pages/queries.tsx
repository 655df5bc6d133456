// The project's queries: which stay bounded as the data grows, what they need, and a form to try one.
import { useState } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { get, problemFrom } from "../lib/client";
import { count, NONE, plural, seconds, value } from "../lib/format";
import { link, route } from "../lib/route";
import type { Problem } from "../lib/types";
import { Dot, Empty, Failure, Notice, Section, Waiting } from "../parts/basics";
import { Sql } from "../parts/sql";
import { type Column, Table } from "../parts/table";
import type { PageProps } from "../shell";

interface Query {
  name: string;
  sql: string;
  level: string;
  bounded: boolean;
  operations: number | null;
  rows_read: number | null;
  results: number | null;
  needs: string;
  reasons: { text: string; line: number | null; excerpt: string }[];
  advice: string[];
  assumptions: string[];
}

interface Parameter {
  name: string;
  type: string;
  list: boolean;
}

interface Routed {
  name: string;
  route: string | null; // null: it is not answered
  parameters: Parameter[];
  answers: number; // the newest, by this server
  p50_s: number | null;
  p99_s: number | null;
  most_operations: number | null;
}

type Row = Query & { routed: Routed | undefined };

export function Queries({ session }: PageProps) {
  const answer = useAnswer<{ queries: Query[] }>("/checked-queries", {}, "declared");
  const routed = useAnswer<{ queries: Routed[] }>("/queries", {}, "seldom").value?.queries ?? [];
  const chosen = route.value.path[1] ?? "";
  if (!answer.value) return answer.problem ? <Failure problem={answer.problem} /> : <Waiting />;
  const { queries } = answer.value;
  if (queries.length === 0) {
    return (
      <Empty title="No query is declared yet">
        <p>
          A query is what an application asks with parameters. Headwater proves how much work it can ever need, however much data
          there is, or says what has no bound and how to get one.
        </p>
        <pre>{`CREATE QUERY recent_orders AS
  SELECT order_id, status FROM orders
  WHERE customer_id = :customer_id ORDER BY ordered_at DESC LIMIT 10;`}</pre>
      </Empty>
    );
  }
  const query = queries.find((candidate) => candidate.name === chosen);
  const rows: Row[] = queries.map((each) => ({ ...each, routed: routed.find((other) => other.name === each.name) }));
  return (
    <>
      <h1 class="visually-hidden">Queries</h1>
      <Table label="Queries" columns={COLUMNS} rows={rows} id={(row) => row.name} />
      {query ? <About query={query} routed={routed.find((other) => other.name === query.name)} role={session.role} key={query.name} /> : <p class="quiet">Choose one to see its SQL, and why it has its level.</p>}
    </>
  );
}

const COLUMNS: Column<Row>[] = [
  { head: "Query", sort: (query) => query.name, cell: (query) => <a class="name" href={link(["queries", query.name])}>{query.name}</a> },
  {
    head: "Level",
    sort: (query) => query.level,
    hint: "SI-0: primary keys; SI-1: indexes; SI-2: a view kept incrementally; SI-3: a periodic refresh",
    cell: (query) => (
      <span class={`state ${query.bounded ? "good" : "bad"}`}>
        <Dot mood={query.bounded ? "good" : "bad"} /> {query.level}
      </span>
    ),
  },
  { head: "Operations", number: true, hint: "The most storage operations it can ever need", sort: (query) => query.operations, cell: (query) => (query.operations === null ? NONE : `at most ${count(query.operations)}`) },
  { head: "Rows read", number: true, sort: (query) => query.rows_read, cell: (query) => (query.rows_read === null ? NONE : `at most ${count(query.rows_read)}`) },
  { head: "Results", number: true, sort: (query) => query.results, cell: (query) => (query.results === null ? NONE : `at most ${count(query.results)}`) },
  {
    head: "Used",
    number: true,
    hint: "The most operations that one of the newest answers of this server needed",
    sort: ({ routed }) => routed?.most_operations ?? null,
    cell: ({ routed }) => count(routed?.most_operations),
  },
  { head: "p50", number: true, hint: "Of the newest answers of this server", sort: ({ routed }) => routed?.p50_s ?? null, cell: ({ routed }) => seconds(routed?.p50_s) },
  { head: "p99", number: true, hint: "Of the newest answers of this server", sort: ({ routed }) => routed?.p99_s ?? null, cell: ({ routed }) => seconds(routed?.p99_s) },
  { head: "Needs", wide: true, cell: (query) => <span class="quiet small">{query.needs}</span> },
];

function About({ query, routed, role }: { query: Query; routed: Routed | undefined; role: string }) {
  return (
    <Section title={query.name}>
      <div class="beside">
        <div>
          <Sql text={query.sql} label={`SQL of ${query.name}`} />
          {query.assumptions.map((text) => (
            <p class="quiet small" key={text}>
              Assumes: {text}
            </p>
          ))}
        </div>
        <div>
          {query.reasons.map((reason) => (
            <Notice mood={query.bounded ? "still" : "bad"} key={reason.text}>
              {query.bounded ? "" : "No bound, because "}
              {reason.text}
              {reason.excerpt && <pre>{reason.excerpt}</pre>}
            </Notice>
          ))}
          {query.advice.map((text) => (
            <Notice mood="good" key={text}>
              Advice: {text}
            </Notice>
          ))}
          {query.bounded && query.reasons.length === 0 && (
            <p>
              Bounded: however much data there is, it needs at most {plural(query.operations ?? 0, "storage operation")}.
            </p>
          )}
          {routed?.route && role !== "look" && <Try path={routed.route} parameters={routed.parameters} />}
        </div>
      </div>
    </Section>
  );
}

function asked(parameters: Parameter[], given: Record<string, string>): Record<string, string | string[]> {
  return Object.fromEntries(
    parameters.map(({ name, list }) => [name, list ? (given[name] ?? "").split(",").map((part) => part.trim()) : (given[name] ?? "")]),
  );
}

interface Answered {
  rows: Record<string, unknown>[];
  operations: number;
  bound: number | null;
  level: string;
  time: string;
  staleness_s: number;
}

function Try({ path, parameters }: { path: string; parameters: Parameter[] }) {
  const [given, setGiven] = useState<Record<string, string>>({});
  const [answered, setAnswered] = useState<{ answer: Answered; took: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ask = (event: Event) => {
    event.preventDefault();
    const began = performance.now();
    get<Answered>(path, asked(parameters, given))
      .then((answer) => {
        setAnswered({ answer, took: (performance.now() - began) / 1000 });
        setProblem(null);
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  const names = Object.keys(answered?.answer.rows[0] ?? {});
  return (
    <form class="try" onSubmit={ask}>
      <h3>Try it</h3>
      {parameters.map(({ name, type, list }) => (
        <label class="choice" key={name}>
          <span>
            {name} <span class="small">{[type, list ? "list, with commas" : ""].filter(Boolean).join(", ")}</span>
          </span>
          <input
            value={given[name] ?? ""}
            inputMode={/int|decimal|double|float/.test(type) ? "decimal" : "text"}
            onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit">Ask</button>
      <Failure problem={problem} />
      {answered && (
        <>
          <p role="status">
            {plural(answered.answer.rows.length, "row")}, {plural(answered.answer.operations, "operation")} of at most{" "}
            {count(answered.answer.bound)}, answered in {seconds(answered.took)}; {seconds(answered.answer.staleness_s)} old
          </p>
          <Table
            label="Answer"
            columns={names.map((name) => ({ head: name, cell: (row: Record<string, unknown>) => value(row[name]) }))}
            rows={answered.answer.rows}
            id={(row) => JSON.stringify(row)}
          />
        </>
      )}
    </form>
  );
}
