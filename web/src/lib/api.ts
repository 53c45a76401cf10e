// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the page asks of the server. Types are the server's answers; nothing is
// computed here.
import { token } from "./token.ts";
import type { Json } from "./json.ts";

/** Something wrong in a scenario, as `airtab scenario check` tells it. */
export interface Problem {
  /** From 1; 0: it is about the whole. */
  line: number;
  column: number;
  /** Characters that are meant. */
  width?: number;
  /** Of another file that the scenario names. */
  path?: string | null;
  /** What is wrong, with its key in front, and what to write instead. */
  message: string;
}

/** What `/api/check` says of a text. */
export interface Checked {
  problems: Problem[];
  /** What the scenario runs without, and should not. */
  warnings?: Problem[];
  form: Record<string, Json> | null;
}

/** A parameter of a discipline. */
export interface Param {
  name: string;
  help: string;
  allowed: string;
  default: string;
  unit: string;
}

/** A discipline, as `airtab disciplines --json` lists it. */
export interface Discipline {
  name: string;
  about: string;
  params: Param[];
}

/** A scenario that airtab brings. */
export interface Brought {
  name: string;
  text: string;
}

/** A study that the server was asked for. */
export interface Started {
  id: number;
  total: number;
}

/** What the server refuses, in its own words. */
export class Refused extends Error {
  readonly status: number;
  readonly problems: Problem[];
  constructor(status: number, message: string, problems: Problem[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/** Headers of every request. */
export function headers(more: Record<string, string> = {}): Record<string, string> {
  const mine = token();
  return mine === null ? more : { Authorization: `Bearer ${mine}`, ...more };
}

/** A request to the server; refusals and a server that is gone are errors with a sentence. */
export async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      cache: "no-store",
      ...options,
      headers: headers(options.headers as Record<string, string> | undefined),
    });
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new Refused(0, "The server does not answer: is `airtab serve` still running?");
  }
  if (response.ok) return response;
  if (response.status === 401) {
    throw new Refused(401, "The server wants a token: open the address that `airtab serve` printed, all of it.");
  }
  const body = (await response.json().catch(() => null)) as { error?: string; problems?: Problem[] } | null;
  throw new Refused(response.status, body?.error ?? `The server answers ${response.status}.`, body?.problems ?? []);
}

/** JSON of a GET. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, signal ? { signal } : {})).json() as Promise<T>;
}

/** JSON that a POST of JSON is answered with. */
export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  if (signal) options.signal = signal;
  return (await ask(path, options)).json() as Promise<T>;
}
