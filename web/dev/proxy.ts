// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Development only: `npm run dev` hands `/api` to the server that AIRTAB_SERVE
// names, such as http://127.0.0.1:8080; nothing of this is in the built page.
import type { Plugin } from "vite";

/** A proxy to a real server. */
export function proxy(): Plugin {
  const target = process.env["AIRTAB_SERVE"];
  return {
    name: "airtab-serve",
    apply: "serve",
    config: () => (target ? { server: { proxy: { "/api": { target, changeOrigin: true } } } } : {}),
  };
}
