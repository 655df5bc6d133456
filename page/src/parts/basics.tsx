// The small pieces that every page is made of.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ago, instant, NONE, utc } from "../lib/format";
import { now } from "../lib/live";
import type { Mood } from "../lib/states";
import type { Problem } from "../lib/types";

export function Time({ at, relative = false }: { at: string | null; relative?: boolean }) {
  if (!at) return <span class="quiet">{NONE}</span>;
  return (
    <time dateTime={at} title={utc(at)}>
      {relative ? ago(at, now.value) : instant(at)}
    </time>
  );
}

export function Dot({ mood, busy = false }: { mood: Mood; busy?: boolean | undefined }) {
  return <span class={`dot ${mood} ${busy ? "busy" : ""}`} aria-hidden="true" />;
}

export function Section({ title, aside, children }: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section>
      <div class="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

export function Figure({ label, value, note }: { label: string; value: ComponentChildren; note?: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <span class="figure-value">{value}</span>
        {note && <span class="quiet small">{note}</span>}
      </dd>
    </div>
  );
}

export function Notice({ mood, children }: { mood: "bad" | "warn" | "good" | "still"; children: ComponentChildren }) {
  return <div class={`notice ${mood}`}>{children}</div>;
}

export function Failure({ problem }: { problem: Problem | null }) {
  if (problem === null || problem.status === 401) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{sentence(problem.message)}</strong>
      {problem.place && (
        <span class="quiet small">
          {" "}
          line {problem.place.line}, column {problem.place.column}
        </span>
      )}
      {problem.detail && problem.detail !== problem.message && <p>{problem.detail}</p>}
      {problem.hint && <p class="todo">{sentence(problem.hint)}</p>}
      {problem.code && <span class="quiet small">{problem.code}</span>}
    </div>
  );
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    });
  };
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={copy} aria-label={`Copy: ${label}`}>
        {done ? "copied" : "copy"}
      </button>
    </div>
  );
}

export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Waiting() {
  return (
    <p class="quiet waiting" role="status">
      Asking ...
    </p>
  );
}
