// The newest pushes as a strip, oldest first: a bar as high as it took, a mark where it was expected to end.
import { count, instant, seconds } from "../lib/format";
import type { Push } from "../lib/types";

const HEIGHT = 64;
const BAR = 7;
const GAP = 3;

export function PushStrip({ pushes }: { pushes: Push[] }) {
  if (pushes.length < 3) return null;
  const highest = Math.max(...pushes.flatMap((push) => [push.seconds, push.predicted_seconds]), 0.001);
  const y = (value: number) => HEIGHT - (value / highest) * (HEIGHT - 4);
  const failed = pushes.filter((push) => push.error).length;
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${pushes.length * (BAR + GAP)} ${HEIGHT}`}
        width={pushes.length * (BAR + GAP)}
        height={HEIGHT}
        role="img"
        aria-label={`${pushes.length} pushes, the longest ${seconds(highest)}, ${failed} failed`}
      >
        {pushes.map((push, at) => (
          <g key={push.at + push.stage} transform={`translate(${at * (BAR + GAP)} 0)`}>
            <title>
              {`${instant(push.at)}: ${push.error ? "failed" : push.mode}, ${seconds(push.seconds)}, expected ${seconds(push.predicted_seconds)}, ` +
                `${count(push.changed_rows)} rows in, ${count(push.result_rows)} out`}
            </title>
            {push.error ? (
              <rect class="push failed" width={BAR} y={0} height={HEIGHT} />
            ) : (
              <rect class={`push ${push.mode}`} width={BAR} y={y(push.seconds)} height={HEIGHT - y(push.seconds)} />
            )}
            {push.predicted_seconds > 0 && <rect class="expected" x={-1} width={BAR + 2} y={y(push.predicted_seconds)} height={1.5} />}
          </g>
        ))}
      </svg>
      <figcaption class="quiet small legend">
        <span>
          <span class="swatch push incremental" /> incremental
        </span>
        <span>
          <span class="swatch push full" /> full
        </span>
        <span>
          <span class="swatch push failed" /> failed
        </span>
        <span>
          <span class="swatch expected" /> expected
        </span>
        <span>the longest {seconds(highest)}</span>
      </figcaption>
    </figure>
  );
}
