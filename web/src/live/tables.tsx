// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Scores, stations and flows of the last second.
import { number } from "../lib/figures.ts";
import { seriesVariable } from "../lib/look.ts";
import { Wide } from "../ui/wide.tsx";
import type { Flow, Rates, Snapshot, Station } from "./feed.ts";

/** What each application has. */
export function Scores({ now }: { now: Snapshot }) {
  if (!now.apps.length) return null;
  return (
    <section aria-labelledby="live-scores">
      <h2 id="live-scores">Scores</h2>
      <ul class="scoreboard">
        {now.apps.map((app) => {
          const outcome = now.outcomes?.find((one) => one.station === app.station && one.kind === app.kind)?.last_10_s;
          return (
            <li key={app.name}>
              <span class="faint">
                {app.name}, {app.station}
              </span>{" "}
              <strong>{app.score?.text ?? "–"}</strong>{" "}
              {outcome ? (
                <small class="faint">
                  QoO {Math.round(outcome.score)}, {outcome.decided}
                </small>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const COLUMNS = ["down Mb/s", "up Mb/s", "air %", "p50 ms", "p99 ms", "queue", "tries", "drops/s"];

function cells(rates: Rates, backlog: number): string[] {
  return [
    number(rates.down_bps / 1e6),
    number(rates.up_bps / 1e6),
    number(100 * (rates.down_air_ratio + rates.up_air_ratio)),
    rates.sojourn_p50_s ? number(1000 * rates.sojourn_p50_s) : "–",
    rates.sojourn_p99_s ? number(1000 * rates.sojourn_p99_s) : "–",
    String(backlog),
    rates.attempts_mean ? number(rates.attempts_mean) : "–",
    number(rates.drops_per_s),
  ];
}

interface StationsProps {
  now: Snapshot;
  drawn: string[];
  onDraw: (station: string, on: boolean) => void;
}

/** A row for each station; a tick draws its lines. */
export function Stations({ now, drawn, onDraw }: StationsProps) {
  return (
    <section aria-labelledby="live-stations">
      <h2 id="live-stations">Stations</h2>
      <Wide label="Table of stations">
        <table>
          <Head first="station" more={["PHY Mb/s"]} />
          <tbody>
            {now.stations.map((station: Station, i) => (
              <tr key={station.name}>
                <th scope="row">
                  <label class="inline">
                    <input
                      type="checkbox"
                      checked={drawn.includes(station.name)}
                      onChange={(e) => onDraw(station.name, e.currentTarget.checked)}
                      aria-label={`Draw ${station.name}`}
                    />
                    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
                      <rect width="10" height="10" fill={`var(${seriesVariable(i)})`} />
                    </svg>
                    {station.name}
                  </label>
                </th>
                {[...cells(station.rates, station.backlog_packets), number(station.rate_kbps / 1000)].map((cell, at) => (
                  <td key={at} class="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}

/** A row for each flow that the snapshot has. */
export function Flows({ now }: { now: Snapshot }) {
  if (!now.flows.length) return null;
  return (
    <section aria-labelledby="live-flows">
      <h2 id="live-flows">Flows</h2>
      <Wide label="Table of flows">
        <table>
          <Head first="flow" more={["station"]} />
          <tbody>
            {now.flows.map((flow: Flow) => (
              <tr key={flow.tuple}>
                <th scope="row">
                  {flow.app ?? ""} <small class="faint">{flow.tuple}</small>
                </th>
                {cells(flow.rates, flow.backlog_packets).map((cell, at) => (
                  <td key={at} class="num">
                    {cell}
                  </td>
                ))}
                <td class="num">{flow.station}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}

function Head({ first, more }: { first: string; more: string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {[...COLUMNS, ...more].map((title) => (
          <th key={title} scope="col" class="num">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
