// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What a source published, drawn: its value as a ring, the range that counts as the
// same as a bar.
import * as Plot from "@observablehq/plot";
import type { Look } from "../lib/look.ts";

/** One value of an experiment's source. */
export interface Check {
  what: string;
  /** As the source says it, in words. */
  reported: string;
  section: string;
  /** As numbers, where it is some: from and to, which are one where the source gives one. */
  published: [number, number] | null;
  /** `3.2 to 3.7`, `at least 4.2`, `at most 0.62`, `rises`, `falls`. */
  expected: string;
  term: { of: { app: string; metric: string }[]; queue: string | null };
  /** Whether it is the value itself, and no quotient, difference or spread. */
  plain: boolean;
}

/** As `/api/experiments/ID` has it. */
export interface Experiment {
  id: string;
  title: string;
  source: string;
  about: string;
  /** By the discipline or metric that each is about, or `comparison`. */
  remarks: Record<string, string>;
  queues: string[];
  axes: { name: string; label: string; values: { text: string }[] }[];
  checks: Check[];
  toml: string;
}

/** A check with the range that counts as the same; null is an open end. */
export interface Ranged extends Check {
  least: number | null;
  most: number | null;
}

/** Checks of one figure, which share an axis. */
export interface Group {
  of: string;
  checks: Ranged[];
}

/** The range that is expected; null: it is none. */
export function rangeOf(expected: string): { least: number | null; most: number | null } | null {
  const number = "(-?[0-9.]+)";
  const both = new RegExp(`^${number} to ${number}$`).exec(expected);
  if (both) return { least: Number(both[1]), most: Number(both[2]) };
  const one = new RegExp(`^at (least|most) ${number}$`).exec(expected);
  if (!one) return null;
  const value = Number(one[2]);
  return one[1] === "least" ? { least: value, most: null } : { least: null, most: value };
}

/** Checks of a value with a number, by what they are of. */
export function groups(checks: readonly Check[]): Group[] {
  const made: Group[] = [];
  for (const check of checks) {
    const range = rangeOf(check.expected);
    if (!check.plain || (check.published === null && !range)) continue;
    const of = check.term.of.map(({ app, metric }) => `${app}.${metric}`).join(", ") || "value";
    const ranged = { ...check, least: range?.least ?? null, most: range?.most ?? null };
    const group = made.find((one) => one.of === of);
    if (group) group.checks.push(ranged);
    else made.push({ of, checks: [ranged] });
  }
  return made;
}

/** The figure of a group. */
export function published({ checks }: Group, lookOf: (label: string) => Look) {
  const ends = checks.flatMap(({ published, least, most }) =>
    [...(published ?? []), least, most].filter((value) => value !== null),
  );
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const pad = (high - low || Math.abs(high) || 1) * 0.1;
  const rows = checks.map((check) => ({
    ...check,
    // An open end goes to the edge of the figure.
    from: check.least ?? (check.most === null ? null : low - pad),
    to: check.most ?? (check.least === null ? null : high + pad),
    colour: check.term.queue ? `var(${lookOf(check.term.queue).variable})` : "var(--faint)",
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
        ...(row.published !== null
          ? [Plot.dot([...new Set(row.published)], { x: (value: number) => value, y: () => row.what, stroke: row.colour, fill: "var(--panel)", strokeWidth: 2, r: 4, dy: 5 })]
          : []),
      ]),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: (row: (typeof rows)[number]) => row.published?.[0] ?? row.from ?? row.to,
          y: "what",
          title: (row: (typeof rows)[number]) =>
            `${row.what}\nsource: ${row.reported}\nexpected: ${row.expected}`,
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
