// One view: its staleness over a period, its pushes, its cost, its SQL, what it reads and feeds, its rows.
import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import { useAnswer } from "../lib/answers";
import { problemFrom, send } from "../lib/client";
import { axisTimes, count, dollars, dollarsPerHour, instant, plural, seconds, share, ticking } from "../lib/format";
import { now, pushing, running, times } from "../lib/live";
import { link, replaceQuery, route } from "../lib/route";
import { choosingViews, sitesDown, stateOf } from "../lib/states";
import { colour } from "../lib/theme";
import type { Bill, Curves, Period, Problem, Status, ViewInfo, ViewStatus } from "../lib/types";
import { Choice, Copy, Dot, Empty, Failure, Figure, Section, Time, Waiting } from "../parts/basics";
import { Chart, type Data } from "../parts/chart";
import { CostChart } from "../parts/cost_chart";
import { Pushes } from "../parts/pushes";
import { Rows } from "../parts/rows";
import { promise } from "../parts/sawtooth";
import { Sql } from "../parts/sql";
import { Verify } from "../parts/verify";
import type { PageProps } from "../shell";

const PERIODS = [
  ["10m", "10 minutes"],
  ["1h", "1 hour"],
  ["6h", "6 hours"],
  ["1d", "1 day"],
  ["7d", "7 days"],
] as const;

type Length = (typeof PERIODS)[number][0];

export function ViewPage({ session }: PageProps) {
  const name = route.value.path[1] ?? "";
  const infos = useAnswer<{ views: ViewInfo[] }>("/views", {}, "declared");
  const status = useAnswer<Status>("/status");
  const view = status.value?.views.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  const info = infos.value?.views.find((candidate) => candidate.name === view?.name);
  const last = (route.value.query.get("last") ?? "1h") as Length;
  if (!status.value || !infos.value) return status.problem ? <Failure problem={status.problem} /> : <Waiting />;
  if (!view || !info) {
    return (
      <Empty title={`There is no view "${name}"`}>
        <a href={link([])}>All views</a>
      </Empty>
    );
  }
  return (
    <>
      <Head view={view} infos={infos.value.views} status={status.value} last={last} session={session} />
      {view.error && <Failed view={view} />}
      <StalenessChart view={view} last={last} />
      <Section title="Pushes">
        <Pushes view={view.name} last={last} />
      </Section>
      <Section title="Is it right?">
        <Verify name={view.name} session={session} />
      </Section>
      <Cost name={view.name} last={last} />
      <Section title="Rows" aside={<span class="quiet small">{plural(view.rows, "row")}</span>}>
        <Rows view={view.name} columns={info.columns} role={session.role} />
      </Section>
      <Definition info={info} infos={infos.value.views} />
      <Section title="Read it from elsewhere">
        <Readers name={view.name} folder={session.folder} />
      </Section>
    </>
  );
}

interface HeadProps {
  view: ViewStatus;
  infos: ViewInfo[];
  status: Status;
  last: Length;
  session: PageProps["session"];
}

function Head({ view, infos, status, last, session }: HeadProps) {
  const time = times.value[view.name] ?? (view.time === null ? null : Date.parse(view.time) / 1000);
  const staleness = time === null ? null : Math.max(0, now.value - time);
  const reads = useMemo(() => new Map(infos.map((info) => [info.name, info.reads])), [infos]);
  const alive = running.value ?? status.running !== null;
  const around = { running: alive, sitesDown: sitesDown(status), pushing: pushing.value.views, choosing: choosingViews(status, reads) };
  const state = stateOf(view, staleness, around);
  const period = useAnswer<{ views: Period[] }>("/periods", { last }, "seldom").value?.views.find((one) => one.name === view.name);
  return (
    <>
      <div class="page-head">
        <h1>{view.name}</h1>
        <span class={`state ${state.mood}`} title={state.why}>
          <Dot mood={state.mood} busy={state.busy} /> {state.word}
        </span>
        <span class="quiet">
          {[view.owner && `owner ${view.owner}`, `site ${view.site}`, view.refresh === "full" ? "recomputed" : "kept incrementally"]
            .filter(Boolean)
            .join(" · ")}
        </span>
        <span class="spacer" />
        <Choice label="Period" value={last} options={PERIODS} onChange={(value) => replaceQuery({ last: value })} />
        {session.role === "change" && <Drop name={view.name} />}
      </div>
      <dl class="figures">
        <Figure label="Staleness" value={ticking(staleness)} note={<>as of <Time at={view.time} /></>} />
        <Figure label="Promise" value={seconds(view.freshness_s)} note="never staler" />
        <Figure label="Worst" value={seconds(period?.worst_staleness_s)} note={worstNote(period, view)} />
        <Figure label="Violations" value={count(period?.violations)} note="snapshots, one each 5 s" />
        <Figure label="Pushes" value={count(period?.pushes)} note={`of ${count(view.pushes)} recorded`} />
        <Figure label="Rows" value={count(view.rows)} />
      </dl>
    </>
  );
}

function worstNote(period: Period | undefined, view: ViewStatus): string {
  const worst = period?.worst_staleness_s;
  return worst == null ? "" : `${share(worst / view.freshness_s)} of the promise, at snapshots`;
}

function Failed({ view }: { view: ViewStatus }) {
  return (
    <div class="notice bad" role="alert">
      <strong>Its last push failed.</strong> It shows what it was before, stops nobody else, and is tried again by itself.
      <pre>{view.error}</pre>
    </div>
  );
}

function StalenessChart({ view, last }: { view: ViewStatus; last: Length }) {
  const answer = useAnswer<Curves>("/staleness", { view: view.name, last, points: 1200 });
  const curve = answer.value?.views[0];
  const data = useMemo<Data>(() => (curve ? ([curve.at, curve.staleness_s] as Data) : [[], []]), [curve]);
  if (answer.problem) return <Failure problem={answer.problem} />;
  if (curve && curve.at.length === 0) {
    return (
      <Section title="Staleness">
        <Empty title="Nothing was recorded in this period">
          A run records a snapshot of every view each 5 s. A longer period may show more.
        </Empty>
      </Section>
    );
  }
  return (
    <Section title="Staleness" aside={<span class="quiet small">drag to zoom, double-click to see all</span>}>
      <Chart
        label={`Staleness of ${view.name} over the last ${last}; it was late in ${curve?.violations.length ?? 0} snapshots`}
        height={220}
        data={data}
        remake={view.name}
        options={() => large(view.freshness_s)}
      />
    </Section>
  );
}

function large(freshness: number): Omit<uPlot.Options, "width" | "height"> {
  const axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false } };
  return {
    cursor: { drag: { x: true, y: false } },
    legend: { show: true, live: true },
    axes: [
      { ...axis, font: "12px system-ui", space: 90, values: (_plot, marks, _axis, _space, distance) => axisTimes(marks, distance) },
      { ...axis, font: "12px system-ui", size: 64, values: (_plot, values) => values.map((value) => seconds(value)) },
    ],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(freshness * 1.15, high * 1.05)] } },
    series: [
      { label: "at", value: (_plot, at) => (at == null ? "–" : instant(new Date(at * 1000).toISOString())) },
      {
        label: "staleness",
        stroke: colour("accent"),
        width: 1.25,
        fill: colour("accent-faint"),
        points: { show: false },
        value: (_plot, value) => (value == null ? "–" : seconds(value)),
      },
    ],
    hooks: { draw: [promise(freshness)] },
  };
}

function Cost({ name, last }: { name: string; last: Length }) {
  const bill = useAnswer<Bill>("/bill", { last, by: "view" }, "seldom").value;
  const line = bill?.lines.find((candidate) => candidate.view === name);
  if (!line) return null;
  const parts = [
    ["CPU", line.cpu_dollars],
    ["network", line.network_dollars],
    ["storage", line.storage_dollars],
    ["penalties", line.penalty_dollars],
  ] as const;
  return (
    <Section title="Cost" aside={<a href={link(["bill"], { last })}>the whole bill</a>}>
      <dl class="figures">
        <Figure label="In the period" value={dollars(line.dollars)} note={dollarsPerHour(line.dollars_per_view_hour)} />
        {parts.map(([label, value]) => (
          <Figure key={label} label={label} value={dollars(value)} />
        ))}
        <Figure label="CPU used" value={seconds(line.cpu_seconds)} note="CPU-seconds, its part of what is shared" />
      </dl>
      <CostChart label={`Dollars an hour of ${name}`} asked={{ last, view: name }} />
    </Section>
  );
}

function Definition({ info, infos }: { info: ViewInfo; infos: ViewInfo[] }) {
  const explained = useAnswer<{ pushes: { stage: string; changed: string; plan: string }[] }>(
    `/views/${encodeURIComponent(info.name)}/explain`,
    {},
    "never",
  ).value;
  const feeds = infos.filter((other) => other.reads.includes(info.name)).map((other) => other.name);
  const views = new Set(infos.map((other) => other.name));
  return (
    <Section title="Definition" aside={<a href={link(["plan"], { view: info.name })}>in the plan</a>}>
      <div class="beside">
        <div>
          <h3>SQL</h3>
          <Sql text={info.sql} label={`SQL of ${info.name}`} />
          {info.obstacles.length > 0 && (
            <p class="notice warn">Recomputed as a whole, because of {info.obstacles.join("; ")}.</p>
          )}
          <h3>Lineage</h3>
          <p class="lineage">
            <Relations names={info.reads} views={views} /> <span aria-label="feed">→</span> <strong>{info.name}</strong>
            {feeds.length > 0 && (
              <>
                {" "}
                <span aria-label="feeds">→</span> <Relations names={feeds} views={views} />
              </>
            )}
          </p>
          <h3>Columns</h3>
          <table class="plain-table">
            <tbody>
              {info.columns.map((column) => (
                <tr key={column.name}>
                  <th scope="row">{column.name}</th>
                  <td class="quiet">{column.type}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div>
          <h3>What a push runs</h3>
          {explained?.pushes.map((push, at) => (
            <details key={at} open={at === 0}>
              <summary>
                {push.stage === info.name ? "" : `${push.stage}: `}
                {push.changed ? `when ${push.changed} changes` : "whenever something changes"}
              </summary>
              <pre tabIndex={0}>{push.plan}</pre>
            </details>
          ))}
        </div>
      </div>
    </Section>
  );
}

function Relations({ names, views }: { names: string[]; views: Set<string> }) {
  return (
    <>
      {names.map((name, at) => (
        <>
          {at > 0 && ", "}
          <a href={views.has(name) ? link(["views", name]) : link(["sources", name])}>{name}</a>
        </>
      ))}
    </>
  );
}

function Readers({ name, folder }: { name: string; folder: string }) {
  const table = `${folder}/warehouse/views/${name}`;
  const ways: [string, string][] = [
    ["Command line", `headwater read ${folder} ${name}`],
    ["HTTP", `curl ${location.origin}/views/${encodeURIComponent(name)}?limit=100`],
    ["Python", `import headwater\nheadwater.open(${JSON.stringify(folder)}).read(${JSON.stringify(name)}).to_pylist()`],
    ["DuckDB", `INSTALL delta; LOAD delta;\nSELECT * FROM delta_scan('${table}');`],
    ["polars", `import polars\npolars.read_delta(${JSON.stringify(table)})`],
    ["Spark", `spark.read.format("delta").load(${JSON.stringify(table)})`],
  ];
  return (
    <div class="readers">
      {ways.map(([way, text]) => (
        <div key={way}>
          <h3>{way}</h3>
          <Copy text={text} label={`read ${name} from ${way}`} />
        </div>
      ))}
    </div>
  );
}

function Drop({ name }: { name: string }) {
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const drop = () => {
    send("DELETE", `/views/${encodeURIComponent(name)}`)
      .then(() => {
        location.hash = link([]);
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  if (problem) return <Failure problem={problem} />;
  if (!asking) {
    return (
      <button type="button" class="plain" onClick={() => setAsking(true)}>
        drop ...
      </button>
    );
  }
  return (
    <span class="confirm">
      Drop {name}, with what it stored?{" "}
      <button type="button" class="danger" onClick={drop}>
        Drop it
      </button>{" "}
      <button type="button" class="plain" onClick={() => setAsking(false)}>
        no
      </button>
    </span>
  );
}
