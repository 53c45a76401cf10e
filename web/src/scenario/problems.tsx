// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Everything that is wrong in the text, as the command line says it.
import { useStore } from "../lib/store.ts";
import { study } from "../lib/study.ts";

/** `onGo`: shows a place of the text. */
export function Problems({ onGo }: { onGo: (place: { line: number; column: number }) => void }) {
  const { checked } = useStore(study);
  const problems = checked?.problems ?? [];
  if (!problems.length) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map((problem, i) => (
        <li key={i}>
          {problem.line ? (
            <button type="button" class="quiet place" onClick={() => onGo({ line: problem.line!, column: problem.column ?? 1 })}>
              {problem.line}:{problem.column ?? 1}
            </button>
          ) : null}
          <span>
            {problem.key ? <code>{problem.key}</code> : null}
            {problem.key ? ": " : ""}
            {problem.message}
            {problem.hint ? <em>; {problem.hint}</em> : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
