// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Results as `airtab compare --json` prints them, and looks into them.

/** A figure over the seeds. */
export interface Figure {
  mean: number | null;
  half_width_95?: number | null;
  values: (number | null)[];
}

/** An application's, the access point's or a node's figures. */
export interface Part {
  name: string;
  kind: string;
  station?: string | null;
  metrics: Record<string, Figure>;
}

/** Under one discipline. */
export interface Queue {
  label: string;
  discipline: string;
  params: Record<string, string>;
  apps: Part[];
  ap: Part;
  nodes?: Part[];
}

/** One scored figure of an application, against the first discipline's. */
export interface Change {
  name: string;
  metric: string;
  verdict?: string | null;
  mean?: number | null;
  half_width_95?: number | null;
}

export interface Results {
  scenario: string;
  seeds: number[];
  /** Reason that no discipline can differ, with the key to change. */
  no_difference?: string | null;
  queues: Queue[];
  changes: { queue: string; against: string; apps: Change[] }[];
}

/** The names of what has figures, in order: applications, the access point, nodes. */
export function parts(results: Results): string[] {
  const [first] = results.queues;
  return first ? [...first.apps, first.ap, ...(first.nodes ?? [])].map((part) => part.name) : [];
}

/** A part of one discipline by its name. */
export function partOf(queue: Queue, name: string): Part | undefined {
  return [...queue.apps, queue.ap, ...(queue.nodes ?? [])].find((part) => part.name === name);
}

/** The metric that scores an application; without one, its first. */
export function scoreOf(results: Results, name: string): string | undefined {
  for (const { apps } of results.changes) {
    const change = apps.find((app) => app.name === name);
    if (change) return change.metric;
  }
  for (const queue of results.queues) {
    const [metric] = Object.keys(partOf(queue, name)?.metrics ?? {});
    if (metric) return metric;
  }
  return undefined;
}

/** Metrics that a part has under any discipline, in the order of the results. */
export function metricsOf(results: Results, name: string): string[] {
  const all = new Set<string>();
  for (const queue of results.queues) for (const metric in partOf(queue, name)?.metrics) all.add(metric);
  return [...all];
}

/** The verdict on a figure of a part under a discipline, against the first one. */
export function changeOf(results: Results, label: string, name: string, metric: string): Change | undefined {
  const changes = results.changes.find((change) => change.queue === label);
  return changes?.apps.find((app) => app.name === name && app.metric === metric);
}
