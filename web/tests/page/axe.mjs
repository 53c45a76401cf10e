// SPDX-License-Identifier: MIT OR GPL-2.0-only
// axe-core on a page.
import { readFileSync } from "node:fs";

const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What axe-core finds wrong, with its places. */
export async function wrong(page) {
  // By the debugger's way in, which the page's policy does not forbid.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join(" | ")}`);
}
