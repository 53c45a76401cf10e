// SPDX-License-Identifier: MIT OR GPL-2.0-only
// One experiment: what it is about, what varies, and what its source published.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get } from "../lib/api.ts";
import { lookOf } from "../lib/look.ts";
import { useStore } from "../lib/store.ts";
import { known, sentence } from "../lib/study.ts";
import { Figure } from "../ui/figure.tsx";
import { Says } from "../ui/says.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { Wide } from "../ui/wide.tsx";
import { groups, published } from "./published.ts";
import type { Experiment } from "./published.ts";

/** By its id, such as `chap/qsize-game`. */
export function One({ id }: { id: string }) {
  const [it, setIt] = useState<Experiment | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    get<Experiment>(`experiments/${id.split("/").map(encodeURIComponent).join("/")}`).then(setIt, (e: unknown) =>
      setTrouble(sentence(e)),
    );
  }, [id]);
  return (
    <article class="one">
      <p class="back">
        <a href="#experiments">All experiments</a>
      </p>
      <Says text={trouble} tone="bad" />
      {it && <Content it={it} id={id} />}
    </article>
  );
}

function Content({ it, id }: { it: Experiment; id: string }) {
  const { disciplines } = useStore(known);
  const names = disciplines.map(({ name }) => name);
  const labels = it.queues;
  const drawn = useMemo(() => groups(it.checks), [it]);
  return (
    <>
      <h1>{it.title}</h1>
      <p class="faint">{it.source}</p>
      <Prose text={it.about} />
      {labels.length > 0 && (
        <ul class="chips" aria-label="Disciplines">
          {labels.map((label) => (
            <li key={label} class="chip">
              <Swatch look={lookOf(label, labels, names)} />
              {label}
            </li>
          ))}
        </ul>
      )}
      {it.axes.length > 0 && (
        <ul class="axes">
          {it.axes.map((axis) => (
            <li key={axis.name}>
              {axis.label || axis.name}: <span class="num-list">{axis.values.map(({ text }) => text).join(", ")}</span>
            </li>
          ))}
        </ul>
      )}
      <pre class="command" tabIndex={0} aria-label="The same in a terminal">airtab experiment run {id} --out results</pre>
      {drawn.length > 0 && (
        <section aria-labelledby="published-title">
          <h2 id="published-title">
            Published <small class="faint">a ring is the source's value, a bar the range that counts as the same</small>
          </h2>
          <div class="grid">
            {drawn.map((group) => (
              <div class="panel" key={group.of}>
                <h3>{group.of}</h3>
                <Published group={group} labels={labels} names={names} />
              </div>
            ))}
          </div>
        </section>
      )}
      <section aria-labelledby="expected-title">
        <h2 id="expected-title">Expected</h2>
        <Wide label="Expected values">
          <table>
            <thead>
              <tr>
                <th scope="col">what</th>
                <th scope="col">source says</th>
                <th scope="col">section</th>
                <th scope="col">expected</th>
              </tr>
            </thead>
            <tbody>
              {(it.checks).map((check) => (
                <tr key={check.what}>
                  <th scope="row">{check.what}</th>
                  <td>{check.reported}</td>
                  <td class="faint">{check.section}</td>
                  <td>{check.expected}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      </section>
      {Object.keys(it.remarks).length > 0 && (
        <section aria-labelledby="remarks-title">
          <h2 id="remarks-title">Remarks</h2>
          {Object.entries(it.remarks).map(([subject, remark]) => (
            <Prose key={subject} text={`${subject}: ${remark}`} />
          ))}
        </section>
      )}
      <details class="file">
        <summary>Its file</summary>
        <pre class="command" tabIndex={0} aria-label={`File of ${id}`}>
          {it.toml}
        </pre>
      </details>
    </>
  );
}

/** Paragraphs; where lines of the file end means nothing. */
function Prose({ text }: { text: string }) {
  const paragraphs = text.trim().split(/\n\s*\n/).filter(Boolean);
  return (
    <>
      {paragraphs.map((paragraph, i) => (
        <p key={i} class="prose">
          {paragraph}
        </p>
      ))}
    </>
  );
}

function Published({ group, labels, names }: { group: ReturnType<typeof groups>[number]; labels: string[]; names: string[] }) {
  const draw = useMemo(
    () => published(group, (label) => lookOf(label, labels, names)),
    [group, labels.join(), names.join()],
  );
  return <Figure draw={draw} label={`Published: ${group.of}`} />;
}
