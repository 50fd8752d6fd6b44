// The filter bar: tokens "key, operator, value, ×", and a field that suggests keys, then values
// with counts. Bare words match names.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { PathSuggest } from "../api";
import type { Suggestions } from "../api";
import { useKeys } from "../core/keys";
import { count, time } from "../core/format";
import { isKey, keys, parseFilter, rawValues, readValues, writtenValues } from "../core/filter";
import { states } from "../core/state";
import type { Key, Kind, Term } from "../core/filter";
import { parseTime, writtenTime } from "../core/instant";
import { useResource } from "../core/resource";
import { here, setQuery } from "../core/router";
import { stateWord, words } from "../words";
import { Icon } from "./icon";
import { StateIcon } from "./stateicon";

// operator returns the word between key and value.
function operator(t: Term): string {
  const w = words.value.filter;
  if (keys[t.key] === "label") {
    return t.op === "" ? w.has : w.hasNot;
  }
  switch (t.op) {
    case "": return t.values.length > 1 ? w.anyOf : w.is;
    case "!": return t.values.length > 1 ? w.noneOf : w.isNot;
    case ">": return w.over;
    case "<": return w.under;
    case ">=": return w.atLeast;
    case "<=": return w.atMost;
  }
}

function shownValue(key: Key, value: string): string {
  if (key === "state") {
    return stateWord(value);
  }
  const kind: Kind = keys[key];
  const ms = kind === "time" && value.includes("T") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? value : time(ms);
}

// shownValues returns the values of a term: "a, b".
function shownValues(t: Term): string {
  return writtenValues(t.values.map((v) => shownValue(t.key, v)), ", ");
}

// termText returns a term in words: "queue is gpu-h100".
export function termText(t: Term): string {
  return `${words.value.filter.keys[t.key]} ${operator(t)} ${shownValues(t)}`;
}

// removal returns the changes of the URL that remove a term.
export function removal(q: URLSearchParams, t: Term): Record<string, string[]> {
  const gone = new Set(rawValues(t));
  return { [t.key]: q.getAll(t.key).filter((v) => !gone.has(v)) };
}

// Entry is a line of the suggestions.
interface Entry {
  text: string;
  note?: string;
  state?: string;
  // next is the text of the field after the choice; without it, the choice adds a filter.
  next?: string;
  add?: { key: string; value: string };
}

// Typed is the content of the field: a key, complete values, and the beginning of another
// value.
interface Typed {
  key: Key;
  op: string;
  before: string[];
  value: string;
}

// typed splits the content of the field.
function typed(text: string): Typed | undefined {
  const m = /^\s*([a-z]+)\s*(!=|!:|>=|<=|>|<|=|:)\s*(.*)$/i.exec(text);
  const word = (m?.[1] ?? "").toLowerCase();
  if (!m || !isKey(word)) {
    return undefined;
  }
  const sign = (m[2] ?? "").replace(/^(!).$/, "$1").replace(/^[=:]$/, "");
  const excluded = sign === "" && (m[3] ?? "").startsWith("!");
  const rest = (m[3] ?? "").slice(excluded ? 1 : 0);
  const kind: Kind = keys[word];
  const values = kind === "time" ? [rest] : readValues(rest); // a date may have a comma
  return { key: word, op: excluded ? "!" : sign, before: values.slice(0, -1).filter((v) => v !== ""), value: values.at(-1) ?? "" };
}

// written returns a value in the form of a URL. Times of day are local; URLs have
// instants.
function written(key: Key, op: string, value: string): string {
  const kind: Kind = keys[key];
  if (kind === "time" && !/^(\d+[smhdw])+$/.test(value)) {
    const ms = parseTime(value);
    return op + (ms === undefined ? value : writtenTime(ms));
  }
  return op + value;
}

const samples: Partial<Record<Kind, string[]>> = { duration: [">30m", ">1h", ">24h", "<5m"], number: [">=8", ">=1", "1", "0"], time: [">1h", ">24h", ">7d", "<7d"] };

// FilterBarProps: hidden are keys that the page shows elsewhere.
export interface FilterBarProps {
  hidden?: (t: Term) => boolean;
  short?: boolean;
}

// FilterBar shows and changes the filters of the URL.
export function FilterBar({ hidden, short }: FilterBarProps) {
  const w = words.value;
  const id = useId();
  const q = here.value.query;
  const filter = parseFilter(q);
  const shown = filter.terms.filter((t) => !hidden?.(t));
  const input = useRef<HTMLInputElement>(null);
  const [text, type] = useState("");
  const [open, set] = useState(false);
  const [chosen, choose] = useState(-1);
  const entries = useEntries(text, open, q);
  const at = Math.min(chosen, entries.length - 1);
  useKeys([{ key: "/", what: w.keys.filter, run: () => input.current?.focus() }]);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);

  const clear = () => { type(""); choose(-1); };
  const add = (key: string, ...values: string[]) => {
    const old = q.getAll(key);
    const all = [...new Set([...old, ...values])];
    if (all.length > old.length) {
      setQuery({ [key]: all });
    }
    clear();
  };
  const take = (e: Entry) => {
    if (e.next !== undefined) {
      type(e.next);
      choose(-1);
      input.current?.focus();
    } else if (e.add) {
      const t = typed(text);
      add(e.add.key, ...(t?.before ?? []).map((v) => (t ? written(t.key, t.op, v) : v)), e.add.value);
    }
  };
  const enter = () => {
    const entry = entries[at];
    const t = typed(text);
    if (entry) {
      take(entry);
    } else if (t && (t.value !== "" || t.before.length > 0)) {
      add(t.key, ...[...t.before, t.value].filter((v) => v !== "").map((v) => written(t.key, t.op, v)));
    } else if (!t && text.trim() !== "") {
      setQuery({ q: [...filter.words, ...text.trim().split(/\s+/)].join(" ") });
      clear();
    }
  };
  const press = (e: KeyboardEvent) => {
    if (e.isComposing) {
      return;
    }
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      set(true);
      choose(entries.length === 0 ? -1 : (at + (e.key === "ArrowDown" ? 1 : entries.length - (at < 0 ? 0 : 1))) % entries.length);
    } else if (e.key === "Enter") {
      e.preventDefault();
      enter();
    } else if (e.key === "Escape") {
      e.preventDefault();
      e.stopPropagation();
      if (open && entries.length > 0 && text !== "") { clear(); } else { input.current?.blur(); }
    } else if (e.key === "Backspace" && text === "") {
      const last = shown.at(-1);
      if (filter.words.length > 0) { setQuery({ q: null }); } else if (last) { setQuery(removal(q, last)); }
    } else if (e.key === "Tab" && at >= 0 && entries[at]?.next !== undefined) {
      e.preventDefault();
      enter();
    }
  };
  const any = shown.length > 0 || filter.words.length > 0;
  const removeAll = () => setQuery({ ...Object.fromEntries(shown.map((t) => [t.key, null])), q: null });
  return (
    <div class="filter-bar" role="search" aria-label={w.filter.label} onClick={(e) => e.target === e.currentTarget && input.current?.focus()}>
      <Icon name="search" />
      {shown.map((t) => <Token key={t.key + t.op} term={t} onEdit={() => { setQuery(removal(q, t)); type(`${t.key}${t.op === "!" ? "!=" : t.op || "="}${writtenValues(t.values)}`); input.current?.focus(); }} onRemove={() => setQuery(removal(q, t))} />)}
      {filter.words.length > 0 ? <WordsToken words={filter.words} /> : null}
      <input ref={input} class="filter-input" type="text" value={text} placeholder={any && short ? w.filter.addShort : w.filter.add} aria-label={w.filter.add} role="combobox" aria-expanded={open && entries.length > 0} aria-controls={id + "-list"} aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined} autocomplete="off" spellcheck={false} enterkeyhint="search"
        onFocus={() => set(true)} onBlur={() => set(false)} onInput={(e) => { type(e.currentTarget.value); choose(-1); set(true); }} onKeyDown={press} />
      {any ? <button class="filter-clear" type="button" onClick={removeAll}>{w.filter.clear}</button> : null}
      <kbd aria-hidden="true">/</kbd>
      {open && entries.length > 0 ? <EntryList id={id} entries={entries} at={at} choose={choose} take={take} /> : null}
    </div>
  );
}

function WordsToken({ words: list }: { words: string[] }) {
  const w = words.value.filter;
  return (
    <span class="token"><span class="token-edit"><span class="token-key">{w.keys.q}</span> <span class="token-op">{w.contains}</span> <b>{list.join(" ")}</b></span>
      <button class="token-x" type="button" aria-label={w.remove(list.join(" "))} onClick={() => setQuery({ q: null })}><Icon name="close" size={10} /></button></span>
  );
}

function EntryList({ id, entries, at, choose, take }: { id: string; entries: Entry[]; at: number; choose: (i: number) => void; take: (e: Entry) => void }) {
  return (
    <div class="filter-list float" id={id + "-list"} role="listbox" aria-label={words.value.filter.suggestions} onPointerDown={(e) => e.preventDefault()}>
      {entries.map((e, i) => (
        <div class="palette-item" role="option" id={`${id}-${i}`} aria-selected={i === at} onPointerMove={() => choose(i)} onClick={() => take(e)}>
          {e.state ? <StateIcon state={e.state} /> : null}<span class="cut">{e.text}</span>{e.note ? <span class="note">{e.note}</span> : null}
        </div>
      ))}
    </div>
  );
}

function Token({ term, onEdit, onRemove }: { term: Term; onEdit: () => void; onRemove: () => void }) {
  const w = words.value.filter;
  return (
    <span class="token">
      <button class="token-edit" type="button" onClick={onEdit} data-tip-cut={termText(term)}><span class="token-key">{w.keys[term.key]}</span> <span class="token-op">{operator(term)}</span> <b>{shownValues(term)}</b></button>
      <button class="token-x" type="button" aria-label={w.remove(termText(term))} onClick={onRemove}><Icon name="close" size={10} /></button>
    </span>
  );
}

// useEntries returns the suggestions for a text.
function useEntries(text: string, open: boolean, q: URLSearchParams): Entry[] {
  const w = words.value.filter;
  const t = typed(text);
  const kind: Kind | undefined = t ? keys[t.key] : undefined;
  const asks = open && t !== undefined && (kind === "text" || kind === "label");
  const params = new URLSearchParams(q);
  for (const name of ["after", "before", "sel", "sort", "limit", t?.key ?? ""]) {
    params.delete(name);
  }
  if (params.get("window") === "all") {
    params.delete("window");
  }
  if (t) {
    params.set("key", t.key);
    params.set("prefix", t.value);
  }
  const found = useResource<Suggestions>(asks ? PathSuggest : "", { params, keep: true });
  if (!open) {
    return [];
  }
  if (!t) {
    const begun = text.trim().toLowerCase();
    return (Object.keys(keys) as Key[]).filter((k) => k !== "window" && k !== "mine" && (begun === "" ? k !== "type" && k !== "pods" : k.startsWith(begun) || w.keys[k].toLowerCase().startsWith(begun)))
      .map((k) => ({ text: w.keys[k], note: k === w.keys[k] ? "" : k, next: k + "=" }));
  }
  if (kind === "state") {
    return states.filter((s) => s.toLowerCase().startsWith(t.value.toLowerCase()) || stateWord(s).startsWith(t.value)).map((s) => ({ text: stateWord(s), state: s, add: { key: "state", value: t.op + s } }));
  }
  if (kind && samples[kind] && t.value === "" && t.op === "") {
    return (samples[kind] ?? []).map((v) => ({ text: `${w.keys[t.key]} ${v}`, add: { key: t.key, value: v } }));
  }
  if (!asks) {
    return [];
  }
  return (found.data?.items ?? []).filter((s) => s.key === t.key && s.value).map((s) => ({ text: s.value ?? "", note: s.count ? count(s.count) : "", add: { key: t.key, value: t.op + (s.value ?? "") } }));
}
