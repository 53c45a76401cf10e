// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Where a station is drawn: its distance on a logarithmic ruler, as what is received
// falls with the logarithm of the distance.

/** Shortest and longest distance on the plan, metres. A scenario's may be beyond: it is drawn at the edge. */
export const NEAREST = 0.5;
export const FARTHEST = 100;
/** Share of the radius within which nothing is drawn: the access point. */
const HUB = 0.16;

/** Share of the plan's radius for a distance in metres. */
export function radiusOf(distance: number): number {
  const held = Math.min(FARTHEST, Math.max(NEAREST, distance));
  return HUB + ((1 - HUB) * Math.log(held / NEAREST)) / Math.log(FARTHEST / NEAREST);
}

/** The distance for a share of the radius, metres, as one writes it: two digits that count. */
export function distanceAt(radius: number): number {
  const share = Math.min(1, Math.max(0, (radius - HUB) / (1 - HUB)));
  return rounded(NEAREST * (FARTHEST / NEAREST) ** share);
}

/** One step of an arrow key: a tenth, at least 0.1 m. */
export function stepped(distance: number, up: boolean, large: boolean): number {
  const factor = large ? 1.5 : 1.1;
  const next = up ? distance * factor : distance / factor;
  const held = rounded(Math.min(FARTHEST, Math.max(NEAREST, next)));
  if (held !== distance) return held;
  return rounded(Math.min(FARTHEST, Math.max(NEAREST, distance + (up ? 0.1 : -0.1))));
}

/** The metres of a value such as `3`, `3.5` or `"3 m"`; null: it is none. */
export function metres(value: unknown): number | null {
  if (typeof value === "number") return value > 0 ? value : null;
  if (typeof value !== "string") return null;
  const number = /^\s*(\d+(?:\.\d+)?)\s*m?\s*$/.exec(value)?.[1];
  return number ? Number(number) || null : null;
}

/** True for a station that has a distance, or could have one: none that walks, or that another key gives its losses. */
export function isPlaced(station: Record<string, unknown>): boolean {
  if (typeof station["name"] !== "string") return false;
  if (station["distance"] !== undefined) return true;
  return ["walk", "mcs", "snr", "fer", "mpdu_error_rate"].every((key) => station[key] === undefined);
}

function rounded(distance: number): number {
  const digits = distance < 10 ? 1 : 0;
  return Number(distance.toFixed(digits));
}
