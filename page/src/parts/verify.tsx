// Verify a view at the press of a button: the run recomputes it from its SQL, between pushes, and compares.
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { problemFrom, send } from "../lib/client";
import { count, plural, seconds, value } from "../lib/format";
import { now, running } from "../lib/live";
import type { Difference, Problem, Session, Verification } from "../lib/types";
import { Copy, Dot, Failure, Time } from "./basics";

const ASK_EVERY_MS = 700;

export function Verify({ name, session }: { name: string; session: Session }) {
  const path = `/views/${encodeURIComponent(name)}/verification`;
  const answer = useAnswer<Verification>(session.role === "look" ? null : path);
  const [problem, setProblem] = useState<Problem | null>(null);
  const verification = answer.value;
  const under_way = verification?.state === "asked" || verification?.state === "running";
  useEffect(() => {
    if (!under_way) return undefined;
    const timer = setInterval(answer.again, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [under_way]);
  const ask = () => {
    send("POST", path)
      .then(() => {
        setProblem(null);
        answer.again();
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  const alive = running.value === true;
  return (
    <>
      <p class="prose quiet">
        Verifying recomputes the view from its SQL over its sources as of its time, and compares row by row. It runs in the run's own
        Spark, between pushes, on the cores that they leave over.
      </p>
      <div class="tools">
        <button type="button" onClick={ask} disabled={!alive || under_way || session.role !== "change"}>
          {under_way ? "Verifying ..." : "Verify"}
        </button>
        <span role="status">{verification && <Verdict verification={verification} />}</span>
      </div>
      {session.role !== "change" && <p class="quiet small">The button needs a key with the role change.</p>}
      {running.value === false && (
        <>
          <p class="quiet small">No run is alive that could do it; this does, with a Spark of its own:</p>
          <Copy text={`headwater verify ${session.folder} ${name}`} label={`verify ${name}`} />
        </>
      )}
      <Failure problem={problem ?? answer.problem} />
      {verification?.state === "done" && (
        <>
          <Differences title="Missing: its SQL gives them, it does not show them" rows={verification.missing ?? []} />
          <Differences title="Extra: it shows them, its SQL does not give them" rows={verification.extra ?? []} />
        </>
      )}
    </>
  );
}

function Verdict({ verification }: { verification: Verification }) {
  switch (verification.state) {
    case "never":
      return <span class="quiet">not verified from here yet</span>;
    case "asked":
      return <span class="quiet">asked; the run takes it up in a moment</span>;
    case "running":
      return (
        <span class="quiet">
          <Dot mood="good" busy /> recomputing, {seconds(Math.max(0, Math.round(now.value - Date.parse(verification.begun_at ?? "") / 1000)))} so far
        </span>
      );
    case "interrupted":
      return <span class="state warn">the run that had begun it has ended; ask again</span>;
    case "failed":
      return <span class="state bad">it could not be verified: {verification.error}</span>;
    case "done":
      return <Found verification={verification} />;
  }
}

function Found({ verification }: { verification: Verification }) {
  const how = (
    <span class="quiet small">
      {" "}
      as of <Time at={verification.time ?? null} />, {seconds(verification.seconds)}, {seconds(verification.cpu_seconds)} of CPU
    </span>
  );
  if (verification.not_compared) return <span class="state warn">not compared: {verification.not_compared}</span>;
  if (verification.equal) {
    return (
      <>
        <span class="state good">
          <Dot mood="good" /> equal: {plural(verification.rows ?? 0, "row")}
        </span>
        {how}
        {Object.entries(verification.rejected ?? {}).map(([table, rows]) => (
          <span class="state warn" key={table}>
            {" "}
            without {plural(rows, "rejected row")} of {table}
          </span>
        ))}
      </>
    );
  }
  return (
    <>
      <span class="state bad">
        <Dot mood="bad" /> different: {count(verification.missing_rows)} missing, {count(verification.extra_rows)} extra
      </span>
      {how}
    </>
  );
}

function Differences({ title, rows }: { title: string; rows: Difference[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        {rows.map(({ row, count: copies }) => `${copies} x ${value(row)}`).join("\n")}
      </pre>
    </>
  );
}
