// SPDX-License-Identifier: MIT OR GPL-2.0-only
// All figures as a table: a row for each metric, a column for each discipline.
import { useState } from "preact/hooks";
import { number, unitOf } from "../lib/figures.ts";
import { metricsOf, partOf, parts } from "../lib/results.ts";
import type { Results } from "../lib/results.ts";
import { Swatch } from "../ui/swatch.tsx";
import { Wide } from "../ui/wide.tsx";
import type { Shown } from "./draw.ts";

/** Of one part at a time. */
export function Table({ results, shown }: { results: Results; shown: Shown[] }) {
  const names = parts(results);
  const [asked, setPart] = useState("");
  const [words, setWords] = useState("");
  const part = names.includes(asked) ? asked : names[0]!;
  const rows = metricsOf(results, part).filter((metric) => metric.includes(words.trim().toLowerCase().replaceAll(" ", "_")));
  return (
    <section aria-labelledby="table-title">
      <h2 id="table-title">
        Figures <small class="faint">mean ± half the width of the 95 % interval</small>
      </h2>
      <div class="tools">
        <label class="inline">
          Of
          <select value={part} onChange={(e) => setPart(e.currentTarget.value)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name === "ap" ? "access point and channel" : name}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          with
          <input type="search" placeholder="delay" value={words} onInput={(e) => setWords(e.currentTarget.value)} />
        </label>
        <span class="faint">{rows.length} figures</span>
      </div>
      <Wide label={`Figures of ${part}`}>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col">unit</th>
              {shown.map(({ label, look }) => (
                <th key={label} scope="col" class="num">
                  <Swatch look={look} /> {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((metric) => {
              const { scale, unit } = unitOf(metric);
              return (
                <tr key={metric}>
                  <th scope="row">{metric}</th>
                  <td class="faint">{unit}</td>
                  {shown.map(({ label }) => {
                    const queue = results.queues.find((one) => one.label === label);
                    const figure = queue && partOf(queue, part)?.metrics[metric];
                    return (
                      <td key={label} class="num">
                        {figure?.mean == null ? "–" : number(figure.mean * scale)}
                        {figure?.half_width_95 == null ? null : <small> ± {number(figure.half_width_95 * scale)}</small>}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}
