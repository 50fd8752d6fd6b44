// Rows of the timeline from top to bottom: groups, jobs, and the attempts and pods of unfolded
// jobs. A layout is built when rows change, and searched during scrolling.

import type { Attempt, Pod } from "../../api";
import type { Lane, LaneSpan } from "./lane";
import { attemptsOf, keyOf, ranOf, spansOf, waitedOf } from "./lane";

export type Group = "cluster" | "queue" | "owner" | "none";

export const groups: readonly Group[] = ["cluster", "queue", "owner", "none"];

export type Sort = "submitted" | "since" | "waited" | "ran" | "gpus" | "tries" | "name" | "state";

export interface Metrics {
  readonly row: number;
  readonly sub: number;
  readonly group: number;
}

export const wide: Metrics = { row: 28, sub: 20, group: 28 };
// On the phone the name is above the bar, so that the bar has the whole width.
export const phone: Metrics = { row: 60, sub: 44, group: 44 };

interface Placed {
  readonly y: number;
  readonly height: number;
}

export interface GroupRow extends Placed {
  readonly kind: "group";
  readonly key: string;
  readonly word: string;
  readonly jobs: number;
  readonly gpus: number;
  readonly folded: boolean;
  // The lanes of the group, also while it is folded.
  readonly lanes: readonly Lane[];
}

export interface JobRow extends Placed {
  readonly kind: "job";
  readonly key: string;
  readonly lane: Lane;
  readonly unfolded: boolean;
}

export interface AttemptRow extends Placed {
  readonly kind: "attempt";
  readonly key: string;
  readonly lane: Lane;
  readonly number: number;
  readonly spans: readonly LaneSpan[];
  readonly attempt: Attempt | undefined;
  readonly unfolded: boolean;
  readonly last: boolean;
}

export interface PodRow extends Placed {
  readonly kind: "pod";
  readonly key: string;
  readonly lane: Lane;
  readonly pod: Pod;
  readonly spans: readonly LaneSpan[];
}

// A line of text below a job: pods are not recorded, or there are too many.
export interface NoteRow extends Placed {
  readonly kind: "note";
  readonly key: string;
  readonly lane: Lane;
  readonly note: "loading" | "unrecorded" | "failed" | "more";
  readonly count: number;
}

export type Row = GroupRow | JobRow | AttemptRow | PodRow | NoteRow;

// The loaded data of an unfolded job.
export interface Unfolded {
  readonly state: "loading" | "ready" | "failed";
  readonly attempts: readonly Attempt[];
  readonly pods: readonly Pod[];
  readonly recorded: boolean;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly height: number;
}

export interface Options {
  readonly group: Group;
  readonly metrics: Metrics;
  readonly folded: ReadonlySet<string>;
  readonly unfolded: ReadonlyMap<string, Unfolded>;
  // Keys of attempts ("cluster/uid#2") whose pods are shown.
  readonly unfoldedAttempts: ReadonlySet<string>;
}

// At most this many pods are shown below an attempt.
export const mostPods = 64;

// A row without its position. The conditional type distributes over the kinds of rows.
type Unplaced<R> = R extends Row ? Omit<R, "y" | "height"> : never;

// The layout of sorted lanes. Groups are in the order of their first lane's word.
export function layoutOf(lanes: readonly Lane[], o: Options): Layout {
  const rows: Row[] = [];
  let y = 0;
  const add = (row: Unplaced<Row>, height: number): void => {
    rows.push({ ...row, y, height } as Row);
    y += height;
  };
  if (o.group === "none") {
    for (const lane of lanes) addJob(lane, o, add);
    return { rows, height: y };
  }
  for (const [word, members] of grouped(lanes, o.group)) {
    const key = o.group + ":" + word;
    const folded = o.folded.has(key);
    const gpus = runningGPUs(members);
    add({ kind: "group", key, word, jobs: members.length, gpus, folded, lanes: members }, o.metrics.group);
    if (!folded) for (const lane of members) addJob(lane, o, add);
  }
  return { rows, height: y };
}

function addJob(lane: Lane, o: Options, add: (row: Unplaced<Row>, height: number) => void): void {
  const loaded = o.unfolded.get(lane.key);
  add({ kind: "job", key: lane.key, lane, unfolded: loaded !== undefined }, o.metrics.row);
  if (loaded === undefined) return;
  const attempts = attemptsOf(lane);
  attempts.forEach((a, i) => {
    const key = lane.key + "#" + String(a.number);
    const unfolded = o.unfoldedAttempts.has(key) !== (attempts.length === 1);
    const attempt = loaded.attempts.find((x) => x.number === a.number && keyOf(x.job.cluster, x.job.uid) === lane.key);
    const last = i === attempts.length - 1;
    add({ kind: "attempt", key, lane, number: a.number, spans: a.spans, attempt, unfolded, last }, o.metrics.sub);
    if (unfolded) addPods(lane, key, a.number, attempts.length === 1, loaded, o, add);
  });
  if (attempts.length === 0) addPods(lane, lane.key + "#0", 0, true, loaded, o, add);
}

function addPods(
  lane: Lane, key: string, attempt: number, all: boolean, loaded: Unfolded, o: Options,
  add: (row: Unplaced<Row>, height: number) => void,
): void {
  const note = (n: NoteRow["note"], count: number): void => {
    add({ kind: "note", key: key + "!" + n, lane, note: n, count }, o.metrics.sub);
  };
  if (loaded.state !== "ready") return note(loaded.state, 0);
  if (!loaded.recorded) return note("unrecorded", 0);
  const pods = loaded.pods.filter((p) => all || (p.attempt ?? 0) === attempt);
  for (const pod of pods.slice(0, mostPods)) {
    add({ kind: "pod", key: key + "/" + pod.uid, lane, pod, spans: spansOf(pod.life).spans }, o.metrics.sub);
  }
  if (pods.length > mostPods) note("more", pods.length - mostPods);
}

function wordOf(lane: Lane, group: Group): string {
  switch (group) {
    case "cluster":
      return lane.job.cluster;
    case "queue":
      return lane.job.queue ?? "";
    case "owner":
      return lane.job.owner ?? "";
    case "none":
      return "";
  }
}

// Lanes by group: groups in the order of their words, jobs without the word last.
function grouped(lanes: readonly Lane[], group: Group): [string, Lane[]][] {
  const by = new Map<string, Lane[]>();
  for (const lane of lanes) {
    const word = wordOf(lane, group);
    const members = by.get(word);
    if (members === undefined) by.set(word, [lane]);
    else members.push(lane);
  }
  return [...by].sort(([a], [b]) => {
    if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

function runningGPUs(lanes: readonly Lane[]): number {
  let sum = 0;
  for (const lane of lanes) if (lane.job.state === "Running" && lane.job.gpus > 0) sum += lane.job.gpus;
  return sum;
}

// The index of the first row that ends below y, by binary search.
export function rowAt(l: Layout, y: number): number {
  let low = 0;
  let high = l.rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const row = l.rows[mid];
    if (row !== undefined && row.y + row.height <= y) low = mid + 1;
    else high = mid;
  }
  return low;
}

// lastWhole returns the end of the last row that is completely visible.
export function lastWhole(l: Layout, top: number, bottom: number): number {
  const row = l.rows[visible(l, top, bottom).end - 1];
  return row === undefined || row.y <= top || row.y + row.height <= bottom ? bottom : row.y;
}

// The rows that are visible between two heights: indexes from first up to but not including end.
export function visible(l: Layout, top: number, bottom: number): { first: number; end: number } {
  const first = rowAt(l, top);
  let end = first;
  for (let row = l.rows[end]; row !== undefined && row.y < bottom; row = l.rows[end]) end++;
  return { first, end };
}

// The header of the group that the row at an index belongs to.
export function groupOf(l: Layout, index: number): GroupRow | undefined {
  for (let i = Math.min(index, l.rows.length - 1); i >= 0; i--) {
    const row = l.rows[i];
    if (row !== undefined && row.kind === "group") return row;
  }
  return undefined;
}

// Sorts lanes like the list of jobs; a leading "-" reverses the order. Ties are ordered by ID.
export function sorted(lanes: readonly Lane[], sort: string, now: number): Lane[] {
  const down = sort.startsWith("-");
  const value = valueOf(down ? sort.slice(1) : sort);
  const keyed = lanes.map((lane) => ({ lane, v: value(lane, now) }));
  keyed.sort((a, b) => {
    const c = a.v < b.v ? -1 : a.v > b.v ? 1 : a.lane.job.id - b.lane.job.id;
    return down ? -c : c;
  });
  return keyed.map((k) => k.lane);
}

function valueOf(sort: string): (lane: Lane, now: number) => number | string {
  switch (sort) {
    case "since":
      return (l) => (l.ended < Infinity ? l.ended : (l.spans[l.spans.length - 1]?.from ?? l.submitted));
    case "waited":
      return waitedOf;
    case "ran":
      return ranOf;
    case "gpus":
      return (l) => l.job.gpus;
    case "tries":
      return (l) => l.job.tries;
    case "name":
      return (l) => l.job.name;
    case "state":
      return (l) => l.job.state;
    default:
      return (l) => l.submitted;
  }
}
