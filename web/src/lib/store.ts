// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A value that parts of the page watch.
import { useEffect, useState } from "preact/hooks";

/** A value with watchers. */
export class Store<T> {
  private watchers = new Set<() => void>();
  private current: T;

  constructor(value: T) {
    this.current = value;
  }

  get value(): T {
    return this.current;
  }

  /** Another value; watchers are told. */
  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Some fields of an object changed. */
  patch(some: Partial<T>): void {
    this.set({ ...this.current, ...some });
  }

  /** Calls `watcher` after each change, until the function that comes back is called. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }
}

/** The store's value; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, again] = useState(0);
  const shown = store.value;
  useEffect(() => {
    const watcher = (): void => again((n) => n + 1);
    // Effects come after the picture: what changed in between is drawn too.
    if (!Object.is(store.value, shown)) watcher();
    return store.watch(watcher);
  }, [store]);
  return shown;
}
