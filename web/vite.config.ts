// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Builds the page into the crate that serves it. The same sources and lock file
// give the same bytes: names are hashes of contents, nothing tells the time.
import { defineConfig } from "vite";
import { proxy } from "./dev/proxy.ts";
import { notices } from "./notices.ts";

export default defineConfig({
  base: "/",
  build: {
    outDir: "../crates/airtab-serve/assets",
    emptyOutDir: true,
    target: "es2022",
    // `light-dark()` stays as it is written.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // An inlined file would be a `data:` address, which the page's policy allows to pictures alone.
    assetsInlineLimit: 0,
    // The polyfill is a script of its own for browsers that cannot run the page anyway.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
  plugins: [proxy(), notices()],
});
