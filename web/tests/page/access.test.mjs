// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Who cannot see colours, has no mouse, a small screen, or wants less motion: axe-core
// on every view, in both themes, at 1280 and 360 pixels; keys; widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { wrong } from "./axe.mjs";
import { close, openEditor, visit } from "./browser.mjs";
import { recording } from "./recording.mjs";
import { serve } from "./serve.mjs";

let server;
before(async () => {
  server = await serve("--replay", recording(120, 8));
});
after(async () => {
  await close();
  await server.stop();
});

/** Each view, with something in it. */
const VIEWS = {
  async scenario(page) {
    await page.locator(".pane-head .verdict").getByText("can be run").waitFor();
  },
  async "a wrong scenario in the editor"(page) {
    await page.locator(".pane-head .verdict").getByText("can be run").waitFor();
    await openEditor(page);
    await page.keyboard.press("Control+Home");
    await page.keyboard.type('durations = "3s"\n');
    await page.locator(".problems li").waitFor();
    await page.getByRole("button", { name: "Link", exact: true }).click();
  },
  async results(page) {
    await page.locator(".pane-head .verdict").getByText("can be run").waitFor();
    await page.getByLabel("Seeds").fill("2");
    await page.getByLabel("Seeds").press("Tab");
    await page.getByRole("button", { name: /^Run \d/ }).click();
    await page.getByText("The study is done.").waitFor({ state: "attached", timeout: 120_000 });
    await page.locator(".scores .figure svg").first().waitFor();
    await page.getByRole("button", { name: "fq_codel", exact: true }).click();
  },
  async experiments(page) {
    await page.evaluate(() => (location.hash = "experiments"));
    await page.locator(".gallery a").first().waitFor();
  },
  async "one experiment"(page) {
    await page.evaluate(() => (location.hash = "experiments/chap/qsize-game"));
    await page.locator(".figure svg").first().waitFor();
  },
  async live(page) {
    await page.evaluate(() => (location.hash = "live"));
    await page.locator(".chart canvas").first().waitFor();
  },
};

for (const theme of ["light", "dark"]) {
  for (const width of [1280, 360]) {
    for (const [name, show] of Object.entries(VIEWS)) {
      test(`${name}, ${theme}, ${width} pixels`, async () => {
        const { page, end } = await visit(server, { theme, width, height: 900 });
        await show(page);
        assert.deepEqual(await wrong(page), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `the page is ${wide} pixels wide`);
        await end();
      });
    }
  }
}

test("axe-core sees what is wrong", async () => {
  const { page, end } = await visit(server);
  await VIEWS.scenario(page);
  await page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  assert.match((await wrong(page)).join(), /button-name/);
  await end();
});

test("the theme's switch wins over the system's, and is kept", async () => {
  const { page, end } = await visit(server, { theme: "light" });
  await VIEWS.scenario(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.getByLabel("Theme").selectOption("dark");
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await VIEWS.scenario(page);
  assert.equal(await paper(), dark);
  await page.getByLabel("Theme").selectOption("auto");
  assert.equal(await paper(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await paper(), dark);
  await end();
});

test("by keys alone: to the content, a study, its results", async () => {
  const { page, end } = await visit(server);
  await VIEWS.scenario(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  const run = page.getByRole("button", { name: /^Run \d/ });
  for (let i = 0; i < 20 && !(await run.evaluate((button) => button === document.activeElement)); i++) await page.keyboard.press("Tab");
  assert.ok(await run.evaluate((button) => button === document.activeElement));
  // What has the focus is seen to have it.
  assert.notEqual(await run.evaluate((button) => getComputedStyle(button).outlineStyle), "none");
  await page.keyboard.press("Enter");
  await page.locator(".scores .figure svg").first().waitFor({ timeout: 120_000 });
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await end();
});

test("the editor lets the keyboard go", async () => {
  const { page, end } = await visit(server);
  await VIEWS.scenario(page);
  await openEditor(page);
  const inside = () => page.evaluate(() => document.activeElement.matches(".editor"));
  assert.equal(await inside(), true);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await inside(), false);
  await end();
});

test("a colour of a discipline is the same in every view", async () => {
  const { page, end } = await visit(server);
  await VIEWS.results(page);
  const colour = (place) => page.locator(place).first().evaluate((svg) => getComputedStyle(svg).color);
  const inResults = await colour(".legend .chip:has-text('chap') .swatch");
  await page.evaluate(() => (location.hash = "scenario"));
  assert.equal(await colour(".runbar .chip:has-text('chap') .swatch"), inResults);
  await page.evaluate(() => (location.hash = "experiments/chap/qsize-game"));
  assert.equal(await colour(".one .chip:has-text('chap') .swatch"), inResults);
  await page.evaluate(() => (location.hash = "live"));
  assert.equal(await colour('[aria-label="House"] .chip .swatch'), inResults);
  await end();
});
