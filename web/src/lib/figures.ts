// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Names and units of metrics as people read them. A metric's name ends with its
// unit (`queue_delay_p99_seconds`), which is all that is taken from it.

/** How values of a metric are shown: multiplied by `scale`, with `unit` behind. */
export interface Unit {
  scale: number;
  unit: string;
}

const SUFFIXES: [string, Unit][] = [
  ["_bits_per_second", { scale: 1e-6, unit: "Mb/s" }],
  ["_bytes_per_second", { scale: 1e-3, unit: "kB/s" }],
  ["_packets_per_second", { scale: 1, unit: "packets/s" }],
  ["frames_per_second", { scale: 1, unit: "frames/s" }],
  ["_seconds", { scale: 1000, unit: "ms" }],
  ["_ratio", { scale: 100, unit: "%" }],
  ["_packets", { scale: 1, unit: "packets" }],
  ["_frames", { scale: 1, unit: "frames" }],
  ["_slots", { scale: 1, unit: "slots" }],
  ["_bytes", { scale: 1e-3, unit: "kB" }],
];
/** Times that are long by nature. */
const IN_SECONDS = new Set(["page_seconds", "page_with_handshake_seconds", "startup_seconds"]);

/** The unit that a metric is shown in. */
export function unitOf(metric: string): Unit {
  if (IN_SECONDS.has(metric)) return { scale: 1, unit: "s" };
  if (/_mos(_|$)/.test(metric)) return { scale: 1, unit: "MOS" };
  if (/^rpm/.test(metric)) return { scale: 1, unit: "RPM" };
  if (metric.endsWith("_score")) return { scale: 1, unit: "of 100" };
  return SUFFIXES.find(([suffix]) => metric.endsWith(suffix))?.[1] ?? { scale: 1, unit: "" };
}

const TITLES: Record<string, string> = {
  game_mos: "opinion score",
  voip_mos: "opinion score",
  playable_frames_per_second: "playable frames",
  page_seconds: "time of a page",
  goodput_bits_per_second: "goodput",
  uplink_goodput_bits_per_second: "goodput up",
  bit_rate_bits_per_second: "bit rate",
  qoo_score: "Quality of Outcome",
};

/** The metric's name in words, without its unit. */
export function titleOf(metric: string): string {
  const known = TITLES[metric];
  if (known) return known;
  let name = metric;
  for (const suffix of ["_bits_per_second", "_bytes_per_second", "_packets_per_second", "_per_second", "_seconds", "_ratio"]) {
    if (name.endsWith(suffix)) {
      name = name.slice(0, -suffix.length);
      break;
    }
  }
  return name
    .split("_")
    .map((word) => ({ mos: "MOS", qoo: "QoO", tcp: "TCP", rtt: "RTT", phy: "PHY" })[word] ?? word)
    .join(" ");
}

/** The metric's name in words, with its unit. */
export function inUnit(metric: string): string {
  const { unit } = unitOf(metric);
  return unit ? `${titleOf(metric)}, ${unit}` : titleOf(metric);
}

/** A number with three digits that count. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 0.001) return value.toExponential(1).replace("-", "−");
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits).replace("-", "−");
}

/** A value of a metric with its unit. */
export function withUnit(metric: string, value: number): string {
  const { scale, unit } = unitOf(metric);
  return unit ? `${number(value * scale)} ${unit}` : number(value * scale);
}
