// The state of the page that submits jobs, and the changes by each action.

import type { FieldProblem, JobRef, Parameter, Rendered, SubmitRequest, Template } from "../../api";
import { linesOf } from "../../design/yamltokens";
import type { Draft } from "./draft";
import { fieldOf, fieldsOf } from "./fields";
import { beginning, kindOf, textOf, valuesOf } from "./formmodel";
import type { Texts } from "./formmodel";
import { follow, read, slotsOf, write } from "./mirror";
import type { Slots } from "./mirror";
import { outline, unquoted } from "./yamloutline";

// Submission is a job that is not submitted yet. It is immutable: actions return a new
// one.
export interface Submission {
  // mode is the source of truth: the fields of a template, or the YAML.
  mode: "form" | "yaml";
  // template is the template of the fields; empty if the YAML has another source.
  template: string;
  parameters: Parameter[];
  texts: Texts;
  yaml: string;
  slots: Slots;
  // base are the lines of the job that was cloned; empty for none.
  base: string[];
  cloneOf?: JobRef | undefined;
  cluster: string;
  namespace: string;
  notify: boolean;
  // hold means that the job waits until it is released.
  hold: boolean;
  key: string;
}

// empty is an empty submission.
export function empty(cluster: string, namespace: string, key: string): Submission {
  return { mode: "yaml", template: "", parameters: [], texts: {}, yaml: "", slots: {}, base: [], cluster, namespace, notify: true, hold: false, key };
}

// choose begins with a template. Fields with the same name keep their values.
export function choose(s: Submission, t: Template): Submission {
  const parameters = t.parameters ?? [];
  const texts = beginning(parameters);
  for (const p of parameters) {
    const old = s.texts[p.name];
    const before = s.parameters.find((q) => q.name === p.name);
    if (old !== undefined && old !== "" && before !== undefined && before.type === p.type && old !== textOf(before.default)) {
      texts[p.name] = old;
    }
  }
  return { ...s, mode: "form", template: t.name, parameters, texts, yaml: "", slots: {}, base: [], cloneOf: undefined };
}

// open begins with YAML: from a file, from a cloned job, or empty. base are the lines to compare
// the clone with.
export function open(s: Submission, lines: string[], base: string[] = [], cloneOf?: JobRef): Submission {
  const found = fieldsOf(lines);
  return {
    ...s, mode: "yaml", template: "", parameters: found.parameters, texts: found.texts, slots: found.slots, yaml: lines.length === 0 ? "" : lines.join("\n") + "\n",
    base, cloneOf,
  };
}

// rendered takes the YAML from the server for the form.
export function rendered(s: Submission, answer: Rendered): Submission {
  if (s.mode !== "form" || answer.yaml === "") {
    return s;
  }
  return { ...s, yaml: answer.yaml, slots: slotsOf(s.parameters, s.texts, linesOf(answer.yaml), answer.lines ?? {}) };
}

// setText changes a field, and its places in the YAML.
export function setText(s: Submission, name: string, text: string): Submission {
  const slots = s.slots[name];
  const texts = { ...s.texts, [name]: text };
  const p = s.parameters.find((q) => q.name === name);
  if (slots === undefined || p === undefined || (text === "" && s.mode === "form")) {
    return { ...s, texts };
  }
  const plain = kindOf(p) === "number" || kindOf(p) === "check";
  const yaml = write(slots, linesOf(s.yaml), text, plain && text !== "").join("\n") + "\n";
  return { ...s, texts, yaml };
}

// setYAML changes the YAML, and the fields with known places. The YAML becomes the source of
// truth.
export function setYAML(s: Submission, text: string): Submission {
  const lines = linesOf(text);
  if (s.template === "") {
    const found = fieldsOf(lines);
    return { ...s, mode: "yaml", yaml: text, parameters: found.parameters, texts: found.texts, slots: found.slots };
  }
  const slots = follow(s.slots, linesOf(s.yaml), lines);
  const texts = { ...s.texts };
  for (const [name, list] of Object.entries(slots)) {
    const value = read(list, lines);
    if (value === undefined) {
      delete slots[name];
    } else {
      texts[name] = value;
    }
  }
  return { ...s, mode: "yaml", yaml: text, slots, texts };
}

// mirrored reports whether a field can be changed: all fields of a form, and those with known
// places.
export function mirrored(s: Submission, name: string): boolean {
  return s.mode === "form" || s.slots[name] !== undefined;
}

// request returns the request to check or submit.
export function request(s: Submission): SubmitRequest {
  const clone = s.cloneOf ? { cloneOf: s.cloneOf } : {};
  const hold = s.hold ? { hold: true } : {};
  const where = { cluster: s.cluster, ...(s.namespace === "" ? {} : { namespace: s.namespace }) };
  if (s.mode === "form") {
    return { ...where, ...hold, template: s.template, values: valuesOf(s.parameters, s.texts) };
  }
  return { ...(s.texts["namespace"] ? { cluster: s.cluster } : where), ...hold, yaml: s.yaml, ...clone };
}

// placed returns the problems by field. A problem without a field has the name "".
export function placed(s: Submission, problems: readonly FieldProblem[]): Record<string, FieldProblem[]> {
  const result: Record<string, FieldProblem[]> = {};
  for (const problem of problems) {
    const name = fieldName(s, problem);
    (result[name] ??= []).push(problem);
  }
  return result;
}

// fieldName returns the field of a problem; "" if there is none.
export function fieldName(s: Submission, problem: FieldProblem): string {
  if (problem.parameter && s.parameters.some((p) => p.name === problem.parameter)) {
    return problem.parameter;
  }
  const byPath = problem.field ? fieldOf(s.slots, problem.field) : undefined;
  if (byPath !== undefined) {
    return byPath;
  }
  const line = problem.line ?? 0;
  return Object.entries(s.slots).find(([, list]) => line > 0 && list.some((slot) => slot.line === line - 1))?.[0] ?? "";
}

// repaired applies the repair of a problem.
export function repaired(s: Submission, problem: FieldProblem): Submission {
  const repair = problem.repair ?? "";
  const name = fieldName(s, problem);
  if (repair === "") {
    return s;
  }
  if (name !== "" && mirrored(s, name)) {
    return setText(s, name, repair);
  }
  const lines = linesOf(s.yaml);
  const node = outline(lines).find((n) => (problem.line ? n.line === problem.line - 1 : n.path === problem.field));
  if (node === undefined || s.mode === "form") {
    return s;
  }
  const slot = { line: node.line, path: node.path, before: "", after: "" };
  return setYAML(s, write([slot], lines, repair, /^[\d.]/.test(node.value)).join("\n") + "\n");
}

// Raise replaces the memory limit of a container.
export interface Raise {
  container: string;
  from: string;
  to: string;
}

// raised returns a submission with another memory limit of a container, and of its request if
// that was the same. Containers with another limit stay as they are.
export function raised(s: Submission, r: Raise): Submission {
  const lines = linesOf(s.yaml);
  const nodes = outline(lines);
  const parts = nodes.filter((n) => /(?:^|\.)(?:containers|initContainers)\[\d+\]\.name$/.test(n.path) && unquoted(n.value) === r.container).map((n) => n.path.replace(/\.name$/, ""));
  const slots = nodes.filter((n) => unquoted(n.value) === r.from && parts.some((p) => n.path === p + ".resources.limits.memory" || n.path === p + ".resources.requests.memory")).map((n) => ({ line: n.line, path: n.path, before: "", after: "" }));
  return slots.length === 0 ? s : setYAML(s, write(slots, lines, r.to, false).join("\n") + "\n");
}

// draftOf returns the draft to store.
export function draftOf(s: Submission, at: string): Draft {
  return {
    version: 1, template: s.mode === "form" ? s.template : "", texts: s.mode === "form" ? s.texts : {}, yaml: s.mode === "form" ? "" : s.yaml,
    cluster: s.cluster, namespace: s.namespace, notify: s.notify, hold: s.hold, key: s.key, at, ...(s.cloneOf ? { cloneOf: s.cloneOf } : {}),
  };
}

// ofDraft returns the submission of a draft. The template is found by its name; a draft is lost
// if its template no longer exists.
export function ofDraft(s: Submission, draft: Draft, templates: readonly Template[], base: string[]): Submission {
  const kept = { ...s, cluster: draft.cluster === "" ? s.cluster : draft.cluster, namespace: draft.namespace, notify: draft.notify, hold: draft.hold === true, key: draft.key };
  const t = templates.find((candidate) => candidate.name === draft.template);
  if (t !== undefined) {
    const begun = choose({ ...kept, parameters: [], texts: {} }, t);
    return { ...begun, texts: { ...begun.texts, ...draft.texts } };
  }
  if (draft.template !== "" || draft.yaml === "") {
    return s;
  }
  return open(kept, linesOf(draft.yaml), base, draft.cloneOf);
}
