// The form: the fields of a template, or the fields found in YAML.

import type { Checked, FieldProblem, Parameter } from "../../api";
import { number } from "../../core/format";
import { Check, Choice, describedBy, Field } from "../../design/field";
import { groups, kindOf, mistakeOf, textOf } from "./formmodel";
import { mirrored } from "./submission";
import type { Submission } from "./submission";
import { words as shared } from "../../words";
import { w } from "./words";

// FormProps describe the form.
export interface FormProps {
  s: Submission;
  clusters: readonly string[];
  namespaces: readonly string[];
  problems: Record<string, FieldProblem[]>;
  touched: ReadonlySet<string>;
  checked: Checked | undefined;
  onText: (name: string, text: string) => void;
  onCluster: (name: string) => void;
  onNamespace: (name: string) => void;
}

// first are the fields at the top, in this order.
const first = ["name", "namespace", "queue", "priority"];

// Form shows all fields.
export function Form(p: FormProps) {
  const words = w.value;
  // In edited YAML, only fields with known places are shown.
  const shown = p.s.parameters.filter((q) => mirrored(p.s, q.name));
  const hidden = p.s.parameters.length - shown.length;
  const rest = groups(shown.filter((q) => !first.includes(q.name)));
  const top = (name: string) => shown.find((q) => q.name === name);
  const field = (name: string, span: number) => {
    const parameter = top(name);
    return parameter ? <ParameterField p={p} parameter={parameter} span={span} key={name} /> : null;
  };
  return (
    <div class="submit-form">
      <div class="submit-grid">
        {field("name", 8)}
        <Field id="cluster" label={words.cluster} class={top("name") ? "span-4" : "span-6"}>
          <Choice id="cluster" value={p.s.cluster} options={p.clusters.map((c) => ({ value: c, text: c }))} onChange={p.onCluster} />
        </Field>
        {top("namespace") ? field("namespace", 4) : <NamespaceField p={p} />}
        {field("queue", 4)}
        {field("priority", 4)}
      </div>
      {rest.map((group) => (
        <fieldset class="submit-group" key={group.title}>
          {group.title === "" ? null : <legend>{words.groups[group.title] ?? group.title}</legend>}
          <div class="submit-grid">
            {rowsOf(group.parameters).map((row) => (row.length === 1 || spanOf(row[0] as Parameter) !== 3 ? row.map((q) => <ParameterField p={p} parameter={q} span={spanOf(q)} key={q.name} />) : (
              <div class="submit-row" style={{ gridTemplateColumns: `repeat(${row.length === 5 ? 5 : 4}, minmax(0, 1fr))` }} key={row[0]?.name}>{row.map((q) => <ParameterField p={p} parameter={q} span={1} key={q.name} />)}</div>
            )))}
          </div>
        </fieldset>
      ))}
      {hidden > 0 ? <p class="note">{words.inYAML(hidden)}</p> : null}
      <datalist id="namespaces">{p.namespaces.map((n) => <option value={n} />)}</datalist>
    </div>
  );
}

// rowsOf puts short neighboring fields into one row.
function rowsOf(parameters: readonly Parameter[]): Parameter[][] {
  const rows: Parameter[][] = [];
  for (const q of parameters) {
    const last = rows[rows.length - 1];
    if (last?.[0] && spanOf(q) === 3 && spanOf(last[0]) === 3) {
      last.push(q);
    } else {
      rows.push([q]);
    }
  }
  return rows;
}

// sentence capitalizes the first letter of a text.
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function NamespaceField({ p }: { p: FormProps }) {
  const wrong = p.problems["namespace"]?.[0]?.message ?? p.problems["metadata.namespace"]?.[0]?.message;
  return (
    <Field id="namespace" label={w.value.namespace} class="span-4" wrong={wrong}>
      <input id="namespace" value={p.s.namespace} list="namespaces" autocomplete="off" spellcheck={false} onInput={(e) => p.onNamespace(e.currentTarget.value)} />
    </Field>
  );
}

// titleOf returns the label of a parameter.
export function titleOf(q: Parameter): string {
  const [name = "", part = ""] = q.name.split(" ");
  const known = w.value.fields[name];
  if (part !== "" || (q.title === part && known)) {
    return part === "" ? (known ?? name) : `${known ?? name}, ${part}`;
  }
  return q.title || known || name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^./, (c) => c.toUpperCase());
}

function spanOf(q: Parameter): number {
  const kind = kindOf(q);
  if (kind === "list" || kind === "map" || kind === "check" || /^(?:image|command|args|script)/.test(q.name)) {
    return 12;
  }
  if (kind === "number" || q.type === "quantity" || q.type === "duration") {
    return 3;
  }
  return kind === "choice" ? 4 : 6;
}

function ParameterField({ p, parameter: q, span }: { p: FormProps; parameter: Parameter; span: number }) {
  const words = w.value;
  const id = "field-" + q.name.replace(/\W/g, "-");
  const text = p.s.texts[q.name] ?? "";
  const mistake = p.s.mode === "form" && (p.touched.has(q.name) || text !== "") ? mistakeOf(q, text) : undefined;
  const said = p.problems[q.name]?.[0]?.message;
  const wrong = mistake ? words.mistake(mistake) : said === undefined ? undefined : sentence(said);
  const help = helpOf(p, q);
  const described = describedBy(id, help !== undefined, wrong !== undefined);
  const change = (value: string) => p.onText(q.name, value);
  const kind = kindOf(q);
  if (kind === "check") {
    return (
      <div class="span-12">
        <Check checked={text === "true"} onChange={(on) => change(on ? "true" : "false")}>{titleOf(q)}{q.help ? <span class="text-3"> {words.helps[q.help] ?? q.help}</span> : null}</Check>
      </div>
    );
  }
  const unit = unitOf(p, q);
  const mono = kind === "list" || q.name === "image" || q.name.startsWith("image ");
  return (
    <Field id={id} label={titleOf(q)} note={q.required && p.s.mode === "form" && text === "" ? words.needed1 : undefined} help={help} wrong={wrong} unit={unit} class={"span-" + span}
      good={q.name === "name" && p.checked?.ok === true && text !== "" && wrong === undefined}>
      {kind === "choice" ? (
        <Choice id={id} value={text} describedBy={described} onChange={change} options={[...(q.required ? [] : [{ value: "", text: words.noDefault }]), ...(q.choices ?? []).map((c) => ({ value: c, text: c }))]} />
      ) : (
        <input id={id} class={mono ? "mono" : ""} value={text} required={q.required === true} inputMode={kind === "number" ? "decimal" : "text"} autocomplete="off" spellcheck={false}
          list={q.name === "namespace" ? "namespaces" : undefined} placeholder={textOf(q.default)} aria-invalid={wrong !== undefined} aria-describedby={described}
          onInput={(e) => change(e.currentTarget.value)} />
      )}
    </Field>
  );
}

function unitOf(p: FormProps, q: Parameter): string | undefined {
  const words = w.value;
  if (q.unit) {
    return words.units[q.unit] ?? q.unit;
  }
  const gpus = p.checked?.gpus ?? 0;
  const own = Number(p.s.texts[q.name] ?? "");
  return q.name === "gpus" && gpus > 0 && gpus !== own ? words.inAll(gpus) : undefined;
}

function helpOf(p: FormProps, q: Parameter): string | undefined {
  const words = w.value;
  const quota = p.checked?.forecast?.quota;
  if (q.name === "queue" && quota) {
    return words.quotaLeft(number(Math.max(0, quota.total - quota.used)), number(quota.total), p.checked?.forecast?.line?.length ?? 0);
  }
  const kind = kindOf(q);
  const form = kind === "list" ? words.listHelp : kind === "map" ? words.mapHelp : "";
  const help = words.helps[q.help ?? ""] ?? q.help ?? "";
  const first = help === "" ? "" : sentence(help) + (/[.。]$/.test(help) ? "" : words.stop);
  return [first, form].filter((t) => t !== "").join(shared.value.space) || undefined;
}
