// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the figures of results show, as Observable Plot draws it. Colours are custom
// properties, so that a figure follows the theme without being drawn again.
import * as Plot from "@observablehq/plot";
import { number, titleOf, unitOf, withUnit } from "../lib/figures.ts";
import type { Look } from "../lib/look.ts";
import { partOf } from "../lib/results.ts";
import type { Results } from "../lib/results.ts";

/** A discipline that is shown. */
export interface Shown {
  label: string;
  look: Look;
}

const MARGINS = { marginTop: 6, marginRight: 14 };
const GRID = { stroke: "var(--line)", strokeOpacity: 1 };

function stroke(look: Look): string {
  return `var(${look.variable})`;
}

/** Room for labels on the left, pixels. */
function left(shown: readonly Shown[], width: number): number {
  const longest = Math.max(4, ...shown.map(({ label }) => label.length));
  return Math.min(width / 3, 12 + 6.4 * longest);
}

/**
 * One metric of one part under each discipline: the mean with its 95 % interval, and each seed's value as a thin line.
 * `close`: the axis begins where the values do; else at 0, or at 1 of opinion scores.
 */
export function score(results: Results, part: string, metric: string, shown: readonly Shown[], close: boolean) {
  const { scale, unit } = unitOf(metric);
  const rows = shown.flatMap(({ label, look }) => {
    const queue = results.queues.find((one) => one.label === label);
    const figure = queue && partOf(queue, part)?.metrics[metric];
    if (!figure || figure.mean === null) return [];
    const half = figure.half_width_95 ?? 0;
    const values = figure.values.filter((value) => value !== null).map((value) => value * scale);
    return [{ label, look, mean: figure.mean * scale, half: half * scale, values, figure }];
  });
  const floor = unit === "MOS" ? 1 : 0;
  // What cannot be below the floor is not drawn there, however wide its interval is.
  const lowest = Math.min(...rows.flatMap((row) => row.values));
  const reach = Math.min(...rows.map((row) => Math.min(row.mean - row.half, ...row.values)));
  const least = lowest >= floor ? Math.max(floor, reach) : reach;
  const most = Math.max(...rows.map((row) => Math.max(row.mean + row.half, ...row.values)));
  const full: [number, number] = [Math.min(floor, least), unit === "MOS" ? Math.max(4.5, most) : most || 1];
  const domain: [number, number] = close ? [least, most > least ? most : least + 1] : full;
  return (width: number): Plot.PlotOptions => ({
    height: 30 + 24 * Math.max(1, shown.length),
    marginLeft: left(shown, width),
    marginBottom: 24,
    ...MARGINS,
    x: { domain, nice: true },
    y: { domain: shown.map(({ label }) => label), label: null },
    marks: [
      Plot.gridX(GRID),
      Plot.axisX({ label: null, ticks: Math.max(3, width / 90), tickSize: 3 }),
      Plot.axisY({ label: null, tickSize: 0 }),
      ...rows.flatMap((row) => [
        Plot.tickX(row.values, {
          x: (value: number) => value,
          y: () => row.label,
          stroke: stroke(row.look),
          strokeOpacity: 0.35,
          inset: 4,
        }),
        Plot.ruleY([row], {
          x1: Math.max(row.mean - row.half, domain[0]),
          x2: row.mean + row.half,
          y: "label",
          stroke: stroke(row.look),
          strokeWidth: 2,
        }),
        Plot.dot([row], { x: "mean", y: "label", fill: stroke(row.look), symbol: row.look.marker, r: 4.5 }),
      ]),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: "mean",
          y: "label",
          title: (row: (typeof rows)[number]) => tip(row.label, metric, row.figure, results.seeds),
          fill: "var(--panel)",
          stroke: "var(--line-strong)",
        }),
      ),
    ],
  });
}

function tip(label: string, metric: string, figure: { mean: number | null; half_width_95?: number | null; values: (number | null)[] }, seeds: number[]): string {
  const { scale, unit } = unitOf(metric);
  const half = figure.half_width_95;
  const spread = half == null ? "one seed: no interval" : `± ${number(half * scale)} ${unit} (95 %)`;
  return `${label}\n${withUnit(metric, figure.mean ?? NaN)}\n${spread}\n${seeds.length} ${seeds.length === 1 ? "seed" : "seeds"}`;
}

/** One metric of one part, seed by seed: whether disciplines differ in each, or on average only. */
export function bySeed(results: Results, part: string, metric: string, shown: readonly Shown[], close: boolean) {
  const { scale, unit } = unitOf(metric);
  const rows = shown.flatMap(({ label, look }) => {
    const queue = results.queues.find((one) => one.label === label);
    const values = (queue && partOf(queue, part)?.metrics[metric]?.values) ?? [];
    const points = values.flatMap((value, i) =>
      value === null ? [] : [{ label, seed: results.seeds[i] ?? i + 1, value: value * scale }],
    );
    return [{ look, points }];
  });
  const all = rows.flatMap(({ points }) => points);
  return (width: number): Plot.PlotOptions => ({
    height: 210,
    marginLeft: 46,
    marginBottom: 32,
    ...MARGINS,
    marginTop: 22,
    x: { domain: [Math.min(...results.seeds), Math.max(...results.seeds, 2)] },
    y: { label: unit || titleOf(metric), nice: true, ...(close ? {} : { domain: [Math.min(unit === "MOS" ? 1 : 0, ...all.map(({ value }) => value)), Math.max(...all.map(({ value }) => value)) || 1] }) },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({
        label: "seed",
        labelAnchor: "right",
        tickFormat: (seed: number) => (Number.isInteger(seed) ? String(seed) : ""),
        ticks: Math.min(results.seeds.length, Math.floor(width / 40)),
        tickSize: 3,
      }),
      ...rows.flatMap(({ look, points }) => [
        Plot.line(points, { x: "seed", y: "value", stroke: stroke(look), strokeWidth: 1.2, strokeDasharray: look.dash }),
        Plot.dot(points, { x: "seed", y: "value", fill: stroke(look), symbol: look.marker, r: 3 }),
      ]),
      Plot.tip(
        all,
        Plot.pointer({
          x: "seed",
          y: "value",
          title: (point: (typeof all)[number]) => `${point.label}\nseed ${point.seed}: ${number(point.value)} ${unit}`,
          fill: "var(--panel)",
          stroke: "var(--line-strong)",
        }),
      ),
    ],
  });
}

const PERCENTILES = [50, 90, 95, 99];

/** One-way delay of an application's packets by percentile, logarithmic. Null: none was measured. */
export function delays(results: Results, part: string, direction: "down" | "up", shown: readonly Shown[]) {
  const rows = shown.flatMap(({ label, look }) => {
    const queue = results.queues.find((one) => one.label === label);
    const metrics = queue && partOf(queue, part)?.metrics;
    const points = PERCENTILES.flatMap((p) => {
      const mean = metrics?.[`${direction}_delay_p${p}_seconds`]?.mean;
      return mean == null || mean <= 0 ? [] : [{ label, p: `p${p}`, ms: mean * 1000 }];
    });
    return points.length ? [{ look, points }] : [];
  });
  if (!rows.length) return null;
  const all = rows.flatMap(({ points }) => points);
  return (): Plot.PlotOptions => ({
    height: 210,
    marginLeft: 46,
    marginBottom: 32,
    ...MARGINS,
    marginTop: 22,
    x: { type: "point", domain: PERCENTILES.map((p) => `p${p}`), label: null },
    y: { type: "log", label: "ms", nice: true },
    marks: [
      Plot.gridY({ ...GRID, ticks: 4 }),
      Plot.axisY({ label: "ms", ticks: 4, tickFormat: (ms: number) => String(ms), tickSize: 3 }),
      ...rows.flatMap(({ look, points }) => [
        Plot.line(points, { x: "p", y: "ms", stroke: stroke(look), strokeWidth: 1.4, strokeDasharray: look.dash }),
        Plot.dot(points, { x: "p", y: "ms", fill: stroke(look), symbol: look.marker, r: 3.5 }),
      ]),
      Plot.tip(
        all,
        Plot.pointer({
          x: "p",
          y: "ms",
          title: (point: (typeof all)[number]) => `${point.label}\n${point.p}: ${number(point.ms)} ms`,
          fill: "var(--panel)",
          stroke: "var(--line-strong)",
        }),
      ),
    ],
  });
}
