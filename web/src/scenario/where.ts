// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Which value of a scenario a line of its text is about, as a path of `/api/edit`:
// that is how a problem finds its field.
//
// What it does not do: it is no reader of TOML. Keys within lists of several lines
// are not found; their problems are in the list of problems alone.
import { quoted } from "../lib/schema.ts";

const HEADER = /^\s*(\[\[?)\s*([^\]]+?)\s*\]/;
const ASSIGNMENT = /^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=/;
const NAME = /^\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/;

/** The path of the value on a line, from 1; null: there is none. */
export function pathAt(text: string, line: number): string | null {
  const lines = text.split(/\r?\n/);
  const key = ASSIGNMENT.exec(lines[line - 1] ?? "")?.[1];
  if (!key) return null;
  let head = line - 2;
  while (head >= 0 && !HEADER.test(lines[head]!)) head--;
  const own = tidy(key);
  if (head < 0) return own;
  const [, brackets, table] = HEADER.exec(lines[head]!)!;
  if (brackets === "[") return `${tidy(table!)}.${own}`;
  for (let at = head + 1; at < lines.length && !HEADER.test(lines[at]!); at++) {
    const found = NAME.exec(lines[at]!);
    if (found) return `${tidy(table!)}.${quoted(found[1] ?? found[2]!)}.${own}`;
  }
  return null;
}

/** Words of a dotted key, each in quotes only where it needs them. */
function tidy(key: string): string {
  const words = key.match(/[A-Za-z0-9_-]+|"[^"]*"|'[^']*'/g) ?? [];
  return words.map((word) => quoted(/^["']/.test(word) ? word.slice(1, -1) : word)).join(".");
}
