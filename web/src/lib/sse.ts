// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Server-sent events over `fetch`, as `EventSource` cannot send the token.
// Source: WHATWG HTML, 9.2.6 "Interpreting an event stream".
import { Refused, ask } from "./api.ts";

/** An event of the stream. */
export interface Event {
  name: string;
  data: string;
  id: string;
}

/** Takes the stream's text piece by piece and gives the events that are whole. */
export class Parser {
  /** The line that is not whole yet; a history is one of many MB. */
  private parts: string[] = [];
  /** The last piece ended in \r: a \n that follows belongs to it. */
  private half = false;
  private data: string[] = [];
  private name = "";
  /** The last event's id, which a new connection goes on from. */
  lastId = "";

  /** More text; events that it completes. Only the new text is looked through. */
  feed(text: string): Event[] {
    const events: Event[] = [];
    const ends = /\r\n|\n|\r/g;
    let from = this.half && text.startsWith("\n") ? 1 : 0;
    this.half = text === "" ? this.half : text.endsWith("\r");
    ends.lastIndex = from;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      this.parts.push(text.slice(from, end.index));
      const event = this.line(this.parts.join(""));
      this.parts = [];
      if (event) events.push(event);
      from = ends.lastIndex;
    }
    if (from < text.length) this.parts.push(text.slice(from));
    return events;
  }

  private line(line: string): Event | null {
    if (line === "") {
      const event = this.data.length ? { name: this.name || "message", data: this.data.join("\n"), id: this.lastId } : null;
      this.data = [];
      this.name = "";
      return event;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "event") this.name = value;
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    return null;
  }
}

/** Pauses between attempts to connect again, ms. */
const PAUSES = [300, 1000, 3000, 5000];

/**
 * Follows a stream until `take` says true (the last event), or `signal` ends it. A connection that breaks is made
 * again, from the last event on; what the server refuses is thrown.
 */
export async function follow(path: string, take: (event: Event) => boolean, signal: AbortSignal): Promise<void> {
  const parser = new Parser();
  let failed = 0;
  while (!signal.aborted) {
    try {
      const more: Record<string, string> = { Accept: "text/event-stream" };
      if (parser.lastId) more["Last-Event-ID"] = parser.lastId;
      const response = await ask(path, { headers: more, signal });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        failed = 0;
        for (const event of parser.feed(value)) {
          if (take(event)) {
            void reader.cancel().catch(() => undefined);
            return;
          }
        }
      }
    } catch (e) {
      if (signal.aborted) return;
      // The server has said no: asking again gives the same.
      if (e instanceof Refused && e.status !== 0) throw e;
      if (failed >= 20) throw e;
    }
    await new Promise((go) => setTimeout(go, PAUSES[Math.min(failed++, PAUSES.length - 1)]));
  }
}
