// Asks the server. A key, if one is needed, is kept for this tab only and sent as a header: never in an address, never
// as a cookie, so that no other site can use it.
import { signal } from "@preact/signals";
import type { Problem } from "./types";

const KEY = "headwater.key";

export const keyNeeded = signal(false);

export function setKey(key: string): void {
  sessionStorage.setItem(KEY, key);
  keyNeeded.value = false;
}

export function headers(): Record<string, string> {
  const key = sessionStorage.getItem(KEY);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export type Parameters = Record<string, string | number | boolean | string[] | undefined>;

export function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (Array.isArray(value)) value.forEach((item) => query.append(name, item));
    else if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function answer<T>(request: Promise<Response>): Promise<T> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new ProblemError(unreachable());
  }
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) keyNeeded.value = true;
  throw new ProblemError(await problemOf(response));
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return { ...unreachable(), status: response.status, message: `the server answered ${response.status}` };
  }
}

function unreachable(): Problem {
  return {
    type: "about:blank",
    title: "no answer",
    status: 0,
    detail: "",
    code: "",
    message: "the server does not answer",
    hint: "Start it again with headwater serve; this page goes on by itself.",
    place: null,
  };
}

export function get<T>(path: string, parameters?: Parameters): Promise<T> {
  return answer<T>(fetch(address(path, parameters), { headers: headers() }));
}

export function send<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T> {
  return answer<T>(
    fetch(path, {
      method,
      headers: { ...headers(), "Content-Type": "application/json" },
      body: JSON.stringify(body ?? {}),
    }),
  );
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { ...unreachable(), message: String(error), hint: "" };
}
