// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A component whose code is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The component that `load` gives; until it is there, nothing. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [, again] = useState(0);
    const [trouble, setTrouble] = useState(false);
    useEffect(() => {
      if (loaded) return;
      let here = true;
      load().then(
        (component) => {
          loaded = component;
          if (here) again((n) => n + 1);
        },
        () => here && setTrouble(true),
      );
      return () => void (here = false);
    }, []);
    if (trouble) return <p class="says bad">This part of the page could not be loaded: is airtab serve still running?</p>;
    const Component = loaded;
    return Component ? <Component {...props} /> : <p class="faint">Loading …</p>;
  };
}
