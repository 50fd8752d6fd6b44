// The filter language of lists, as URLs have it: the same as package job/jobfilter. The
// pages evaluate it for changes that the stream brings.

import type { Job } from "../api";
import { instant } from "./format";
import { parseAge } from "./instant";

// Kind is the kind of values of a key.
export type Kind = "text" | "state" | "label" | "number" | "duration" | "time" | "window" | "flag";

// keys are all keys in the order in which they are suggested.
export const keys = {
  state: "state", namespace: "text", queue: "text", owner: "text", label: "label", name: "text", kind: "text", type: "text", cluster: "text", reason: "text", priority: "text",
  gpus: "number", pods: "number", tries: "number", waited: "duration", ran: "duration", submitted: "time", ended: "time", since: "time", window: "window", mine: "flag",
} as const satisfies Record<string, Kind>;

// Key is a key of a filter. "q" has bare words.
export type Key = keyof typeof keys;

// Op is an operator before a value.
export type Op = "" | "!" | ">=" | "<=" | ">" | "<";

// Term is one condition: a key with values that share an operator.
export interface Term {
  key: Key;
  op: Op;
  values: string[];
}

// Filter is the filter of a URL.
export interface Filter {
  terms: Term[];
  words: string[];
}

// isKey reports whether a word is a key.
export function isKey(word: string): word is Key {
  return Object.hasOwn(keys, word);
}

function ordered(key: Key): boolean {
  const k: Kind = keys[key];
  return k === "number" || k === "duration" || k === "time";
}

// split splits the operator from a value.
export function split(key: Key, value: string): [Op, string] {
  const ops: Op[] = ordered(key) ? ["!", ">=", "<=", ">", "<"] : ["!"];
  for (const op of ops) {
    if (value.startsWith(op)) {
      return [op, value.slice(op.length)];
    }
  }
  return ["", value];
}

// parseFilter reads the filter from the parameters of a URL.
export function parseFilter(q: URLSearchParams): Filter {
  const terms = new Map<string, Term>();
  for (const key of Object.keys(keys) as Key[]) {
    for (const raw of q.getAll(key)) {
      const [op, value] = split(key, raw);
      if (keys[key] === "flag" && value !== "true") {
        continue;
      }
      const id = key + " " + op;
      const term = terms.get(id);
      if (term) {
        term.values.push(value);
      } else {
        terms.set(id, { key, op, values: [value] });
      }
    }
  }
  if (q.getAll("window").includes("all")) { // any time
    terms.delete("window ");
  }
  const words = q.getAll("q").flatMap((t) => t.toLowerCase().split(/\s+/)).filter((t) => t !== "" && t !== "!");
  return { terms: [...terms.values()], words: [...new Set(words)] };
}

// Pattern is a text in which * stands for any text.
function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) {
    return text === first;
  }
  if (!text.startsWith(first)) {
    return false;
  }
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const i = text.indexOf(part, at);
    if (i < 0) {
      return false;
    }
    at = i + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

// contains reports whether a part of a text matches a pattern.
function contains(pattern: string, text: string): boolean {
  let at = 0;
  for (const part of pattern.split("*")) {
    const i = text.indexOf(part, at);
    if (i < 0) {
      return false;
    }
    at = i + part.length;
  }
  return true;
}

// textOf returns the value of a key that takes texts.
export function textOf(job: Job, key: Key): string {
  switch (key) {
    case "state": return job.state;
    case "namespace": return job.namespace;
    case "queue": return job.queue ?? "";
    case "owner": return job.owner ?? "";
    case "name": return job.name;
    case "kind": return job.kind;
    case "type": return job.type;
    case "cluster": return job.cluster;
    case "reason": return job.reason ?? "";
    case "priority": return job.priority ?? "";
    default: return "";
  }
}

function passesText(t: Term, text: string): boolean {
  const fold = t.key === "state" || t.key === "kind";
  const wanted = fold ? text.toLowerCase() : text;
  return t.values.some((v) => matchesPattern(fold ? v.toLowerCase() : v, wanted)) === (t.op === "");
}

function passesLabels(t: Term, labels: Record<string, string>): boolean {
  const named = (v: string) => {
    const i = v.indexOf("=");
    const [name, value] = i < 0 ? [v, undefined] : [v.slice(0, i), v.slice(i + 1)];
    return Object.entries(labels).some(([k, of]) => matchesPattern(name, k) && (value === undefined || matchesPattern(value, of)));
  };
  return t.values.some(named) === (t.op === "");
}

function compare(op: Op, n: number, limit: number): boolean {
  switch (op) {
    case ">": return n > limit;
    case ">=": return n >= limit;
    case "<": return n < limit;
    case "<=": return n <= limit;
    default: return n === limit;
  }
}

// passesNumber is for numbers and, in whole seconds for equality, durations. An unknown
// number passes only a term that excludes.
function passesNumber(t: Term, n: number | undefined, limits: (number | undefined)[]): boolean {
  if (n === undefined) {
    return t.op === "!";
  }
  if (t.op === "" || t.op === "!") {
    return limits.includes(Math.floor(n)) === (t.op === "");
  }
  return limits.length > 0 && limits.every((l) => l !== undefined && compare(t.op, n, l));
}

// interval returns the time that a text names, in milliseconds; an age names an instant.
function interval(text: string, now: number): { from: number; to: number; age: boolean } | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const from = Date.parse(text + "T00:00:00Z");
    return { from, to: from + 86_400_000, age: false };
  }
  if (/^\d{2}:\d{2}$/.test(text)) {
    const from = Date.parse(new Date(now).toISOString().slice(0, 11) + text + ":00Z");
    return { from, to: from + 60_000, age: false };
  }
  const age = parseAge(text);
  if (age !== undefined) {
    return { from: now - age * 1000, to: now - age * 1000, age: true };
  }
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : { from: at, to: at + (text.includes(".") ? 0.001 : 1000), age: false };
}

function passesTime(t: Term, at: number | undefined, now: number): boolean {
  if (at === undefined) {
    return t.op === "!";
  }
  const holds = (text: string) => {
    const i = interval(text, now);
    if (!i) {
      return false;
    }
    switch (t.op) {
      case ">": return at >= i.to && (!i.age || at > i.to);
      case ">=": return at >= i.from;
      case "<": return at < i.from;
      case "<=": return at < i.to || (i.age && at === i.to);
      default: return at >= i.from && (i.age || at < i.to);
    }
  };
  return t.op === "" || t.op === "!" ? t.values.some(holds) === (t.op === "") : t.values.every(holds);
}

// known returns a number of a job, or undefined for -1.
function known(n: number): number | undefined {
  return n < 0 ? undefined : n;
}

function passes(t: Term, job: Job, now: number, mine: readonly string[]): boolean {
  switch (t.key) {
    case "label": return passesLabels(t, job.labels ?? {});
    case "gpus": case "pods": case "tries":
      return passesNumber(t, known(job[t.key]), t.values.map(Number));
    case "waited": case "ran":
      return passesNumber(t, job[t.key], t.values.map(parseAge));
    case "submitted": case "ended": case "since":
      return passesTime(t, instant(job[t.key]), now);
    case "window": {
      const ended = instant(job.ended);
      return ended === undefined || ended >= now - Math.max(...t.values.map((v) => parseAge(v) ?? 0)) * 1000;
    }
    case "mine": return mine.includes(job.owner ?? "");
    default: return passesText(t, textOf(job, t.key));
  }
}

// matches reports whether a filter selects a job. except ignores one key.
export function matches(f: Filter, job: Job, now: number, mine: readonly string[] = [], except = ""): boolean {
  const name = job.name.toLowerCase();
  const words = f.words.every((w) => (w.startsWith("!") ? !contains(w.slice(1), name) : contains(w, name)));
  return words && f.terms.every((t) => t.key === except || passes(t, job, now, mine));
}

// changing are the keys whose values change while a job lives.
const changing = new Set<Key>(["reason", "waited", "ran", "tries", "since", "ended"]);

// steady reports whether a job that matches now matched before its last change too, apart from
// its state. Counts can then move by that change alone.
export function steady(f: Filter): boolean {
  return !f.terms.some((t) => changing.has(t.key));
}

// rawValues returns the values of a term as a URL has them.
export function rawValues(t: Term): string[] {
  return t.values.map((v) => t.op + v);
}

// writtenValues returns values as the filter bar has them: "a, b". A value that a comma or
// quotes would change stands in double quotes, and its own quotes are doubled.
export function writtenValues(values: readonly string[], between = ","): string {
  return values.map((v) => (/[",]|^\s|\s$/.test(v) ? `"${v.replaceAll('"', '""')}"` : v)).join(between);
}

// readValues reads what writtenValues has written. The last value may lack its second quote.
export function readValues(text: string): string[] {
  const out: string[] = [];
  for (const m of text.matchAll(/\s*(?:"((?:[^"]|"")*)("|$)\s*|([^,]*))(,|$)/g)) {
    out.push(m[1] === undefined ? (m[3] ?? "").trim() : m[1].replaceAll('""', '"'));
    if (m[4] === "") {
      break;
    }
  }
  return out;
}
