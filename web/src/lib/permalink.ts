// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A study as part of an address: JSON, deflated without a header (RFC 1951), in
// base64url (RFC 4648, 5). Whoever opens it needs nothing but the address.

/** What a permalink holds. */
export interface Study {
  text: string;
  queues: string[];
  seeds: number;
  short: boolean;
}

/** Longest scenario, bytes: the server's bound. */
export const LONGEST = 256 * 1024;
/** Most queues and seeds that a link may ask for. */
const QUEUES = 64;
export const SEEDS = 10_000;

/** The study as text for a fragment: letters, digits, `-` and `_`. */
export async function pack(study: Study): Promise<string> {
  const json = JSON.stringify({ v: 1, t: study.text, q: study.queues, n: study.seeds, s: study.short });
  return base64url(await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw"), Infinity));
}

/** What `pack` made; throws a sentence when it is nothing of the sort. */
export async function unpack(packed: string): Promise<Study> {
  let value: unknown;
  try {
    const bytes = await through(bytesOf(packed), new DecompressionStream("deflate-raw"), 2 * LONGEST);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (e) {
    if (e instanceof RangeError) throw e;
    throw new Error("The link is damaged: a part of it is missing or changed. Ask for it again.");
  }
  return checked(value);
}

function checked(value: unknown): Study {
  const of = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  if (of["v"] !== 1) throw new Error("The link is of another version of airtab.");
  const { t, q, n, s } = of;
  const fine =
    typeof t === "string" &&
    t.length <= LONGEST &&
    Array.isArray(q) &&
    q.length > 0 &&
    q.length <= QUEUES &&
    q.every((one) => typeof one === "string" && one.length <= 1000) &&
    Number.isInteger(n) &&
    (n as number) >= 1 &&
    (n as number) <= SEEDS &&
    typeof s === "boolean";
  if (!fine) throw new Error("The link holds no study: it needs a scenario, disciplines and a number of seeds.");
  return { text: t, queues: q as string[], seeds: n as number, short: s };
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, most: number) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel().catch(() => undefined);
      throw new RangeError(`The link holds more than ${most / 1024} KiB.`);
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new Error("no base64url");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
