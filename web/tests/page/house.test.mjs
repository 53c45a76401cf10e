// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A house that runs: real time, a real access point in user space. Needs root, for network namespaces.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { close, until, visit } from "./browser.mjs";
import { AIRTAB, serve } from "./serve.mjs";

const skip = process.getuid() === 0 ? false : "it needs root";
const HOUSE = "web-test";
const FILE = `name = "${HOUSE}"
duration = "1s"

[[station]]
name = "near"
distance = 2

[[station]]
name = "far"
distance = 9

[[app]]
name = "game"
kind = "game"
station = "near"
`;

/** `airtab live up`, until it says how the house does. */
async function liveUp() {
  const file = join(mkdtempSync(join(tmpdir(), "airtab-house-")), "house.toml");
  writeFileSync(file, FILE);
  const child = spawn(AIRTAB, ["live", "up", file, "--queue", "fifo", "--plain"], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", resolve);
    void ended.then((code) => reject(new Error(`airtab live up ended with ${code}: ${said}`)));
  });
  const down = async () => {
    child.kill("SIGINT");
    return ended;
  };
  return { down };
}

let house;
let server;
before(async () => {
  if (skip) return;
  house = await liveUp();
  server = await serve("--live", HOUSE);
});
after(async () => {
  await close();
  await server?.stop();
  await house?.down();
});

test("a house is shown, its discipline switched, a station moved: marked, and so in the house", { skip }, async () => {
  const { page, end } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor();
  const stations = page.locator("section", { has: page.getByRole("heading", { name: "Stations" }) }).locator("tbody tr");
  await until(async () => assert.deepEqual(await stations.locator("th").allTextContents(), ["near", "far"]));
  const chip = page.locator('[aria-label="House"] .chip');
  await chip.getByText("fifo").waitFor();

  await page.getByLabel("Discipline", { exact: true }).fill("chap:limit=70");
  await page.getByRole("button", { name: "Switch" }).click();
  await chip.getByText("chap").waitFor();
  const marks = page.locator(".marks li");
  await until(async () => assert.equal(await marks.count(), 1));
  assert.match(await marks.first().textContent(), /chap/);

  await page.getByRole("combobox", { name: /^Station/ }).selectOption("far");
  await page.getByLabel("Distance, metres").fill("14");
  await page.getByRole("button", { name: "Move" }).click();
  await until(async () => assert.equal(await marks.count(), 2));
  assert.match(await marks.nth(1).textContent(), /far.*14/);
  await end();
});

test("a discipline that is none is refused in the house's words, and the one before stays", { skip }, async () => {
  const { page, end, complaints } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor();
  await page.getByLabel("Discipline", { exact: true }).fill("chop");
  await page.getByRole("button", { name: "Switch" }).click();
  await page.locator('[aria-label="Changes to the house"] [role=status].bad').getByText(/chop/).waitFor();
  await page.locator('[aria-label="House"] .chip').getByText("chap").waitFor();
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !/status of 4\d\d/.test(text)));
  await end();
});

test("who comes later sees what was changed; a house that ends is told", { skip }, async () => {
  const { page, end } = await visit(server, { fragment: "live" });
  await page.locator(".chart canvas").first().waitFor();
  assert.equal(await page.locator(".marks li").count(), 2);
  assert.equal(await house.down(), 0);
  await page.getByText(/^Nothing new comes/).waitFor();
  await end();
});
