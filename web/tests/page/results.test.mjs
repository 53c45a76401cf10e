// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A study from its start to its end: figures that grow, files that are handed over,
// links that run nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { close, download, openEditor, textOf, until, visit } from "./browser.mjs";
import { api, serve } from "./serve.mjs";

let server;
before(async () => (server = await serve()));
after(async () => {
  await close();
  await server.stop();
});

/** Chooses what is run: two disciplines, some seeds, time / 10. */
async function choose(page, seeds) {
  await page.locator(".pane-head .verdict").getByText("can be run").waitFor();
  for (const label of ["fq_codel", "cake", "airtime_fq"]) await page.getByRole("button", { name: `Leave out ${label}` }).click();
  await page.getByLabel("Seeds").fill(String(seeds));
  await page.getByLabel("Seeds").press("Tab");
}

const start = (page) => page.getByRole("button", { name: /^Run \d/ }).click();
const ended = (page) => page.getByText("The study is done.").waitFor({ state: "attached", timeout: 120_000 });

/** Rows of CSV without quotes within quotes. */
function rows(text) {
  const [head, ...lines] = text.trimEnd().split(/\r?\n/);
  const cells = (line) => [...line.matchAll(/("([^"]*)"|[^,]*)(,|$)/g)].map((found) => found[2] ?? found[1]);
  const names = cells(head).slice(0, head.split(",").length);
  return lines.map((line) => Object.fromEntries(cells(line).slice(0, names.length).map((cell, i) => [names[i], cell])));
}

/** Every value of JSON's results, by queue, part, metric and seed. */
function values(results) {
  const all = new Map();
  for (const queue of results.queues) {
    for (const part of [...queue.apps, queue.ap, ...(queue.nodes ?? [])]) {
      for (const [metric, figure] of Object.entries(part.metrics)) {
        figure.values.forEach((value, i) => value !== null && all.set([queue.label, part.name, metric, results.seeds[i]].join("\t"), value));
      }
    }
  }
  return all;
}

test("a study runs to its end; figures, tables and files agree", async () => {
  const { page, end } = await visit(server);
  await choose(page, 4);
  await start(page);
  // The first figures are there before the end.
  await page.locator(".scores .figure svg").first().waitFor({ timeout: 60_000 });
  await ended(page);
  await page.getByText("8 / 8 runs · 4 seeds").waitFor();
  assert.equal(await page.locator(".scores .figure svg").count(), 5);

  const press = (name) => () => page.getByRole("button", { name, exact: true }).click();
  const json = await download(page, press("JSON"));
  const results = JSON.parse(json.bytes);
  assert.deepEqual(results.seeds, [1, 2, 3, 4]);
  assert.deepEqual(results.queues.map(({ label }) => label), ["fifo", "chap"]);
  const want = values(results);
  assert.ok(want.size > 1000);

  const csv = await download(page, press("CSV"));
  assert.equal(csv.name, "home.csv");
  const lines = rows(csv.bytes.toString());
  const found = new Map(lines.filter((row) => row.value !== "").map((row) => [[row.queue, row.application, row.metric, row.seed].join("\t"), Number(row.value)]));
  assert.deepEqual(found, want);

  const parquet = await download(page, press("Parquet"));
  assert.equal(parquet.bytes.subarray(0, 4).toString(), "PAR1");
  assert.equal(parquet.bytes.subarray(-4).toString(), "PAR1");
  const bytes = parquet.bytes.buffer.slice(parquet.bytes.byteOffset, parquet.bytes.byteOffset + parquet.bytes.length);
  const objects = await parquetReadObjects({ file: bytes });
  const inParquet = new Map(objects.filter((row) => row.value != null).map((row) => [[row.queue, row.application, row.metric, row.seed].join("\t"), row.value]));
  assert.deepEqual(inParquet, want);

  const report = await download(page, press("Report"));
  assert.match(report.bytes.toString(), /^<!DOCTYPE html>/i);

  // The table says what the file does.
  const game = results.queues[1].apps.find(({ name }) => name === "game").metrics.game_mos;
  const cell = page.locator("table.figures tr", { has: page.getByRole("rowheader", { name: "game_mos", exact: true }) }).locator("td").nth(2);
  assert.ok((await cell.textContent()).startsWith(game.mean.toFixed(2)), await cell.textContent());

  const svg = await download(page, press("SVG"));
  const drawn = svg.bytes.toString();
  assert.match(drawn, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+"/);
  assert.ok(!drawn.includes("var(") && !drawn.includes("<style"), "it needs nothing of the page's");
  for (const app of ["game", "call", "video", "web", "download"]) assert.ok(drawn.includes(`>${app}: `), app);
  // Read by the browser as XML.
  assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror").length, drawn), 0);

  const png = await download(page, press("PNG"));
  assert.deepEqual([...png.bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const [width, height] = [png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)];
  assert.deepEqual([width, height], [2 * Number(/width="(\d+)"/.exec(drawn)[1]), 2 * Number(/height="([\d.]+)"/.exec(drawn)[1])].map(Math.floor));
  assert.ok(colours(png.bytes) > 20, "something is drawn on it");
  await end();
});

/** How many different bytes the picture's data have: a blank one has few. */
function colours(png) {
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return new Set(inflateSync(Buffer.concat(parts))).size;
}

test("the legend hides a discipline everywhere, and zoom changes the axis", async () => {
  const { page, end } = await visit(server);
  await choose(page, 2);
  await start(page);
  await ended(page);
  const chap = page.getByRole("button", { name: "chap", exact: true });
  const columns = () => page.locator("table.figures thead th").count();
  assert.equal(await columns(), 4);
  await chap.click();
  assert.equal(await chap.getAttribute("aria-pressed"), "false");
  assert.equal(await columns(), 3);
  await page.waitForFunction(() => !document.querySelector(".scores .figure svg").textContent.includes("chap"));
  await chap.click();
  const axis = () => page.locator(".scores .figure svg").first().locator('[aria-label="x-axis tick label"]').textContent();
  await page.waitForFunction(() => document.querySelector(".scores .figure svg").textContent.includes("chap"));
  const full = await axis();
  await page.getByLabel("Zoom on the values").check();
  await page.waitForTimeout(300);
  assert.notEqual(await axis(), full);
  await end();
});

test("hovering tells mean and interval", async () => {
  const { page, end } = await visit(server);
  await choose(page, 2);
  await start(page);
  await ended(page);
  const figure = page.locator(".scores .figure svg").first();
  const tip = figure.locator('[aria-label="tip"]');
  // A figure that is drawn once more under a pointer at rest has no tip until it moves again.
  await until(async () => {
    const box = await figure.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 18);
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    assert.ok(await tip.getByText(/95 %/).isVisible());
  });
  assert.match(await tip.textContent(), /fifo.*MOS.*±.*2 seeds/s);
  await end();
});

test("what ends before a view looks at it is shown", async () => {
  const { page, end } = await visit(server);
  await choose(page, 1);
  // Nothing of the study comes before the view is there, and all of it before the view's effects, which come
  // after its picture: here much later.
  const view = page.locator("h1", { hasText: "Results" });
  await page.route("**/api/runs/*/events", async (route) => {
    await view.waitFor({ state: "attached" });
    await route.continue();
  });
  await page.evaluate(() => {
    const own = window.setTimeout;
    const look = () => {
      if (document.querySelector("h1")?.textContent === "Results") window.setTimeout = (then, ms) => own(then, ms ?? 1500);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await start(page);
  await page.getByText("2 / 2 runs · 1 seed").waitFor();
  await page.locator(".scores .figure svg").nth(4).waitFor();
  await end();
});

test("a study is stopped, and what is done stays", async () => {
  const { page, end } = await visit(server);
  await choose(page, 400);
  await start(page);
  await page.locator(".scores .figure svg").first().waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The study was stopped.").waitFor({ state: "attached" });
  assert.ok((await page.locator(".scores .figure svg").count()) === 5);
  await end();
});

test("a reload goes on with the run", async () => {
  const { page, end } = await visit(server);
  await choose(page, 3);
  await start(page);
  await ended(page);
  await page.reload();
  await page.locator(".scores .figure svg").first().waitFor();
  await page.getByText("6 / 6 runs · 3 seeds").waitFor();
  await end();
});

test("a permalink holds the whole study, and opening it runs nothing", async () => {
  const { page, end } = await visit(server);
  await choose(page, 3);
  await openEditor(page);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# mine: Küche\n");
  await page.getByLabel("A discipline more").fill("chap:limit=70");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Link", exact: true }).click();
  const link = await page.getByLabel("Link to this study").inputValue();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const text = await textOf(page);
  await end();

  const other = await visit(server, { fragment: new URL(link).hash.slice(1) });
  await other.page.locator(".pane-head .verdict").getByText("can be run").waitFor();
  assert.equal(await textOf(other.page), text);
  assert.ok(text.startsWith("# mine: Küche\n"));
  assert.equal(await other.page.getByLabel("Seeds").inputValue(), "3");
  assert.deepEqual(await other.page.locator(".runbar .chip > span").allTextContents(), ["fifo", "chap", "chap:limit=70"]);
  await other.page.waitForTimeout(500);
  const posts = other.requests.filter(({ method }) => method === "POST").map(({ url }) => url.pathname);
  assert.deepEqual(new Set(posts), new Set(["/api/check"]));
  await other.end();

  const damaged = await visit(server, { fragment: new URL(link).hash.slice(1, -9) });
  await damaged.page.getByRole("alert").getByText("The link is damaged").waitFor();
  await damaged.end();
});

test("what cannot be run is told", async () => {
  const { page, end, complaints } = await visit(server);
  await choose(page, 2);
  await page.getByLabel("A discipline more").fill("chap:limit=-1");
  await page.keyboard.press("Enter");
  await start(page);
  await page.getByRole("alert").getByText(/limit/).first().waitFor();
  assert.ok(complaints.length && complaints.every((text) => text.includes("422")), complaints.join("\n"));
  complaints.length = 0;
  await end();
});
