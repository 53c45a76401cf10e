// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the page weighs and how long it takes; what it does without a network.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { close, visit } from "./browser.mjs";
import { recording } from "./recording.mjs";
import { serve } from "./serve.mjs";

const ASSETS = new URL("../../../crates/airtab-serve/assets/", import.meta.url);
const code = readdirSync(ASSETS).filter((name) => /\.(js|css|html)$/.test(name));
const packed = (name) => gzipSync(readFileSync(new URL(name, ASSETS)), { level: 9 }).length;

let server;
before(async () => {
  server = await serve();
});
after(async () => {
  await close();
  await server.stop();
});

test("all of the page is at most 300 kB, gzipped", (t) => {
  const all = code.reduce((sum, name) => sum + packed(name), 0);
  t.diagnostic(`${(all / 1000).toFixed(1)} kB`);
  assert.ok(code.length > 5 && all <= 300_000, `${all} bytes`);
});

test("the first view loads at most 120 kB, and is usable", async (t) => {
  const { page, requests, end } = await visit(server);
  await page.getByRole("button", { name: /^Run \d/ }).waitFor();
  await page.locator(".pane-head .verdict").getByText("can be run").waitFor();
  const usable = await page.evaluate(() => performance.now());
  const paths = requests.map(({ url }) => url.pathname).filter((path) => !path.startsWith("/api"));
  const bytes = paths.reduce((sum, path) => sum + packed(path === "/" ? "index.html" : path.slice(1)), 0);
  t.diagnostic(`${(bytes / 1000).toFixed(1)} kB in ${paths.length} files; checked after ${usable.toFixed(0)} ms`);
  assert.ok(paths.length >= 3 && bytes <= 120_000, `${bytes} bytes: ${paths.join(" ")}`);
  const pressed = await page.evaluate(() => performance.now());
  await page.getByRole("button", { name: /^Run \d/ }).click();
  await page.locator(".scores .figure svg").first().waitFor({ timeout: 60_000 });
  const drawn = await page.evaluate(() => performance.now());
  t.diagnostic(`first figure ${(drawn - pressed).toFixed(0)} ms after Run was pressed`);
  await end();
});

test("files with a hash in their names are kept, and come gzipped", async () => {
  const script = code.find((name) => /^index-.*\.js$/.test(name));
  const response = await fetch(`${server.origin}/${script}`, { headers: { "Accept-Encoding": "gzip" } });
  assert.equal(response.headers.get("content-encoding"), "gzip");
  assert.match(response.headers.get("cache-control"), /immutable|max-age/);
  assert.equal(await response.text(), readFileSync(new URL(script, ASSETS), "utf8"));
});

test("who has the page is told that it is the same, and who takes no gzip gets none", async () => {
  const plain = await fetch(`${server.origin}/`, { headers: { "Accept-Encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(plain.headers.get("cache-control"), "no-cache");
  assert.equal(await plain.text(), readFileSync(new URL("index.html", ASSETS), "utf8"));
  const tag = plain.headers.get("etag");
  const again = async (known) => (await fetch(`${server.origin}/`, { headers: { "If-None-Match": known } })).status;
  assert.equal(await again(tag), 304);
  assert.equal(await again(`"other", W/${tag}`), 304);
  assert.equal(await again('"other"'), 200);
});

test("nothing in the page is an inline script, style or handler", () => {
  const html = readFileSync(new URL("index.html", ASSETS), "utf8");
  assert.ok(!/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i.test(html), html);
  assert.ok(!/(src|href)="https?:/.test(html));
});

test("an hour of sixty stations: each second's picture takes the page less than 50 ms", async (t) => {
  // As much as the server keeps of an hour: each of the last 600 snapshots, and one in five before.
  const house = await serve("--replay", recording(1300, 60, 1200));
  // Somebody looks on, until all of the past is there.
  const past = new AbortController();
  const looking = await fetch(`${house.origin}/api/live/evening/events`, {
    headers: { Authorization: `Bearer ${house.token}` },
    signal: past.signal,
  });
  void looking.body.pipeTo(new WritableStream()).catch(() => undefined);
  await new Promise((go) => setTimeout(go, 9000));
  const { page, end } = await visit(house, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor({ timeout: 60_000 });
  past.abort();
  const rows = page.locator("section", { has: page.getByRole("heading", { name: "Stations" }) }).locator("tbody tr");
  assert.equal(await rows.count(), 60);
  for (const [i, box] of (await page.getByRole("checkbox", { name: /^Draw / }).all()).entries()) if (i % 2 === 0) await box.check();
  await page.evaluate(() => scrollTo(0, 0)); // what is not seen is not painted
  await page.waitForTimeout(2000);
  // Processor time of the page's own thread: others that use the machine do not count.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => Object.fromEntries((await devtools.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value])).TaskDuration;
  const clock = () => page.locator('[aria-label="House"] .num').first().textContent();
  const [before, from] = [await spent(), await clock()];
  await page.waitForTimeout(8000);
  const [after, to] = [await spent(), await clock()];
  const seconds = (text) => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  const pictures = seconds(to) - seconds(from);
  const ms = (1000 * (after - before)) / pictures;
  t.diagnostic(`${pictures} snapshots, ${ms.toFixed(1)} ms of the page's thread for each`);
  assert.ok(pictures >= 5, `${pictures} snapshots in 8 s`);
  assert.ok(ms < 50, `${ms} ms`);
  await end();
  await house.stop();
});
