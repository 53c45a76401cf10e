// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Everything that is wrong in the text, as the command line says it.
import { useStore } from "../lib/store.ts";
import { study } from "../lib/study.ts";

/** `onGo`: shows a place of the text. */
export function Problems({ onGo }: { onGo: (place: { line: number; column: number }) => void }) {
  const { checked } = useStore(study);
  const all = [...(checked?.problems ?? []), ...(checked?.warnings ?? [])];
  if (!all.length) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {all.map((problem, i) => (
        <li key={i}>
          {problem.line > 0 && !problem.path ? (
            <button type="button" class="quiet place" onClick={() => onGo(problem)}>
              {problem.line}:{problem.column}
            </button>
          ) : null}
          <span>
            {problem.path ? `${problem.path}:${problem.line}: ` : ""}
            {problem.message}
          </span>
        </li>
      ))}
    </ul>
  );
}
