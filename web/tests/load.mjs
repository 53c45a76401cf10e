// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Modules of the page for node's tests: their types are taken away by Vite, as in the build.
import { createServer } from "vite";

let server;

/** A module of `src/`, such as `lib/permalink.ts`. */
export async function load(path) {
  server ??= await createServer({
    root: new URL("..", import.meta.url).pathname,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, watch: null, ws: false },
  });
  return server.ssrLoadModule(`/src/${path}`);
}

/** To be called when all tests of a file are over. */
export async function close() {
  await server?.close();
  server = undefined;
}
