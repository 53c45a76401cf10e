// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A house in real time: who uses the air, where packets wait, who suffers.
import { useEffect, useState } from "preact/hooks";
import { get } from "../lib/api.ts";
import { go } from "../lib/route.ts";
import { sentence } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import { House } from "./house.tsx";

/** `house`: its name; empty: the first one. */
export function LiveView({ house }: { house: string }) {
  const [houses, setHouses] = useState<string[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    get<string[]>("live").then(setHouses, (e: unknown) => setTrouble(sentence(e)));
  }, []);
  const chosen = house || houses?.[0] || "";
  return (
    <>
      <h1 class="unseen">Live</h1>
      <Says text={trouble} tone="bad" />
      {houses && !houses.length && (
        <div class="pad prose">
          <p>No house is watched. Start one and name it:</p>
          <pre class="command" tabIndex={0} aria-label="In a terminal">{"sudo airtab live up home.toml --queue fifo\nsudo airtab serve --live home"}</pre>
          <p>
            or show one that was recorded: <code>airtab serve --replay evening.jsonl</code>
          </p>
        </div>
      )}
      {houses && houses.length > 1 && (
        <label class="inline pad">
          House
          <select value={chosen} onChange={(e) => go(`live/${encodeURIComponent(e.currentTarget.value)}`)}>
            {houses.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {chosen && <House key={chosen} name={chosen} />}
    </>
  );
}
