// Deep links: the part of the address after # says which page is shown and what of it.
import { signal } from "@preact/signals";

export interface Route {
  path: string[];
  query: URLSearchParams;
}

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(read());
addEventListener("hashchange", () => {
  route.value = read();
});

export function link(path: string[], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

// Change what the page shows without a new entry in the history: a sort, a filter, a choice.
export function replaceQuery(changes: Record<string, string>): void {
  const query = Object.fromEntries(route.value.query);
  const next = link(route.value.path, { ...query, ...changes });
  history.replaceState(null, "", next);
  route.value = read();
}
