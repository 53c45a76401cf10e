// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Disciplines with their colours; a press hides or shows one in all figures and tables.
import { Swatch } from "../ui/swatch.tsx";
import type { Shown } from "./draw.ts";

interface Props {
  all: Shown[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => void;
}

/** A button for each discipline. */
export function Legend({ all, hidden, onChange }: Props) {
  return (
    <div class="legend" role="group" aria-label="Disciplines that are shown">
      {all.map(({ label, look }) => {
        const off = hidden.includes(label);
        return (
          <button
            key={label}
            type="button"
            class="chip"
            aria-pressed={!off}
            onClick={() => onChange(off ? hidden.filter((one) => one !== label) : [...hidden, label])}
          >
            <Swatch look={look} />
            <span>{label}</span>
          </button>
        );
      })}
    </div>
  );
}
