// SPDX-License-Identifier: MIT OR GPL-2.0-only
// How the channel's time was used in the last interval.
import { number } from "../lib/figures.ts";
import type { Snapshot } from "./feed.ts";

const PARTS = [
  ["down_ratio", "down", "--c0"],
  ["up_ratio", "up", "--c5"],
  ["collision_ratio", "collisions", "--c1"],
  ["beacon_ratio", "beacons", "--c3"],
  ["idle_ratio", "idle", "--wash"],
] as const;

/** A bar, and the same in words. */
export function AirBar({ air }: { air: Snapshot["air"] }) {
  let from = 0;
  return (
    <section class="air" aria-label="The channel's time">
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {PARTS.map(([key, , variable]) => {
          const width = Math.max(0, 100 * air[key]);
          const x = from;
          from += width;
          return <rect key={key} x={x} width={width} height="4" fill={`var(${variable})`} />;
        })}
      </svg>
      <p class="faint">
        {PARTS.map(([key, title, variable]) => (
          <span key={key} class="num">
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" fill={`var(${variable})`} />
            </svg>{" "}
            {title} {number(100 * air[key])} %{" "}
          </span>
        ))}
      </p>
    </section>
  );
}
