// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A figure of Observable Plot in the page: drawn as wide as its place, drawn anew
// when its data change, without what the page's policy does not allow.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** What is drawn at this width; the same function as long as the data are the same. */
  draw: (width: number) => Plot.PlotOptions;
  /** What it shows, for who does not see it. */
  label: string;
  /** A class, by which a download finds it. */
  name?: string;
}

/** Figures that wait to be drawn, so that many new ones do not hold up the page: one for each frame's rest. */
export function Figure({ draw, label, name }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!width) return;
    const frame = requestAnimationFrame(() => {
      const drawn = Plot.plot({ width, className: "plot", ...draw(width) });
      // Plot's own style element would be refused by the policy; `parts.css` has its rules.
      for (const style of drawn.querySelectorAll("style")) style.remove();
      // Marks have names, which need a role to be allowed.
      for (const mark of drawn.querySelectorAll("g[aria-label]")) mark.setAttribute("role", "group");
      drawn.setAttribute("role", "img");
      drawn.setAttribute("aria-label", label);
      place.current?.replaceChildren(drawn);
    });
    return () => cancelAnimationFrame(frame);
  }, [draw, width, label]);
  return <div class={`figure ${name ?? ""}`} ref={place} />;
}
