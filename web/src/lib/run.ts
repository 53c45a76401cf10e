// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The run of a study: started, followed seed by seed, stopped.
import { ask, get, post } from "./api.ts";
import type { Started } from "./api.ts";
import type { Study } from "./permalink.ts";
import type { Results } from "./results.ts";
import { follow } from "./sse.ts";
import { Store } from "./store.ts";
import { sentence } from "./study.ts";

/** How far a run is. */
export interface Run {
  id: number | null;
  state: "none" | "waiting" | "running" | "done" | "stopped" | "failed";
  done: number;
  total: number;
  /** Of whole seeds so far. */
  results: Results | null;
  error: string | null;
  /** What it was asked for with. */
  study: Study | null;
}

const NONE: Run = { id: null, state: "none", done: 0, total: 0, results: null, error: null, study: null };

export const run = new Store<Run>(NONE);

let following: AbortController | undefined;

/** Whether it is on its way. */
export function busy(of: Run): boolean {
  return of.state === "waiting" || of.state === "running";
}

/** Where the number of the run is kept for a reload. */
const KEY = "airtab.run";

/** Goes on with the run that this tab had before a reload, if the server still has it. */
export async function resume(): Promise<void> {
  try {
    const before = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as { id: number; study: Study } | null;
    if (!before || run.value.state !== "none") return;
    const now = await get<Pick<Run, "state" | "done" | "total" | "results">>(`runs/${before.id}`);
    if (run.value.state !== "none") return;
    const { state, done, total, results } = now;
    run.set({ ...NONE, ...before, state, done, total, results });
    if (busy(run.value)) await watchRun(before.id);
  } catch {
    // The server was started anew, and has no such run: there is nothing to go on with.
    sessionStorage.removeItem(KEY);
  }
}

async function watchRun(id: number): Promise<void> {
  const mine = new AbortController();
  following = mine;
  await follow(`runs/${id}/events`, ({ name, data }) => take(name, data), mine.signal);
}

/** Asks for a study, and follows it. One that is on its way is left: the server ends it. */
export async function begin(study: Study): Promise<void> {
  leave();
  run.set({ ...NONE, state: "waiting", study });
  try {
    const { id, total } = await post<Started>("runs", study);
    run.patch({ id, total });
    sessionStorage.setItem(KEY, JSON.stringify({ id, study }));
    await watchRun(id);
  } catch (e) {
    run.patch({ state: "failed", error: sentence(e) });
  }
}

/** An event of the run; true: the last one. */
function take(name: string, data: string): boolean {
  const value = (data ? JSON.parse(data) : null) as Record<string, unknown> | null;
  switch (name) {
    case "step":
      run.patch({ state: "running", done: Number(value?.["done"]), total: Number(value?.["total"]) });
      return false;
    case "results":
      run.patch({ state: "running", results: value as unknown as Results });
      return false;
    case "done":
      run.patch({ state: "done", done: run.value.total });
      return true;
    case "failed":
      run.patch({ state: "failed", error: String(value?.["error"] ?? "The run failed.") });
      return true;
    case "stopped":
      run.patch({ state: "stopped" });
      return true;
    default:
      return false;
  }
}

/** Ends the run; what is finished stays on the page. */
export async function stop(): Promise<void> {
  const { id } = run.value;
  if (id === null) return;
  try {
    await ask(`runs/${id}`, { method: "DELETE" });
    following?.abort();
    if (busy(run.value)) run.patch({ state: "stopped" });
  } catch (e) {
    run.patch({ error: sentence(e) });
  }
}

function leave(): void {
  following?.abort();
  const { id } = run.value;
  if (id !== null && busy(run.value)) void ask(`runs/${id}`, { method: "DELETE" }).catch(() => undefined);
}
