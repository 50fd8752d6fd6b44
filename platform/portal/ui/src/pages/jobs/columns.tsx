// The columns of the list.

import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Detail } from "../../api";
import { unrecordedSince } from "../../core/recording";
import { param, setQuery } from "../../core/router";
import { shownNow } from "../../core/shown";
import { duration, none, number } from "../../core/format";
import { recall, remember } from "../../core/storage";
import { StateCell } from "../../design/button";
import { LifeStrip } from "../../design/lifestrip";
import { words } from "../../words";
import { language } from "../../words/language";
import { Name, Time } from "../../design/text";
import { readChoice, writeChoice } from "./columnchoice";
import { grown, ticks } from "./rows";
import type { Row } from "./rows";
import { words as w } from "./words";

// ColumnName names a column.
export type ColumnName = keyof typeof w.value.column;

// Column describes the layout of a column.
export interface Column {
  name: ColumnName;
  // width in pixels with its padding; 0 for the columns that share the remaining width.
  width: number;
  least: number;
  numeric?: boolean;
  // sort is the key of the parameter sort.
  sort?: string;
  // leaves is the order in which a narrow list drops columns: the highest first; 0 stays.
  leaves: number;
  cell: (row: Row) => ComponentChildren;
}

function text(value: string | undefined): ComponentChildren {
  return value ? <Name text={value} /> : <span class="text-3">{none}</span>;
}

function amount(n: number): ComponentChildren {
  return n > 0 ? number(n) : <span class="text-3">{none}</span>;
}

// Growing shows a duration that grows while the job is open.
function Growing({ row, part }: { row: Row; part: "waited" | "ran" }) {
  const seconds = grown(row, ticks(row.job.state) ? shownNow.value : row.asOf, unrecordedSince(row.job.cluster, row.job.type))[part];
  return seconds < 1 ? <span class="text-3">{none}</span> : <>{duration(seconds)}</>;
}

// timeWidth is the width of a column of times. A date is longer in Chinese.
function timeWidth(): number {
  return language.value === "zh" ? 136 : 108;
}

// all are the columns in the order of the list.
export const all: Column[] = [
  { name: "state", width: 112, least: 112, sort: "state", leaves: 0, cell: (r) => <StateCell state={r.job.state} /> },
  { name: "name", width: 0, least: 200, sort: "name", leaves: 0, cell: (r) => <Name text={r.job.name} /> },
  { name: "namespace", width: 116, least: 116, sort: "namespace", leaves: 7, cell: (r) => text(r.job.namespace) },
  { name: "cluster", width: 100, least: 100, leaves: 10, cell: (r) => text(r.job.cluster) },
  { name: "kind", width: 108, least: 108, leaves: 11, cell: (r) => text(r.job.kind) },
  { name: "queue", width: 92, least: 92, sort: "queue", leaves: 3, cell: (r) => text(r.job.queue) },
  { name: "owner", width: 84, least: 84, sort: "owner", leaves: 4, cell: (r) => text(r.job.owner) },
  { name: "priority", width: 84, least: 84, leaves: 12, cell: (r) => text(r.job.priority) },
  { name: "gpus", width: 56, least: 56, numeric: true, sort: "gpus", leaves: 5, cell: (r) => amount(r.job.gpus) },
  { name: "pods", width: 56, least: 56, numeric: true, leaves: 13, cell: (r) => amount(r.job.pods) },
  { name: "submitted", get width() { return timeWidth(); }, get least() { return timeWidth(); }, numeric: true, sort: "submitted", leaves: 1, cell: (r) => <Time at={r.job.submitted} /> },
  { name: "since", get width() { return timeWidth(); }, get least() { return timeWidth(); }, numeric: true, sort: "since", leaves: 14, cell: (r) => <Time at={r.job.since} /> },
  { name: "ended", get width() { return timeWidth(); }, get least() { return timeWidth(); }, numeric: true, leaves: 15, cell: (r) => <Time at={r.job.ended} /> },
  { name: "waited", width: 80, least: 80, numeric: true, sort: "waited", leaves: 2, cell: (r) => <Growing row={r} part="waited" /> },
  { name: "ran", width: 80, least: 80, numeric: true, sort: "ran", leaves: 2, cell: (r) => <Growing row={r} part="ran" /> },
  { name: "tries", width: 52, least: 52, numeric: true, sort: "tries", leaves: 6, cell: (r) => <span class={r.job.tries > 1 ? "tries-many" : "text-3"}>{r.job.tries}</span> },
  { name: "life", width: 164, least: 164, leaves: 8, cell: (r) => <LifeStrip life={r.job.life} state={r.job.state} of={r.job} width={140} /> },
  { name: "detail", width: 0, least: 180, leaves: 9, cell: (r) => <DetailCell row={r} /> },
];

// translated returns the words of a detail; words about numbers are in the language of the page.
export function translated(d: Detail): Detail {
  const text = d.place ? w.value.inLine(d.place) : d.exitCode ? w.value.exitCode(d.exitCode) : d.morePods ? w.value.morePods(d.morePods) : undefined;
  if (text === undefined) {
    return d;
  }
  return d.more ? { ...d, more: text } : { ...d, word: text };
}

// longReason is the maximum length of a reason that is shown in full next to its details.
const longReason = 24;

function DetailCell({ row }: { row: Row }) {
  const d = translated(row.job.detail ?? {});
  const more = d.more ? words.value.said(d.more) : "";
  if (!d.word) {
    return <span class="hidden-text">{none}</span>;
  }
  const node = row.job.state === "Running" || row.job.state === "Succeeded";
  const look = d.strong ? "detail-strong" : node ? "text-3" : "";
  if (!more || d.word.length > longReason) {
    return <span class={look}><Name text={more ? d.word + " " + more : d.word} /></span>;
  }
  return <span class="cut block" data-tip-cut={d.word + " " + more}><span class={look}>{d.word}</span><span class="text-3"> {more}</span></span>;
}

const firstChoice: ColumnName[] = ["state", "name", "namespace", "queue", "owner", "gpus", "submitted", "waited", "ran", "tries", "life", "detail"];

const known = all.map((c) => c.name);
const kept = signal<ColumnName[]>(recall<ColumnName[]>("columns", firstChoice));

// chosen are the columns of the URL, or the stored ones of the person.
export const chosen = computed(() => readChoice(param("columns"), known) ?? kept.value);

// show changes the columns, stores them, and writes them into the URL.
function show(names: ColumnName[]): void {
  kept.value = names;
  remember("columns", names);
  setQuery({ columns: writeChoice(names, firstChoice, known) }, "replace");
}

// choose adds or removes a column.
export function choose(name: ColumnName, on: boolean): void {
  show(on ? [...chosen.value, name] : chosen.value.filter((n) => n !== name));
}

// chooseFirst restores the default columns.
export function chooseFirst(): void {
  show(firstChoice);
}

// useChoiceInURL writes stored columns into a URL without any.
export function useChoiceInURL(): void {
  const text = param("columns") === "" ? writeChoice(kept.value, firstChoice, known) : null;
  useEffect(() => {
    if (text !== null) {
      setQuery({ columns: text }, "replace");
    }
  }, [text]);
}

// Density is the height of the rows.
export type Density = "compact" | "normal" | "relaxed";

// density is the selected height of rows.
export const density = signal<Density>(recall<Density>("density", "normal"));

// setDensity changes and stores it.
export function setDensity(d: Density): void {
  density.value = d;
  remember("density", d);
}

// fitting returns the selected columns that fit into a width. The least important ones are
// dropped first, so that no line is truncated.
export function fitting(names: readonly ColumnName[], width: number): Column[] {
  let columns = all.filter((c) => names.includes(c.name) || c.leaves === 0);
  const needed = () => columns.reduce((sum, c) => sum + c.least, 0);
  while (needed() > width) {
    const gone = columns.reduce<Column | undefined>((a, c) => (c.leaves > (a?.leaves ?? 0) ? c : a), undefined);
    if (!gone) {
      break;
    }
    columns = columns.filter((c) => c !== gone);
  }
  return columns;
}
