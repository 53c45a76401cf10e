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
  server = await serve("--replay", recording(3600, 60));
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
  const own = requests.map(({ url }) => url.pathname).filter((path) => !path.startsWith("/api"));
  const bytes = own.reduce((sum, path) => sum + packed(path === "/" ? "index.html" : path.slice(1)), 0);
  t.diagnostic(`${(bytes / 1000).toFixed(1)} kB in ${own.length} files; checked after ${usable.toFixed(0)} ms`);
  assert.ok(own.length >= 3 && bytes <= 120_000, `${bytes} bytes: ${own.join(" ")}`);
  await end();
});

test("files with a hash in their names are kept, and come gzipped", async () => {
  const script = code.find((name) => /^index-.*\.js$/.test(name));
  const response = await fetch(`${server.origin}/${script}`, { headers: { "Accept-Encoding": "gzip" } });
  assert.equal(response.headers.get("content-encoding"), "gzip");
  assert.match(response.headers.get("cache-control"), /immutable|max-age/);
  assert.equal(await response.text(), readFileSync(new URL(script, ASSETS), "utf8"));
});

test("nothing in the page is an inline script, style or handler", () => {
  const html = readFileSync(new URL("index.html", ASSETS), "utf8");
  assert.ok(!/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i.test(html), html);
  assert.ok(!/(src|href)="https?:/.test(html));
});

test("an hour of sixty stations is drawn, a picture in less than 50 ms", async (t) => {
  const { page, end } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor({ timeout: 60_000 });
  const rows = page.locator("section", { has: page.getByRole("heading", { name: "Stations" }) }).locator("tbody tr");
  assert.equal(await rows.count(), 60);
  // The work between a snapshot and its picture: pauses of the page while it goes on.
  const longest = await page.evaluate(async () => {
    const pauses = [];
    new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    await new Promise((go) => setTimeout(go, 6000));
    return pauses;
  });
  t.diagnostic(`pauses of more than 50 ms within 6 s: ${longest.map((ms) => ms.toFixed(0)).join(", ") || "none"}`);
  await end();
});
