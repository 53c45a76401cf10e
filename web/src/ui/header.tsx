// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The heading: name, views, theme.
import { busy, run } from "../lib/run.ts";
import { useStore } from "../lib/store.ts";
import { theme } from "../lib/theme.ts";
import type { Theme } from "../lib/theme.ts";

const VIEWS = [
  ["scenario", "Scenario"],
  ["results", "Results"],
  ["experiments", "Experiments"],
  ["live", "Live"],
] as const;

/** The heading, with `view` as the place where one is. */
export function Header({ view }: { view: string }) {
  const now = useStore(run);
  const chosen = useStore(theme);
  const percent = now.total ? Math.round((100 * now.done) / now.total) : 0;
  return (
    <header class="top">
      <span class="brand">
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="M1 13h3.4V7H1zM6.3 13h3.4V2H6.3zM11.6 13H15V9h-3.4z" fill="currentColor" />
        </svg>
        airtab
      </span>
      <nav aria-label="Views">
        {VIEWS.map(([name, title]) => (
          <a key={name} href={`#${name}`} aria-current={view === name ? "page" : undefined}>
            {title}
            {name === "results" && busy(now) && <span class="count">{percent} %</span>}
          </a>
        ))}
      </nav>
      <label class="theme">
        <span class="unseen">Theme</span>
        <select value={chosen} onChange={(e) => theme.set(e.currentTarget.value as Theme)}>
          <option value="auto">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}
