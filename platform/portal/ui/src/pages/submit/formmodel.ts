// The form of a template: its texts, its mistakes, and the values to send.

import type { Parameter } from "../../api";
import { duration, quantity } from "./quantity";
import { line, open, pairs, words } from "./shellwords";

// Mistake is the mistake of a field; the page has the words.
export interface Mistake {
  code: "required" | "integer" | "number" | "quantity" | "duration" | "choice" | "pattern" | "pair" | "quote" | "least" | "most" | "shortest" | "longest" | "fewest" | "mostItems";
  // The limit or the text that the sentence names.
  detail?: string;
  // The correct value, if there is exactly one.
  repair?: string;
}

// Texts are the texts of the fields, by the name of the parameter.
export type Texts = Record<string, string>;

// Kind is the control of a field.
export type Kind = "text" | "number" | "check" | "choice" | "list" | "map";

// kindOf returns the control of a parameter.
export function kindOf(p: Parameter): Kind {
  if ((p.choices?.length ?? 0) > 0) return "choice";
  switch (p.type) {
    case "int":
    case "integer":
    case "number":
      return "number";
    case "bool":
    case "boolean":
      return "check";
    case "list":
    case "map":
      return p.type;
  }
  return "text";
}

// textOf returns a value as a field shows it.
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return line(value.map(String));
  if (typeof value === "object") return line(Object.entries(value).map(([k, v]) => `${k}=${String(v)}`));
  return String(value);
}

// beginning returns the texts of an empty form: the defaults.
export function beginning(parameters: Parameter[]): Texts {
  return Object.fromEntries(parameters.map((p) => [p.name, textOf(p.default)]));
}

// Group is a part of the form under one heading.
export interface Group {
  title: string;
  parameters: Parameter[];
}

// groups orders parameters by their heading, in the order in which headings first occur.
export function groups(parameters: Parameter[]): Group[] {
  const list: Group[] = [];
  for (const p of parameters) {
    const title = p.group ?? "";
    const group = list.find((g) => g.title === title);
    if (group === undefined) list.push({ title, parameters: [p] });
    else group.parameters.push(p);
  }
  return list;
}

// mistakeOf returns the mistake in the text of a parameter.
export function mistakeOf(p: Parameter, text: string): Mistake | undefined {
  if (text.trim() === "") return p.required === true && textOf(p.default) === "" ? { code: "required" } : undefined;
  const kind = kindOf(p);
  if (kind === "choice") return (p.choices ?? []).includes(text) ? undefined : { code: "choice", detail: (p.choices ?? []).join(", ") };
  if (kind === "list" || kind === "map") return mistakeOfItems(p, text, kind);
  switch (p.type) {
    case "int":
    case "integer":
      if (!/^[+-]?\d{1,15}$/.test(text.trim())) return { code: "integer" };
      return bounded(p, Number(text));
    case "number": {
      const n = Number(text.trim());
      return Number.isFinite(n) ? bounded(p, n) : { code: "number" };
    }
    case "quantity": {
      const n = quantity(text);
      return n === undefined ? { code: "quantity" } : bounded(p, n);
    }
    case "duration": {
      const n = duration(text);
      return n === undefined ? { code: "duration" } : bounded(p, n);
    }
  }
  const length = [...text].length;
  if (limit(p.min) > length) return { code: "shortest", detail: textOf(p.min) };
  if (p.max !== undefined && limit(p.max) < length) return { code: "longest", detail: textOf(p.max) };
  return matches(p, text) ? undefined : { code: "pattern", detail: p.pattern ?? "" };
}

function mistakeOfItems(p: Parameter, text: string, kind: "list" | "map"): Mistake | undefined {
  if (open(text)) return { code: "quote" };
  const items = words(text);
  if (limit(p.min) > items.length) return { code: "fewest", detail: textOf(p.min) };
  if (p.max !== undefined && limit(p.max) < items.length) return { code: "mostItems", detail: textOf(p.max) };
  if (kind === "map") {
    const bare = pairs(text).find(([key, value]) => value === undefined || key === "");
    if (bare !== undefined) return { code: "pair", detail: bare[0] };
  }
  const values = kind === "map" ? pairs(text).map(([, value]) => value ?? "") : items;
  const odd = values.find((value) => !matches(p, value));
  return odd === undefined ? undefined : { code: "pattern", detail: p.pattern ?? "" };
}

// bounded compares a number with the limits. The limit itself is the repair.
function bounded(p: Parameter, n: number): Mistake | undefined {
  const least = textOf(p.min);
  const most = textOf(p.max);
  if (least !== "" && n < measure(p, least)) return { code: "least", detail: least, repair: least };
  if (most !== "" && n > measure(p, most)) return { code: "most", detail: most, repair: most };
  return undefined;
}

function measure(p: Parameter, bound: string): number {
  if (p.type === "quantity") return quantity(bound) ?? Number.NaN;
  if (p.type === "duration") return duration(bound) ?? Number(bound);
  return Number(bound);
}

function limit(bound: unknown): number {
  const n = Number(textOf(bound));
  return Number.isFinite(n) ? n : 0;
}

// matches compares with the pattern. A pattern that only the server supports matches
// everything.
function matches(p: Parameter, text: string): boolean {
  if (p.pattern === undefined || p.pattern === "") return true;
  try {
    return new RegExp(`^(?:${p.pattern})$`, "u").test(text);
  } catch {
    return true;
  }
}

// mistakes returns the mistakes of a form, by the name of the parameter.
export function mistakes(parameters: Parameter[], texts: Texts): Record<string, Mistake> {
  const found: Record<string, Mistake> = {};
  for (const p of parameters) {
    const mistake = mistakeOf(p, texts[p.name] ?? "");
    if (mistake !== undefined) found[p.name] = mistake;
  }
  return found;
}

// valuesOf returns the values to send. Empty fields and fields with mistakes are omitted.
export function valuesOf(parameters: Parameter[], texts: Texts): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const p of parameters) {
    const text = texts[p.name] ?? "";
    if (text.trim() === "" || mistakeOf(p, text) !== undefined) continue;
    values[p.name] = valueOf(p, text);
  }
  return values;
}

function valueOf(p: Parameter, text: string): unknown {
  switch (p.type) {
    case "int":
    case "integer":
    case "number":
      return Number(text);
    case "bool":
    case "boolean":
      return text === "true";
    case "list":
      return words(text);
    case "map":
      return Object.fromEntries(pairs(text).map(([key, value]) => [key, value ?? ""]));
    case "quantity":
    case "duration":
      return text.trim();
  }
  return text;
}
