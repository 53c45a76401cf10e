// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Debian's Chromium, and pages whose every complaint is kept: reports of the page's
// policy, requests elsewhere, errors of scripts.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

let browser;

/** The browser, one for a file of tests. */
export async function open() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Root has no sandbox; the pages are our own.
    args: ["--no-sandbox", "--disable-background-networking"],
  });
  return browser;
}

/** Ends it. */
export async function close() {
  await browser?.close();
  browser = undefined;
}

/** A page at the server's address; `fine()` fails if something was complained about. */
export async function visit(server, { width = 1280, height = 900, theme = "light", fragment = "", motion } = {}) {
  const context = await (await open()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: motion ?? "no-preference",
    acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const complaints = [];
  await context.exposeFunction("complain", (text) => complaints.push(text));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (e) => window.complain(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  page.on("pageerror", (e) => complaints.push(`script: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && complaints.push(`console: ${m.text()}`));
  const requests = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    requests.push({ method: request.method(), url });
    if (url.origin !== server.origin && !["blob:", "data:"].includes(url.protocol)) complaints.push(`elsewhere: ${url}`);
  });
  await page.goto(`${server.origin}/#token=${server.token}${fragment ? `&${fragment}` : ""}`);
  const fine = () => assert.deepEqual(complaints, []);
  const end = async () => {
    fine();
    await context.close();
  };
  return { page, requests, complaints, fine, end };
}

/** The text of a file that a press hands over, as bytes. */
export async function download(page, press) {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  const parts = [];
  for await (const part of await file.createReadStream()) parts.push(part);
  return { name: file.suggestedFilename(), bytes: Buffer.concat(parts) };
}

/** The scenario's text, as the editor has it: the editor is opened if it is not yet. */
export async function textOf(page) {
  await openEditor(page);
  return page.evaluate(() => {
    const { cmTile } = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
    return (cmTile.root ?? cmTile).view.state.doc.toString();
  });
}

/** Waits until something is so; the last error is what it was not. */
export async function until(holds, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return await holds();
    } catch (e) {
      if (Date.now() > end) throw e;
      await new Promise((go) => setTimeout(go, 50));
    }
  }
}

/** The text that the page keeps, once it holds `words`; not of the editor, which need not be there. */
export function kept(page, words) {
  return until(async () => {
    const text = await page.evaluate(() => JSON.parse(sessionStorage["airtab.study"]).text);
    assert.ok(words instanceof RegExp ? words.test(text) : text.includes(words), `no ${words} in:\n${text}`);
    return text;
  });
}

/** Loads the editor by going to it. */
export async function openEditor(page) {
  if (await page.locator("textarea.plain").count()) await page.locator("textarea.plain").focus();
  await page.locator(".editor .cm-content").waitFor();
}
