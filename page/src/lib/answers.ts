// An answer of the server inside a component: asked when shown, again when something was recorded, and on demand.
import { useEffect, useRef, useState } from "preact/hooks";
import { address, get, keyNeeded, type Parameters, problemFrom } from "./client";
import { declared, recorded, summedUp } from "./live";
import type { Problem } from "./types";

export interface Answer<T> {
  value: T | null;
  problem: Problem | null;
  again: () => void;
}

const known = new Map<string, unknown>(); // the newest answers, so that going back shows them at once

export type Live = "never" | "declared" | "seldom" | "always";

export function useAnswer<T>(path: string | null, parameters: Parameters = {}, live: Live = "always"): Answer<T> {
  const full = path === null ? null : address(path, parameters);
  const [, show] = useState(0);
  const [turn, setTurn] = useState(0);
  const problem = useRef<{ of: string | null; problem: Problem | null }>({ of: null, problem: null });
  const change = live === "always" ? recorded.value : live === "seldom" ? summedUp.value : live === "declared" ? declared.value : 0;
  const locked = keyNeeded.value;
  useEffect(() => {
    if (full === null || locked || document.hidden) return;
    let wanted = true;
    get<T>(full)
      .then((value) => {
        known.set(full, value);
        problem.current = { of: full, problem: null };
      })
      .catch((error: unknown) => {
        problem.current = { of: full, problem: problemFrom(error) };
      })
      .finally(() => wanted && show((number) => number + 1));
    return () => {
      wanted = false;
    };
  }, [full, change, turn, locked]);
  return {
    value: full === null ? null : ((known.get(full) as T | undefined) ?? null),
    problem: problem.current.of === full ? problem.current.problem : null,
    again: () => setTurn((number) => number + 1),
  };
}
