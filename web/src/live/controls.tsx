// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What can be changed in a running house: the discipline, and where a station is.
import { useState } from "preact/hooks";
import { post } from "../lib/api.ts";
import { useStore } from "../lib/store.ts";
import { known, sentence } from "../lib/study.ts";

interface Props {
  house: string;
  queue: string;
  stations: string[];
}

type Answer = { done?: string; refused?: string };

/** Two small forms, and what the house answered. */
export function Controls({ house, queue, stations }: Props) {
  const { disciplines } = useStore(known);
  const [spec, setSpec] = useState("");
  const [station, setStation] = useState("");
  const [distance, setDistance] = useState("");
  const [answer, setAnswer] = useState<{ text: string; bad: boolean } | null>(null);
  const moved = station || stations[0] || "";
  const order = async (request: unknown): Promise<void> => {
    try {
      const said = await post<Answer>(`live/${encodeURIComponent(house)}`, request);
      // What was changed comes back with the events, as a mark.
      setAnswer({ text: said.refused ?? said.done ?? "Done.", bad: said.refused !== undefined });
    } catch (e) {
      setAnswer({ text: sentence(e), bad: true });
    }
  };
  return (
    <section class="tools" aria-label="Changes to the house">
      <form
        class="inline"
        onSubmit={(e) => {
          e.preventDefault();
          if (spec.trim()) void order({ queue: spec.trim() });
        }}
      >
        <label class="inline">
          Discipline
          <input list="live-disciplines" placeholder={queue} value={spec} onInput={(e) => setSpec(e.currentTarget.value)} />
        </label>
        <datalist id="live-disciplines">
          {disciplines.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit" disabled={!spec.trim()}>
          Switch
        </button>
      </form>
      <form
        class="inline"
        onSubmit={(e) => {
          e.preventDefault();
          const metres = distance.trim();
          if (metres) void order({ set: { station: moved, key: "distance", value: metres } });
        }}
      >
        <label class="inline">
          Station
          <select value={moved} onChange={(e) => setStation(e.currentTarget.value)}>
            {stations.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="inline">
          at
          <input
            class="short"
            type="number"
            min="0.1"
            max="1000"
            step="any"
            placeholder="m"
            aria-label="Distance, metres"
            value={distance}
            onInput={(e) => setDistance(e.currentTarget.value)}
          />
          m
        </label>
        <button type="submit" disabled={!distance.trim()}>
          Move
        </button>
      </form>
      <span role="status" class={answer?.bad ? "bad" : "faint"}>
        {answer?.text ?? ""}
      </span>
    </section>
  );
}
