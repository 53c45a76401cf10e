// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Who made the parts that are in the built page, and under which licences: a file
// beside it. Only packages of which something is in a chunk are named.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** Licences that go with a program under MIT. */
const FINE = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"]);
const NAME = "THIRD-PARTY-web.txt";

interface Part {
  name: string;
  version: string;
  licence: string;
  text: string;
}

/** Writes the file; a licence that does not fit ends the build. */
export function notices(): Plugin {
  return {
    name: "airtab-notices",
    apply: "build",
    generateBundle(_, bundle) {
      const parts = new Map<string, Part>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        // Style sheets are in no chunk's code, but their modules are named.
        for (const id of Object.keys(chunk.modules).concat(chunk.moduleIds)) {
          const folder = packageOf(id);
          if (folder && !parts.has(folder)) parts.set(folder, read(folder));
        }
      }
      const all = [...parts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const { name, licence } of all) {
        if (!FINE.has(licence)) this.error(`${name} is under ${licence}, which web/notices.ts does not know to be fine`);
      }
      const head = "The page of `airtab serve` contains parts of others:\n\n";
      const list = all.map(({ name, version, licence }) => `${name} ${version}, ${licence}`).join("\n");
      const texts = new Map<string, string[]>();
      for (const { name, text } of all) texts.set(text, [...(texts.get(text) ?? []), name]);
      const rest = [...texts].map(([text, names]) => `${"=".repeat(72)}\n${names.join(", ")}\n\n${text}\n`).join("\n");
      this.emitFile({ type: "asset", fileName: NAME, source: `${head}${list}\n\n${rest}` });
    },
  };
}

/** The folder of the package that a module is of. */
function packageOf(id: string): string | null {
  const path = id.replace(/^\0/, "").split("?")[0]!;
  const at = path.lastIndexOf("/node_modules/");
  if (at < 0) return null;
  let folder = dirname(path);
  while (folder.length > at + "/node_modules/".length) {
    const file = join(folder, "package.json");
    // Some folders within a package have a file of that name without a name in it.
    if (existsSync(file) && "version" in (JSON.parse(readFileSync(file, "utf8")) as object)) return folder;
    folder = dirname(folder);
  }
  return null;
}

function read(folder: string): Part {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).sort().find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!file) throw new Error(`${name} has no file with its licence`);
  const text = readFileSync(join(folder, file), "utf8").replace(/\r\n/g, "\n").trim();
  return { name: name!, version: version!, licence: license ?? "nothing", text };
}
