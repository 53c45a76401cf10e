// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The real `airtab serve` of this checkout, for tests.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program: AIRTAB, else the debug build. */
export const AIRTAB = process.env.AIRTAB ?? new URL("../../../target/debug/airtab", import.meta.url).pathname;
/** The repository. */
export const ROOT = new URL("../../..", import.meta.url).pathname;

/** Starts it on a free port. Gives the address with the token, and `stop`. */
export async function serve(...args) {
  // No runs of other tests: what is found in a cache is shown at once.
  const cache = mkdtempSync(join(tmpdir(), "airtab-web-"));
  const child = spawn(AIRTAB, ["serve", "--port", "0", ...args], {
    env: { ...process.env, XDG_CACHE_HOME: cache },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no address within 20 s: ${said}`)), 20_000);
    createInterface({ input: child.stdout }).on("line", (line) => {
      said += `${line}\n`;
      const found = /http:\/\/[^\s]+#token=[A-Za-z0-9_-]+/.exec(line);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
    void ended.then((code) => reject(new Error(`airtab serve ended with ${code}: ${said}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  const { origin, hash } = new URL(url);
  return { url, origin, token: hash.replace("#token=", ""), stop };
}

/** JSON of `/api`, asked for beside the page. */
export async function api(server, path, options = {}) {
  const response = await fetch(`${server.origin}/api/${path}`, {
    ...options,
    headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" },
  });
  return response.json();
}
