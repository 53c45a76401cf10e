// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Experiments and a recorded house.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, until, visit } from "./browser.mjs";
import { recording } from "./recording.mjs";
import { ROOT, api, serve } from "./serve.mjs";

let server;
before(async () => {
  server = await serve("--replay", recording(90, 5));
});
after(async () => {
  await close();
  await server.stop();
});

test("the gallery has every experiment, and finds one", async () => {
  const { page, end } = await visit(server, { fragment: "experiments" });
  const all = await api(server, "experiments");
  await page.locator(".gallery a").first().waitFor();
  assert.equal(await page.locator(".gallery a").count(), all.length);
  await page.getByRole("searchbox").fill("qsize game");
  const wanted = all.filter(({ id, title, source }) => ["qsize", "game"].every((word) => `${id} ${title} ${source}`.toLowerCase().includes(word)));
  assert.ok(wanted.length > 0 && wanted.length < all.length);
  assert.equal(await page.locator(".gallery a").count(), wanted.length);
  await end();
});

test("an experiment shows what was published, as its file has it", async () => {
  const { page, end } = await visit(server, { fragment: "experiments" });
  await page.getByRole("link", { name: /chap\/qsize-game/ }).click();
  const it = await api(server, "experiments/chap/qsize-game");
  await page.getByRole("heading", { name: it.title }).waitFor();
  const rows = page.locator("table tbody tr");
  assert.equal(await rows.count(), it.checks.length);
  for (const [i, check] of it.checks.entries()) {
    assert.deepEqual(await rows.nth(i).locator("th, td").allTextContents(), [check.what, check.reported, check.section, check.expected]);
  }
  // A ring for each published value that is one of the metric itself.
  const rings = it.checks.filter(({ plain }) => plain).reduce((sum, { published }) => sum + new Set(published ?? []).size, 0);
  assert.ok(rings > 0);
  await page.locator(".figure svg").first().waitFor();
  await until(async () => assert.equal(await page.locator('.figure svg [aria-label="dot"] circle').count(), rings));
  assert.match(await page.locator(".file pre").textContent(), /\[\[check\]\]/);
  assert.ok(readFileSync(join(ROOT, "experiments/chap/qsize-game.toml"), "utf8").includes(it.checks[0].what));
  await end();
});

test("one that is not there is told", async () => {
  const { page, end, complaints } = await visit(server, { fragment: "experiments/chap/nothing" });
  await page.getByRole("alert").getByText("nothing").waitFor();
  assert.ok(complaints.length && complaints.every((text) => text.includes("404")), complaints.join("\n"));
  complaints.length = 0;
  await end();
});

test("a recorded house is shown: blame, scores, stations, flows, and courses that go on", async () => {
  const { page, end } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor();
  assert.equal(await page.locator(".chart canvas").count(), 4);
  await page.locator(".blame").getByText("The Wi-Fi queue takes 120 ms of 138 ms").waitFor();
  const stations = page.locator("section", { has: page.getByRole("heading", { name: "Stations" }) }).locator("tbody tr");
  assert.deepEqual(await stations.locator("th").allTextContents(), ["console", "phone", "tv", "laptop", "tablet"]);
  assert.equal(await page.locator("section", { has: page.getByRole("heading", { name: "Flows" }) }).locator("tbody tr").count(), 6);
  assert.match(await page.locator(".scoreboard").textContent(), /4\.28 MOS/);
  const time = page.locator('[aria-label="House"] .num').first();
  const then = await time.textContent();
  await page.waitForFunction((was) => document.querySelector('[aria-label="House"] .num').textContent !== was, then, { timeout: 10_000 });
  // A station's lines are taken out and put in.
  const legend = () => page.locator(".chart").first().locator(".u-legend .u-label").allTextContents();
  assert.ok((await legend()).includes("laptop"));
  await page.getByLabel("Draw laptop").uncheck();
  await page.waitForFunction(() => !document.querySelector(".chart .u-legend").textContent.includes("laptop"));
  await end();
});

test("a change of a recording is refused, in words", async () => {
  const { page, end, complaints } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor();
  await page.getByLabel("Discipline", { exact: true }).fill("fifo");
  await page.getByRole("button", { name: "Switch" }).click();
  await page.locator('[aria-label="Changes to the house"] [role=status].bad').getByText(/./).waitFor();
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !/status of 4\d\d/.test(text)));
  await end();
});

test("a server that stops is told", async () => {
  const own = await serve("--replay", recording(5, 1));
  const { page, complaints, end } = await visit(own, { fragment: "experiments" });
  await page.locator(".gallery a").first().waitFor();
  await own.stop();
  await page.getByRole("link", { name: /chap\/qsize-game/ }).click();
  await page.getByText("is `airtab serve` still running?").waitFor();
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("ERR_CONNECTION_REFUSED")));
  await end();
});

