// What comes from outside: rate, lag, what is wrong, and the rows that were rejected, with a way to put them back.
import { useState } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { problemFrom, send } from "../lib/client";
import { bytes, count, NONE, perSecond, plural, seconds, share } from "../lib/format";
import { link, replaceQuery, route } from "../lib/route";
import type { DeadLetter, Problem, SlotLag, SourceStatus } from "../lib/types";
import { Dot, Empty, Failure, Notice, Section, Time, Waiting } from "../parts/basics";
import { type Column, Table } from "../parts/table";
import type { PageProps } from "../shell";

export function Sources({ session }: PageProps) {
  const answer = useAnswer<{ sources: SourceStatus[]; slots: SlotLag[] }>("/sources");
  const chosen = route.value.path[1] ?? route.value.query.get("table") ?? "";
  if (!answer.value) return answer.problem ? <Failure problem={answer.problem} /> : <Waiting />;
  const { sources, slots } = answer.value;
  if (sources.length === 0) {
    return (
      <Empty title="No table is declared yet">
        <p>
          A source is a table whose changes come from outside: rows sent by <code>headwater ingest</code>, files in a folder, or
          a PostgreSQL database. Declare one with <code>CREATE TABLE</code> in a file of the project.
        </p>
      </Empty>
    );
  }
  const source = sources.find((candidate) => candidate.name.toLowerCase() === chosen.toLowerCase());
  return (
    <>
      <h1 class="visually-hidden">Sources</h1>
      <Failure problem={answer.problem} />
      <Table label="Sources" columns={COLUMNS} rows={sources} id={(row) => row.name} />
      {slots.length > 0 && (
        <Section title="PostgreSQL slots">
          <Table label="PostgreSQL slots" columns={SLOTS} rows={slots} id={(slot) => slot.database + slot.slot} />
        </Section>
      )}
      {source && <About source={source} />}
      <Letters table={source?.name ?? ""} sources={sources} session={session} />
    </>
  );
}

const COLUMNS: Column<SourceStatus>[] = [
  { head: "Source", sort: (source) => source.name, cell: (source) => <a class="name" href={link(["sources", source.name])}>{source.name}</a> },
  { head: "Captured from", sort: (source) => source.provider, cell: (source) => source.provider },
  {
    head: "State",
    sort: (source) => stateOf(source)[1],
    cell: (source) => {
      const [mood, word] = stateOf(source);
      return (
        <span class={`state ${mood}`} title={source.error || source.next}>
          <Dot mood={mood} /> {word}
        </span>
      );
    },
  },
  { head: "Rows", number: true, sort: (source) => source.rows, cell: (source) => count(source.rows) },
  { head: "Changes", number: true, sort: (source) => source.changes, cell: (source) => count(source.changes) },
  { head: "Rate", number: true, sort: (source) => source.rate_per_s, cell: (source) => perSecond(source.rate_per_s), hint: "Changes a second in the newest ten minutes with changes" },
  { head: "Newest change", number: true, sort: (source) => source.time, cell: (source) => <Time at={source.time} /> },
  { head: "Lag", number: true, sort: (source) => source.lag_s, cell: (source) => seconds(source.lag_s), hint: "Since the moment up to which it is captured" },
  { head: "Rejected", number: true, sort: (source) => source.rejected, cell: (source) => <span class={source.rejected ? "bad-text" : "quiet"}>{count(source.rejected)}</span> },
];

function stateOf(source: SourceStatus): ["good" | "bad" | "warn" | "still", string] {
  if (source.error) return ["bad", "failing"];
  if (source.waiting.length > 0) return ["warn", "files wait"];
  if (source.rejected > 0) return ["warn", "rejects rows"];
  return source.time === null ? ["still", "empty"] : ["good", "well"];
}

const SLOTS: Column<SlotLag>[] = [
  { head: "Database", cell: (slot) => slot.database },
  { head: "Slot", cell: (slot) => slot.slot ?? NONE },
  { head: "Tables", wide: true, cell: (slot) => slot.tables.join(", ") },
  { head: "Lag", number: true, cell: (slot) => seconds(slot.lag_seconds) },
  { head: "Behind", number: true, cell: (slot) => bytes(slot.lag_bytes) },
  { head: "Kept by the server", number: true, cell: (slot) => bytes(slot.retained_bytes) },
  { head: "Read now", cell: (slot) => (slot.active === null ? NONE : slot.active ? "yes" : "no") },
  { head: "Error", wide: true, cell: (slot) => <span class="bad-text">{slot.error}</span> },
];

function About({ source }: { source: SourceStatus }) {
  return (
    <Section title={source.name}>
      {source.error && (
        <Notice mood="bad">
          <strong>{source.error}</strong>
          {source.detail && <p>{source.detail}</p>}
        </Notice>
      )}
      {source.next && (
        <p>
          What to do: {source.next.startsWith("headwater ") ? <code>{source.next}</code> : source.next}
        </p>
      )}
      {source.waiting.map((file) => (
        <Notice mood="warn" key={file.file}>
          {file.file} waits since <Time at={file.since} /> ({plural(file.failures, "attempt")}): {file.reason}
        </Notice>
      ))}
      {!source.error && source.waiting.length === 0 && source.rejected === 0 && (
        <p class="quiet">
          {source.time === null ? "Nothing has come yet." : "All that came was taken."}
        </p>
      )}
      {source.rejected > 0 && <p class="quiet">{share(source.rejected_share)} of what came was rejected.</p>}
    </Section>
  );
}

function Letters({ table, sources, session }: { table: string; sources: SourceStatus[]; session: PageProps["session"] }) {
  const wanted = session.role !== "look" && sources.some((source) => source.rejected > 0);
  const answer = useAnswer<{ letters: DeadLetter[] }>(wanted ? "/dead-letters" : null, { table, limit: 200 });
  const [retried, setRetried] = useState<string>("");
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!sources.some((source) => source.rejected > 0)) {
    return <Section title="Dead letters"><p class="quiet">No row was rejected.</p></Section>;
  }
  if (session.role === "look") {
    return <Section title="Dead letters"><Notice mood="still">To browse them, a key with the role query is needed.</Notice></Section>;
  }
  const retry = () => {
    send<{ accepted: number; rejected: number; next_run: boolean }>("POST", "/dead-letters/retry", { table })
      .then((done) => {
        setProblem(null);
        setRetried(
          done.next_run
            ? "The next run compares the table with PostgreSQL."
            : `${plural(done.accepted, "row")} accepted, ${count(done.rejected)} rejected again.`,
        );
        answer.again();
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  const letters = [...(answer.value?.letters ?? [])].reverse();
  return (
    <Section
      title={table ? `Dead letters of ${table}` : "Dead letters"}
      aside={table ? <a href={link(["sources"])} onClick={() => replaceQuery({ table: "" })}>of all sources</a> : undefined}
    >
      <Failure problem={answer.problem ?? problem} />
      {session.role === "change" && table && letters.length > 0 && (
        <div class="tools">
          <button type="button" onClick={retry}>
            Try all of {table} again
          </button>
          <span class="quiet small" role="status">
            {retried || "After the declaration or another table has been mended: what fits is stored, the rest stays."}
          </span>
        </div>
      )}
      {answer.value && letters.length === 0 && <p class="quiet">No row of {table} was rejected.</p>}
      {letters.map((letter) => (
        <Letter key={letter.time + letter.line + letter.record} letter={letter} mayMend={session.role === "change"} />
      ))}
    </Section>
  );
}

function Letter({ letter, mayMend }: { letter: DeadLetter; mayMend: boolean }) {
  const [text, setText] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const put = (event: Event) => {
    event.preventDefault();
    let record: unknown;
    try {
      record = JSON.parse(text ?? "");
    } catch (error) {
      setSaid(`It is no JSON: ${String(error)}`);
      return;
    }
    send<{ accepted: number }>("POST", `/sources/${encodeURIComponent(letter.table)}/records`, { records: [record] })
      .then(() => {
        setProblem(null);
        setSaid("It was taken; the letter stays until it is discarded or expires.");
        setText(null);
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  return (
    <article class="letter">
      <p>
        <strong>{letter.reason}</strong>
        <span class="quiet small">
          {" "}
          {letter.table}, <Time at={letter.time} />
          {letter.file && `, ${letter.file}`}
          {letter.line > 0 && `, line ${letter.line}`}
          {letter.count > 1 && `, stands for ${count(letter.count)} rows`}
        </span>
      </p>
      {text === null ? (
        <pre tabIndex={0}>{letter.record}</pre>
      ) : (
        <form onSubmit={put}>
          <label>
            <span class="visually-hidden">The mended row</span>
            <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <button type="submit">Put it back</button>{" "}
          <button type="button" class="plain" onClick={() => setText(null)}>
            leave it
          </button>
        </form>
      )}
      {mayMend && text === null && letter.record && (
        <button type="button" class="plain" onClick={() => setText(letter.record)}>
          mend it ...
        </button>
      )}
      <span class="quiet small" role="status">
        {said}
      </span>
      <Failure problem={problem} />
    </article>
  );
}
