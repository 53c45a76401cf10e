// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The experiments of the studies: a gallery, and each with what its source published.
import { useEffect, useState } from "preact/hooks";
import { get } from "../lib/api.ts";
import { sentence } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import { One } from "./one.tsx";

/** A line of the gallery, as `airtab experiment list --json` has it. */
export interface Listed {
  id: string;
  title: string;
  source: string;
  checks: number;
  live: boolean;
}

const STUDIES: Record<string, string> = {
  chap: "Credit-based Home Access Point (CHAP)",
  cbt: "Class-based thresholds",
  stz: "Fairness between wireless stations",
  bufsize: "Sizes of buffers in meshes",
  modern: "Modern networks",
  beyond: "Beyond the sources",
  live: "In real time, on Linux",
};

/** `of`: the experiment that is shown; empty: the gallery. */
export function ExperimentsView({ of }: { of: string }) {
  const [all, setAll] = useState<Listed[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [words, setWords] = useState("");
  useEffect(() => {
    get<Listed[]>("experiments").then(setAll, (e: unknown) => setTrouble(sentence(e)));
  }, []);
  if (of) return <One key={of} id={of} />;
  const wanted = words.trim().toLowerCase().split(/\s+/);
  const found = (all ?? []).filter((one) => {
    const text = `${one.id} ${one.title} ${one.source}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const order = Object.keys(STUDIES);
  const place = (study: string): number => (order.includes(study) ? order.indexOf(study) : order.length);
  const studies = [...new Set(found.map(({ id }) => id.split("/")[0]!))].sort((a, b) => place(a) - place(b));
  return (
    <>
      <div class="runbar">
        <h1>Experiments</h1>
        <label class="inline">
          <span class="unseen">Search</span>
          <input type="search" placeholder="Search" value={words} onInput={(e) => setWords(e.currentTarget.value)} />
        </label>
        <span class="faint" role="status">
          {all ? `${found.length} of ${all.length}` : "Loading …"}
        </span>
      </div>
      <Says text={trouble} tone="bad" />
      {studies.map((study) => (
        <section key={study} aria-labelledby={`study-${study}`}>
          <h2 id={`study-${study}`}>
            {STUDIES[study] ?? study} <small class="faint">{study}/</small>
          </h2>
          <ul class="gallery">
            {found
              .filter(({ id }) => id.split("/")[0] === study)
              .map((one) => (
                <li key={one.id}>
                  <a href={`#experiments/${one.id}`}>
                    <strong>{one.title}</strong> <span class="faint">{one.source}</span>{" "}
                    <span class="foot">
                      <code>{one.id}</code>{" "}
                      <span class="faint">
                        {one.checks} {one.checks === 1 ? "value" : "values"}
                        {one.live ? " · live" : ""}
                      </span>
                    </span>
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}
