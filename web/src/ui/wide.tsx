// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A table that may be wider than the page: it is moved sideways, by keys too.
import type { ComponentChildren } from "preact";

/** Around the table. */
export function Wide({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
