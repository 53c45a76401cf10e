// SPDX-License-Identifier: MIT OR GPL-2.0-only
// From the JSON Schema of scenarios to fields of a form: which sections there are,
// which keys each has, and what may be written for a key. Keys of tables within
// tables are dotted, so that a section is one list.
//
// What it does not do: it judges no value; that is for `/api/check`.
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** What can be written for one key. */
export interface Field {
  /** Dotted, within its section: `attempts`, `chap.limit`. */
  key: string;
  kind: "choice" | "switch" | "number" | "text";
  /** Words that are allowed; of a `text` field only some of what is. */
  choices: string[];
  help: string;
  min?: number;
  max?: number;
  /** An application's kinds that know the key; empty: all do. */
  only: string[];
}

/** A part of the form. */
export interface Section {
  /** The table's key; empty: keys of no table. */
  name: string;
  fields: Field[];
  /** Whether it is a list of tables with names, a card for each. */
  list: boolean;
}

/** Sections in the order in which they are shown; what is not named comes after them. */
const ORDER = ["", "station", "app", "queue", "wifi", "wired", "tcp", "server", "bottleneck", "node", "mesh"];

/** Keys that come first in their table, in this order; the others follow by the alphabet. */
const FIRST = ["name", "kind", "duration", "measure", "station", "direction", "distance", "rate", "phy", "start", "stop"];

function inOrder(fields: Field[]): Field[] {
  const place = ({ key }: Field): number => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
  return fields.sort((a, b) => place(a) - place(b));
}

/** All sections of a schema. Lists without names are left out: only the text has them. */
export function sections(schema: JsonObject): Section[] {
  const top: Section = { name: "", fields: [], list: false };
  const found: Section[] = [top];
  for (const [name, raw] of Object.entries(propertiesOf(schema))) {
    const property = isObject(raw) ? raw : {};
    const items = property["items"];
    if (property["type"] === "object") {
      const fields = leaves(property, "");
      if (fields.length) found.push({ name, fields: inOrder(fields), list: false });
    } else if (isObject(items) && items["type"] === "object") {
      if ("name" in propertiesOf(items)) found.push({ name, fields: inOrder(leaves(items, "")), list: true });
    } else {
      top.fields.push(field(name, property, []));
    }
  }
  inOrder(top.fields);
  const place = (section: Section): number => (ORDER.includes(section.name) ? ORDER.indexOf(section.name) : ORDER.length);
  return found.sort((a, b) => place(a) - place(b));
}

/** Keys of a table, tables within it included. */
function leaves(table: JsonObject, prefix: string): Field[] {
  const only = kindsOf(table);
  return Object.entries(propertiesOf(table)).flatMap(([name, raw]) => {
    const property = isObject(raw) ? raw : {};
    const nested = property["type"] === "object" && Object.keys(propertiesOf(property)).length > 0;
    return nested ? leaves(property, `${prefix}${name}.`) : [field(prefix + name, property, only[name] ?? [])];
  });
}

/** For each key the kinds that know it, from `dependentSchemas`. */
function kindsOf(table: JsonObject): Record<string, string[]> {
  const dependent = table["dependentSchemas"];
  if (!isObject(dependent)) return {};
  return Object.fromEntries(
    Object.entries(dependent).map(([key, then]) => {
      const kind = isObject(then) ? propertiesOf(then)["kind"] : undefined;
      return [key, isObject(kind) ? words(kind["enum"]) : []];
    }),
  );
}

function field(key: string, property: JsonObject, only: string[]): Field {
  const forms = alternatives(property);
  const choices = forms.flatMap((form) => words(form["enum"]));
  const help = forms.map((form) => form["description"]).find((text) => typeof text === "string") ?? "";
  const made: Field = { key, kind: "text", choices, help: help as string, only };
  const [first] = forms;
  if (forms.length !== 1 || !first) return made;
  if (choices.length) return { ...made, kind: "choice" };
  if (first["type"] === "boolean") return { ...made, kind: "switch" };
  if (first["type"] === "integer" || first["type"] === "number") {
    const { minimum, maximum } = first;
    if (typeof minimum === "number") made.min = minimum;
    if (typeof maximum === "number") made.max = maximum;
    return { ...made, kind: "number", help: made.help || range(made) };
  }
  return made;
}

function range({ min, max }: Field): string {
  return min !== undefined && max !== undefined ? `${min} to ${max}` : "";
}

function alternatives(property: JsonObject): JsonObject[] {
  const any = property["anyOf"];
  return Array.isArray(any) ? any.filter(isObject).flatMap(alternatives) : [property];
}

function words(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
}

function propertiesOf(schema: JsonObject): JsonObject {
  const properties = schema["properties"];
  return isObject(properties) ? properties : {};
}

/** The value of a dotted key in a table, or undefined. */
export function valueAt(table: Json | undefined, key: string): Json | undefined {
  let at: Json | undefined = table;
  for (const word of key.split(".")) at = isObject(at) ? at[word] : undefined;
  return at;
}

/** A part of a path: a name in quotes where it needs them. */
export function quoted(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

/** A value as the field shows it. */
export function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** What was typed into a field as a value: a number, a list, true or false where it is one, else a text. */
export function typed(field: Field, text: string): Json {
  const word = text.trim();
  if (field.kind === "choice") return word;
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return Number(word);
  if (word === "true" || word === "false") return word === "true";
  if (/^[[{]/.test(word)) {
    try {
      return JSON.parse(word) as Json;
    } catch {
      return text;
    }
  }
  return word;
}
