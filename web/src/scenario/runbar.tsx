// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What is run: disciplines, seeds, length; and the link to all of it.
import { useState } from "preact/hooks";
import { disciplineOf, lookOf } from "../lib/look.ts";
import { pack } from "../lib/permalink.ts";
import { go } from "../lib/route.ts";
import { begin, busy, run } from "../lib/run.ts";
import { useStore } from "../lib/store.ts";
import { asked, choose, known, sentence, study } from "../lib/study.ts";
import { Swatch } from "../ui/swatch.tsx";

/** The bar above the scenario. */
export function RunBar() {
  const { queues, seeds, short, checked } = useStore(study);
  const { disciplines } = useStore(known);
  const running = busy(useStore(run));
  const names = disciplines.map(({ name }) => name);
  const bad = (checked?.problems.length ?? 0) > 0;
  const total = queues.length * seeds;
  return (
    <section class="runbar" aria-label="What is run">
      <ul class="chips" aria-label="Disciplines">
        {queues.map((label, i) => (
          <li key={label} class="chip">
            <Swatch look={lookOf(label, queues, names)} />
            <span>{label}</span>
            <button
              type="button"
              class="quiet"
              aria-label={`Leave out ${label}`}
              disabled={queues.length === 1}
              onClick={() => choose({ queues: queues.filter((_, at) => at !== i) })}
            >
              ×
            </button>
          </li>
        ))}
        <li>
          <Add names={names} />
        </li>
      </ul>
      <label class="inline">
        Seeds
        <input
          class="short"
          type="number"
          min="1"
          max="10000"
          value={seeds}
          onChange={(e) => choose({ seeds: Number(e.currentTarget.value) })}
        />
      </label>
      <label class="inline" title="All times of the schedule divided by 10: good for a first look only">
        <input type="checkbox" checked={short} onChange={(e) => choose({ short: e.currentTarget.checked })} />
        Time / 10
      </label>
      <span class="push" />
      <Share />
      <button
        type="button"
        class="main"
        disabled={bad || running}
        onClick={() => {
          void begin(asked());
          go("results");
        }}
      >
        {running ? "Running …" : `Run ${total} ${total === 1 ? "simulation" : "simulations"}`}
      </button>
    </section>
  );
}

/** A discipline more, with parameters where one wants some. */
function Add({ names }: { names: string[] }) {
  const { queues } = useStore(study);
  const [label, setLabel] = useState("");
  const add = (): void => {
    const word = label.trim();
    if (!word) return;
    if (!queues.includes(word)) choose({ queues: [...queues, word] });
    setLabel("");
  };
  const unknown = label.trim() !== "" && !names.includes(disciplineOf(label.trim()));
  return (
    <form
      class="add"
      onSubmit={(e) => {
        e.preventDefault();
        if (!unknown) add();
      }}
    >
      <input
        aria-label="A discipline more, such as chap:limit=70"
        aria-invalid={unknown}
        list="disciplines"
        placeholder="chap:limit=70"
        value={label}
        onInput={(e) => setLabel(e.currentTarget.value)}
      />
      <datalist id="disciplines">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" disabled={label.trim() === "" || unknown}>
        Add
      </button>
    </form>
  );
}

/** The study as a link, into the clipboard where that is allowed, and into a field. */
function Share() {
  const now = useStore(study);
  const [link, setLink] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const make = async (): Promise<void> => {
    try {
      const made = `${location.origin}${location.pathname}#study=${await pack(asked())}`;
      setLink(made);
      await navigator.clipboard.writeText(made).then(
        () => setSaid("Copied."),
        () => setSaid("Copy it from the field."),
      );
    } catch (e) {
      setSaid(sentence(e));
    }
  };
  return (
    <span class="share">
      <button type="button" disabled={now.text === ""} onClick={() => void make()}>
        Link
      </button>
      {link && (
        <input
          class="link"
          readOnly
          aria-label="Link to this study, without its results"
          value={link}
          onFocus={(e) => e.currentTarget.select()}
        />
      )}
      <span role="status" class="faint">
        {said}
      </span>
    </span>
  );
}
