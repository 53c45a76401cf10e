// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Figures and data as files.
import { ask } from "../lib/api.ts";

/** Hands bytes to the browser as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A file of the server's. */
export async function saveFile(path: string, name: string): Promise<void> {
  saveBlob(await (await ask(path)).blob(), name);
}

/** The figures below `place` in one SVG that stands alone, one below the other. */
export function svgOf(place: ParentNode): { text: string; width: number; height: number } {
  const style = getComputedStyle(document.documentElement);
  const figures = [...place.querySelectorAll<SVGSVGElement>(".figure > svg")];
  const width = Math.max(1, ...figures.map((svg) => svg.width.baseVal.value));
  let height = 0;
  const inside = figures.map((svg) => {
    const title = svg.getAttribute("aria-label") ?? "";
    const copy = svg.cloneNode(true) as SVGSVGElement;
    for (const tip of copy.querySelectorAll("[aria-label='tip']")) tip.remove();
    for (const name of ["class", "role", "aria-label"]) copy.removeAttribute(name);
    copy.setAttribute("y", String(height + 22));
    const heading = `<text x="4" y="${height + 15}" font-weight="600">${escaped(title)}</text>`;
    height += svg.height.baseVal.value + 30;
    return heading + new XMLSerializer().serializeToString(copy);
  });
  const probe = (name: string): string => resolved(style, name);
  const body = inside.join("").replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => probe(name));
  const text =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, sans-serif" font-size="12" fill="${probe("--ink")}" color="${probe("--ink")}">` +
    `<rect width="100%" height="100%" fill="${probe("--panel")}"/>${body}</svg>`;
  return { text, width, height };
}

function resolved(style: CSSStyleDeclaration, name: string): string {
  const value = style.getPropertyValue(name).trim();
  const both = /^light-dark\(([^,]+),([^)]+)\)$/.exec(value);
  if (!both) return value;
  const dark = style.colorScheme === "dark" || (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return (dark ? both[2]! : both[1]!).trim();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The same as a PNG, twice as fine. */
export async function pngOf(place: ParentNode): Promise<Blob> {
  const { text, width, height } = svgOf(place);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The browser made no PNG."))), "image/png");
  });
}
