// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Results, which grow as seeds finish: disciplines side by side.
import { useMemo, useRef, useState } from "preact/hooks";
import { lookOf } from "../lib/look.ts";
import { parts, scoreOf } from "../lib/results.ts";
import { begin, busy, run, stop } from "../lib/run.ts";
import { useStore } from "../lib/store.ts";
import { known } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import { Figure } from "../ui/figure.tsx";
import { inUnit } from "../lib/figures.ts";
import { Closer } from "./closer.tsx";
import { Downloads } from "./downloads.tsx";
import { score } from "./draw.ts";
import type { Shown } from "./draw.ts";
import { Legend } from "./legend.tsx";
import { Table } from "./table.tsx";
import { Verdicts } from "./verdicts.tsx";
import type { Results } from "../lib/results.ts";

/** The results of the page's run. */
export function ResultsView() {
  const now = useStore(run);
  return (
    <>
      <h1 class="unseen">Results</h1>
      <Head />
      <Says text={now.error} tone="bad" />
      {now.results ? <Body results={now.results} /> : now.state === "none" ? <Nothing /> : null}
    </>
  );
}

function Nothing() {
  return (
    <p class="faint pad">
      Nothing was run yet. <a href="#scenario">Choose a scenario</a> and press Run.
    </p>
  );
}

/** How far it is. */
function Head() {
  const now = useStore(run);
  if (now.state === "none") return null;
  const running = busy(now);
  const words = {
    waiting: "waits for other studies",
    running: "runs",
    done: "done",
    stopped: "stopped",
    failed: "failed",
    none: "",
  };
  const seeds = now.results?.seeds.length ?? 0;
  return (
    <section class="runbar" aria-label="The study">
      <strong>{now.results?.scenario ?? "Study"}</strong>
      <span class="faint state">
        {words[now.state]}
        {now.study?.short ? ", time / 10" : ""}
      </span>
      <progress max={now.total || 1} value={now.done} aria-label="Runs that are done" />
      <span class="faint num">
        {now.done} / {now.total} runs · {seeds} {seeds === 1 ? "seed" : "seeds"}
      </span>
      <span class="push" />
      {running ? (
        <button type="button" onClick={() => void stop()}>
          Stop
        </button>
      ) : (
        now.study && (
          <button type="button" onClick={() => void begin(now.study!)}>
            Run again
          </button>
        )
      )}
    </section>
  );
}

function Body({ results }: { results: Results }) {
  const { disciplines } = useStore(known);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [close, setClose] = useState(false);
  const figures = useRef<HTMLElement>(null);
  const names = disciplines.map(({ name }) => name);
  const labels = results.queues.map(({ label }) => label);
  const all: Shown[] = useMemo(
    () => labels.map((label) => ({ label, look: lookOf(label, labels, names) })),
    [labels.join("\n"), names.join()],
  );
  const shown = useMemo(() => all.filter(({ label }) => !hidden.includes(label)), [all, hidden]);
  return (
    <>
      {results.no_difference && <p role="note">{results.no_difference}</p>}
      <div class="tools">
        <Legend all={all} hidden={hidden} onChange={setHidden} />
        <label class="inline">
          <input type="checkbox" checked={close} onChange={(e) => setClose(e.currentTarget.checked)} />
          Zoom on the values
        </label>
        <span class="push" />
        <Downloads figures={figures} scenario={results.scenario} />
      </div>
      <section class="scores" ref={figures} aria-labelledby="scores-title">
        <h2 id="scores-title">
          What each application felt
          <small class="faint">mean, 95 % interval, a thin line for each seed</small>
        </h2>
        <div class="grid">
          {parts(results)
            .filter((name) => results.queues[0]!.apps.some((app) => app.name === name))
            .map((name) => (
              <Score key={name} results={results} name={name} shown={shown} close={close} />
            ))}
        </div>
      </section>
      <Verdicts results={results} shown={shown} />
      <Closer results={results} shown={shown} close={close} />
      <Table results={results} shown={shown} />
    </>
  );
}

/** An application's score. */
function Score({ results, name, shown, close }: { results: Results; name: string; shown: Shown[]; close: boolean }) {
  const metric = scoreOf(results, name);
  const draw = useMemo(
    () => (metric ? score(results, name, metric, shown, close) : null),
    [results, name, metric, shown, close],
  );
  if (!metric || !draw) return null;
  const kind = results.queues[0]!.apps.find((app) => app.name === name)?.kind;
  return (
    <div class="panel">
      <h3>
        {name} <small class="faint">{kind === name ? "" : `${kind}: `}{inUnit(metric)}</small>
      </h3>
      {shown.length > 0 && <Figure draw={draw} label={`${name}: ${inUnit(metric)}`} />}
    </div>
  );
}
