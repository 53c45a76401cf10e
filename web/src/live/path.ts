// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The line of a course, with as few points as show it: an hour has many, most stations are quiet for most of it, and
// all lines are drawn anew each second. What it does not do: no colours, no axes (uPlot).

/** What lines are drawn with, such as a `Path2D`. */
export interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

/** A line from `from` to `to`, both included; a missing value is a gap. Half a pixel up or down is no change. */
export function path(
  pen: Pen,
  values: readonly (number | null | undefined)[],
  [from, to]: [number, number],
  x: (i: number) => number,
  y: (value: number) => number,
): void {
  let level: number | null = null;
  // The last place at that level; null: the pen is there.
  let far: number | null = null;
  const flush = (): void => {
    if (far !== null && level !== null) pen.lineTo(far, level);
    far = null;
  };
  for (let i = from; i <= to; i++) {
    const value = values[i];
    if (value == null) {
      flush();
      level = null;
      continue;
    }
    const at = Math.round(2 * y(value)) / 2;
    if (level === null) pen.moveTo(x(i), at);
    else if (at === level) {
      far = x(i);
      continue;
    } else {
      flush();
      pen.lineTo(x(i), at);
    }
    level = at;
  }
  flush();
}
