// SPDX-License-Identifier: MIT OR GPL-2.0-only
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { close, load } from "../load.mjs";

after(close);
const { pack, unpack, LONGEST } = await load("lib/permalink.ts");
const STUDY = { text: 'name = "Küche \u{1F4F6}"\n# why\nduration = "3s"\n', queues: ["fifo", "chap:limit=70"], seeds: 20, short: true };
const packed = (value) => deflateRawSync(JSON.stringify(value)).toString("base64url");

test("a study comes back as it was", async () => {
  const link = await pack(STUDY);
  assert.match(link, /^[A-Za-z0-9_-]+$/);
  assert.deepEqual(await unpack(link), STUDY);
});

test("it is deflate without a header, in base64url", async () => {
  const json = JSON.parse(inflateRawSync(Buffer.from(await pack(STUDY), "base64url")).toString());
  assert.deepEqual(json, { v: 1, t: STUDY.text, q: STUDY.queues, n: 20, s: true });
});

test("the longest scenario fits", async () => {
  const study = { ...STUDY, text: "#".repeat(LONGEST) };
  assert.deepEqual(await unpack(await pack(study)), study);
});

test("every cut and every changed letter is told or is another study, and nothing else happens", async () => {
  const link = await pack(STUDY);
  for (let i = 0; i < link.length; i++) {
    await assert.rejects(unpack(link.slice(0, i)), Error, `cut at ${i}`);
    const other = link.slice(0, i) + (link[i] === "A" ? "B" : "A") + link.slice(i + 1);
    const study = await unpack(other).catch((e) => (assert.ok(e.message), null));
    if (study) assert.deepEqual(Object.keys(study), ["text", "queues", "seeds", "short"]);
  }
});

test("random bytes are no study", async () => {
  let state = 1;
  for (let i = 0; i < 500; i++) {
    const bytes = Buffer.alloc(1 + (i % 90));
    for (let at = 0; at < bytes.length; at++) bytes[at] = (state = (state * 48271) % 2147483647) & 255;
    await assert.rejects(unpack(bytes.toString("base64url")));
  }
});

test("a small link that unfolds into much is refused", async () => {
  await assert.rejects(unpack(packed({ v: 1, t: "#".repeat(8 << 20), q: ["fifo"], n: 1, s: false })), /more than 512 KiB/);
});

test("what is none is told", async () => {
  const fine = { v: 1, t: "", q: ["fifo"], n: 1, s: false };
  assert.equal((await unpack(packed(fine))).seeds, 1);
  for (const wrong of [{ n: 0 }, { n: 1.5 }, { n: 10_001 }, { n: "1" }, { q: [] }, { q: [7] }, { q: "fifo" }, { t: 7 }, { s: 1 }]) {
    await assert.rejects(unpack(packed({ ...fine, ...wrong })), /holds no study/, JSON.stringify(wrong));
  }
  await assert.rejects(unpack(packed({ ...fine, v: 2 })), /another version/);
  for (const value of [null, 7, [], "x"]) await assert.rejects(unpack(packed(value)), /another version/);
  await assert.rejects(unpack("!"), /damaged/);
});
