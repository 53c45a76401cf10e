// SPDX-License-Identifier: MIT OR GPL-2.0-only
// One figure more closely: any metric of any part, seed by seed, and the delays of
// its packets.
import { useMemo, useState } from "preact/hooks";
import { inUnit } from "../lib/figures.ts";
import { metricsOf, parts, scoreOf } from "../lib/results.ts";
import type { Results } from "../lib/results.ts";
import { Figure } from "../ui/figure.tsx";
import { bySeed, delays, score } from "./draw.ts";
import type { Shown } from "./draw.ts";

/** A part and a metric are chosen here. */
export function Closer({ results, shown, close }: { results: Results; shown: Shown[]; close: boolean }) {
  const names = parts(results);
  const [asked, setPart] = useState("");
  const part = names.includes(asked) ? asked : names[0]!;
  const metrics = metricsOf(results, part);
  const [wanted, setMetric] = useState("");
  const metric = metrics.includes(wanted) ? wanted : (scoreOf(results, part) ?? metrics[0]);
  const seeds = useMemo(
    () => (metric ? bySeed(results, part, metric, shown, close) : null),
    [results, part, metric, shown, close],
  );
  const means = useMemo(
    () => (metric ? score(results, part, metric, shown, close) : null),
    [results, part, metric, shown, close],
  );
  const down = useMemo(() => delays(results, part, "down", shown), [results, part, shown]);
  const up = useMemo(() => delays(results, part, "up", shown), [results, part, shown]);
  if (!metric || !seeds || !means) return null;
  return (
    <section aria-labelledby="closer-title">
      <h2 id="closer-title">More closely</h2>
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
          figure
          <select value={metric} onChange={(e) => setMetric(e.currentTarget.value)}>
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      {shown.length > 0 && (
        <div class="grid">
          <div class="panel">
            <h3>
              {part} <small class="faint">{inUnit(metric)}</small>
            </h3>
            <Figure draw={means} label={`${part}: ${inUnit(metric)}`} />
          </div>
          <div class="panel">
            <h3>
              {part} <small class="faint">{inUnit(metric)}, seed by seed</small>
            </h3>
            <Figure draw={seeds} label={`${part}: ${inUnit(metric)}, seed by seed`} />
          </div>
          {down && (
            <div class="panel">
              <h3>
                {part} <small class="faint">one-way delay down, ms, by percentile</small>
              </h3>
              <Figure draw={down} label={`${part}: one-way delay down by percentile`} />
            </div>
          )}
          {up && (
            <div class="panel">
              <h3>
                {part} <small class="faint">one-way delay up, ms, by percentile</small>
              </h3>
              <Figure draw={up} label={`${part}: one-way delay up by percentile`} />
            </div>
          )}
        </div>
      )}
    </section>
  );
}
