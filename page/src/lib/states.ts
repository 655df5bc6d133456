// The state of a view in a word, and whatever is wrong in a project with what to do about it: pure functions.
import { plural, seconds } from "./format";
import type { Status, ViewStatus } from "./types";

export type Mood = "good" | "bad" | "warn" | "still";

export interface State {
  word: string;
  mood: Mood;
  why: string;
  busy?: boolean; // it is being pushed right now
}

export interface Around {
  running: boolean;
  sitesDown: ReadonlySet<string>;
  pushing: ReadonlySet<string>;
  choosing: ReadonlySet<string>; // views that show a choice of what waits
}

export function stateOf(view: ViewStatus, staleness: number | null, around: Around): State {
  const { running } = around;
  const busy = running && around.pushing.has(view.name);
  return { ...stateInWords(view, staleness, around, busy), busy };
}

export function isWithin(state: State): boolean {
  return state.word === "fresh" || state.word === "pushing" || state.word === "choosing";
}

function stateInWords(view: ViewStatus, staleness: number | null, { running, sitesDown, choosing }: Around, busy: boolean): State {
  if (view.error) return { word: "failing", mood: "bad", why: view.error };
  if (sitesDown.has(view.site)) {
    return { word: "waiting for a site", mood: "warn", why: `site ${view.site} does not answer` };
  }
  if (staleness === null) {
    return running
      ? { word: "first push", mood: "warn", why: "it is being computed for the first time" }
      : { word: "never computed", mood: "still", why: "no run has computed it yet" };
  }
  if (staleness > view.freshness_s) {
    return running
      ? { word: "late", mood: "bad", why: `${seconds(staleness)} old, promised ${seconds(view.freshness_s)}` }
      : { word: "stopped", mood: "still", why: "no run keeps it" };
  }
  const why = `${seconds(staleness)} old, promised ${seconds(view.freshness_s)}`;
  if (running && choosing.has(view.name)) {
    return { word: "choosing", mood: "warn", why: `${why}; there is more to do than time for it, so it shows what is worth most` };
  }
  return busy ? { word: "pushing", mood: "good", why: `${why}; a push is under way` } : { word: "fresh", mood: "good", why };
}

// Views over tables, or joins, that show a choice of what waits.
export function choosingViews(status: Status, reads: ReadonlyMap<string, string[]>): ReadonlySet<string> {
  const choosing = new Set((status.tables ?? []).filter((table) => table.choosing).map((table) => table.name));
  for (const join of status.joins ?? []) if ((join.share_of_matches ?? 1) < 1) choosing.add(join.view);
  if (choosing.size === 0) return choosing;
  const known = new Map<string, boolean>();
  const chooses = (name: string): boolean => {
    if (!known.has(name)) {
      known.set(name, choosing.has(name));
      known.set(name, choosing.has(name) || (reads.get(name) ?? []).some(chooses));
    }
    return known.get(name)!;
  };
  return new Set(status.views.map((view) => view.name).filter(chooses));
}

export interface Trouble {
  mood: "bad" | "warn";
  what: string;
  detail: string;
  todo: string;
  href?: string;
}

export function sitesDown(status: Status): ReadonlySet<string> {
  return new Set(
    status.sites.filter((site) => !site.alive).map((site) => site.site),
  );
}

export function troubles(status: Status, running: boolean, folder: string, lateNow: ViewStatus[]): Trouble[] {
  const found: Trouble[] = [];
  if (status.problem) {
    found.push({
      mood: "bad",
      what: "The project's files are wrong; what they said before is shown",
      detail: status.problem,
      todo: "Mend the file; this page follows by itself.",
    });
  }
  for (const view of status.views.filter((candidate) => candidate.error)) {
    found.push({
      mood: "bad",
      what: `${view.name} fails`,
      detail: view.error,
      todo: "Its pushes say what failed; it is tried again by itself, and stops nobody else.",
      href: `#/views/${encodeURIComponent(view.name)}`,
    });
  }
  for (const site of sitesDown(status)) {
    found.push({
      mood: "bad",
      what: `Site ${site} does not answer`,
      detail: "",
      todo: "Start its Spark again; its views go on by themselves.",
    });
  }
  for (const source of status.sources) {
    const href = `#/sources/${encodeURIComponent(source.name)}`;
    if (source.error) {
      found.push({ mood: "bad", what: `${source.name} is not captured`, detail: source.error, todo: source.next, href });
    } else if (source.waiting.length > 0) {
      const what = `${plural(source.waiting.length, "file")} of ${source.name} cannot be read yet`;
      found.push({ mood: "warn", what, detail: source.waiting[0]?.reason ?? "", todo: source.next, href });
    }
    if (source.rejected > 0) {
      found.push({
        mood: "warn",
        what: `${plural(source.rejected, "row")} of ${source.name} ${source.rejected === 1 ? "was" : "were"} rejected`,
        detail: "They wait as dead letters, with the reason.",
        todo: source.next,
        href,
      });
    }
  }
  if (running && lateNow.length > 0) {
    const names = lateNow.map((view) => view.name).slice(0, 5).join(", ");
    found.push({
      mood: "bad",
      what: `${plural(lateNow.length, "view")} late`,
      detail: names + (lateNow.length > 5 ? ", ..." : ""),
      todo: "Their pushes say where the time goes; relax FRESHNESS, or give Spark more cores.",
    });
  }
  if (!running && status.views.length > 0) {
    found.push({
      mood: "warn",
      what: "The run has stopped: nobody keeps the views",
      detail: "What is shown is as the last run left it; nothing is lost.",
      todo: `headwater run ${folder}`,
    });
  }
  return found;
}
