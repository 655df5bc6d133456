// What is live: one stream of server-sent events says as of when every view is and whether anything was recorded.
// Between two events staleness grows by a second a second, which the page computes itself.
import { batch, signal } from "@preact/signals";
import { headers, keyNeeded } from "./client";

interface State {
  at: number; // seconds since 1970, by the server's clock
  running: boolean;
  times: Record<string, number | null>;
  pushing: { views: string[]; stages: string[] }; // right now
  state: string; // changes when something was recorded or declared; for what a run records, every ten seconds at most
  sums: string; // the same for what is summed up over a period: every minute at most
  declared: string; // changes whenever the project's files say something else
}

const TICK_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export const connected = signal<"connecting" | "open" | "lost">("connecting");
export const now = signal(Date.now() / 1000); // seconds, by the server's clock
export const running = signal<boolean | null>(null);
export const times = signal<Record<string, number | null>>({});
export const recorded = signal(0); // counts what pages should look at again
export const summedUp = signal(0); // the same, more seldom
export const declared = signal(""); // what the project's files say, as a digest
export const pushing = signal<{ views: ReadonlySet<string>; stages: ReadonlySet<string> }>({ views: new Set(), stages: new Set() });

export type Fall = { view: string; at: number; from: number | null; to: number };
const falling = new Set<(fall: Fall) => void>();

export function onFall(listener: (fall: Fall) => void): () => void {
  falling.add(listener);
  return () => falling.delete(listener);
}

let ahead = 0; // of the server's clock before ours, in seconds
let state = "";
let sums = "";

setInterval(() => {
  if (!document.hidden) now.value = Date.now() / 1000 + ahead;
}, TICK_MS);

// A page that nobody sees asks for nothing; it catches up when it is seen again.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  recorded.value += 1;
  summedUp.value += 1;
});

function take(event: State): void {
  ahead = event.at - Date.now() / 1000;
  const before = times.value;
  batch(() => {
    now.value = event.at;
    running.value = event.running;
    connected.value = "open";
    times.value = event.times;
    declared.value = event.declared;
    takePushing(event.pushing);
  });
  for (const [view, time] of Object.entries(event.times)) {
    const old = before[view];
    if (time != null && old !== undefined && old !== time) {
      for (const listener of falling) listener({ view, at: event.at, from: old, to: time });
    }
  }
  // The first event says what is; what the page shows was asked for a moment ago.
  if (state !== "" && event.state !== state) recorded.value += 1;
  if (sums !== "" && event.sums !== sums) summedUp.value += 1;
  ({ state, sums } = event);
}

function takePushing({ views, stages }: State["pushing"]): void {
  const before = pushing.value;
  const same = (names: string[], known: ReadonlySet<string>) => names.length === known.size && names.every((name) => known.has(name));
  if (same(views, before.views) && same(stages, before.stages)) return;
  pushing.value = { views: new Set(views), stages: new Set(stages) };
}

async function follow(): Promise<void> {
  const response = await fetch("/live/changes", { headers: headers(), cache: "no-store" });
  if (response.status === 401) keyNeeded.value = true;
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const text of events) {
      const data = text.split("\n").find((line) => line.startsWith("data: "));
      if (data) take(JSON.parse(data.slice(6)) as State);
    }
  }
}

export async function stayConnected(): Promise<never> {
  let wait = 500;
  for (;;) {
    const began = Date.now();
    try {
      await follow();
    } catch {
      // the server is gone, or wants a key: said by `connected`, tried again below
    }
    if (Date.now() - began > 5_000) wait = 500;
    connected.value = "lost";
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}
