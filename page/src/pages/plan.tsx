// The plan: what is stored and pushed, what views share, at which site and price; a click shows a stage.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../lib/answers";
import { bytes, count, dollarsPerHour, perSecond, plural, seconds, share } from "../lib/format";
import { criticalPath, layOut, related, shortName } from "../lib/layout";
import { now, pushing, times } from "../lib/live";
import { link, replaceQuery, route } from "../lib/route";
import type { Action, Graph, GraphNode, Plan, PlannedView, Tree, Work } from "../lib/types";
import { Choice, Dot, Empty, Failure, Figure, Section, Waiting } from "../parts/basics";
import { PanZoom } from "../parts/pan_zoom";
import { Pushes } from "../parts/pushes";
import { type Column, Table } from "../parts/table";

const LIT_S = 4; // a stage is lit for this long after a push

export function PlanPage() {
  const answer = useAnswer<Plan>("/plan", {}, "seldom");
  if (!answer.value) return answer.problem ? <Failure problem={answer.problem} /> : <Waiting />;
  const plan = answer.value;
  if (plan.graph.nodes.length === 0) {
    return (
      <Empty title="There is nothing to plan yet">
        <p>
          The plan shows what views are computed from, what they share and what that costs. <a href={link(["add"])}>Add a view</a>.
        </p>
      </Empty>
    );
  }
  const chosen = route.value.query.get("view") ?? "";
  const stage = route.value.query.get("stage") ?? "";
  return (
    <>
      <h1 class="visually-hidden">Plan</h1>
      <Summary plan={plan} />
      <div class="tools">
        <Choice
          label="Critical path of"
          value={chosen}
          options={[["", "no view"] as const, ...plan.views.map((view) => [view.name, view.name] as const)]}
          onChange={(view) => replaceQuery({ view })}
        />
        <span class="quiet small legend">
          <span class="swatch source" /> source <span class="swatch stage" /> shared stage <span class="swatch view" /> view{" "}
          <span class="swatch lit" /> being pushed
        </span>
      </div>
      <div class={stage ? "plan-split" : ""}>
        <Drawing plan={plan} chosen={chosen} stage={stage} />
        {stage && <Details plan={plan} name={stage} />}
      </div>
      <Section title="Views in the plan">
        <Table label="Views in the plan" columns={COLUMNS} rows={plan.views} id={(view) => view.name} />
      </Section>
      {plan.shared.steps.length > 0 && (
        <Section title="How it was improved">
          <ul class="steps">
            {plan.shared.steps.map((step) => (
              <li key={step.text}>
                <strong>{dollarsPerHour(step.dollars_per_hour_saved)}</strong> saved by {step.kind}{" "}
                <span class="quiet small">{step.text}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {plan.trees && plan.trees.length > 0 && <Trees plan={plan} />}
    </>
  );
}

function Summary({ plan }: { plan: Plan }) {
  const { shared } = plan;
  const saved = shared.dollars_per_hour_before - shared.dollars_per_hour;
  const refused = plan.views.filter((view) => !view.admitted).length;
  return (
    <dl class="figures">
      <Figure label="Expected cost" value={dollarsPerHour(shared.dollars_per_hour)} note="all views together" />
      <Figure
        label="Sharing saves"
        value={shared.dollars_per_hour_before > 0 ? share(saved / shared.dollars_per_hour_before) : "–"}
        note={`${dollarsPerHour(shared.dollars_per_hour_before)} alone`}
      />
      <Figure label="A push of all" value={seconds(plan.push_s)} note={plural(plan.actions.length, "run") + " of Spark"} />
      <Figure label="Cores busy" value={plan.busy_cores.toFixed(2)} note="expected, on average" />
      <Figure
        label="Promises"
        value={refused === 0 ? "all admitted" : `${plural(refused, "view")} refused`}
        note={refused === 0 ? "they can be kept" : "they cannot be kept"}
      />
    </dl>
  );
}

function Drawing({ plan, chosen, stage }: { plan: Plan; chosen: string; stage: string }) {
  const layout = useMemo(() => layOut(plan.graph), [plan]);
  const critical = useMemo(() => criticalPath(plan.graph, chosen), [plan, chosen]);
  const near = useMemo(() => (stage ? related(plan.graph, stage) : null), [plan, stage]);
  const lit = litNow(plan.graph);
  const kind = (node: GraphNode) =>
    [
      "box",
      node.kind,
      node.name === stage ? "chosen" : "",
      critical.includes(node.name) ? "critical" : "",
      lit.has(node.name) ? "lit" : "",
      pushing.value.stages.has(node.name) ? "now" : "",
      (near && !near.has(node.name)) || (critical.length > 0 && !critical.includes(node.name) && !stage) ? "faint" : "",
    ].join(" ");
  const choose = (name: string) => replaceQuery({ stage: name === stage ? "" : name });
  return (
    <PanZoom width={layout.width} height={layout.height} label={`The plan of ${plan.project}.`}>
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 0.8 L7.5 4 L0 7.2 z" class="tip" />
        </marker>
      </defs>
      {layout.frames.map((frame) => (
        <g key={frame.site} class="frame">
          <rect x={frame.x} y={frame.y} width={frame.width} height={frame.height} rx="8" />
          <text x={frame.x + 10} y={frame.y + 16}>
            {frame.site}
          </text>
        </g>
      ))}
      {layout.arrows.map((arrow) => (
        <path
          key={`${arrow.from} ${arrow.to}`}
          class={[
            "arrow",
            critical.includes(arrow.from) && critical[critical.indexOf(arrow.from) + 1] === arrow.to ? "critical" : "",
            pushing.value.stages.has(arrow.to) ? "flowing" : "",
            near && !(near.has(arrow.from) && near.has(arrow.to)) ? "faint" : "",
          ].join(" ")}
          d={arrow.path}
          marker-end="url(#tip)"
        />
      ))}
      {layout.boxes.map((box) => (
        <g
          key={box.node.name}
          class={kind(box.node)}
          role="button"
          tabIndex={0}
          aria-pressed={box.node.name === stage}
          aria-label={`${box.node.kind} ${shortName(box.node.name)}`}
          onClick={() => choose(box.node.name)}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === " ") {
              event.preventDefault();
              choose(box.node.name);
            }
          }}
        >
          <title>{box.node.name}</title>
          <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={box.node.kind === "source" ? 2 : 6} />
          <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 4} text-anchor="middle">
            {shortName(box.node.name)}
          </text>
        </g>
      ))}
    </PanZoom>
  );
}

// What is being computed at this moment, and the views that were pushed in the last seconds.
function litNow(graph: Graph): ReadonlySet<string> {
  const fresh = Object.entries(times.value).filter(([view, time]) => time !== null && pushedAt(view, time) > now.value - LIT_S);
  const names = new Set([...pushing.value.stages, ...fresh.map(([view]) => view)]);
  return new Set(graph.nodes.map((node) => node.name).filter((name) => names.has(name)));
}

const seen = new Map<string, { time: number; at: number }>();

function pushedAt(view: string, time: number): number {
  const before = seen.get(view);
  if (before?.time !== time) seen.set(view, { time, at: before ? now.value : 0 });
  return seen.get(view)!.at;
}

function Details({ plan, name }: { plan: Plan; name: string }) {
  const node = plan.graph.nodes.find((candidate) => candidate.name === name);
  if (!node) return <Empty title={`There is no stage "${name}"`} />;
  const reads = plan.graph.edges.filter((edge) => edge.to === name).map((edge) => edge.from);
  const feeds = plan.graph.edges.filter((edge) => edge.from === name).map((edge) => edge.to);
  const action = plan.actions.find((candidate) => candidate.stages.includes(name));
  const work = action?.works.find((candidate) => candidate.stage === name);
  const source = plan.sources.find((candidate) => candidate.name === name);
  return (
    <aside class="details" aria-label={`About ${name}`}>
      <div class="section-head">
        <h2 class="break">{name}</h2>
        <button type="button" class="plain" onClick={() => replaceQuery({ stage: "" })}>
          close
        </button>
      </div>
      <p class="quiet">
        {node.kind === "stage" ? "a stage that views share" : node.kind} at {node.site}
        {node.kind !== "stage" && (
          <>
            , <a href={node.kind === "view" ? link(["views", name]) : link(["sources", name])}>its page</a>
          </>
        )}
      </p>
      <dl class="pairs">
        {source && (
          <>
            <dt>Rows</dt>
            <dd>{count(source.rows)}</dd>
            <dt>Changes</dt>
            <dd>{perSecond(source.rate_per_second)}</dd>
          </>
        )}
        {node.stored_rows !== undefined && (
          <>
            <dt>Stored</dt>
            <dd>
              {plural(node.stored_rows, source ? "change" : "row")}, {bytes(node.stored_bytes)}
            </dd>
          </>
        )}
      </dl>
      {work && action && <WorkDetails plan={plan} work={work} action={action} />}
      <Names title="Reads" names={reads} />
      <Names title="Feeds" names={feeds} />
      {node.kind !== "source" && (
        <>
          <Operators name={name} view={node.kind === "view" ? name : node.serves[0]} />
          <h3>Last pushes</h3>
          <Pushes last="1h" stage={name} />
        </>
      )}
    </aside>
  );
}

function WorkDetails({ plan, work, action }: { plan: Plan; work: Work; action: Action }) {
  const whole = action.works.reduce((sum, other) => sum + other.seconds, 0);
  const cost = whole > 0 ? (action.dollars_per_hour * work.seconds) / whole : 0;
  const [fresh, all] = [1 / Math.max(1, work.serves.length), work.serves.length];
  return (
    <dl class="pairs">
      <dt>How</dt>
      <dd>
        {work.mode}, run {action.step} of {plan.actions.length} of a push
      </dd>
      <dt>A usual push</dt>
      <dd>
        {seconds(work.seconds)}, {count(work.changed_rows)} rows in, {count(work.scanned_rows)} looked up, {count(work.result_rows)} out
      </dd>
      <dt>Cost</dt>
      <dd>
        {dollarsPerHour(cost)}, pushed every {seconds(action.every_s)}
      </dd>
      <dt>Serves</dt>
      <dd>
        {work.serves.map((view, at) => (
          <>
            {at > 0 && ", "}
            <a href={link(["views", view])}>{view}</a>
          </>
        ))}
        {all > 1 && <span class="quiet small under">each pays {share(fresh)} of it, {dollarsPerHour(cost * fresh)}</span>}
      </dd>
    </dl>
  );
}

function Operators({ name, view }: { name: string; view: string | undefined }) {
  const explained = useAnswer<{ pushes: { stage: string; changed: string; plan: string }[]; stages: Record<string, string> }>(
    view ? `/views/${encodeURIComponent(view)}/explain` : null,
    {},
    "never",
  ).value;
  const text = explained?.stages[name];
  if (!text) return null;
  return (
    <>
      <h3>Operators</h3>
      <pre tabIndex={0} aria-label={`Operators of ${name}`}>
        {text}
      </pre>
    </>
  );
}

function Names({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="names">
        {names.map((name) => (
          <li key={name}>
            <button type="button" class="plain link break" onClick={() => replaceQuery({ stage: name })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Trees({ plan }: { plan: Plan }) {
  return (
    <Section title="Woven windows">
      <p class="prose quiet">Views of one tree share partial results: fragments of time, or finer groups, are computed once for all of them.</p>
      <Table label="Woven windows" columns={TREES} rows={plan.trees ?? []} id={(tree) => `${tree.site} ${tree.table} ${(tree.views ?? []).join()}`} />
    </Section>
  );
}

const TREES: Column<Tree>[] = [
  { head: "Table", cell: (tree) => tree.table ?? "" },
  { head: "Site", cell: (tree) => tree.site ?? "default" },
  {
    head: "Views",
    wide: true,
    cell: (tree) =>
      (tree.views ?? []).map((view, at) => (
        <>
          {at > 0 && ", "}
          <a href={link(["views", view])}>{view}</a>
        </>
      )),
  },
  { head: "Edges", number: true, hint: "Edges of windows a second: so many fragments are cut", cell: (tree) => perSecond(tree.edge_rate) },
  { head: "Overlap", number: true, hint: "How many windows a fragment serves, on average", cell: (tree) => (tree.overlap == null ? "–" : tree.overlap.toFixed(1)) },
];

const COLUMNS: Column<PlannedView>[] = [
  { head: "View", sort: (view) => view.name, cell: (view) => <a href={link(["views", view.name])}>{view.name}</a> },
  {
    head: "Promise",
    sort: (view) => (view.admitted ? 1 : 0),
    cell: (view) => (
      <span class={`state ${view.admitted ? "good" : "bad"}`} title={view.reason}>
        <Dot mood={view.admitted ? "good" : "bad"} /> {view.admitted ? "admitted" : "refused"}
      </span>
    ),
  },
  { head: "Freshness", number: true, sort: (view) => view.freshness_s, cell: (view) => seconds(view.freshness_s) },
  { head: "Critical path", number: true, sort: (view) => view.critical_path_s, cell: (view) => seconds(view.critical_path_s) },
  { head: "Smallest", number: true, hint: "The smallest freshness it could promise", sort: (view) => view.smallest_freshness_s, cell: (view) => seconds(view.smallest_freshness_s) },
  { head: "Pushes", number: true, sort: (view) => view.pushes_per_hour, cell: (view) => `${count(view.pushes_per_hour)}/h` },
  { head: "Cost", number: true, sort: (view) => view.dollars_per_hour, cell: (view) => dollarsPerHour(view.dollars_per_hour) },
  { head: "Alone", number: true, hint: "What it would cost without sharing", sort: (view) => view.dollars_per_hour_alone, cell: (view) => <span class="quiet">{dollarsPerHour(view.dollars_per_hour_alone)}</span> },
  { head: "Why", wide: true, cell: (view) => <span class="quiet small">{view.reason}</span> },
];
