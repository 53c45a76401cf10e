// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A discipline's colour and marker, small.
import type { Look, Marker } from "../lib/look.ts";

const PATHS: Record<Marker, string> = {
  circle: "M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  square: "M2.5 2.5h7v7h-7z",
  triangle: "M6 1.5 10.5 10h-9z",
  diamond: "M6 .8 10.5 6 6 11.2 1.5 6z",
  star: "M6 .8l1.4 3.4 3.7.3-2.8 2.4.9 3.6L6 8.6l-3.2 1.9.9-3.6L.9 4.5l3.7-.3z",
};

/** Beside its name, which says it too. */
export function Swatch({ look }: { look: Look }) {
  return (
    <svg class={`swatch ${look.className}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={PATHS[look.marker]} fill="currentColor" />
    </svg>
  );
}
