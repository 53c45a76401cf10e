// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The house from above: stations around the access point by their distance, which
// dragging or the arrow keys change. Directions mean nothing: only distances count.
import { useEffect, useRef, useState } from "preact/hooks";
import { objects } from "../lib/json.ts";
import type { JsonObject } from "../lib/json.ts";
import { quoted } from "../lib/schema.ts";
import { edit } from "../lib/study.ts";
import { FARTHEST, NEAREST, distanceAt, isPlaced, metres, radiusOf, stepped } from "./place.ts";

/** Half the largest ring's height, and room for labels beside and above it, pixels. */
const HALF_Y = 112;
const ROOM = { x: 64, y: 20 };
const RINGS = [1, 3, 10, 30, 100];

const ANCHORS = ["end", "middle", "start"] as const;

/** Where the label is: right of the access point to the right, left of it to the left, else above or below. */
function side(x: number): -1 | 0 | 1 {
  return x > 8 ? 1 : x < -8 ? -1 : 0;
}

/** Most stations that are drawn. */
const MOST = 60;

/** Of the scenario's stations that have a distance, or could have one. */
export function Plan({ form }: { form: JsonObject }) {
  const stations = objects(form["station"]).filter(isPlaced);
  const svg = useRef<SVGSVGElement>(null);
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(520);
  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry!.contentRect.width))));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [stations.length > 0]);
  const half = { x: Math.min(300, width / 2 - ROOM.x), y: HALF_Y };
  // The station that is moved, and how far it is now.
  const [moved, setMoved] = useState<{ name: string; distance: number } | null>(null);
  if (!stations.length) return null;
  const drawn = stations.slice(0, MOST);

  const at = (i: number, distance: number): [number, number] => {
    const angle = (2 * Math.PI * (i + 0.5)) / drawn.length - Math.PI / 2;
    const radius = radiusOf(distance);
    return [half.x * radius * Math.cos(angle), half.y * radius * Math.sin(angle)];
  };
  const pulled = (e: PointerEvent): number => {
    const point = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.current!.getScreenCTM()!.inverse());
    return distanceAt(Math.hypot(point.x / half.x, point.y / half.y));
  };
  const put = (name: string, distance: number): void => {
    void edit(`station.${quoted(name)}.distance`, distance).finally(() => setMoved(null));
  };

  return (
    <figure class="plan" ref={place}>
      <svg
        ref={svg}
        viewBox={`${-width / 2} ${-half.y - ROOM.y} ${width} ${2 * (half.y + ROOM.y)}`}
        role="group"
        aria-label="Plan: stations by their distance to the access point"
      >
        {RINGS.map((ring) => (
          <g key={ring} class="ring" aria-hidden="true">
            <ellipse rx={half.x * radiusOf(ring)} ry={half.y * radiusOf(ring)} />
            <text y={-half.y * radiusOf(ring) - 3}>{ring} m</text>
          </g>
        ))}
        <g class="hub" aria-hidden="true">
          <rect x="-9" y="-6" width="18" height="12" rx="2" />
          <path d="M-5-6v-6M5-6v-6" />
        </g>
        {drawn.map((station, i) => {
          const name = station["name"] as string;
          const written = metres(station["distance"]);
          const distance = moved?.name === name ? moved.distance : (written ?? 1);
          const [x, y] = at(i, distance);
          const label = `${name}, ${written === null && moved?.name !== name ? "no distance" : `${distance} m`}`;
          return (
            <g
              key={name}
              class={`station ${written === null ? "unplaced" : ""} ${moved?.name === name ? "moved" : ""}`}
              transform={`translate(${x} ${y})`}
              role="slider"
              tabIndex={0}
              aria-label={`Distance of ${name}`}
              aria-orientation="horizontal"
              aria-valuemin={NEAREST}
              aria-valuemax={FARTHEST}
              aria-valuenow={Math.min(FARTHEST, Math.max(NEAREST, distance))}
              aria-valuetext={`${distance} metres`}
              onPointerDown={(e) => {
                e.currentTarget.setPointerCapture(e.pointerId);
                setMoved({ name, distance });
              }}
              onPointerMove={(e) => {
                if (moved?.name === name) setMoved({ name, distance: pulled(e) });
              }}
              onPointerUp={(e) => {
                if (moved?.name !== name) return;
                if (moved.distance !== (written ?? 1)) put(name, pulled(e));
                else setMoved(null);
              }}
              onPointerCancel={() => setMoved(null)}
              onKeyDown={(e) => {
                const up = e.key === "ArrowUp" || e.key === "ArrowRight" || e.key === "PageUp";
                const down = e.key === "ArrowDown" || e.key === "ArrowLeft" || e.key === "PageDown";
                if (!up && !down) return;
                e.preventDefault();
                const next = stepped(distance, up, e.shiftKey || e.key.startsWith("Page"));
                setMoved({ name, distance: next });
              }}
              onKeyUp={(e) => {
                if (/^(Arrow|Page)/.test(e.key) && moved?.name === name) put(name, moved.distance);
              }}
              onBlur={() => {
                if (moved?.name === name) put(name, moved.distance);
              }}
            >
              <circle class="reach" r="16" />
              <circle class="dot" r="6" />
              <text x={side(x) * 11} y={side(x) ? 4 : y > 0 ? 19 : -11} text-anchor={ANCHORS[side(x) + 1]}>
                {label}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption class="faint">
        Drag a station, or choose it with Tab and move it with the arrow keys.
        {stations.length > MOST ? ` The first ${MOST} of ${stations.length} are drawn.` : ""}
      </figcaption>
    </figure>
  );
}
