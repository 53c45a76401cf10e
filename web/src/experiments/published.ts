// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What a source published, drawn: its value as a ring, the range that counts as the
// same as a bar.
import * as Plot from "@observablehq/plot";
import { number } from "../lib/figures.ts";
import type { Look } from "../lib/look.ts";

/** One value of an experiment's source. */
export interface Check {
  what: string;
  reported?: string;
  section?: string;
  expected?: string;
  of?: string;
  queue?: string | null;
  published?: number | null;
  least?: number | null;
  most?: number | null;
}

/** As `/api/experiments/ID` has it. */
export interface Experiment {
  id: string;
  title: string;
  source: string;
  about?: string;
  today?: string;
  queues?: string[];
  checks?: Check[];
}

/** Checks of one figure, which share an axis. */
export interface Group {
  of: string;
  checks: Check[];
}

/** Checks with a number, by what they are of. */
export function groups(checks: readonly Check[]): Group[] {
  const made: Group[] = [];
  for (const check of checks) {
    if (![check.published, check.least, check.most].some((value) => typeof value === "number")) continue;
    const of = check.of ?? "value";
    const group = made.find((one) => one.of === of);
    if (group) group.checks.push(check);
    else made.push({ of, checks: [check] });
  }
  return made;
}

/** The figure of a group. */
export function published({ checks }: Group, lookOf: (label: string) => Look) {
  const ends = checks.flatMap(({ published, least, most }) =>
    [published, least, most].filter((value): value is number => typeof value === "number"),
  );
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const pad = (high - low || Math.abs(high) || 1) * 0.1;
  const rows = checks.map((check) => ({
    ...check,
    // An open end goes to the edge of the figure.
    from: check.least ?? (typeof check.most === "number" ? low - pad : null),
    to: check.most ?? (typeof check.least === "number" ? high + pad : null),
    colour: check.queue ? `var(${lookOf(check.queue).variable})` : "var(--faint)",
  }));
  return (width: number): Plot.PlotOptions => ({
    height: 30 + 34 * rows.length,
    marginLeft: 8,
    marginRight: 14,
    marginTop: 4,
    x: { domain: [low - pad, high + pad], ticks: Math.max(3, width / 90), label: null },
    y: { domain: rows.map(({ what }) => what), label: null, axis: null },
    marks: [
      Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.axisX({ tickSize: 3, label: null, ticks: Math.max(3, width / 90) }),
      Plot.text(rows, {
        x: low - pad,
        y: "what",
        text: ({ what }: Check) => cut(what, width),
        textAnchor: "start",
        dy: -9,
        fill: "var(--ink)",
      }),
      ...rows.flatMap((row) => [
        ...(row.from === null || row.to === null
          ? []
          : [Plot.ruleY([row], { x1: "from", x2: "to", y: "what", stroke: row.colour, strokeWidth: 5, strokeOpacity: 0.35, dy: 5 })]),
        ...(typeof row.published === "number"
          ? [Plot.dot([row], { x: "published", y: "what", stroke: row.colour, fill: "var(--panel)", strokeWidth: 2, r: 4, dy: 5 })]
          : []),
      ]),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: (row: (typeof rows)[number]) => row.published ?? row.from ?? row.to,
          y: "what",
          title: (row: (typeof rows)[number]) =>
            [
              row.what,
              row.reported ? `source: ${row.reported}` : "",
              typeof row.least === "number" || typeof row.most === "number"
                ? `expected: ${row.least == null ? "at most" : number(row.least)} ${row.most == null ? "or more" : `${row.least == null ? "" : "to "}${number(row.most)}`}`
                : "",
            ]
              .filter(Boolean)
              .join("\n"),
          fill: "var(--panel)",
          stroke: "var(--line-strong)",
        }),
      ),
    ],
  });
}

function cut(text: string, width: number): string {
  const most = Math.max(12, Math.floor(width / 6.3));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
