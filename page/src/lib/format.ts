// Numbers as people read them, each with its unit.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const NONE = "–";

export function count(value: number | null | undefined): string {
  return value == null ? NONE : whole.format(value);
}

function digits(value: number, most: number): string {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: most }).format(value);
}

export function seconds(value: number | null | undefined): string {
  if (value == null) return NONE;
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1) return `${digits(value * 1000, size < 0.1 ? 2 : 3)} ms`;
  if (size < 10) return `${value.toFixed(1)} s`;
  if (size < 120) return `${value.toFixed(0)} s`;
  if (size < 7200) return `${Math.floor(value / 60)} min ${Math.floor(value % 60)} s`;
  if (size < 172800) return `${Math.floor(value / 3600)} h ${Math.floor((value % 3600) / 60)} min`;
  return `${whole.format(value / 86400)} days`;
}

// Staleness that ticks: always in the same form, so that a column of them does not dance.
export function ticking(value: number | null | undefined): string {
  if (value == null) return NONE;
  return Math.abs(value) < 600 ? `${value.toFixed(1)} s` : seconds(value);
}

export function dollars(value: number | null | undefined): string {
  if (value == null) return NONE;
  if (value === 0) return "$0";
  const size = Math.abs(value);
  if (size >= 100) return `$${whole.format(value)}`;
  if (size >= 1) return `$${value.toFixed(2)}`;
  if (size < 0.00001) return "< $0.00001";
  return `$${value.toFixed(size >= 0.01 ? 3 : size >= 0.001 ? 4 : 5)}`;
}

export function dollarsPerHour(value: number | null | undefined): string {
  return value == null ? NONE : `${dollars(value)}/h`;
}

export function perSecond(value: number | null | undefined): string {
  return value == null ? NONE : `${digits(value, 3)}/s`;
}

export function share(value: number | null | undefined): string {
  return value == null ? NONE : `${digits(value * 100, 3)} %`;
}

export function bytes(value: number | null | undefined): string {
  if (value == null) return NONE;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let size = value;
  while (size >= 1000 && at < units.length - 1) {
    size /= 1000;
    at += 1;
  }
  return `${digits(size, 3)} ${units[at]}`;
}

export function plural(number: number, noun: string): string {
  return `${whole.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

const timeOnly = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});

// An instant in the reader's zone; with its day if that is not today.
export function instant(text: string): string {
  const at = new Date(text);
  return (at.toDateString() === new Date().toDateString() ? timeOnly : dayAndTime).format(at);
}

// Marks of an axis of time: seconds, minutes or days, whichever the distance between two of them needs.
export function axisTimes(marks: number[], distance: number): string[] {
  const form = new Intl.DateTimeFormat(
    undefined,
    distance >= 86400
      ? { day: "numeric", month: "short" }
      : { hour: "2-digit", minute: "2-digit", hour12: false, ...(distance < 60 ? { second: "2-digit" as const } : {}) },
  );
  return marks.map((mark) => form.format(mark * 1000));
}

export function utc(text: string): string {
  return new Date(text).toISOString().replace("T", " ").replace("Z", " UTC");
}

export function ago(text: string, nowSeconds: number): string {
  const passed = nowSeconds - Date.parse(text) / 1000;
  return passed < 1.5 ? "just now" : `${seconds(Math.round(passed))} ago`;
}

export function value(cell: unknown): string {
  if (cell === null || cell === undefined) return "NULL";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}
