// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Fields of one table: those that are written, and a choice of those that could be.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Json } from "../lib/json.ts";
import { quoted, shown, typed, valueAt } from "../lib/schema.ts";
import type { Field } from "../lib/schema.ts";
import { edit, study } from "../lib/study.ts";

interface Props {
  fields: Field[];
  /** The table as it is written. */
  table: Json | undefined;
  /** Where it is: empty at the top. */
  path: string;
  /** What is wrong, by path. */
  problems: ReadonlyMap<string, string>;
}

/** The fields, in the schema's order. */
export function Fields({ fields, table, path, problems }: Props) {
  // Keys that the user chose to add, until they have a value.
  const [fresh, setFresh] = useState<string[]>([]);
  const written = fields.filter((field) => valueAt(table, field.key) !== undefined || fresh.includes(field.key));
  const rest = fields.filter((field) => !written.includes(field));
  return (
    <div class="fields">
      {written.map((field) => {
        const whole = path ? `${path}.${dotted(field.key)}` : dotted(field.key);
        return (
          <Row
            key={field.key}
            field={field}
            path={whole}
            value={valueAt(table, field.key)}
            fresh={fresh.includes(field.key)}
            onSettled={() => setFresh(fresh.filter((key) => key !== field.key))}
            problem={problems.get(whole)}
          />
        );
      })}
      {rest.length > 0 && (
        <select
          class="more"
          aria-label={`Add a value to ${path || "the run"}`}
          value=""
          onChange={(e) => setFresh([...fresh, e.currentTarget.value])}
        >
          <option value="" disabled>
            + value
          </option>
          {rest.map(({ key, help }) => (
            <option key={key} value={key} title={help}>
              {key}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function dotted(key: string): string {
  return key.split(".").map(quoted).join(".");
}

interface RowProps {
  field: Field;
  path: string;
  value: Json | undefined;
  fresh: boolean;
  onSettled: () => void;
  problem: string | undefined;
}

/** One key: its name, its value, what is wrong with it. A value that is emptied is taken out of the text. */
function Row({ field, path, value, fresh, onSettled, problem }: RowProps) {
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const before = shown(value);
  const commit = async (text: string): Promise<void> => {
    if (text === before) return text === "" ? onSettled() : undefined;
    const done = await edit(path, text.trim() === "" ? undefined : typed(field, text));
    if (done) onSettled();
    // What was not taken goes back, where the text has a value.
    else if (input.current && !fresh) input.current.value = shown(value);
  };
  useEffect(() => {
    if (fresh) input.current?.focus();
  }, [fresh]);
  const common = {
    id,
    ref: input,
    title: field.help,
    "aria-invalid": Boolean(problem),
    "aria-describedby": problem ? `${id}-bad` : undefined,
  };
  return (
    <div class={`row ${problem ? "wrong" : ""}`}>
      <label for={id}>{field.key}</label>
      {field.kind === "choice" ? (
        <select {...common} value={before} onChange={(e) => void commit(e.currentTarget.value)}>
          <option value="">{fresh ? "" : "(default)"}</option>
          {(field.choices.includes(before) || before === "" ? field.choices : [before, ...field.choices]).map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
      ) : field.kind === "switch" ? (
        <select {...common} value={before} onChange={(e) => void commit(e.currentTarget.value)}>
          <option value="">(default)</option>
          <option value="true">on</option>
          <option value="false">off</option>
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={field.kind === "number" ? "decimal" : "text"}
          autocomplete="off"
          spellcheck={false}
          list={field.choices.length ? `${id}-words` : undefined}
          value={before}
          placeholder={field.help}
          onChange={(e) => void commit(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Escape") e.currentTarget.value = before;
          }}
          onBlur={(e) => {
            if (fresh && e.currentTarget.value === "" && study.value.trouble === null) onSettled();
          }}
        />
      )}
      {field.kind === "text" && field.choices.length > 0 && (
        <datalist id={`${id}-words`}>
          {field.choices.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
      {problem && (
        <p class="wrong-says" id={`${id}-bad`}>
          {problem}
        </p>
      )}
    </div>
  );
}
