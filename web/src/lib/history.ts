// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Undo and redo of a text, whichever part of the page changed it. What is typed
// within a moment is one step; every other change is a step of its own.

/** Steps that are kept. */
const MOST = 200;
/** What is typed closer together than this is one step, ms. */
const MOMENT = 800;

/** A text and the texts before and after it. */
export class History {
  private before: string[] = [];
  private after: string[] = [];
  private typed = false;
  private at = -Infinity;
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  get canUndo(): boolean {
    return this.before.length > 0;
  }

  get canRedo(): boolean {
    return this.after.length > 0;
  }

  /** A new text; `typed`: letter by letter; `now` in ms. */
  change(text: string, typed: boolean, now: number): void {
    if (text === this.text) return;
    const same = typed && this.typed && now - this.at < MOMENT && this.before.length > 0;
    if (!same) {
      this.before.push(this.text);
      if (this.before.length > MOST) this.before.shift();
    }
    this.after = [];
    this.text = text;
    this.typed = typed;
    this.at = now;
  }

  /** One step back. */
  undo(): void {
    const text = this.before.pop();
    if (text === undefined) return;
    this.after.push(this.text);
    this.settle(text);
  }

  /** One step forward again. */
  redo(): void {
    const text = this.after.pop();
    if (text === undefined) return;
    this.before.push(this.text);
    this.settle(text);
  }

  private settle(text: string): void {
    this.text = text;
    this.typed = false;
    this.at = -Infinity;
  }
}
