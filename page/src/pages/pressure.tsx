// What happens when there is more to do than time for it: what waits, what was superseded, which joins got the CPU.
import { useAnswer } from "../lib/answers";
import { count, seconds, share, value } from "../lib/format";
import type { AdaptedJoin, Adaptation, StaleKey, Status, StreamAllowance, UpdateTable } from "../lib/types";
import { Bands } from "../parts/bands";
import { Dot, Empty, Failure, Section, Time, Waiting } from "../parts/basics";
import { type Column, Table } from "../parts/table";

export function Pressure() {
  const answer = useAnswer<Status>("/status");
  if (!answer.value) return answer.problem ? <Failure problem={answer.problem} /> : <Waiting />;
  const tables = answer.value.tables ?? [];
  const joins = answer.value.joins ?? [];
  const waiting = tables.reduce((sum, table) => sum + table.waiting, 0);
  const calm = waiting === 0 && joins.every((join) => !join.choosing);
  return (
    <>
      <h1 class="visually-hidden">Pressure</h1>
      {calm && (
        <Empty title="No overload">
          <p>
            Every push has time for all that waits, so nothing is left out: each view shows all of its sources up to its time.
            When there is more to do than time for it, tables declared with an update key and joins that may adapt choose what is
            worth most, and this page says what waits, what was superseded and why.
          </p>
          {tables.length + joins.length === 0 && (
            <p class="quiet">
              No table or view of this project may choose; what is late is late, and is audited as late.
            </p>
          )}
        </Empty>
      )}
      {tables.length > 0 && (
        <Section title="Update tables">
          <Table label="Update tables" columns={TABLES} rows={tables} id={(table) => table.name} />
          {tables.filter((table) => (table.staleness?.worst.length ?? 0) > 0).map((table) => (
            <Keys key={table.name} table={table} />
          ))}
        </Section>
      )}
      {joins.length > 0 && (
        <Section title="Adapted joins">
          <Table label="Adapted joins" columns={JOINS} rows={joins} id={(join) => join.view} />
          {joins.map((join) => (
            <Join key={join.view} join={join} />
          ))}
        </Section>
      )}
    </>
  );
}

function Keys({ table }: { table: UpdateTable }) {
  const keys = table.staleness?.worst ?? [];
  return (
    <>
      <h3>How stale the keys of {table.name} are</h3>
      <Bands
        label={`Keys of ${table.name} by staleness`}
        bands={(table.staleness?.distribution ?? []).map(({ up_to_s, keys }) => [
          up_to_s === 0 ? "shown" : `up to ${seconds(up_to_s)}`,
          keys,
        ])}
      />
      <h3>The stalest keys of {table.name}</h3>
      <Table label={`The stalest keys of ${table.name}`} columns={KEYS} rows={keys} id={(stale) => value(stale.key)} />
    </>
  );
}

function Join({ join }: { join: AdaptedJoin }) {
  return (
    <>
      <h3>{join.view}: which rows looked for partners in the last push</h3>
      <Table label={`Streams of ${join.view}`} columns={STREAMS} rows={join.allowances} id={(stream) => stream.stream} />
      {join.adaptations.length > 0 && (
        <>
          <h3>{join.view}: what changed, and why</h3>
          <Table label={`Adaptations of ${join.view}`} columns={ADAPTATIONS} rows={join.adaptations} id={(change) => change.at + change.event} />
        </>
      )}
    </>
  );
}

const KEYS: Column<StaleKey>[] = [
  { head: "Key", cell: (stale) => Object.entries(stale.key).map(([name, part]) => `${name} ${value(part)}`).join(", ") },
  { head: "Staleness", number: true, sort: (stale) => stale.staleness_s, cell: (stale) => seconds(stale.staleness_s) },
  { head: "Updates not shown", number: true, sort: (stale) => stale.updates, cell: (stale) => count(stale.updates) },
];

const TABLES: Column<UpdateTable>[] = [
  { head: "Table", sort: (table) => table.name, cell: (table) => table.name },
  { head: "Policy", cell: (table) => table.policy },
  {
    head: "State",
    cell: (table) => (
      <span class={`state ${table.choosing ? "warn" : "good"}`}>
        <Dot mood={table.choosing ? "warn" : "good"} /> {table.choosing ? "choosing" : "shows all"}
      </span>
    ),
  },
  { head: "Keys", number: true, cell: (table) => count(table.keys) },
  { head: "Waiting", number: true, sort: (table) => table.waiting, cell: (table) => count(table.waiting) },
  { head: "Superseded", number: true, sort: (table) => table.superseded, cell: (table) => count(table.superseded) },
  { head: "Mean staleness", number: true, cell: (table) => seconds(table.staleness?.mean_s) },
  { head: "p99", number: true, cell: (table) => seconds(table.staleness?.p99_s) },
  { head: "Time it got", number: true, cell: (table) => timeItGot(table) },
  { head: "Why", wide: true, cell: (table) => <span class="quiet small">{table.why}</span> },
];

const JOINS: Column<AdaptedJoin>[] = [
  { head: "View", sort: (join) => join.view, cell: (join) => join.view },
  {
    head: "State",
    cell: (join) => (
      <span class={`state ${join.choosing ? "warn" : "good"}`}>
        <Dot mood={join.choosing ? "warn" : "good"} /> {join.choosing ? "choosing" : "finds all"}
      </span>
    ),
  },
  {
    head: "Matches found",
    number: true,
    sort: (join) => join.share_of_matches,
    cell: (join) => `${share(join.share_of_matches)}${join.measured ? "" : " (expected)"}`,
  },
  { head: "Stale results", number: true, cell: (join) => count(join.stale_results) },
  { head: "Late rows", number: true, cell: (join) => count(join.late_rows) },
  { head: "Time it got", number: true, cell: (join) => timeItGot(join) },
  { head: "Exact since", cell: (join) => <Time at={join.exact_since} /> },
];

const STREAMS: Column<StreamAllowance>[] = [
  { head: "Stream", cell: (stream) => stream.stream },
  { head: "Arrived", number: true, cell: (stream) => count(stream.arrived) },
  { head: "Looked for partners", number: true, cell: (stream) => count(stream.probed) },
  { head: "Allowed", number: true, cell: (stream) => (stream.allowance === null ? "all" : count(stream.allowance)) },
];

const ADAPTATIONS: Column<Adaptation>[] = [
  { head: "At", cell: (change) => <Time at={change.at} /> },
  { head: "What", cell: (change) => change.event },
  { head: "Matches found", number: true, cell: (change) => share(change.share_of_matches) },
  { head: "Why", wide: true, cell: (change) => <span class="quiet small">{change.reason}</span> },
];

/** Of the time that all who choose divided in the last push, by their weights. */
function timeItGot({ share: part, weight = 1 }: { share?: number | null; weight?: number }): string {
  return part == null ? "–" : `${share(part)}, weight ${weight}`;
}
