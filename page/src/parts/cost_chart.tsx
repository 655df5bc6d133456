// Dollars an hour over a period, one on top of the other.
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { useAnswer } from "../lib/answers";
import type { Parameters } from "../lib/client";
import { axisTimes, dollars, dollarsPerHour, instant } from "../lib/format";
import { colour } from "../lib/theme";
import { Chart, type Data } from "./chart";

interface Costs {
  at: number[];
  series: { name: string; dollars_per_hour: number[] }[];
}

export function CostChart({ label, asked }: { label: string; asked: Parameters }) {
  const costs = useAnswer<Costs>("/bill/over-time", asked, "seldom").value;
  const series = useMemo(() => costs?.series.filter((one) => one.dollars_per_hour.some((paid) => paid > 0)) ?? [], [costs]);
  const data = useMemo(() => stacked(costs?.at ?? [], series.map((one) => one.dollars_per_hour)), [costs, series]);
  if (!costs || series.length === 0 || costs.at.length < 2) return null;
  const names = series.map((one) => one.name);
  return (
    <figure class="cost-chart">
      <Chart label={label} height={170} data={data} remake={names.join("\n")} options={() => options(names, series)} />
      <figcaption class="quiet small legend">
        {names.map((name, at) => (
          <span key={name}>
            <span class={`swatch s${at + 1}`} /> {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

// Sums from the first series on, the largest sum first: what is drawn later covers what is below it.
function stacked(at: number[], series: number[][]): Data {
  const sums: number[][] = [];
  for (const one of series) {
    const below = sums[sums.length - 1];
    sums.push(one.map((paid, piece) => paid + (below?.[piece] ?? 0)));
  }
  return [at, ...sums.reverse()] as Data;
}

function options(names: string[], series: Costs["series"]): Omit<uPlot.Options, "width" | "height"> {
  const axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  const drawn = names.map((name, at) => ({ name, at })).reverse();
  return {
    cursor: { drag: { x: true, y: false }, points: { show: false } },
    legend: { show: false },
    axes: [
      { ...axis, space: 90, values: (_plot, marks, _axis, _space, distance) => axisTimes(marks, distance) },
      { ...axis, size: 76, values: (_plot, values) => values.map((value) => dollarsPerHour(value)) },
    ],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.05, 1e-9)] } },
    series: [
      { label: "at", value: (_plot, at) => (at == null ? "–" : instant(new Date(at * 1000).toISOString())) },
      ...drawn.map(({ name, at }) => ({
        label: name,
        stroke: colour(`s${at + 1}`),
        fill: colour(`s${at + 1}`),
        width: 0.5,
        points: { show: false },
        paths: uPlot.paths.stepped!({ align: 1 }),
        value: (_plot: uPlot, _sum: number | null, _series: number, piece: number | null) =>
          piece == null ? "–" : dollars(series[at]?.dollars_per_hour[piece]),
      })),
    ],
  };
}
