// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The token that the server wants with each request: it comes in the fragment of
// the address that `airtab serve` prints, and is kept for this tab alone.

const KEY = "airtab.token";

/** The fragment's token, and what is left of the fragment without it. */
export function split(fragment: string): { token: string | null; rest: string } {
  const parts = fragment.replace(/^#/, "").split("&");
  const at = parts.findIndex((part) => part.startsWith("token="));
  if (at < 0) return { token: null, rest: parts.join("&") };
  const [part] = parts.splice(at, 1);
  return { token: part!.slice("token=".length), rest: parts.join("&") };
}

/** Takes the token out of the address, so that it is in no history, bookmark or screenshot. */
export function adopt(): void {
  const { token, rest } = split(location.hash);
  if (token === null) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
}

/** This tab's token; null: there is none. */
export function token(): string | null {
  return sessionStorage.getItem(KEY);
}
