// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A course over time by uPlot, with marks where something was changed.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour } from "../lib/look.ts";
import { onChange } from "../lib/theme.ts";
import type { Mark } from "./feed.ts";
import { path } from "./path.ts";

/** A line of the chart. */
export interface Line {
  name: string;
  /** Custom property of its colour. */
  variable: string;
  values: (number | null)[];
}

interface Props {
  label: string;
  unit: string;
  times: number[];
  lines: Line[];
  marks: Mark[];
  /** Grows with each snapshot: the lists above are the same ones. */
  version: number;
  /** Share of a whole: the axis goes to 100. */
  share?: boolean;
}

const SYNC = uPlot.sync("live");

/** Drawn anew when its lines are others or the theme is; else it only gets new data. */
export function Chart({ label, unit, times, lines, marks, version, share }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [width, setWidth] = useState(0);
  const [looks, setLooks] = useState(0);
  const shown = useRef<Mark[]>(marks);
  shown.current = marks;
  const names = lines.map(({ name, variable }) => `${name} ${variable}`).join("\n");

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)));
    observer.observe(place.current!);
    const stop = onChange(() => setLooks((n) => n + 1));
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);

  useEffect(() => {
    if (!width) return;
    const [ink, faint, grid, mark] = ["--ink", "--faint", "--line", "--accent"].map(colour) as [string, string, string, string];
    const axis = { stroke: faint, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font: "11px system-ui" };
    const made = new uPlot(
      {
        width,
        height: 190,
        legend: { live: true },
        cursor: { sync: { key: SYNC.key }, points: { size: 6 }, drag: { x: true, y: false } },
        scales: {
          x: { time: false },
          y: { range: (_, least, most) => (share ? [0, Math.max(100, most ?? 0)] : [Math.min(0, least ?? 0), most ? most * 1.05 : 1]) },
        },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(clock), size: 28 },
          { ...axis, size: 44 },
        ],
        series: [
          { label: "time", value: (_, value) => (value == null ? "–" : clock(value)) },
          ...lines.map(
            ({ name, variable }): uPlot.Series => ({
              label: name,
              stroke: colour(variable),
              width: 1.4,
              paths: course,
              points: { show: times.length < 3 },
              value: (_, value) => (value == null ? "–" : `${value.toFixed(1)} ${unit}`),
            }),
          ),
        ],
        hooks: { draw: [(u) => drawMarks(u, shown.current, mark, ink)] },
      },
      [times, ...lines.map(({ values }) => values)] as uPlot.AlignedData,
      place.current!,
    );
    plot.current = made;
    SYNC.sub(made);
    return () => {
      SYNC.unsub(made);
      made.destroy();
      plot.current = null;
    };
  }, [names, width, looks, times.length < 3]);

  useEffect(() => {
    plot.current?.setData([times, ...lines.map(({ values }) => values)] as uPlot.AlignedData);
  }, [version, names]);

  return (
    <div class="panel chart">
      <h3>
        {label} <small class="faint">{unit}</small>
      </h3>
      <div ref={place} role="img" aria-label={`${label} over time, ${unit}`} />
    </div>
  );
}

/** The line of a series, for uPlot. */
function course(u: uPlot, series: number, from: number, to: number): uPlot.Series.Paths {
  const { bbox, data, scales } = u;
  const [across, up] = [scales["x"]!, scales["y"]!];
  const times = data[0];
  const wide = bbox.width / (across.max! - across.min! || 1);
  const high = bbox.height / (up.max! - up.min! || 1);
  const stroke = new Path2D();
  const x = (i: number): number => bbox.left + wide * (times[i]! - across.min!);
  const y = (value: number): number => bbox.top + bbox.height - high * (value - up.min!);
  path(stroke, data[series] as (number | null)[], [from, to], x, y);
  return { stroke };
}

function drawMarks(u: uPlot, marks: readonly Mark[], line: string, ink: string): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui`;
  for (const { at, what } of marks) {
    const x = u.valToPos(at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = line;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillStyle = ink;
    ctx.textAlign = x > bbox.left + 0.7 * bbox.width ? "right" : "left";
    ctx.fillText(short(what), x + (ctx.textAlign === "left" ? 4 : -4) * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
  }
  ctx.restore();
}

/** As much of a mark as there is room for; all of it is in the list of changes. */
function short(what: string): string {
  const words = what.replace(/^the discipline is (.*) now$/, "$1").replace(/^station /, "").replace(/: .*/, "");
  return words.length > 24 ? `${words.slice(0, 23)}…` : words;
}

/** Seconds as `1:05` or `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
