// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The scenario's values as a form, made from the schema. What is typed goes into
// the text by `/api/edit`, so that comments and layout stay.
import { useMemo } from "preact/hooks";
import { objects } from "../lib/json.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { quoted, sections } from "../lib/schema.ts";
import type { Section } from "../lib/schema.ts";
import { useStore } from "../lib/store.ts";
import { change, edit, known, study } from "../lib/study.ts";
import { Fields } from "./fields.tsx";
import { applicationBlock, freeName, stationBlock } from "./blocks.ts";
import { pathAt } from "./where.ts";

const TITLES: Record<string, string> = {
  "": "Run",
  station: "Stations",
  app: "Applications",
  queue: "Queue",
  wifi: "Wi-Fi",
  wired: "Wired line",
  tcp: "TCP",
  server: "Servers",
  bottleneck: "Bottleneck",
  node: "Nodes",
  mesh: "Mesh",
};

/** Problems of values are shown with their fields, too. */
export function Form({ form }: { form: JsonObject }) {
  const { schema } = useStore(known);
  const { checked, text, stale } = useStore(study);
  const problems = useMemo(
    () =>
      new Map(
        (stale ? [] : (checked?.problems ?? [])).flatMap(({ line, path, message }) => {
          const value = path ? null : pathAt(text, line);
          return value ? [[value, message] as const] : [];
        }),
      ),
    [checked, stale],
  );
  const all = useMemo(() => (schema ? sections(schema) : []), [schema]);
  return (
    <div class="form">
      {all.map((section) =>
        section.list ? (
          <List key={section.name} section={section} form={form} problems={problems} />
        ) : (
          <details key={section.name} class="section" open={section.name === "" || section.name in form}>
            <summary>
              <h3>{TITLES[section.name] ?? section.name}</h3>
              <Count value={section.name === "" ? undefined : form[section.name]} />
            </summary>
            <Fields
              fields={section.fields}
              table={section.name === "" ? form : form[section.name]}
              path={section.name}
              problems={problems}
            />
          </details>
        ),
      )}
    </div>
  );
}

function Count({ value }: { value: Json | undefined }) {
  const count = Array.isArray(value) ? value.length : value && typeof value === "object" ? Object.keys(value).length : 0;
  return <span class="count">{count || ""}</span>;
}

/** A list of tables with names: a card for each. */
function List({ section, form, problems }: { section: Section; form: JsonObject; problems: ReadonlyMap<string, string> }) {
  const entries = objects(form[section.name]).filter((entry) => typeof entry["name"] === "string");
  const addable = section.name === "station" || section.name === "app";
  if (!entries.length && !addable) return null;
  const title = TITLES[section.name] ?? section.name;
  return (
    <details class="section" open>
      <summary>
        <h3>{title}</h3>
        <Count value={form[section.name]} />
      </summary>
      <div class="cards">
        {entries.map((entry) => (
          <Card key={entry["name"] as string} section={section} entry={entry} problems={problems} />
        ))}
      </div>
      {addable && <AddEntry section={section} form={form} />}
    </details>
  );
}

function Card({ section, entry, problems }: { section: Section; entry: JsonObject; problems: ReadonlyMap<string, string> }) {
  const name = entry["name"] as string;
  const path = `${section.name}.${quoted(name)}`;
  const kind = typeof entry["kind"] === "string" ? entry["kind"] : "";
  const known = section.fields.filter(
    (field) => field.key !== "name" && (!field.only.length || !kind || field.only.includes(kind)),
  );
  return (
    <fieldset class="card">
      <legend>
        {name}
        {kind && <small> {kind}</small>}
      </legend>
      <Fields fields={known} table={entry} path={path} problems={problems} />
      <button type="button" class="quiet remove" aria-label={`Remove ${name}`} onClick={() => void edit(path, undefined)}>
        Remove
      </button>
    </fieldset>
  );
}

function AddEntry({ section, form }: { section: Section; form: JsonObject }) {
  const add = (kind: string): void => {
    const { text } = study.value;
    const names = objects(form[section.name]).map((entry) => String(entry["name"] ?? ""));
    const stations = objects(form["station"]).map((entry) => String(entry["name"] ?? ""));
    const block =
      section.name === "station"
        ? stationBlock(freeName("station", names), objects(form["station"])[0])
        : applicationBlock(freeName(kind, names), kind, stations[0] ?? "");
    change(`${text.replace(/\n*$/, "\n")}\n${block}`);
  };
  if (section.name === "station") {
    return (
      <button type="button" onClick={() => add("")}>
        Add a station
      </button>
    );
  }
  const kinds = section.fields.find((field) => field.key === "kind")?.choices ?? [];
  return (
    <select aria-label="Add an application" value="" onChange={(e) => add(e.currentTarget.value)}>
      <option value="" disabled>
        Add an application …
      </option>
      {kinds.map((kind) => (
        <option key={kind}>{kind}</option>
      ))}
    </select>
  );
}
