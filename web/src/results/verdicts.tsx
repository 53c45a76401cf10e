// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Better, the same or worse than under the first discipline, by the differences over
// the same seeds and the limits of docs/quality.md: what the server found, in a table.
import { number, unitOf } from "../lib/figures.ts";
import { changeOf } from "../lib/results.ts";
import type { Results } from "../lib/results.ts";
import { Swatch } from "../ui/swatch.tsx";
import { Wide } from "../ui/wide.tsx";
import type { Shown } from "./draw.ts";

/** Nothing where there is nothing to hold against. */
export function Verdicts({ results, shown }: { results: Results; shown: Shown[] }) {
  const [first] = results.changes;
  const columns = shown.filter(({ label }) => results.changes.some(({ queue }) => queue === label));
  if (!first || !columns.length) return null;
  return (
    <section aria-labelledby="verdicts-title">
      <h2 id="verdicts-title">
        Against {first.against} <small class="faint">mean difference over the same seeds, 95 % interval; same within a limit</small>
      </h2>
      <Wide label="Differences">
        <table>
          <thead>
            <tr>
              <th scope="col">application</th>
              {columns.map(({ label, look }) => (
                <th key={label} scope="col" class="num">
                  <Swatch look={look} /> {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.apps.map(({ name, metric }) => (
              <tr key={`${name} ${metric}`}>
                <th scope="row">
                  {name} <small class="faint">{unitOf(metric).unit}</small>
                </th>
                {columns.map(({ label }) => {
                  const change = changeOf(results, label, name, metric);
                  const verdict = change?.verdict ?? "";
                  const { scale } = unitOf(metric);
                  const mean = change?.mean == null ? null : change.mean * scale;
                  const half = change?.half_width_95 == null ? null : change.half_width_95 * scale;
                  return (
                    <td key={label} class="num">
                      <span class={`verdict ${verdict === "better" ? "good" : verdict === "worse" ? "bad" : ""}`}>
                        {verdict || "unknown"}
                      </span>{" "}
                      {mean === null ? "" : `${mean > 0 ? "+" : ""}${number(mean)}`}
                      {half === null ? "" : ` ± ${number(half)}`}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}
