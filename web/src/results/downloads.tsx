// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What can be taken away: figures as they are shown, data as the server has them.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { busy, run } from "../lib/run.ts";
import { useStore } from "../lib/store.ts";
import { sentence } from "../lib/study.ts";
import { pngOf, saveBlob, saveFile, svgOf } from "./save.ts";

/** Buttons; data only when the run is over, so that file and page are the same. */
export function Downloads({ figures, scenario }: { figures: RefObject<HTMLElement | null>; scenario: string }) {
  const now = useStore(run);
  const [trouble, setTrouble] = useState("");
  const name = scenario.replace(/[^A-Za-z0-9_-]+/g, "-") || "study";
  const tried = (what: () => Promise<void>) => () => {
    setTrouble("");
    what().catch((e: unknown) => setTrouble(sentence(e)));
  };
  const svg = tried(async () => {
    saveBlob(new Blob([svgOf(figures.current!).text], { type: "image/svg+xml" }), `${name}.svg`);
  });
  const png = tried(async () => saveBlob(await pngOf(figures.current!), `${name}.png`));
  const file = (what: string) => tried(() => saveFile(`runs/${now.id}/${what}`, what.replace("results", name)));
  const data = [
    ["CSV", "results.csv"],
    ["Parquet", "results.parquet"],
    ["JSON", "results.json"],
    ["Report", "report.html"],
  ] as const;
  return (
    <div class="downloads" role="group" aria-label="Downloads">
      <button type="button" onClick={svg}>
        SVG
      </button>
      <button type="button" onClick={png}>
        PNG
      </button>
      {data.map(([title, what]) => (
        <button key={what} type="button" disabled={busy(now) || now.id === null} onClick={file(what)}>
          {title}
        </button>
      ))}
      <span role="alert" class="bad">
        {trouble}
      </span>
    </div>
  );
}
