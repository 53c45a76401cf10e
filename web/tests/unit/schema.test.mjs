// SPDX-License-Identifier: MIT OR GPL-2.0-only
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { close, load } from "../load.mjs";

after(close);
const { sections, valueAt, quoted, typed, shown } = await load("lib/schema.ts");
const schema = JSON.parse(readFileSync(new URL("../../../docs/schema/scenario.schema.json", import.meta.url), "utf8"));
const all = sections(schema);
const section = (name) => all.find((one) => one.name === name);
const field = (name, key) => section(name).fields.find((one) => one.key === key);

test("every key of the schema has a field, but lists without names", () => {
  const listed = new Set(all.map(({ name }) => name));
  for (const [name, property] of Object.entries(schema.properties)) {
    const list = property.items?.type === "object";
    if (list && !("name" in property.items.properties)) assert.ok(!listed.has(name), name);
    else assert.ok(listed.has(name) || field("", name) || property.type === "object", name);
  }
  const leaves = (table, prefix = "") =>
    Object.entries(table.properties ?? {}).flatMap(([key, inner]) =>
      inner.type === "object" && Object.keys(inner.properties ?? {}).length ? leaves(inner, `${prefix}${key}.`) : [prefix + key],
    );
  for (const name of ["wifi", "queue", "tcp", "wired"]) {
    assert.deepEqual(section(name).fields.map(({ key }) => key).sort(), leaves(schema.properties[name]).sort());
  }
});

test("what may be written becomes the kind of field", () => {
  assert.deepEqual(field("wifi", "aggregation").kind, "choice");
  assert.ok(field("wifi", "aggregation").choices.includes("ampdu"));
  assert.equal(field("tcp", "ecn").kind, "switch");
  const attempts = field("wifi", "attempts");
  assert.deepEqual([attempts.kind, attempts.min, attempts.max, attempts.help], ["number", 1, 255, "1 to 255"]);
  assert.equal(field("", "duration").kind, "text");
  assert.equal(field("queue", "chap.limit").kind, "text");
  // A choice or a value: the choices are offered, the rest can be typed.
  assert.deepEqual([field("app", "rate").kind, field("app", "rate").choices], ["text", ["max"]]);
});

test("an application's keys are those of its kind", () => {
  assert.deepEqual(field("app", "b_bytes").only, ["mpeg"]);
  assert.deepEqual(field("app", "start").only, []);
});

test("values are found, shown and read", () => {
  const table = { chap: { limit: 70 }, measure: ["1s", "9s"] };
  assert.equal(valueAt(table, "chap.limit"), 70);
  assert.equal(valueAt(table, "chap.flows"), undefined);
  assert.equal(valueAt(undefined, "chap"), undefined);
  assert.equal(shown(table.measure), '["1s","9s"]');
  const text = { kind: "text" };
  for (const [word, value] of [["7", 7], ["-1.5e3", -1500], ["25ms", "25ms"], ["true", true], [' ["1s","9s"] ', ["1s", "9s"]], ["[1,", "[1,"], ["", ""], ["802.11ac", "802.11ac"]]) {
    assert.deepEqual(typed(text, word), value, word);
  }
  assert.equal(typed({ kind: "choice" }, "7"), "7");
});

test("names are quoted where they need it", () => {
  assert.equal(quoted("tv-2_a"), "tv-2_a");
  assert.equal(quoted("our tablet"), '"our tablet"');
  assert.equal(quoted('a"b'), '"a\\"b"');
  assert.equal(quoted(""), '""');
});
