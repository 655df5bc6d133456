// The pushes of a view: how, why, rows in and out, seconds expected and real, and what failed.
import { useState } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { count, seconds } from "../lib/format";
import type { Push } from "../lib/types";
import { Empty, Failure, Time, Waiting } from "./basics";
import { PushStrip } from "./push_strip";
import { type Column, Table } from "./table";

export function Pushes({ view, last, stage }: { view?: string; last: string; stage?: string }) {
  const answer = useAnswer<{ pushes: Push[] }>("/pushes", { view, stage, last, limit: stage ? 6 : 60 });
  const [all, setAll] = useState(false);
  if (answer.problem) return <Failure problem={answer.problem} />;
  if (!answer.value) return <Waiting />;
  const rows = [...answer.value.pushes].reverse();
  if (rows.length === 0) return <Empty title="No push in this period" />;
  const most = stage ? 6 : all ? rows.length : 10;
  return (
    <>
      {!stage && <PushStrip pushes={answer.value.pushes} />}
      <Table
        label={`Pushes of ${stage ?? view}`}
        columns={stage ? COLUMNS.filter((column) => !LONG.has(column.head)) : COLUMNS}
        rows={rows.slice(0, most)}
        id={(push) => push.at + push.stage}
      />
      {!stage && rows.length > 10 && (
        <button type="button" class="plain" onClick={() => setAll(!all)}>
          {all ? "fewer" : `all ${rows.length}`}
        </button>
      )}
    </>
  );
}

const LONG = new Set(["Why", "Expected", "CPU"]);

const COLUMNS: Column<Push>[] = [
  { head: "Ended", cell: (push) => <Time at={push.at} />, sort: (push) => push.at },
  { head: "How", cell: (push) => <span class={push.error ? "bad-text" : ""}>{push.error ? "failed" : push.mode}</span>, sort: (push) => push.mode },
  {
    head: "Why",
    wide: true,
    cell: (push) => (
      <>
        <span class="reason">{push.reason}</span>
        {push.stage !== push.view && <span class="quiet small under">stage {push.stage}</span>}
        {push.error && (
          <details>
            <summary class="bad-text">what failed{push.attempt > 1 ? `, attempt ${push.attempt}` : ""}</summary>
            <pre tabIndex={0}>{push.trace || push.error}</pre>
          </details>
        )}
      </>
    ),
  },
  { head: "Rows in", number: true, cell: (push) => count(push.changed_rows), sort: (push) => push.changed_rows },
  { head: "Rows out", number: true, cell: (push) => count(push.result_rows), sort: (push) => push.result_rows },
  { head: "Took", number: true, cell: (push) => seconds(push.seconds), sort: (push) => push.seconds },
  {
    head: "Expected",
    number: true,
    cell: (push) => <span class="quiet">{seconds(push.predicted_seconds)}</span>,
    sort: (push) => push.predicted_seconds,
  },
  { head: "CPU", number: true, cell: (push) => seconds(push.cpu_seconds), sort: (push) => push.cpu_seconds },
];
