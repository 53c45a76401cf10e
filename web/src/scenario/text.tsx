// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The scenario's text: a plain field at first, an editor as soon as one goes to it.
// The editor is half of the page's code, and who fills in the form needs none of it.
import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../lib/store.ts";
import { change, redo, study, undo } from "../lib/study.ts";
import { Says } from "../ui/says.tsx";
import type { Editor } from "./editor.ts";

/** `goto`: a place to show and to put the cursor at, from 1. */
export function Text({ goto }: { goto: { line: number; column: number } | null }) {
  const { text, checked, stale } = useStore(study);
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor | null>(null);
  const loading = useRef(false);
  const [there, setThere] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);

  const load = async (): Promise<void> => {
    if (loading.current) return;
    loading.current = true;
    try {
      const { makeEditor } = await import("./editor.ts");
      if (!place.current) return;
      const area = plain.current;
      const focused = document.activeElement === area;
      const cursor = area?.selectionStart ?? 0;
      editor.current = makeEditor(place.current, study.value.text, {
        changed: (changedText) => change(changedText, true),
        undo,
        redo,
      });
      // Shown now, not with the next picture: what is hidden takes no cursor.
      place.current.className = "editor";
      setThere(true);
      mark();
      if (focused) editor.current.focus(cursor);
    } catch {
      loading.current = false;
      setTrouble("The editor could not be loaded; the plain field works as well.");
    }
  };
  const mark = (): void => {
    if (!study.value.stale) editor.current?.mark(study.value.checked?.problems ?? []);
  };

  useEffect(() => () => editor.current?.destroy(), []);
  // What the text is now: more may have been typed since `text` was drawn.
  useEffect(() => editor.current?.show(study.value.text), [text]);
  useEffect(mark, [checked, stale, there]);
  useEffect(() => {
    if (!goto) return;
    void load().then(() => editor.current?.go(goto.line, goto.column));
  }, [goto]);

  return (
    <>
      <div ref={place} class={there ? "editor" : "editor waiting"} />
      {!there && (
        <textarea
          ref={plain}
          class="plain"
          aria-label="Scenario as TOML"
          spellcheck={false}
          autocapitalize="off"
          value={text}
          onFocus={() => void load()}
          onPointerEnter={() => void load()}
          onInput={(e) => change(e.currentTarget.value, true)}
        />
      )}
      <Says text={trouble} tone="bad" />
    </>
  );
}
