// SPDX-License-Identifier: MIT OR GPL-2.0-only
// CodeMirror for TOML: colours, line numbers, markers of problems. Undo is the
// page's, as the form changes the same text.
//
// It lives in a shadow root: there its style sheets are objects and no elements,
// which the page's policy on styles allows.
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "../lib/api.ts";

/** What the editor does to the page. */
export interface Hooks {
  changed: (text: string) => void;
  undo: () => void;
  redo: () => void;
}

/** What the page does to the editor. */
export interface Editor {
  show: (text: string) => void;
  mark: (problems: Problem[]) => void;
  go: (line: number, column: number) => void;
  focus: (at: number) => void;
  destroy: () => void;
}

/** A change that came from the page, which knows it already. */
const fromPage = Annotation.define<boolean>();

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--wash)" },
  ".cm-selectionBackground": { background: "var(--select) !important" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line-strong)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.variableName], color: "var(--ink)" },
  { tag: [tags.heading, tags.keyword, tags.bracket], color: "var(--code-table)", fontWeight: "600" },
]);

/** An editor within `place`. */
export function makeEditor(place: HTMLElement, text: string, hooks: Hooks): Editor {
  const root = place.attachShadow({ mode: "open" });
  const inside = document.createElement("div");
  inside.style.height = "100%";
  root.append(inside);
  const act = (what: () => void) => () => (what(), true);
  const view = new EditorView({
    parent: inside,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        drawSelection(),
        highlightActiveLine(),
        lintGutter(),
        StreamLanguage.define(toml),
        syntaxHighlighting(colours),
        look,
        EditorView.contentAttributes.of({ "aria-label": "Scenario as TOML", tabindex: "0" }),
        keymap.of([
          { key: "Mod-z", run: act(hooks.undo), preventDefault: true },
          { key: "Mod-Shift-z", run: act(hooks.redo), preventDefault: true },
          { key: "Mod-y", run: act(hooks.redo), preventDefault: true },
          // Escape, then Tab leaves: the keyboard is not caught.
          indentWithTab,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.annotation(fromPage))) {
            hooks.changed(update.state.doc.toString());
          }
        }),
      ],
    }),
  });
  return {
    show: (wanted) => show(view, wanted),
    mark: (problems) => {
      const found = problems.map((problem) => diagnostic(view.state, problem));
      view.dispatch(setDiagnostics(view.state, found));
    },
    go: (line, column) => {
      const { from } = diagnostic(view.state, { line, column, message: "" });
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    focus: (at) => {
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

/** Replaces only what differs, so that cursor and scroll stay where they are. */
function show(view: EditorView, wanted: string): void {
  const now = view.state.doc.toString();
  if (now === wanted) return;
  const most = Math.min(now.length, wanted.length);
  let head = 0;
  while (head < most && now[head] === wanted[head]) head++;
  let tail = 0;
  while (tail < most - head && now[now.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail++;
  view.dispatch({
    changes: { from: head, to: now.length - tail, insert: wanted.slice(head, wanted.length - tail) },
    annotations: fromPage.of(true),
  });
}

/** A problem's place: the characters that are meant, or the rest of the line. */
function diagnostic(state: EditorState, { line, column, width, message, path }: Problem): Diagnostic {
  // What is wrong in another file, or with the whole, is told at the top.
  const where = state.doc.line(path ? 1 : Math.min(Math.max(1, line), state.doc.lines));
  const from = Math.min(where.to, where.from + Math.max(0, path ? 0 : column - 1));
  const to = width ? Math.min(where.to, from + width) : where.to;
  return { from, to, severity: "error", message: path ? `${path}: ${message}` : message };
}
