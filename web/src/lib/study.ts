// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The study on the page: the scenario's text with its steps back and forth, what
// the server says of it, the disciplines and the number of seeds.
import { get, post, Refused } from "./api.ts";
import type { Brought, Checked, Discipline, Problem } from "./api.ts";
import { History } from "./history.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Study } from "./permalink.ts";
import { SEEDS } from "./permalink.ts";
import { Store } from "./store.ts";

/** What the views of a study show. */
export interface State extends Study {
  canUndo: boolean;
  canRedo: boolean;
  /** What the server said last; null: nothing yet. */
  checked: Checked | null;
  /** Whether that is of an older text. */
  stale: boolean;
  /** The last form that was one: a text that is no TOML for a moment does not empty the page. */
  form: JsonObject | null;
  /** Why the last edit of the form, or the check, did not go through. */
  trouble: string | null;
}

const KEY = "airtab.study";
/** Pause in typing after which the text is checked, ms. */
const PAUSE = 200;

const history = new History("");
export const study = new Store<State>({
  text: "",
  queues: ["fifo", "fq_codel", "cake", "airtime_fq", "chap"],
  seeds: 5,
  short: true,
  canUndo: false,
  canRedo: false,
  checked: null,
  stale: false,
  form: null,
  trouble: null,
});

/** Disciplines, the schema of scenarios and the scenarios that airtab brings: asked for once. */
export const known = new Store<{ disciplines: Discipline[]; schema: JsonObject | null; scenarios: Brought[] }>({
  disciplines: [],
  schema: null,
  scenarios: [],
});

/** Asks what is known; a failure is thrown. */
export async function learn(): Promise<void> {
  const [disciplines, schema, scenarios] = await Promise.all([
    get<Discipline[]>("disciplines"),
    get<JsonObject>("schema/scenario"),
    get<Brought[]>("scenarios"),
  ]);
  known.set({ disciplines, schema, scenarios });
}

let timer: ReturnType<typeof setTimeout> | undefined;
let checking: AbortController | undefined;

/** Another text. `typed`: letter by letter, so that it is checked after a pause. */
export function change(text: string, typed = false): void {
  history.change(text, typed, performance.now());
  settle(typed ? PAUSE : 0);
}

/** One step back. */
export function undo(): void {
  history.undo();
  settle(0);
}

/** One step forward again. */
export function redo(): void {
  history.redo();
  settle(0);
}

/** The text is the history's: shown, kept for a reload, and checked after `pause` ms. */
function settle(pause: number): void {
  const { text, canUndo, canRedo } = history;
  if (text === study.value.text) return;
  study.patch({ text, canUndo, canRedo, stale: true, trouble: null });
  keep();
  clearTimeout(timer);
  timer = setTimeout(() => void check(), pause);
}

async function check(): Promise<void> {
  checking?.abort();
  const mine = new AbortController();
  checking = mine;
  const { text } = study.value;
  try {
    const checked = await post<Checked>("check", { text }, mine.signal);
    if (mine.signal.aborted) return;
    study.patch({ checked, stale: false, form: checked.form ?? study.value.form });
  } catch (e) {
    if (!mine.signal.aborted) study.patch({ trouble: sentence(e) });
  }
}

let edits: Promise<unknown> = Promise.resolve();

/**
 * One value of the scenario set (`undefined`: taken away), comments kept. Edits follow each other, each on the text of
 * the one before. True: it is done.
 */
export function edit(path: string, value: Json | undefined): Promise<boolean> {
  const mine = edits.then(async () => {
    const { text } = study.value;
    try {
      const body = value === undefined ? { text, path, remove: true } : { text, path, value };
      const changed = await post<{ text: string }>("edit", body);
      // Typed into meanwhile: what was typed stays.
      if (study.value.text !== text) return false;
      change(changed.text);
      study.patch({ trouble: null });
      return true;
    } catch (e) {
      study.patch({ trouble: sentence(e) });
      return false;
    }
  });
  edits = mine;
  return mine;
}

/** Disciplines, seeds or length of the runs. */
export function choose(some: Partial<Pick<Study, "queues" | "seeds" | "short">>): void {
  const seeds = some.seeds === undefined ? study.value.seeds : Math.min(SEEDS, Math.max(1, Math.round(some.seeds) || 1));
  study.patch({ ...some, seeds });
  keep();
}

/** A whole study, of a link. It can be undone, as far as its text goes. */
export function open({ text, queues, seeds, short }: Study): void {
  study.patch({ queues, seeds, short });
  change(text);
}

/** What the study would be as a link or a request. */
export function asked(): Study {
  const { text, queues, seeds, short } = study.value;
  return { text, queues, seeds, short };
}

/** The study as it was before a reload, else the first scenario that airtab brings. */
export function start(): void {
  if (study.value.text !== "") return;
  const first = known.value.scenarios.find((one) => one.name === "home") ?? known.value.scenarios[0];
  const before = recalled();
  if (before) study.patch({ queues: before.queues, seeds: before.seeds, short: before.short });
  history.text = before?.text ?? first?.text ?? "";
  settle(0);
}

function keep(): void {
  sessionStorage.setItem(KEY, JSON.stringify(asked()));
}

function recalled(): Study | null {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Study | null;
    return value && typeof value.text === "string" && value.text !== "" && Array.isArray(value.queues) ? value : null;
  } catch {
    return null;
  }
}

/** An error as a sentence with what the server says of each problem. */
export function sentence(e: unknown): string {
  if (e instanceof Refused && e.problems.length) {
    return e.problems.map((problem: Problem) => problem.message).join(" ");
  }
  return e instanceof Error ? e.message : String(e);
}
