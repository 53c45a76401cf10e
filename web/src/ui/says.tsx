// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A sentence to the user, read aloud when it appears.

/** Shown while `text` is one. */
export function Says({ text, tone, onClose }: { text: string | null; tone: "bad" | "plain"; onClose?: () => void }) {
  return (
    <div role={tone === "bad" ? "alert" : "status"} class="says-place">
      {text && (
        <p class={`says ${tone}`}>
          <span>{text}</span>
          {onClose && (
            <button type="button" class="quiet" aria-label="Close the message" onClick={onClose}>
              ×
            </button>
          )}
        </p>
      )}
    </div>
  );
}
