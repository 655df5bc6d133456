// Write a view and see, while typing, whether it is right, whether its promise can be kept, what it costs and shares.
import { useEffect, useRef, useState } from "preact/hooks";
import { problemFrom, send } from "../lib/client";
import { dollarsPerHour, seconds } from "../lib/format";
import { link } from "../lib/route";
import type { Plan, PlannedView, Problem } from "../lib/types";
import { Dot, Failure, Notice, Section, sentence, Waiting } from "../parts/basics";
import type { Editor } from "../parts/editor";
import type { PageProps } from "../shell";

const DRAFT = "headwater.draft";
const PAUSE_MS = 450;

export function AddView({ session }: PageProps) {
  // The example comes with the session: until then there is nothing to edit.
  if (session.project === "") return <Waiting />;
  return <Drafting session={session} />;
}

function Drafting({ session }: PageProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT) ?? session.example);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    sessionStorage.setItem(DRAFT, text);
    if (!text.trim()) {
      setPlan(null);
      setProblem(null);
      return;
    }
    let wanted = true;
    const pause = setTimeout(() => {
      setAsking(true);
      send<Plan>("POST", "/plan/draft", { sql: text })
        .then((answer) => wanted && (setPlan(answer), setProblem(null)))
        .catch((error: unknown) => wanted && (setPlan(null), setProblem(problemFrom(error))))
        .finally(() => wanted && setAsking(false));
    }, PAUSE_MS);
    return () => {
      wanted = false;
      clearTimeout(pause);
    };
  }, [text]);
  return (
    <>
      <div class="page-head">
        <h1>Add a view</h1>
        <span class="quiet">Nothing is written before you say so.</span>
      </div>
      <div class="beside">
        <div>
          <SqlEditor text={text} onChange={setText} problem={problem} />
          <p class="quiet small">Tab moves on; Ctrl-Space completes.</p>
        </div>
        <div aria-live="polite">
          <Failure problem={problem} />
          {!plan && !problem && <p class="quiet">{asking ? "Asking what it would take ..." : "Write a CREATE MATERIALIZED VIEW."}</p>}
          {plan && <Answer plan={plan} text={text} role={session.role} asking={asking} />}
        </div>
      </div>
    </>
  );
}

function SqlEditor({ text, onChange, problem }: { text: string; onChange: (text: string) => void; problem: Problem | null }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    let wanted = true;
    void import("../parts/editor").then(({ makeEditor }) => {
      if (wanted) editor.current = makeEditor(place.current!, text, (changed) => change.current(changed));
    });
    return () => {
      wanted = false;
      editor.current?.destroy();
    };
  }, []);
  useEffect(() => {
    const at = problem?.place?.path === "draft.sql" ? problem.place : null;
    editor.current?.mark(problem && at ? { line: at.line, column: at.column, message: problem.message } : null);
  }, [problem]);
  return <div class="editor" ref={place} />;
}

function Answer({ plan, text, role, asking }: { plan: Plan; text: string; role: string; asking: boolean }) {
  const views = plan.views.filter((view) => view.asked);
  const broken = plan.asked.others.filter((other) => {
    const promised = plan.views.find((view) => view.name === other.view)?.freshness_s ?? Infinity;
    return other.critical_path_s_before <= promised && promised < other.critical_path_s;
  });
  const admitted = views.every((view) => view.admitted) && broken.length === 0;
  return (
    <div class={asking ? "aged" : ""}>
      {views.map((view) => (
        <Verdict key={view.name} view={view} plan={plan} />
      ))}
      {broken.map((other) => (
        <Notice mood="bad" key={other.view}>
          {other.view} could no longer keep its promise.
        </Notice>
      ))}
      <Others plan={plan} />
      {role === "change" ? (
        <Adding text={text} names={views.map((view) => view.name)} admitted={admitted} />
      ) : (
        <Notice mood="still">Adding it needs a key with the role change; pricing it does not.</Notice>
      )}
    </div>
  );
}

function Verdict({ view, plan }: { view: PlannedView; plan: Plan }) {
  const used = new Set(view.path.map((step) => step.stage));
  const shares = plan.graph.nodes.filter((node) => node.kind !== "source" && node.name !== view.name && used.has(node.name));
  return (
    <section class="verdict">
      <h2>
        <span class={`state ${view.admitted ? "good" : "bad"}`}>
          <Dot mood={view.admitted ? "good" : "bad"} /> {view.name} {view.admitted ? "is admitted" : "is refused"}
        </span>
      </h2>
      <p>{sentence(view.reason)}.</p>
      <dl class="pairs">
        <dt>Kept</dt>
        <dd>
          {view.refresh === "full" ? "recomputed as a whole" : "incrementally"}
          {view.obstacles.map((obstacle) => (
            <span class="quiet small under" key={obstacle.reason}>
              because of {obstacle.reason}
              {obstacle.place && `, line ${obstacle.place.line}`}
            </span>
          ))}
        </dd>
        <dt>Critical path</dt>
        <dd>
          {seconds(view.critical_path_s)} of {seconds(view.freshness_s)} promised
          {view.path.length > 0 && (
            <span class="quiet small under">{view.path.map((step) => `${step.stage} ${seconds(step.seconds)}`).join(" → ")}</span>
          )}
        </dd>
        <dt>Cost</dt>
        <dd>
          {dollarsPerHour(view.dollars_per_hour)}
          {view.dollars_per_hour_alone !== null && <span class="quiet"> · {dollarsPerHour(view.dollars_per_hour_alone)} alone</span>}
        </dd>
        <dt>Shares</dt>
        <dd>
          {shares.length === 0
            ? "nothing"
            : shares.map((node) => (
                <span class="under" key={node.name}>
                  {node.name} <span class="quiet small">with {node.serves.join(", ")}</span>
                </span>
              ))}
        </dd>
      </dl>
    </section>
  );
}

function Others({ plan }: { plan: Plan }) {
  const { others, marginal_dollars_per_hour: more } = plan.asked;
  return (
    <Section title="What it does to the others">
      <p>
        All views together: {more >= 0 ? "+" : "−"}
        {dollarsPerHour(Math.abs(more))}.
      </p>
      {others.length === 0 ? (
        <p class="quiet">No other view is changed.</p>
      ) : (
        <ul class="steps">
          {others.map((other) => (
            <li key={other.view}>
              <a href={link(["views", other.view])}>{other.view}</a>: a push {seconds(other.critical_path_s)}, was{" "}
              {seconds(other.critical_path_s_before)}; {dollarsPerHour(other.dollars_per_hour)}, was{" "}
              {dollarsPerHour(other.dollars_per_hour_before)}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Adding({ text, names, admitted }: { text: string; names: string[]; admitted: boolean }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [added, setAdded] = useState<{ running: boolean } | null>(null);
  const add = () => {
    send<{ added: boolean; running: boolean }>("POST", "/views", { sql: text })
      .then((done) => {
        setAdded(done);
        setProblem(null);
        sessionStorage.removeItem(DRAFT);
      })
      .catch((error: unknown) => setProblem(problemFrom(error)));
  };
  if (added) {
    return (
      <Notice mood="good">
        <strong>Added.</strong>{" "}
        {added.running ? "The run takes it over within seconds." : "The next run computes it."}{" "}
        {names.map((name) => (
          <a key={name} href={link(["views", name])}>
            {name}
          </a>
        ))}
      </Notice>
    );
  }
  return (
    <>
      <Failure problem={problem} />
      <button type="button" class="primary" disabled={!admitted || names.length === 0} onClick={add}>
        Add {names.join(", ")}
      </button>
    </>
  );
}
