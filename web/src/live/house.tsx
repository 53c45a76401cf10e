// SPDX-License-Identifier: MIT OR GPL-2.0-only
// One house: its line of blame, figures over time, tables, and what can be changed.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { disciplineOf, lookOf, seriesVariable } from "../lib/look.ts";
import { useStore } from "../lib/store.ts";
import { known, sentence } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { AirBar } from "./airbar.tsx";
import { Chart, clock } from "./chart.tsx";
import type { Line } from "./chart.tsx";
import { Controls } from "./controls.tsx";
import { Course, watchHouse } from "./feed.ts";
import { Flows, Scores, Stations } from "./tables.tsx";

/** Stations with lines of their own at first: those that use the air most. */
const LINES = 6;

/** Followed as long as it is shown. */
export function House({ name }: { name: string }) {
  const course = useMemo(() => new Course(), [name]);
  const [version, setVersion] = useState(0);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const waiting = useRef(0);
  const { disciplines } = useStore(known);

  useEffect(() => {
    const end = new AbortController();
    // Many events at once are drawn once.
    const changed = (): void => {
      waiting.current ||= requestAnimationFrame(() => {
        waiting.current = 0;
        setVersion((n) => n + 1);
      });
    };
    watchHouse(name, course, changed, end.signal).catch((e: unknown) => setTrouble(sentence(e)));
    return () => {
      end.abort();
      cancelAnimationFrame(waiting.current);
      waiting.current = 0;
    };
  }, [course]);

  const now = course.last;
  if (!now) {
    return (
      <>
        <Says text={trouble} tone="bad" />
        <p class="faint pad">Waiting for {name} …</p>
      </>
    );
  }
  const busiest = (): string[] => {
    const used = (station: string): number => (course.air.get(station) ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    const names = now.stations.map((station) => station.name);
    return names.sort((a, b) => used(b) - used(a)).slice(0, LINES);
  };
  const drawn = chosen ?? busiest();
  const order = now.stations.map((station) => station.name);
  const lines = (columns: Map<string, (number | null)[]>): Line[] =>
    order
      .filter((station) => drawn.includes(station) && columns.has(station))
      .map((station) => ({ name: station, variable: seriesVariable(order.indexOf(station)), values: columns.get(station)! }));
  const hops: Line[] = [...course.hops].map(([hop, values], i) => ({ name: hop.replaceAll("_", " "), variable: seriesVariable(i), values }));
  const look = lookOf(now.queue, [now.queue], disciplines.map((one) => one.name));
  const common = { times: course.times, marks: course.marks, version };
  return (
    <>
      <section class="runbar" aria-label="House">
        <strong>{now.house}</strong>{" "}
        <span class="chip">
          <Swatch look={look} />
          <span>{now.queue}</span>
        </span>{" "}
        <span class="faint">{now.medium}</span> <span class="faint num">{clock(now.now_s)}</span>
        <span class="push" />{" "}
        <span class="faint num">{now.qdisc.packets} packets queued</span>
      </section>
      <Says text={trouble ?? (course.down === null ? null : `Nothing new comes: ${course.down}`)} tone="bad" />
      <Blame text={now.blame?.text ?? ""} trouble={now.blame?.trouble ?? false} />
      <AirBar air={now.air} />
      <Controls house={name} queue={now.queue} stations={order} />
      <h2 class="unseen">Over time</h2>
      <div class="grid pairs">
        <Chart label="Airtime" unit="%" share lines={lines(course.air)} {...common} />
        <Chart label="Time in the queue, 99 of 100 packets" unit="ms" lines={lines(course.delay)} {...common} />
        <Chart label="Time at each hop, median" unit="ms" lines={hops} {...common} />
        <Chart
          label="Queue"
          unit="packets"
          lines={[{ name: disciplineOf(now.queue), variable: look.variable, values: course.queue }]}
          {...common}
        />
      </div>
      <Scores now={now} />
      <Stations
        now={now}
        drawn={drawn}
        onDraw={(station, on) => setChosen(on ? [...drawn, station] : drawn.filter((one) => one !== station))}
      />
      <Flows now={now} />
      <Marks course={course} />
    </>
  );
}

/** Read aloud when it says something else, but at most every ten seconds. */
function Blame({ text, trouble }: { text: string; trouble: boolean }) {
  const [said, setSaid] = useState("");
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    setSaid(latest.current);
    const timer = setInterval(() => setSaid(latest.current), 10_000);
    return () => clearInterval(timer);
  }, []);
  if (!text) return null;
  return (
    <>
      <p class={`blame ${trouble ? "bad" : ""}`}>{text}</p>
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </>
  );
}

function Marks({ course }: { course: Course }) {
  if (!course.marks.length) return null;
  return (
    <section aria-labelledby="marks-title">
      <h2 id="marks-title">Changes</h2>
      <ul class="marks">
        {course.marks.map(({ at, what }, i) => (
          <li key={i}>
            <span class="num faint">{clock(at)}</span> {what}
          </li>
        ))}
      </ul>
    </section>
  );
}
