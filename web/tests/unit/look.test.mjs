// SPDX-License-Identifier: MIT OR GPL-2.0-only
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { close, load } from "../load.mjs";

after(close);
const { lookOf } = await load("lib/look.ts");
const KNOWN = ["fifo", "spq", "chap", "fq_codel", "codel", "pie", "red", "cake", "airtime_fq"];
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

test("a discipline's colour is of its place in the list, whatever stands beside it", () => {
  assert.equal(lookOf("chap", ["chap"], KNOWN).variable, "--d2");
  assert.equal(lookOf("chap:limit=70", ["fifo", "chap:limit=70"], KNOWN).variable, "--d2");
  assert.equal(lookOf("red", ["red"], KNOWN).variable, "--d0");
});

test("those of one colour differ in dashes and marker", () => {
  const same = [lookOf("fifo", ["fifo", "red"], KNOWN), lookOf("red", ["fifo", "red"], KNOWN)];
  assert.equal(same[0].variable, same[1].variable);
  assert.notEqual(same[0].dash, same[1].dash);
  assert.notEqual(same[0].marker, same[1].marker);
  const labels = ["chap", "chap:limit=70", "chap:limit=140", "chap:limit=280", "chap:limit=350"];
  const looks = new Set(labels.map((label) => JSON.stringify(lookOf(label, labels, KNOWN))));
  assert.equal(looks.size, labels.length);
});

test("colours are those of airtab's reports, in the light and in the dark", () => {
  const css = read("../../../crates/airtab-lab/src/draw/draw.css");
  const [light, dark] = css.split("@media");
  const tokens = read("../../src/style/tokens.css");
  let count = 0;
  for (const palette of ["c", "d"]) {
    for (let i = 0; i < 6; i++) {
      const of = (text) => new RegExp(`\\.${palette}${i} \\{ color: (#[0-9a-f]{6})`).exec(text)?.[1];
      const own = new RegExp(`--${palette}${i}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens);
      assert.deepEqual([own[1], own[2]], [of(light), of(dark)], `${palette}${i}`);
      count++;
    }
  }
  assert.equal(count, 12);
});

/** Contrast of two colours (WCAG 2.1). */
function contrast(a, b) {
  const light = (hex) => {
    const [r, g, bl] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [most, least] = [light(a), light(b)].sort((x, y) => y - x);
  return (most + 0.05) / (least + 0.05);
}

test("each discipline's colour stands out from the paper it is drawn on, 3 to 1", () => {
  const tokens = read("../../src/style/tokens.css");
  const both = (name) => new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens).slice(1);
  const panel = both("panel");
  for (let i = 0; i < 6; i++) both(`d${i}`).forEach((colour, at) => assert.ok(contrast(colour, panel[at]) >= 3, `d${i} ${colour}: ${contrast(colour, panel[at])}`));
});
