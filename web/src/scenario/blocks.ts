// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Tables of TOML that the form adds at the end of a scenario.
import type { JsonObject } from "../lib/json.ts";

/** A name that is not taken: `station`, `station-2`, ... */
export function freeName(word: string, taken: readonly string[]): string {
  if (!taken.includes(word)) return word;
  for (let i = 2; ; i++) if (!taken.includes(`${word}-${i}`)) return `${word}-${i}`;
}

/** A station, with the link of another one if there is one. */
export function stationBlock(name: string, like: JsonObject | undefined): string {
  const lines = ["[[station]]", `name = ${toml(name)}`];
  for (const key of ["rate", "mcs", "streams", "width", "gi", "distance"]) {
    const value = like?.[key];
    if (typeof value === "string" || typeof value === "number") lines.push(`${key} = ${toml(value)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** An application of a kind at a station. */
export function applicationBlock(name: string, kind: string, station: string): string {
  return `[[app]]\nname = ${toml(name)}\nkind = ${toml(kind)}\nstation = ${toml(station)}\n`;
}

/** A text or number of TOML: JSON's texts are TOML's, but for the sign DEL. */
function toml(value: string | number): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
