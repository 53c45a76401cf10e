// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A recording of a house, from the two snapshots that airtab's own tests use: the
// same ones again and again, a second later each time.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./serve.mjs";

/**
 * Path of a file with so many snapshots of so many stations; five are the fixture's own. The first `quick` of them are
 * 5 ms apart.
 */
export function recording(seconds, stations, quick = 0) {
  const lines = readFileSync(join(ROOT, "crates/airtab-live/fixtures/evening.jsonl"), "utf8").trim().split("\n");
  const both = lines.map((line) => JSON.parse(line));
  const text = Array.from({ length: seconds }, (_, i) => {
    const one = structuredClone(both[i % both.length]);
    one.now_s = i < quick ? (i + 1) * 0.005 : i - quick + 1 + quick * 0.005;
    for (let more = one.stations.length; more < stations; more++) {
      const like = structuredClone(one.stations[more % 4]);
      like.name = `station-${more}`;
      like.rates.down_air_ratio *= 0.5 + ((i * 7 + more * 3) % 11) / 11;
      one.stations.push(like);
    }
    // As `airtab live watch --json` writes it, which the fixture is older than.
    one.blame = { trouble: true, text: "The Wi-Fi queue takes 120 ms of 138 ms" };
    return JSON.stringify(one);
  }).join("\n");
  const path = join(mkdtempSync(join(tmpdir(), "airtab-web-")), "evening.jsonl");
  writeFileSync(path, `${text}\n`);
  return path;
}
