// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Which view the address's fragment names: `#results`, `#experiments/chap/starve`,
// `#live/evening`; `#study=...` is a permalink.
import { adopt, split } from "./token.ts";
import { Store } from "./store.ts";

/** A view, and what of it. */
export interface Route {
  view: "scenario" | "results" | "experiments" | "live";
  of: string;
  /** A permalink's content. */
  packed: string | null;
}

/** What a fragment names. */
export function read(fragment: string): Route {
  // A token may stand in front, which is nobody's view.
  const { rest: word } = split(fragment);
  if (word.startsWith("study=")) return { view: "scenario", of: "", packed: word.slice("study=".length) };
  const slash = word.indexOf("/");
  const view = slash < 0 ? word : word.slice(0, slash);
  const of = slash < 0 ? "" : decode(word.slice(slash + 1));
  if (view === "results" || view === "experiments" || view === "live") return { view, of, packed: null };
  return { view: "scenario", of: "", packed: null };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = new Store<Route>(read(location.hash));

/** Follows the address. */
export function watch(): () => void {
  const changed = (): void => {
    adopt();
    route.set(read(location.hash));
  };
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

/** Goes to a view. */
export function go(fragment: string): void {
  location.hash = fragment;
}
