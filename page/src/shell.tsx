// The frame around every page: where one is, whether a run keeps the views, light or dark; and the form for a key.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "./lib/answers";
import { keyNeeded, setKey } from "./lib/client";
import { connected, recorded, running } from "./lib/live";
import { link, route } from "./lib/route";
import { theme, type Theme } from "./lib/theme";
import type { Session } from "./lib/types";
import { AddView } from "./pages/add_view";
import { BillPage } from "./pages/bill";
import { Overview } from "./pages/overview";
import { PlanPage } from "./pages/plan";
import { Pressure } from "./pages/pressure";
import { Queries } from "./pages/queries";
import { Sources } from "./pages/sources";
import { ViewPage } from "./pages/view";
import { Dot } from "./parts/basics";

export interface PageProps {
  session: Session;
}

const PAGES: [string, string, ComponentType<PageProps>][] = [
  ["", "Overview", Overview],
  ["plan", "Plan", PlanPage],
  ["pressure", "Pressure", Pressure],
  ["bill", "Bill", BillPage],
  ["queries", "Queries", Queries],
  ["sources", "Sources", Sources],
  ["add", "Add a view", AddView],
];

const NOBODY: Session = { project: "", folder: "DIR", version: "", role: "look", keys: false, example: "" };

export function Shell() {
  const session = useAnswer<Session>("/session", {}, "declared").value ?? NOBODY;
  const [first = "", second] = route.value.path;
  const page = PAGES.find(([path]) => path === first);
  const title = first === "views" ? second : page?.[1];
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = [title, session.project, "Headwater"].filter(Boolean).join(" · ");
  }, [title, session.project]);
  useEffect(() => {
    scrollTo(0, 0);
  }, [first, second]);
  const Shown = first === "views" && second ? ViewPage : (page?.[2] ?? Missing);
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href={link([])}>
          Headwater
        </a>
        <span class="project">{session.project}</span>
        <nav aria-label="Pages">
          {PAGES.map(([path, name]) => (
            <a key={path} href={link(path ? [path] : [])} aria-current={isHere(path, first) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <RunState />
        <ThemeSwitch />
      </header>
      <main id="content" tabIndex={-1} ref={main}>
        {keyNeeded.value ? <KeyForm /> : <Shown session={session} key={route.value.path.join("/")} />}
      </main>
    </>
  );
}

function isHere(path: string, first: string): boolean {
  return path === first || (path === "" && first === "views");
}

function RunState() {
  const [mood, text] =
    connected.value === "lost"
      ? (["bad", "no answer from the server"] as const)
      : running.value === null
        ? (["still", "connecting"] as const)
        : running.value
          ? (["good", "a run keeps the views"] as const)
          : (["warn", "the run has stopped"] as const);
  return (
    <span class="run-state" role="status">
      <Dot mood={mood} /> {text}
    </span>
  );
}

function ThemeSwitch() {
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const words: Record<Theme, string> = { system: "auto", light: "light", dark: "dark" };
  return (
    <button type="button" class="plain" onClick={() => (theme.value = next[theme.value])} title="Light, dark, or as the system says">
      <span class="visually-hidden">Theme: </span>
      {words[theme.value]}
    </button>
  );
}

function KeyForm() {
  const [text, setText] = useState("");
  const enter = (event: Event) => {
    event.preventDefault();
    setKey(text.trim());
    recorded.value += 1;
  };
  return (
    <form class="key-form" onSubmit={enter}>
      <h1>This server asks for a key</h1>
      <p>
        Somebody who may type on its machine makes one: <code>headwater key add DIR NAME --role look</code>. It stays in this
        tab and is forgotten when the tab is closed.
      </p>
      <label>
        Key
        <input type="password" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={!text.trim()}>
        Enter
      </button>
    </form>
  );
}

function Missing() {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <a href={link([])}>Overview</a>
      </p>
    </div>
  );
}
