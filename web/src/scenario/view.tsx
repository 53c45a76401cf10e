// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The scenario: plan and form on one side, its text on the other, and what is run.
import { useState } from "preact/hooks";
import { useStore } from "../lib/store.ts";
import { change, known, redo, study, undo } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import { Form } from "./form.tsx";
import { Plan } from "./plan.tsx";
import { Problems } from "./problems.tsx";
import { RunBar } from "./runbar.tsx";
import { Text } from "./text.tsx";

/** `ready`: the server has told what it knows. */
export function Scenario({ ready }: { ready: boolean }) {
  const { text, canUndo, canRedo, form, trouble } = useStore(study);
  const { scenarios } = useStore(known);
  const [line, setLine] = useState<{ line: number; column: number } | null>(null);
  if (!ready) return <p class="faint">Asking the server what it knows …</p>;
  const brought = scenarios.find((one) => one.text === text)?.name ?? "";
  return (
    <>
      <h1 class="unseen">Scenario</h1>
      <RunBar />
      <Says text={trouble} tone="bad" onClose={() => study.patch({ trouble: null })} />
      <div class="bench">
        <section class="pane" aria-labelledby="values-title">
          <div class="pane-head">
            <h2 id="values-title">Values</h2>
            <label class="inline">
              Start from
              <select value={brought} onChange={(e) => take(e.currentTarget.value)}>
                <option value="" disabled>
                  your own
                </option>
                {scenarios.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            <span class="push" />
            <button type="button" onClick={undo} disabled={!canUndo} title="Ctrl+Z">
              Undo
            </button>
            <button type="button" onClick={redo} disabled={!canRedo} title="Ctrl+Shift+Z">
              Redo
            </button>
          </div>
          {form ? (
            <>
              <Plan form={form} />
              <Form form={form} />
            </>
          ) : (
            <p class="faint pad">The text is no TOML yet.</p>
          )}
        </section>
        <section class="pane beside" aria-labelledby="text-title">
          <div class="pane-head">
            <h2 id="text-title">TOML</h2>
            <span class="push" />
            <Verdict />
          </div>
          <Text goto={line} />
          <Problems onGo={setLine} />
        </section>
      </div>
    </>
  );

  function take(name: string): void {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario) change(scenario.text);
  }
}

/** Whether the text can be run, in a word. */
function Verdict() {
  const { checked, stale } = useStore(study);
  if (!checked) return null;
  const count = checked.problems.length;
  const word = count === 0 ? "can be run" : count === 1 ? "1 problem" : `${count} problems`;
  return (
    <span class={`verdict ${count ? "bad" : "good"} ${stale ? "stale" : ""}`} role="status">
      {word}
    </span>
  );
}
