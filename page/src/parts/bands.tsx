// How many things fall into each band: a bar for every band, as long as its share of the largest.
import { count } from "../lib/format";

export function Bands({ label, bands }: { label: string; bands: [string, number][] }) {
  const most = Math.max(...bands.map(([, number]) => number), 1);
  return (
    <table class="bands" aria-label={label}>
      <tbody>
        {bands.map(([name, number]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{count(number)}</td>
            <td class="bar">
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class="band" width={(100 * number) / most} height={10} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
