// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A house's snapshots as columns over time, an hour of them, for figures.
//
// What it does not do: it computes nothing of its own; values are those of
// `airtab_live::Snapshot`.
import { follow } from "../lib/sse.ts";

/** Rates of a station or a flow in the last interval. */
export interface Rates {
  down_bps: number;
  up_bps: number;
  down_air_ratio: number;
  up_air_ratio: number;
  attempts_mean: number;
  drops_per_s: number;
  sojourn_p50_s: number;
  sojourn_p99_s: number;
}

export interface Station {
  name: string;
  rate_kbps: number;
  frame_error_rate: number;
  backlog_packets: number;
  distance_m?: number | null;
  rates: Rates;
}

export interface Flow {
  app?: string | null;
  tuple: string;
  station: string;
  backlog_packets: number;
  rates: Rates;
}

export interface App {
  name: string;
  kind: string;
  station: string;
  score: { metric: string; value: number; text: string } | null;
}

/** What the page uses of a snapshot. */
export interface Snapshot {
  house: string;
  queue: string;
  medium: string;
  now_s: number;
  qdisc: { packets: number; bytes: number };
  air: { down_ratio: number; up_ratio: number; collision_ratio: number; beacon_ratio: number; idle_ratio: number };
  stations: Station[];
  flows: Flow[];
  hops: Record<string, { p50_s: number; p99_s: number; count: number }>;
  apps: App[];
  outcomes?: { station: string; kind: string; last_10_s?: { score: number; decided: string } | null }[];
  blame?: { trouble: boolean; text: string };
}

/** Something that was changed, on the time axis. */
export interface Mark {
  /** Seconds of the house's time. */
  at: number;
  what: string;
}

/** Snapshots that are kept: an hour of one a second. */
export const KEPT = 3600;

type Column = (number | null)[];

/** Columns by station and by hop, all as long as `times`. */
export class Course {
  times: number[] = [];
  air = new Map<string, Column>();
  delay = new Map<string, Column>();
  hops = new Map<string, Column>();
  queue: Column = [];
  marks: Mark[] = [];
  last: Snapshot | null = null;
  /** Why nothing new comes; null: it does. */
  down: string | null = null;

  /** One snapshot more. A house that began anew begins a new course. */
  add(snapshot: Snapshot): void {
    const last = this.times.at(-1);
    if (last !== undefined && snapshot.now_s <= last) {
      if (snapshot.now_s === last) return;
      this.clear();
    }
    const n = this.times.length;
    this.times.push(snapshot.now_s);
    this.queue.push(snapshot.qdisc.packets);
    const stations = new Map(snapshot.stations.map((station) => [station.name, station.rates]));
    put(this.air, n, [...stations].map(([name, rates]) => [name, 100 * (rates.down_air_ratio + rates.up_air_ratio)]));
    // 0: no packet left the queue, so there is no time to tell of.
    put(this.delay, n, [...stations].map(([name, rates]) => [name, rates.sojourn_p99_s ? 1000 * rates.sojourn_p99_s : null]));
    put(this.hops, n, Object.entries(snapshot.hops).map(([name, hop]) => [name, hop.count ? 1000 * hop.p50_s : null]));
    this.last = snapshot;
    this.down = null;
    if (this.times.length > KEPT + 60) this.cut(this.times.length - KEPT);
  }

  /** A change; one that is told again, after a connection broke, is marked once. */
  mark(mark: Mark): void {
    if (!this.marks.some(({ at, what }) => at === mark.at && what === mark.what)) this.marks.push(mark);
  }

  private clear(): void {
    this.times = [];
    this.queue = [];
    this.marks = [];
    for (const columns of [this.air, this.delay, this.hops]) columns.clear();
  }

  private cut(n: number): void {
    this.times.splice(0, n);
    this.queue.splice(0, n);
    for (const columns of [this.air, this.delay, this.hops]) for (const column of columns.values()) column.splice(0, n);
    this.marks = this.marks.filter(({ at }) => at >= this.times[0]!);
  }
}

/** A value for each name at row `n`; names without one have null there. */
function put(columns: Map<string, Column>, n: number, values: [string, number | null][]): void {
  for (const [name, value] of values) {
    let column = columns.get(name);
    if (!column) columns.set(name, (column = new Array<null>(n).fill(null)));
    column.push(value);
  }
  for (const column of columns.values()) if (column.length <= n) column.push(null);
}

/** Follows a house into `course`; `changed` after each event. */
export function watchHouse(house: string, course: Course, changed: () => void, signal: AbortSignal): Promise<void> {
  return follow(
    `live/${encodeURIComponent(house)}/events`,
    ({ name, data }) => {
      const value: unknown = JSON.parse(data);
      if (name === "history") for (const snapshot of value as Snapshot[]) course.add(snapshot);
      else if (name === "snapshot") course.add(value as Snapshot);
      else if (name === "down") course.down = String((value as { why?: string }).why ?? "");
      else if (name === "mark") {
        const { at_ns, what } = value as { at_ns: number; what: string };
        course.mark({ at: at_ns / 1e9, what });
      } else return false;
      changed();
      return false;
    },
    signal,
  );
}
