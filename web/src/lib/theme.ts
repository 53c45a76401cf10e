// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Light, dark, or as the system has it. The choice is kept in this browser.
import { Store } from "./store.ts";

/** What can be chosen. */
export type Theme = "auto" | "light" | "dark";

const KEY = "airtab.theme";

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "auto";
}

/** The choice. */
export const theme = new Store<Theme>(kept());

/** Shows the choice, now and whenever it changes. */
export function apply(): void {
  const show = (): void => {
    const { dataset } = document.documentElement;
    if (theme.value === "auto") delete dataset["theme"];
    else dataset["theme"] = theme.value;
  };
  show();
  theme.watch(() => {
    if (theme.value === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
    show();
  });
}

/** Calls `changed` when the page becomes light or dark. */
export function onChange(changed: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  const stop = theme.watch(changed);
  return () => {
    system.removeEventListener("change", changed);
    stop();
  };
}
