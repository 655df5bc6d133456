// Every view against its promise; whatever is wrong stands on top.
import { useEffect, useMemo } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { count, dollars, dollarsPerHour, seconds, ticking } from "../lib/format";
import { now, pushing, recorded, running, times } from "../lib/live";
import { link, replaceQuery, route } from "../lib/route";
import { choosingViews, isWithin, sitesDown, stateOf, type State, troubles } from "../lib/states";
import type { Bill, BillLine, Period, Status, ViewInfo, ViewStatus } from "../lib/types";
import { Choice, Dot, Empty, Failure, Figure, Waiting } from "../parts/basics";
import { loadTeeth, SawTooth } from "../parts/sawtooth";
import { type Column, Table } from "../parts/table";
import type { PageProps } from "../shell";

interface Row {
  view: ViewStatus;
  staleness: number | null;
  state: State;
  hour: Period | undefined;
  cost: BillLine | undefined;
}

const GROUPS = [
  ["", "nothing"],
  ["owner", "owner"],
  ["site", "site"],
] as const;

function midnight(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

export function Overview({ session }: PageProps) {
  const status = useAnswer<Status>("/status");
  const infos = useAnswer<{ views: ViewInfo[] }>("/views", {}, "declared").value?.views;
  const reads = useMemo(() => new Map(infos?.map((info) => [info.name, info.reads])), [infos]);
  const hour = useAnswer<{ views: Period[] }>("/periods", { last: "1h" }, "seldom");
  const lastHour = useAnswer<Bill>("/bill", { last: "1h", by: "view" }, "seldom");
  const today = useAnswer<Bill>("/bill", { since: midnight(), by: "view" }, "seldom");
  const stopped = running.value === false ? newest(times.value) : null;
  useEffect(() => {
    if (running.value !== null) loadTeeth(stopped).catch(() => undefined); // the status says what is wrong
  }, [recorded.value, stopped, running.value]);
  if (status.value === null) return status.problem ? <Failure problem={status.problem} /> : <Waiting />;
  const alive = running.value ?? status.value.running !== null;
  const around = {
    running: alive,
    sitesDown: sitesDown(status.value),
    pushing: pushing.value.views,
    choosing: choosingViews(status.value, reads),
  };
  const periods = new Map(hour.value?.views.map((period) => [period.name, period]));
  const costs = new Map(lastHour.value?.lines.map((line) => [line.view, line]));
  const rows: Row[] = status.value.views.map((view) => {
    const staleness = stalenessOf(view);
    const state = stateOf(view, staleness, around);
    return { view, staleness, state, hour: periods.get(view.name), cost: costs.get(view.name) };
  });
  if (rows.length === 0) return <Teach status={status.value} folder={session.folder} />;
  const late = rows.filter((row) => row.state.word === "late").map((row) => row.view);
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      <Failure problem={status.problem} />
      <Troubles status={status.value} alive={alive} folder={session.folder} late={late} />
      <Totals rows={rows} lastHour={lastHour.value} today={today.value} />
      <Views rows={rows} />
    </>
  );
}

// When the last run ended, as far as the views' times tell.
function newest(all: Record<string, number | null>): number | null {
  const known = Object.values(all).filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known) + 30;
}

function stalenessOf(view: ViewStatus): number | null {
  const time = times.value[view.name] ?? (view.time === null ? null : Date.parse(view.time) / 1000);
  return time === null ? null : Math.max(0, now.value - time);
}

function Troubles({ status, alive, folder, late }: { status: Status; alive: boolean; folder: string; late: ViewStatus[] }) {
  const all = troubles(status, alive, folder, late);
  if (all.length === 0) return null;
  return (
    <ul class="troubles" aria-label="What needs attention">
      {all.map((trouble) => (
        <li key={trouble.what} class={`notice ${trouble.mood}`}>
          <strong>{trouble.href ? <a href={trouble.href}>{trouble.what}</a> : trouble.what}</strong>
          {trouble.detail && <span class="trouble-detail">{trouble.detail}</span>}
          {trouble.todo && <span class="todo">{trouble.todo.startsWith("headwater ") ? <code>{trouble.todo}</code> : trouble.todo}</span>}
        </li>
      ))}
    </ul>
  );
}

function Totals({ rows, lastHour, today }: { rows: Row[]; lastHour: Bill | null; today: Bill | null }) {
  const fresh = rows.filter((row) => isWithin(row.state)).length;
  const costs = lastHour?.lines ?? [];
  const perHour = costs.reduce((sum, line) => sum + (line.dollars_per_view_hour ?? 0), 0);
  const span = Math.max(0, ...costs.map((line) => line.view_hours)) * 3600;
  const cpu = costs.reduce((sum, line) => sum + line.cpu_seconds, 0);
  const broken = today?.total.violations;
  return (
    <dl class="figures">
      <Figure label="Fresh" value={`${fresh} of ${rows.length}`} note="views within their promise" />
      <Figure label="Cost" value={lastHour ? dollarsPerHour(perHour) : "–"} note="all views, last hour" />
      <Figure label="Today" value={dollars(today?.total.dollars)} note="since midnight" />
      <Figure label="Cores busy" value={span > 0 ? (cpu / span).toFixed(2) : "–"} note="on average, last hour" />
      <Figure label="Violations today" value={count(broken)} note={broken === 0 ? "every promise was kept" : "snapshots, one each 5 s"} />
    </dl>
  );
}

function Views({ rows }: { rows: Row[] }) {
  const query = route.value.query;
  const wanted = query.get("find") ?? "";
  const group = (query.get("group") ?? "") as "" | "owner" | "site";
  const found = rows.filter((row) => matches(row, wanted.toLowerCase()));
  const groups = useGroups(found, group);
  return (
    <>
      <div class="tools">
        <label class="choice">
          <span>Find</span>
          <input
            type="search"
            value={wanted}
            placeholder="view, owner, site or state"
            onInput={(event) => replaceQuery({ find: event.currentTarget.value })}
          />
        </label>
        <Choice label="Group by" value={group} options={GROUPS} onChange={(value) => replaceQuery({ group: value })} />
        <span class="quiet small">
          {found.length === rows.length ? "" : `${found.length} of ${rows.length} views`}
        </span>
      </div>
      {found.length === 0 && <Empty title="No view matches" />}
      {groups.map(([name, members]) => (
        <section key={name}>
          {group && (
            <h2 class="group">
              {name || `no ${group}`}
              <span class="quiet small">
                {" "}
                {dollarsPerHour(members.reduce((sum, row) => sum + (row.cost?.dollars_per_view_hour ?? 0), 0))}
              </span>
            </h2>
          )}
          <Table
            label={group ? `Views of ${name || `no ${group}`}` : "Views"}
            columns={COLUMNS}
            rows={members}
            id={(row) => row.view.name}
            sorted={query.get("sort") ?? ""}
            onSort={(sort) => replaceQuery({ sort })}
          />
        </section>
      ))}
    </>
  );
}

function useGroups(rows: Row[], group: "" | "owner" | "site"): [string, Row[]][] {
  return useMemo(() => {
    const groups = new Map<string, Row[]>();
    for (const row of rows) {
      const name = group === "" ? "" : row.view[group];
      groups.set(name, [...(groups.get(name) ?? []), row]);
    }
    return [...groups].sort(([one], [other]) => one.localeCompare(other));
  }, [rows, group]);
}

function matches({ view, state }: Row, text: string): boolean {
  return [view.name, view.owner, view.site, state.word].some((field) => field.toLowerCase().includes(text));
}

const COLUMNS: Column<Row>[] = [
  {
    head: "View",
    sort: (row) => row.view.name,
    cell: ({ view }) => (
      <>
        <a class="name" href={link(["views", view.name])}>
          {view.name}
        </a>
        <span class="quiet small under">
          {[view.owner, view.site === "default" ? "" : view.site, view.refresh === "full" ? "recomputed" : ""]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </>
    ),
  },
  {
    head: "State",
    sort: (row) => row.state.word,
    cell: ({ state }) => (
      <span class={`state ${state.mood}`} title={state.why}>
        <Dot mood={state.mood} busy={state.busy} /> {state.word}
      </span>
    ),
  },
  {
    head: "Staleness",
    number: true,
    sort: (row) => (row.staleness === null ? null : row.staleness / row.view.freshness_s),
    hint: "How old it is now; sorted by its share of the promise",
    cell: ({ staleness, state }) => <span class={state.word === "late" ? "bad-text" : ""}>{ticking(staleness)}</span>,
  },
  {
    head: "Promise",
    number: true,
    sort: (row) => row.view.freshness_s,
    cell: ({ view }) => <span class="quiet">{seconds(view.freshness_s)}</span>,
  },
  {
    head: "Last 10 minutes of the run",
    wide: true,
    cell: ({ view }) => <SawTooth view={view.name} freshness={view.freshness_s} />,
  },
  {
    head: "Worst, 1 h",
    number: true,
    sort: (row) => row.hour?.worst_staleness_s ?? null,
    hint: "The highest staleness that a snapshot, one each 5 s, found in the last hour",
    cell: ({ hour }) => seconds(hour?.worst_staleness_s),
  },
  {
    head: "Violations",
    number: true,
    sort: (row) => row.view.violations,
    hint: "Snapshots, one each 5 s, that found it staler than promised, as far back as the audit is kept",
    cell: ({ view }) => <span class={view.violations ? "bad-text" : "quiet"}>{count(view.violations)}</span>,
  },
  { head: "Rows", number: true, sort: (row) => row.view.rows, cell: ({ view }) => count(view.rows) },
  { head: "Pushes", number: true, sort: (row) => row.view.pushes, cell: ({ view }) => count(view.pushes) },
  {
    head: "CPU",
    number: true,
    sort: (row) => row.view.cpu_seconds,
    hint: "CPU-seconds of its pushes",
    cell: ({ view }) => seconds(view.cpu_seconds),
  },
  {
    head: "Cost",
    number: true,
    sort: (row) => row.cost?.dollars_per_view_hour ?? null,
    hint: "Dollars an hour, as measured over the last hour",
    cell: ({ cost }) => dollarsPerHour(cost?.dollars_per_view_hour),
  },
];

function Teach({ status, folder }: { status: Status; folder: string }) {
  return (
    <div class="empty">
      <h1>{status.project} keeps no view yet</h1>
      <p>
        A view is a SELECT over your tables that Headwater keeps computed, never staler than you say. Write one, and this page
        shows how fresh it is, what it costs and what it shares with others.
      </p>
      <pre>{`CREATE MATERIALIZED VIEW open_orders
  FRESHNESS = INTERVAL '20' SECOND
AS SELECT order_id, status FROM orders WHERE status = 'placed';`}</pre>
      <ol>
        <li>
          <a href={link(["add"])}>Add a view</a> here, or write it into a file of the project.
        </li>
        <li>
          Feed its tables: <code>headwater ingest {folder} TABLE FILE</code>
          {status.sources.length > 0 && <>, for example {status.sources.map((source) => source.name).slice(0, 3).join(", ")}</>}.
        </li>
        <li>
          Keep it fresh: <code>headwater run {folder}</code>
        </li>
      </ol>
      {status.problem && <p class="notice bad">{status.problem}</p>}
    </div>
  );
}
