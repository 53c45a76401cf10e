// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Colour, dashes and marker of a discipline: the same in every view, and the same
// as in airtab's reports (`airtab-lab`, `draw/look.rs`): the colour is that of its
// place in the list of disciplines; what shares one differs in dashes and marker.
// Colours of the light and of the dark are in `style/tokens.css`.

/** Colours of either palette, `--d0` to `--d5` and `--c0` to `--c5`. */
const COLOURS = 6;
const DASHES = ["", "7 4", "2 3", "10 3 2 3"];
/** Markers, by Observable Plot's names. */
const MARKERS = ["circle", "square", "triangle", "diamond", "star"] as const;

/** The name of Plot's marker. */
export type Marker = (typeof MARKERS)[number];

/** How a discipline is told from the others. */
export interface Look {
  /** Of the custom property, such as `--d2`. */
  variable: string;
  /** A class of the same number, such as `d2`. */
  className: string;
  dash: string;
  marker: Marker;
}

/** The discipline of a label such as `chap:limit=70`. */
export function disciplineOf(label: string): string {
  return label.split(":")[0]!;
}

/** Of the discipline with this label, one of `labels`; `known`: all disciplines, in airtab's order. */
export function lookOf(label: string, labels: readonly string[], known: readonly string[]): Look {
  const number = Math.max(0, known.indexOf(disciplineOf(label)));
  const kin = labels.filter((other) => disciplineOf(other) === disciplineOf(label));
  const variant = Math.max(0, kin.indexOf(label));
  const turn = number + variant + Math.floor(number / COLOURS);
  return {
    variable: `--d${number % COLOURS}`,
    className: `d${number % COLOURS}`,
    dash: DASHES[turn % DASHES.length]!,
    marker: MARKERS[turn % MARKERS.length]!,
  };
}

/** The colour of a station or an application by its number. */
export function seriesVariable(i: number): string {
  return `--c${i % COLOURS}`;
}

/** What a custom property is as a colour, in the theme that is on: `rgb(...)`. */
export function colour(variable: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${variable})`;
  probe.hidden = true;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
