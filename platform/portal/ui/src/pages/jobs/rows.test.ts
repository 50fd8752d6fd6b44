import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, Counts, Job, JobList } from "../../api";
import { matches, parseFilter } from "../../core/filter";
import { states } from "../../core/state";
import type { Filter } from "../../core/filter";
import { readChoice, writeChoice } from "./columnchoice";
import { field } from "./csv";
import { asked } from "./query";
import { apply, grown, placed, recounted, viewOf, waitsInLine } from "./rows";
import { placeOf } from "./usePlaceOfNews";

const start = Date.parse("2026-11-22T02:00:00Z");

// random returns numbers below n, the same ones in each run.
function random(seed: number): (n: number) => number {
  let x = seed;
  return (n) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return Math.floor((x / 2 ** 32) * n);
  };
}

function job(id: number, state: string, queue: string): Job {
  const at = new Date(start).toISOString();
  return { id, cluster: "c", uid: String(id), type: "jobs.batch", kind: "Job", namespace: "n", name: "job-" + id, state, since: at, submitted: at, presence: "Present", waited: 0, ran: 0, tries: 1, gpus: 1, pods: 1, queue, detail: {}, life: [], version: "1" };
}

// countAll counts from scratch: the model of the counts.
function countAll(jobs: Job[], f: Filter): Counts {
  const counts: Counts = { states: {}, all: { n: 0 }, matching: { n: 0 } };
  for (const j of jobs) {
    if (matches(f, j, start, [], "state")) {
      counts.states[j.state] = { n: (counts.states[j.state]?.n ?? 0) + 1 };
      counts.all = { n: counts.all.n + 1 };
      counts.matching = { n: counts.matching.n + (matches(f, j, start) ? 1 : 0) };
    }
  }
  return counts;
}

function present(c: Counts): Record<string, number> {
  return Object.fromEntries(Object.entries(c.states).filter(([, v]) => v.n > 0).map(([k, v]) => [k, v.n]).sort());
}

test("counts that move by changes equal counts from scratch", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const r = random(seed);
    const f = parseFilter(new URLSearchParams(["", "state=Running", "queue=a", "state=Failed&state=Queued&queue=a", "state=!Running&queue=!b", "q=job-1"][seed % 6]));
    const jobs = Array.from({ length: 20 }, (_, i) => job(i, states[r(states.length)] ?? "", r(2) === 0 ? "a" : "b"));
    const shown = jobs.filter((j) => matches(f, j, start)).slice(0, 5);
    const list: JobList = { jobs: shown, ...countAll(jobs, f), position: 0, at: new Date(start).toISOString() };
    let view = viewOf(list);
    const order = view.rows.map((row) => row.job.id);
    for (let i = 1; i <= 60; i++) {
      const at = r(jobs.length + 1);
      const old = jobs[at];
      const next = old ? { ...old, state: states[r(states.length)] ?? "" } : job(jobs.length, "Submitted", r(2) === 0 ? "a" : "b");
      const change: Change = { position: i, kind: "new", before: old?.state ?? "", job: next, seen: "" };
      jobs[at < jobs.length ? at : jobs.length] = next;
      view = apply(view, [change], { filter: f, mine: [], now: start });
    }
    const want = countAll(jobs, f);
    assert.deepEqual(present(view.counts), present(want), `seed ${seed}`);
    assert.equal(view.counts.all.n, want.all.n, `all, seed ${seed}`);
    assert.equal(view.counts.matching.n, want.matching.n, `matching, seed ${seed}`);
    assert.deepEqual(view.rows.map((row) => row.job.id), order, "rows moved");
    for (const row of view.rows) {
      assert.equal(row.outside, !matches(f, row.job, start));
    }
    for (const id of view.added) {
      assert.ok(matches(f, jobs[id] as Job, start) && !order.includes(id), `added ${id}, seed ${seed}`);
    }
  }
});

test("counts of the server that are older or newer than the page count each change once", () => {
  const scope = { filter: parseFilter(new URLSearchParams()), mine: [], now: start };
  const submitted = (position: number): Change => ({ position, kind: "new", before: "", job: job(position, "Submitted", "a"), seen: "" });
  const at = (position: number) => ({ states: { Submitted: { n: position } }, all: { n: position }, matching: { n: position }, position, at: new Date(start).toISOString() });
  for (let seed = 1; seed <= 100; seed++) {
    const r = random(seed);
    let view = viewOf({ jobs: [], ...at(3) });
    let server = 3;
    let page = 3;
    for (let i = 0; i < 40; i++) {
      server += r(5);
      const next = Math.min(server, page + r(6)); // the stream may be late
      view = apply(view, Array.from({ length: next - page }, (_, n) => submitted(page + n + 1)), scope);
      page = next;
      let answered = view.counted;
      if (r(3) === 0) {
        answered = Math.max(answered, server - r(8)); // the answer was created a while ago
        view = recounted(view, at(answered), scope);
      }
      const want = Math.max(page, answered);
      assert.deepEqual([view.counts.all.n, view.counts.matching.n, view.counts.states["Submitted"]?.n], [want, want, want], `seed ${seed}, step ${i}`);
    }
  }
});

test("counts beyond 10,000 stay as they are", () => {
  const list: JobList = { jobs: [], states: { Running: { n: 10000, more: true } }, all: { n: 10000, more: true }, matching: { n: 10000, more: true }, position: 0, at: new Date(start).toISOString() };
  const view = apply(viewOf(list), [{ position: 1, kind: "new", before: "", job: job(1, "Running", "a"), seen: "" }], { filter: parseFilter(new URLSearchParams()), mine: [], now: start });
  assert.deepEqual(view.counts.all, { n: 10000, more: true });
  assert.equal(view.added.size, 1);
});

test("corrections and filters of changing values ask for a count", () => {
  const list: JobList = { jobs: [], states: {}, all: { n: 0 }, matching: { n: 0 }, position: 0, at: new Date(start).toISOString() };
  const unsure = (kind: string, q: string) => apply(viewOf(list), [{ position: 1, kind, before: "", job: job(1, "Running", "a"), seen: "" }], { filter: parseFilter(new URLSearchParams(q)), mine: [], now: start }).unsure;
  assert.deepEqual([unsure("new", "queue=a"), unsure("corrected", ""), unsure("withdrawn", ""), unsure("late", ""), unsure("new", "ran=>1h")], [false, true, true, true, true]);
});

test("times grow while a job waits or runs", () => {
  const row = (state: string, unrecorded?: number) => grown({ job: { ...job(1, state, "a"), waited: 10, ran: 20 }, asOf: start, flash: 0, outside: false }, start + 5000, unrecorded);
  assert.deepEqual([row("Queued", start - 4000), row("Running", start + 1000), row("Failed", start - 4000)], [{ waited: 6, ran: 20 }, { waited: 10, ran: 21 }, { waited: 10, ran: 20 }]);
  assert.deepEqual([row("Queued"), row("Running"), row("Starting"), row("Failed")], [{ waited: 15, ran: 20 }, { waited: 10, ran: 25 }, { waited: 10, ran: 20 }, { waited: 10, ran: 20 }]);
});

test("the list asks for 24 hours unless the URL says otherwise", () => {
  assert.equal(asked(new URLSearchParams("sel=a/b&queue=x")).toString(), "queue=x&window=24h");
  assert.equal(asked(new URLSearchParams("window=all&at=1")).toString(), "at=1");
});

test("fields of CSV are no formulas", () => {
  assert.deepEqual([field("=1+1"), field('a"b,c'), field("-x"), field(3)], ["'=1+1", '"a""b,c"', "'-x", "3"]);
});

test("a job that comes to match waits in the line of new jobs, and leaves it again", () => {
  const list: JobList = { jobs: [], states: { Running: { n: 1 } }, all: { n: 1 }, matching: { n: 0 }, position: 0, at: new Date(start).toISOString() };
  const scope = { filter: parseFilter(new URLSearchParams("state=Failed")), mine: [], now: start };
  const failed = apply(viewOf(list), [{ position: 1, kind: "new", before: "Running", job: job(1, "Failed", "a"), seen: "" }], scope);
  assert.deepEqual([...failed.added], [1]);
  assert.deepEqual([...apply(failed, [{ position: 2, kind: "new", before: "Failed", job: job(1, "Restarting", "a"), seen: "" }], scope).added], []);
});

test("places in line follow the list, and a job that has moved on keeps what the stream said", () => {
  const at = (place: number): Job => ({ ...job(1, "Queued", "a"), detail: { word: "QuotaExceeded", more: "line", place } });
  const list = (j: Job[]): JobList => ({ jobs: j, ...countAll(j, parseFilter(new URLSearchParams())), position: 0, at: new Date(start).toISOString() });
  const view = viewOf(list([at(11), job(2, "Running", "a")]));
  assert.equal(waitsInLine(view), true);
  assert.equal(waitsInLine(viewOf(list([job(2, "Running", "a")]))), false);
  assert.equal(placed(view, list([at(10)])).rows[0]?.job.detail.place, 10);
  const started = apply(view, [{ position: 1, kind: "new", before: "Queued", job: job(1, "Running", "a"), seen: "" }], { filter: parseFilter(new URLSearchParams()), mine: [], now: start });
  assert.deepEqual(placed(started, list([at(10)])).rows[0]?.job.detail, {});
});

test("the line of new jobs does not push rows away under the pointer", () => {
  assert.equal(placeOf("", 0, true), "");
  assert.equal(placeOf("", 1, true), "below");
  assert.equal(placeOf("below", 2, true), "below");
  assert.equal(placeOf("below", 2, false), "above");
  assert.equal(placeOf("above", 3, true), "above");
  assert.equal(placeOf("above", 0, true), "");
  assert.equal(placeOf("", 1, false), "above");
});

test("the columns of the URL are those that were chosen", () => {
  const known = ["state", "name", "queue", "owner"] as const;
  const first = ["state", "name"] as const;
  assert.equal(writeChoice(["name", "state"], first, known), null);
  assert.equal(writeChoice(["owner", "name"], first, known), "name,owner");
  for (const names of [["state"], ["name", "owner"], [...known]] as const) {
    assert.deepEqual(readChoice(writeChoice(names, first, known) ?? "", known), names);
  }
  assert.deepEqual([readChoice("", known), readChoice("x,<b>", known), readChoice("owner,x,owner", known)], [undefined, undefined, ["owner"]]);
  assert.equal(asked(new URLSearchParams("columns=name&queue=a")).toString(), "queue=a&window=24h");
});
