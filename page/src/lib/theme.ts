// Light or dark: as the system says, or as the reader has chosen here.
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "headwater.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal<Theme>((localStorage.getItem(KEY) as Theme | null) ?? "system");
export const dark = signal(false);

function show(): void {
  dark.value = theme.value === "dark" || (theme.value === "system" && system.matches);
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
}

effect(() => {
  localStorage.setItem(KEY, theme.value);
  show();
});
system.addEventListener("change", show);

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
