// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Pages that commands write with --out: axe-core on each, in both themes, on a screen and on
// a telephone (390 pixels); no page is wider than its window.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { wrong } from "./axe.mjs";
import { close, open } from "./browser.mjs";
import { AIRTAB } from "./serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "airtab-report-"));

/** Writes results into a folder of that name. */
function airtab(name, ...args) {
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  execFileSync(AIRTAB, [...args, "--out", join(folder, name)], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** How each folder of results is made. */
const RESULTS = {
  compare: ["compare", "--short", "--seeds", "2"],
  "one seed": ["compare", "rrul", "--short", "--seeds", "1", "--queues", "fifo,chap:limit=70,fq_codel"],
  sweep: ["sweep", "game-call-download", "--axis", "station.phone.distance=1,30", "--queues", "fifo,chap", "--seeds", "2"],
  experiment: ["experiment", "run", "chap/worked-example"],
};

after(close);

for (const [name, args] of Object.entries(RESULTS)) {
  test(`pages of ${name}`, async (t) => {
    airtab(name, ...args);
    const pages = readdirSync(join(folder, name), { recursive: true }).filter((file) => file.endsWith(".html"));
    assert.ok(pages.length > 0);
    for (const file of pages) {
      for (const theme of ["light", "dark"]) {
        for (const width of [1280, 390]) {
          await t.test(`${file}, ${theme}, ${width} pixels`, async () => {
            const context = await (await open()).newContext({ viewport: { width, height: 844 }, colorScheme: theme });
            const page = await context.newPage();
            await page.goto(pathToFileURL(join(folder, name, file)).href);
            assert.deepEqual(await wrong(page), []);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `the page is ${wide} pixels wide`);
            await context.close();
          });
        }
      }
    }
  });
}
