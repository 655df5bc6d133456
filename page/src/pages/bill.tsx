// What views cost over a period: by view, owner or site; resources and penalties apart; what sharing saves.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { count, dollars, dollarsPerHour, NONE, seconds, share } from "../lib/format";
import { link, replaceQuery, route } from "../lib/route";
import type { Bill, BillLine, Costs, Plan } from "../lib/types";
import { Choice, Empty, Failure, Figure, Section, Time, Waiting } from "../parts/basics";
import { CostChart } from "../parts/cost_chart";
import { type Column, Table } from "../parts/table";

const PERIODS = [
  ["1h", "the last hour"],
  ["6h", "6 hours"],
  ["1d", "1 day"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;
const BY = [
  ["view", "view"],
  ["owner", "owner"],
  ["site", "site"],
  ["process", "process"],
] as const;
const PARTS = [
  ["cpu_dollars", "CPU", "cpu"],
  ["network_dollars", "network", "network"],
  ["storage_dollars", "storage", "storage"],
  ["penalty_dollars", "penalties", "penalty"],
] as const;

type Length = (typeof PERIODS)[number][0];
type By = (typeof BY)[number][0];

export function BillPage() {
  const last = (route.value.query.get("last") ?? "1h") as Length;
  const by = (route.value.query.get("by") ?? "view") as By;
  const bill = useAnswer<Bill>("/bill", { last, by }, "seldom");
  const plan = useAnswer<Plan>("/plan", {}, "never").value;
  const columns = useMemo(() => columnsOf(by), [by]);
  return (
    <>
      <div class="page-head">
        <h1>Bill</h1>
        {bill.value && (
          <span class="quiet">
            <Time at={bill.value.since} /> to <Time at={bill.value.until} />
          </span>
        )}
        <span class="spacer" />
        <Choice label="Period" value={last} options={PERIODS} onChange={(value) => replaceQuery({ last: value })} />
        <Choice label="By" value={by} options={BY} onChange={(value) => replaceQuery({ by: value })} />
        {bill.value && <Download bill={bill.value} />}
      </div>
      <Failure problem={bill.problem} />
      {!bill.value && !bill.problem && <Waiting />}
      {bill.value && <Totals bill={bill.value} plan={plan} />}
      {bill.value && bill.value.lines.length === 0 && (
        <Empty title="Nothing was recorded in this period">
          <p>A bill is made from what a run recorded: every push with its CPU, every byte stored, every late row.</p>
        </Empty>
      )}
      {bill.value && bill.value.lines.length > 0 && (
        <>
          {by !== "process" && <CostChart label={`Dollars an hour by ${by}`} asked={{ last, by }} />}
          <Bars bill={bill.value} by={by} />
          <Table label={`Bill by ${by}`} columns={columns} rows={bill.value.lines} id={(line) => nameOf(line, by)} />
          <Explained bill={bill.value} plan={plan} />
        </>
      )}
    </>
  );
}

function nameOf(line: BillLine, by: By): string {
  return line[by] || (by === "owner" ? "nobody named" : NONE);
}

function Totals({ bill, plan }: { bill: Bill; plan: Plan | null }) {
  const { total, unattributed } = bill;
  const before = plan?.shared.dollars_per_hour_before ?? 0;
  return (
    <dl class="figures">
      <Figure label="Total" value={dollars(bill.total_with_unattributed.dollars)} note="with what belongs to no view" />
      <Figure label="Views" value={dollars(total.dollars)} note={dollarsPerHour(total.dollars_per_view_hour) + " a view"} />
      <Figure label="Penalties" value={dollars(total.penalty_dollars)} note={`${count(total.late_rows)} late rows`} />
      <Figure label="Of no view" value={dollars(unattributed.dollars)} note="Spark's own and upkeep" />
      {plan && before > 0 && (
        <Figure
          label="Sharing saves"
          value={share((before - plan.shared.dollars_per_hour) / before)}
          note={`${dollarsPerHour(before - plan.shared.dollars_per_hour)}, as planned`}
        />
      )}
    </dl>
  );
}

function Bars({ bill, by }: { bill: Bill; by: By }) {
  const lines = [...bill.lines].sort((one, other) => other.dollars - one.dollars).slice(0, 20);
  const most = Math.max(...lines.map((line) => line.dollars), Number.MIN_VALUE);
  const parts = PARTS.filter(([field]) => bill.lines.some((line) => line[field] > 0));
  return (
    <figure class="bars">
      <figcaption class="quiet small legend">
        {parts.map(([, label, kind]) => (
          <span key={kind}>
            <span class={`swatch ${kind}`} /> {label}{" "}
          </span>
        ))}
      </figcaption>
      {lines.map((line) => {
        let x = 0;
        return (
          <div class="bar" key={nameOf(line, by)}>
            <span class="bar-name">{nameOf(line, by)}</span>
            <svg viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={`${nameOf(line, by)}: ${dollars(line.dollars)}`}>
              {parts.map(([field, , kind]) => {
                const width = (line[field] / most) * 1000;
                x += width;
                return <rect key={kind} class={kind} x={x - width} y="0" width={width} height="10" />;
              })}
            </svg>
            <span class="number">{dollars(line.dollars)}</span>
          </div>
        );
      })}
    </figure>
  );
}

function Explained({ bill, plan }: { bill: Bill; plan: Plan | null }) {
  const shared = plan?.graph.nodes.filter((node) => node.kind !== "source" && node.serves.length > 1) ?? [];
  return (
    <Section title="How it is made">
      <p class="prose">
        CPU is what pushes used, at the price of a core hour of their site; what a stage costs is shared by the views it serves
        in equal parts. Storage is bytes times time; network is bytes copied between sites. A penalty is what a view's owner
        asked for each row that came later than promised. Resources and penalties are apart, so that a cheap view that was late
        does not look dear to run.
      </p>
      {shared.length > 0 && (
        <p class="quiet">
          {shared.length} stages are shared: <a href={link(["plan"])}>the plan</a> shows by whom.
        </p>
      )}
      {bill.not_included != null && String(bill.not_included) !== "" && (
        <p class="quiet small">{listed(bill.not_included)}</p>
      )}
    </Section>
  );
}

function listed(what: unknown): string {
  return Array.isArray(what) ? what.join(", ") : typeof what === "object" ? JSON.stringify(what) : String(what);
}

function columnsOf(by: By): Column<BillLine>[] {
  const money = (head: string, field: keyof Costs): Column<BillLine> => ({
    head,
    number: true,
    sort: (line) => line[field],
    cell: (line) => dollars(line[field]),
  });
  return [
    {
      head: by,
      sort: (line) => nameOf(line, by),
      cell: (line) => (by === "view" ? <a href={link(["views", nameOf(line, by)])}>{nameOf(line, by)}</a> : nameOf(line, by)),
    },
    ...(by === "view" ? [{ head: "owner", sort: (line: BillLine) => line.owner ?? "", cell: (line: BillLine) => line.owner }] : []),
    money("Total", "dollars"),
    money("Resources", "resource_dollars"),
    money("CPU", "cpu_dollars"),
    money("Network", "network_dollars"),
    money("Storage", "storage_dollars"),
    money("Penalties", "penalty_dollars"),
    { head: "CPU time", number: true, sort: (line) => line.cpu_seconds, cell: (line) => seconds(line.cpu_seconds) },
    { head: "Late rows", number: true, sort: (line) => line.late_rows, cell: (line) => count(line.late_rows) },
    { head: "Violations", number: true, sort: (line) => line.violations, cell: (line) => count(line.violations) },
    { head: "Per hour", number: true, sort: (line) => line.dollars_per_view_hour, cell: (line) => dollarsPerHour(line.dollars_per_view_hour) },
  ];
}

function Download({ bill }: { bill: Bill }) {
  const save = () => {
    const fields = Object.keys(bill.lines[0] ?? {});
    const cell = (value: unknown) => {
      const text = value == null ? "" : String(value);
      const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // never a formula
      return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const rows = bill.lines.map((line) => fields.map((field) => cell((line as unknown as Record<string, unknown>)[field])).join(","));
    const file = new Blob([[fields.join(","), ...rows].join("\n") + "\n"], { type: "text/csv" });
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(file);
    anchor.download = `bill-${bill.project}-${bill.until.slice(0, 10)}.csv`;
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  };
  return (
    <button type="button" onClick={save} disabled={bill.lines.length === 0}>
      CSV
    </button>
  );
}
