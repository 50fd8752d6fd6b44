// A field of a form: its label, its control, help, and its mistake.

import type { ComponentChildren } from "preact";
import { Icon } from "./icon";
import { StateIcon } from "./stateicon";

// FieldProps describe a field. The control has the ID `id`, and is described by `id-help` and
// `id-wrong`.
export interface FieldProps {
  id: string;
  label: string;
  note?: string | undefined;
  help?: ComponentChildren;
  wrong?: string | undefined;
  unit?: string | undefined;
  good?: boolean;
  class?: string;
  children: ComponentChildren;
}

// Field shows a control with its label, help and mistake.
export function Field(p: FieldProps) {
  return (
    <div class={"form-field " + (p.class ?? "") + (p.wrong ? " is-wrong" : "")}>
      <label class="form-label" for={p.id}>{p.label}{p.note ? <span class="form-note">{p.note}</span> : null}</label>
      <div class="form-box">
        {p.children}
        {p.unit ? <span class="form-unit" aria-hidden="true">{p.unit}</span> : null}
        {p.good && !p.wrong ? <span class="form-good"><Icon name="check" size={14} /></span> : null}
      </div>
      {p.wrong ? <p class="form-wrong" id={p.id + "-wrong"}><StateIcon state="Failed" size={12} />{p.wrong}</p> : null}
      {p.help ? <p class="form-help" id={p.id + "-help"}>{p.help}</p> : null}
    </div>
  );
}

// describedBy returns the IDs that describe a control.
export function describedBy(id: string, help: boolean, wrong: boolean): string | undefined {
  const ids = [wrong ? id + "-wrong" : "", help ? id + "-help" : ""].filter((i) => i !== "");
  return ids.length === 0 ? undefined : ids.join(" ");
}

// Check is a box with a word behind it.
export function Check(p: { checked: boolean; onChange: (on: boolean) => void; disabled?: boolean; children: ComponentChildren }) {
  return (
    <label class="check-field">
      <input type="checkbox" checked={p.checked} disabled={p.disabled} onChange={(e) => p.onChange(e.currentTarget.checked)} />
      <span class="check-box" aria-hidden="true"><Icon name="check" size={12} /></span>
      <span>{p.children}</span>
    </label>
  );
}

// Choice is a list to choose one from.
export function Choice(p: { id: string; value: string; options: readonly { value: string; text: string }[]; onChange: (value: string) => void; describedBy?: string | undefined; label?: string; disabled?: boolean }) {
  return (
    <span class="choice">
      <select id={p.id} value={p.value} disabled={p.disabled} aria-label={p.label} aria-describedby={p.describedBy} onChange={(e) => p.onChange(e.currentTarget.value)}>
        {p.options.map((o) => <option value={o.value} selected={o.value === p.value}>{o.text}</option>)}
      </select>
      <Icon name="down" size={14} />
    </span>
  );
}
