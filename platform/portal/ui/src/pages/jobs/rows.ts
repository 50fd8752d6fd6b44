// The rows and counts of the list, as the stream changes them.

import type { Change, Count, Counts, Job, JobCounts, JobList } from "../../api";
import { matches, steady } from "../../core/filter";
import type { Filter } from "../../core/filter";
import { isFinal, waits } from "../../core/state";

// Row is a job with the state of its row.
export interface Row {
  job: Job;
  // asOf is the server's time of waited and ran, in milliseconds.
  asOf: number;
  // flash counts changes, so that each one is visible.
  flash: number;
  // outside means that the job no longer matches the filter. It stays in its place.
  outside: boolean;
}

// View is the content of the list.
export interface View {
  rows: Row[];
  counts: Counts;
  // counted is the position of the feed of the server's counts, and recent are later changes, as
  // many as are kept.
  counted: number;
  recent: readonly Change[];
  // added are the jobs that match and are not shown.
  added: ReadonlySet<number>;
  // unsure means that the counts must be read again.
  unsure: boolean;
  // changed and summary of what happened, for screen readers.
  happened: Happened;
}

// Happened counts changes since the last announcement.
export interface Happened {
  added: number;
  started: number;
  ended: number;
  failed: number;
}

const nothing: Happened = { added: 0, started: 0, ended: 0, failed: 0 };

// viewOf returns the view of an answer.
export function viewOf(list: JobList): View {
  const asOf = Date.parse(list.at);
  return {
    rows: (list.jobs ?? []).map((job) => ({ job, asOf, flash: 0, outside: false })),
    counts: { states: list.states ?? {}, all: list.all, matching: list.matching }, counted: list.position, recent: [], added: new Set(), unsure: false, happened: nothing,
  };
}

// Scope decides whether a change concerns the list.
export interface Scope {
  filter: Filter;
  mine: readonly string[];
  now: number;
}

function moved(c: Count | undefined, by: number): Count {
  const old = c ?? { n: 0 };
  return old.more ? old : { n: Math.max(0, old.n + by) };
}

function passesState(f: Filter, state: string): boolean {
  return f.terms.every((t) => t.key !== "state" || (t.op === "") === t.values.some((v) => v.toLowerCase() === state.toLowerCase()));
}

// recount moves the counts by one change: from the state before to the one after.
function recount(counts: Counts, before: string, after: string, f: Filter): Counts {
  const states = { ...counts.states };
  let { all, matching } = counts;
  if (before !== "") {
    states[before] = moved(states[before], -1);
    all = moved(all, -1);
    matching = passesState(f, before) ? moved(matching, -1) : matching;
  }
  if (after !== "") {
    states[after] = moved(states[after], 1);
    all = moved(all, 1);
    matching = passesState(f, after) ? moved(matching, 1) : matching;
  }
  return { states, all, matching };
}

function tell(h: Happened, c: Change): Happened {
  const to = c.job.state;
  return {
    added: h.added + (c.before ? 0 : 1), started: h.started + (to === "Running" && c.before !== "Running" ? 1 : 0),
    failed: h.failed + (to === "Failed" ? 1 : 0), ended: h.ended + (isFinal(to) && to !== "Failed" ? 1 : 0),
  };
}

// mostRecent limits the changes that are kept for an answer that is older than the page.
const mostRecent = 1000;

// moveBy moves the counts by a change, unless they already include it.
function moveBy(counts: Counts, counted: number, c: Change, scope: Scope): Counts {
  const before = c.before ?? "";
  const concerns = c.position > counted && (c.kind === "new" || before === "") && before !== c.job.state;
  return concerns && matches(scope.filter, c.job, scope.now, scope.mine, "state") ? recount(counts, before, c.removed ? "" : c.job.state, scope.filter) : counts;
}

// recounted returns the view with counts of the server. Their position may be before or
// after the changes of the page: no change counts twice, and none is lost.
export function recounted(view: View, c: JobCounts, scope: Scope): View {
  let counts: Counts = { states: c.states ?? {}, all: c.all, matching: c.matching };
  const recent = view.recent.filter((x) => x.position > c.position);
  for (const change of recent) {
    counts = moveBy(counts, c.position, change, scope);
  }
  const lost = view.recent.length === mostRecent && recent.length === mostRecent;
  return { ...view, counts, counted: c.position, recent, unsure: lost };
}

// apply returns the view after some changes. The order of the rows does not change, and no row
// appears or disappears.
export function apply(view: View, changes: readonly Change[], scope: Scope): View {
  let { rows, counts, added, unsure, happened } = view;
  const recent = [...view.recent, ...changes].slice(-mostRecent);
  for (const c of changes) {
    const i = rows.findIndex((r) => r.job.id === c.job.id);
    const inside = matches(scope.filter, c.job, scope.now, scope.mine);
    const counted = matches(scope.filter, c.job, scope.now, scope.mine, "state");
    const before = c.before ?? "";
    unsure ||= c.kind !== "new" || c.removed === true || !steady(scope.filter);
    counts = moveBy(counts, view.counted, c, scope);
    if (counted && (c.kind === "new" || before === "") && before !== c.job.state) {
      happened = tell(happened, c);
    }
    if (i >= 0) {
      const old = rows[i];
      rows = rows.with(i, { job: c.job, asOf: scope.now, flash: (old?.flash ?? 0) + 1, outside: !inside || c.removed === true });
    } else if (inside && (before === "" || !passesState(scope.filter, before))) {
      added = new Set(added).add(c.job.id);
    } else if (!inside && added.has(c.job.id)) {
      const fewer = new Set(added);
      fewer.delete(c.job.id);
      added = fewer;
    }
  }
  return { rows, counts, counted: view.counted, recent, added, unsure, happened };
}

// Like the recorder: a job runs while its pods do.
const runs = new Set(["Running"]);

// waitsInLine reports whether some row has a place in line.
export function waitsInLine(view: View): boolean {
  return view.rows.some((r) => r.job.detail?.place !== undefined);
}

// placed returns the view with the places in line of a newer answer. It changes nothing else: a
// row with a newer change keeps it.
export function placed(view: View, list: JobList): View {
  const newer = new Map((list.jobs ?? []).map((j) => [j.id, j]));
  const rows = view.rows.map((r) => {
    const j = newer.get(r.job.id);
    return j && j.state === r.job.state && waits(j.state) ? { ...r, job: { ...r.job, detail: j.detail } } : r;
  });
  return { ...view, rows };
}

// grown returns the seconds that a job has waited and run at an instant, or when its type ceased to
// be recorded.
export function grown(row: Row, now: number, unrecordedSince = Infinity): { waited: number; ran: number } {
  const end = Math.max(now, row.asOf);
  const more = (Math.min(end, unrecordedSince) - row.asOf) / 1000;
  return { waited: Math.max(0, row.job.waited + (waits(row.job.state) ? more : 0)), ran: Math.max(0, row.job.ran + (runs.has(row.job.state) ? more : 0)) };
}

// ticks reports whether the times of a job grow.
export function ticks(state: string): boolean {
  return waits(state) || runs.has(state);
}
