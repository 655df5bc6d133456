// uPlot inside a component: as wide as its place, in the colours of the theme, drawn anew only when it must be.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { dark } from "../lib/theme";

export type Data = uPlot.AlignedData;

export function Chart({
  options,
  data,
  height,
  label,
  remake = "",
}: {
  options: () => Omit<uPlot.Options, "width" | "height">;
  data: Data;
  height: number;
  label: string;
  remake?: string; // the chart is made anew when this changes
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = dark.value;
  useEffect(() => {
    const box = place.current!;
    const made = new uPlot({ ...options(), width: box.clientWidth || 300, height }, data, box);
    chart.current = made;
    const watch = new ResizeObserver(() => {
      if (box.clientWidth && box.clientWidth !== made.width) made.setSize({ width: box.clientWidth, height });
    });
    watch.observe(box);
    return () => {
      watch.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [theme, height, remake]);
  useEffect(() => {
    chart.current?.setData(data, true);
  }, [data]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}
