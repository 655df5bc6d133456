// The saw-tooth of a view: staleness grows by a second a second and falls at every push; the dashed line is its promise.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { seconds } from "../lib/format";
import { get } from "../lib/client";
import { now, onFall, running, times } from "../lib/live";
import { colour } from "../lib/theme";
import type { Curve, Curves } from "../lib/types";
import { Chart, type Data } from "./chart";

export const SHOWN_S = 600;
const POINTS = 240;
const ASK_EVERY_MS = 60_000;

interface Teeth {
  at: number[];
  staleness: (number | null)[];
}

const curves = new Map<string, Teeth>();
const drawn = signal(0); // counts what was learnt
const end = signal<number | null>(null); // of what is shown; null: now

let asked = { at: 0, until: "" };

// The last minutes up to now; while nothing runs, those at the end of the last run.
export async function loadTeeth(stopped: number | null): Promise<void> {
  const until = stopped === null ? "" : new Date(stopped * 1000).toISOString();
  if (asked.until === until && Date.now() - asked.at < ASK_EVERY_MS) return;
  asked = { at: Date.now(), until };
  end.value = stopped;
  const answer = await get<Curves>("/staleness", { last: `${SHOWN_S}s`, until, points: POINTS });
  for (const curve of answer.views) curves.set(curve.view, teethOf(curve));
  drawn.value += 1;
}

function teethOf(curve: Curve): Teeth {
  return { at: [...curve.at], staleness: [...curve.staleness_s] };
}

onFall(({ view, at, from, to }) => {
  const teeth = curves.get(view) ?? { at: [], staleness: [] };
  curves.set(view, teeth);
  if (from !== null) {
    teeth.at.push(at);
    teeth.staleness.push(at - from);
  }
  teeth.at.push(at);
  teeth.staleness.push(at - to);
  while (teeth.at.length > 0 && teeth.at[0]! < at - SHOWN_S - 60) {
    teeth.at.shift();
    teeth.staleness.shift();
  }
});

function shown(view: string, until: number, alive: boolean): Data {
  const teeth = curves.get(view) ?? { at: [], staleness: [] };
  const at = [...teeth.at];
  const staleness = [...teeth.staleness];
  const time = times.value[view];
  if (alive && time != null && (at.length === 0 || at[at.length - 1]! < until)) {
    at.push(until);
    staleness.push(until - time);
  }
  return [at, staleness] as Data;
}

// A line of it in a table; drawn only while it can be seen.
export function SawTooth({ view, freshness }: { view: string; freshness: number }) {
  const place = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => setVisible(entries.some((entry) => entry.isIntersecting)));
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  return (
    <div class="saw-tooth" ref={place}>
      {visible && <Teeth view={view} freshness={freshness} />}
    </div>
  );
}

function Teeth({ view, freshness }: { view: string; freshness: number }) {
  const until = end.value ?? now.value;
  const alive = running.value === true && end.value === null;
  const learnt = drawn.value;
  const data = useMemo(() => shown(view, until, alive), [view, until, alive, learnt]);
  return (
    <Chart
      label={`Staleness of ${view} over the last ${SHOWN_S / 60} minutes; promised ${seconds(freshness)}`}
      height={34}
      data={data}
      options={() => small(freshness)}
    />
  );
}

function small(freshness: number): Omit<uPlot.Options, "width" | "height"> {
  return {
    padding: [3, 0, 2, 0],
    cursor: { show: false },
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: true, range: () => [(end.value ?? now.value) - SHOWN_S, end.value ?? now.value] },
      y: { range: (_plot, _low, high) => [0, Math.max(freshness * 1.15, Math.min(high ?? 0, freshness * 4))] },
    },
    series: [{}, { stroke: colour("accent"), width: 1, fill: colour("accent-faint"), points: { show: false } }],
    hooks: { draw: [promise(freshness)] },
  };
}

export function promise(freshness: number): (plot: uPlot) => void {
  return (plot) => {
    const y = Math.round(plot.valToPos(freshness, "y", true)) + 0.5;
    const { left, width } = plot.bbox;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("bad");
    plot.ctx.lineWidth = devicePixelRatio;
    plot.ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, y);
    plot.ctx.lineTo(left + width, y);
    plot.ctx.stroke();
    plot.ctx.restore();
  };
}
