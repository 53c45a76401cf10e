// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The frame of the page: heading, views, and what is told of the whole.
import { useEffect, useRef, useState } from "preact/hooks";
import { lazy } from "./ui/lazy.tsx";
import { unpack } from "./lib/permalink.ts";
import { route, watch } from "./lib/route.ts";
import { busy, resume, run } from "./lib/run.ts";
import { useStore } from "./lib/store.ts";
import { learn, open, redo, sentence, start, undo } from "./lib/study.ts";
import { Scenario } from "./scenario/view.tsx";
import { Header } from "./ui/header.tsx";
import { Says } from "./ui/says.tsx";

// Views that are not seen first are loaded when they are.
const Results = lazy(() => import("./results/view.tsx").then((module) => module.ResultsView));
const Experiments = lazy(() => import("./experiments/view.tsx").then((module) => module.ExperimentsView));
const Live = lazy(() => import("./live/view.tsx").then((module) => module.LiveView));

const TITLES = { scenario: "Scenario", results: "Results", experiments: "Experiments", live: "Live" };

/** The page. */
export function App() {
  const { view, of, packed } = useStore(route);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  useEffect(watch, []);
  useEffect(keys, []);
  useEffect(() => {
    learn().then(
      () => {
        setReady(true);
        void resume();
      },
      (e: unknown) => setTrouble(sentence(e)),
    );
  }, []);
  useEffect(() => {
    if (!ready) return;
    if (packed === null) return start();
    // A link is opened, never run; the address goes back to what it is of.
    unpack(packed)
      .then(open, (e: unknown) => {
        setTrouble(sentence(e));
        start();
      })
      .finally(() => {
        history.replaceState(null, "", "#scenario");
        route.set({ view: "scenario", of: "", packed: null });
      });
  }, [ready, packed]);
  useEffect(() => {
    document.title = `${TITLES[view]} · airtab`;
    // Another view: the keyboard and screen readers go there too.
    if (first.current) first.current = false;
    else main.current?.focus();
  }, [view]);

  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <Header view={view} />
      <main id="main" ref={main} tabIndex={-1} aria-label={TITLES[view]}>
        <Says text={trouble} tone="bad" onClose={() => setTrouble(null)} />
        {view === "scenario" && <Scenario ready={ready} />}
        {view === "results" && <Results />}
        {view === "experiments" && <Experiments of={of} />}
        {view === "live" && <Live house={of} />}
      </main>
      <Progress />
    </>
  );
}

/** Undo and redo of the scenario where no field has its own. */
function keys(): () => void {
  const pressed = (e: KeyboardEvent): void => {
    if (!(e.ctrlKey || e.metaKey) || e.altKey) return;
    const at = e.composedPath()[0] as HTMLElement | undefined;
    if (at?.matches?.("input, textarea, select, [contenteditable=true], [contenteditable=true] *")) return;
    const key = e.key.toLowerCase();
    if (key === "z" && !e.shiftKey) undo();
    else if (key === "y" || (key === "z" && e.shiftKey)) redo();
    else return;
    e.preventDefault();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

/** How far the run is, for screen readers: every tenth, and its end. */
function Progress() {
  const now = useStore(run);
  const tenth = now.total ? Math.floor((10 * now.done) / now.total) : 0;
  const said =
    now.state === "none"
      ? ""
      : busy(now)
        ? `The study runs: ${10 * tenth} %.`
        : now.state === "done"
          ? "The study is done."
          : now.state === "stopped"
            ? "The study was stopped."
            : `The study failed: ${now.error ?? ""}`;
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said}
    </p>
  );
}
