import assert from "node:assert/strict";
import { test } from "node:test";
import type { Gap, Span, TimelineJob } from "../../api";
import { setZone } from "../../core/zone";
import { barsOf, holesOf, labelAt } from "./bars";
import { centered, dragged, gripAt, overviewLength } from "./brush";
import { blindOf, covers } from "./gaps";
import { spansAt } from "./hit";
import { attemptsOf, laneOf, ranOf, spansOf, waitedOf } from "./lane";
import { lastWhole, layoutOf, rowAt, sorted, visible, wide } from "./rows";
import { edgeMargin, following, pan, pinch, selected, showsNow, timeOf, xOf, zoomAt } from "./scale";
import { ticksOf } from "./ticks";
import { ageText, paramsOf, usualSpan, viewOf, viewOfScale } from "./view";

const now = Date.parse("2026-11-22T02:42:08Z"); // 10:42:08 in Shanghai
const minute = 60_000;
const hour = 60 * minute;
const iso = (ms: number): string => new Date(ms).toISOString();

// random returns the same numbers in every run.
function random(seed: number): () => number {
  let s = seed;
  return () => {
    s = (s * 1_103_515_245 + 12_345) % 2_147_483_648;
    return s / 2_147_483_648;
  };
}

function job(id: number, cluster: string, life: Span[], more: Partial<TimelineJob> = {}): TimelineJob {
  return { id, cluster, uid: `u${id}`, type: "jobs.batch", namespace: "n", name: `job-${id}`, state: "Running", gpus: 8, tries: 1, submitted: life[0]?.from ?? iso(now), life, ...more };
}

test("the live edge stays 20 px before the end", () => {
  const s = following(now, 6 * hour, 1000);
  assert.equal(Math.round(xOf(s, now)), 1000 - edgeMargin);
  assert.equal(Math.round(timeOf(s, 0)), now - 6 * hour);
});

test("zoom keeps the time under the pointer, and never shows the future", () => {
  const next = random(1);
  for (let i = 0; i < 2000; i++) {
    const from = now - (1 + next() * 100) * hour;
    const s = { from, to: from + (0.5 + next() * 3) * hour, width: 900 };
    const x = next() * 900;
    const z = zoomAt(s, x, 0.5 + next() * 2, now);
    const over = z.to - now - ((z.to - z.from) / 900) * edgeMargin;
    assert.ok(over <= 1, `shows ${over} ms of the future`);
    if (over < -1000) {
      assert.ok(Math.abs(timeOf(z, x) - timeOf(s, x)) < 1, "the time under the pointer moved");
    }
  }
});

test("fingers keep the times under them; a selection is never empty", () => {
  const s = { from: now - 10 * hour, to: now - 4 * hour, width: 360 };
  const p = pinch(s, 100, 200, 80, 260, now);
  assert.ok(Math.abs(timeOf(s, 150) - timeOf(p, 170)) < 1);
  assert.ok(Math.abs((p.to - p.from) - (6 * hour * 100) / 180) < 1);
  const one = selected(s, 50, 50);
  assert.equal(one.to - one.from, 10_000);
});

test("panning left leaves the live edge; a view at the edge follows it", () => {
  const s = following(now, hour, 1000);
  const moved = pan(s, -400, now);
  assert.equal(showsNow(moved, now), false);
  assert.equal(viewOfScale(moved, 1000, now).live, false);
  assert.equal(viewOfScale(pan(moved, 5000, now), 1000, now).live, true);
});

test("ticks fall on round local times", () => {
  const s = { from: now - 6 * hour, to: now, width: 1000 };
  const ticks = ticksOf(s, "local");
  assert.equal(ticks.length, 12);
  assert.deepEqual(ticks.map((t) => new Date(t.time).getMinutes() % 30), ticks.map(() => 0));
  assert.ok(ticks.every((t, i) => i === 0 || t.x - (ticks[i - 1]?.x ?? 0) >= 76));
  assert.ok(ticks.filter((t) => t.major).every((t) => new Date(t.time).getMinutes() === 0));
});

test("ticks are in order, apart and round for every length", () => {
  const next = random(2);
  for (const zone of ["local", "utc"] as const) {
    for (let i = 0; i < 400; i++) {
      const length = 10_000 * Math.pow(3_000_000, next());
      const to = now - next() * 400 * 24 * hour;
      const ticks = ticksOf({ from: to - length, to, width: 1000 }, zone);
      assert.ok(ticks.length <= 15, `${ticks.length} ticks for ${length} ms`);
      assert.ok(ticks.every((t, k) => k === 0 || t.time > (ticks[k - 1]?.time ?? 0)));
      assert.ok(ticks.every((t) => t.time % 1000 === 0 && t.x >= 0 && t.x <= 1000));
    }
  }
});

test("a life becomes bars: gaps are holes in one bar, ends have none", () => {
  const from = now - 4 * hour;
  const life: Span[] = [
    { state: "Queued", from: iso(from), to: iso(from + hour) }, { state: "Running", from: iso(from + hour), to: iso(from + 2 * hour), attempt: 1 },
    { state: "Running", from: iso(from + 2 * hour), to: iso(from + 2.2 * hour), attempt: 1, gap: true }, { state: "Running", from: iso(from + 2.2 * hour), to: iso(from + 3 * hour), attempt: 1 },
    { state: "Failed", from: iso(from + 3 * hour) },
  ];
  const { spans, holes } = spansOf(life);
  assert.deepEqual(spans.map((s) => [s.state, (s.to - s.from) / hour]), [["Queued", 1], ["Running", 2]]);
  assert.equal(holes.length, 1);
  const lane = laneOf(job(1, "c", life, { ended: iso(from + 3 * hour), state: "Failed" }));
  assert.equal(waitedOf(lane, now), hour);
  assert.equal(ranOf(lane, now), 2 * hour);
  assert.deepEqual(attemptsOf(lane).map((a) => a.number), [1]);
});

test("spans under 2 px merge into one neutral block", () => {
  const s = { from: now - 1000 * minute, to: now, width: 1000 }; // a pixel is a minute
  const spans = spansOf(["Submitted", "Queued", "Starting"].map((state, i) => ({ state, from: iso(now - (500 - i) * minute), to: iso(now - (499 - i) * minute) }))).spans;
  const bars = barsOf(spans, s, now);
  assert.equal(bars.length, 1);
  assert.deepEqual([bars[0]?.state, bars[0]?.tall, bars[0]?.first, bars[0]?.last], ["", true, 0, 2]);
  const alone = barsOf(spans.slice(0, 1), s, now);
  assert.equal(alone[0]?.state, "Submitted");
});

test("bars cover what is visible, against a naive model", () => {
  const next = random(3);
  for (let i = 0; i < 500; i++) {
    let t = now - next() * 20 * hour;
    const life: Span[] = [];
    while (t < now && life.length < 60) {
      const to = t + Math.pow(next(), 4) * 4 * hour + 1;
      life.push({ state: ["Queued", "Starting", "Running", "Restarting"][Math.floor(next() * 4)] ?? "", from: iso(t), to: iso(to), attempt: life.length });
      t = to;
    }
    const { spans } = spansOf(life);
    const s = { from: now - 10 * hour, to: now - 2 * hour, width: 800 };
    const bars = barsOf(spans, s, now);
    const seen = spans.filter((x) => Math.min(x.to, now) >= s.from && x.from <= s.to).length;
    assert.equal(bars.reduce((n, b) => n + b.last - b.first + 1, 0), seen);
    assert.ok(bars.every((b) => b.x0 >= 0 && b.x1 <= s.width + 2 && b.x1 > b.x0));
    for (const b of bars.filter((x) => x.state !== "")) {
      assert.equal(spans[b.first]?.state, b.state);
    }
  }
});

test("a label never crosses a gap", () => {
  assert.equal(labelAt(0, 200, []), 0);
  assert.equal(labelAt(0, 85, []), -1);
  assert.equal(labelAt(0, 200, [[40, 60]]), 60);
  assert.equal(labelAt(0, 200, [[90, 110]]), 0);
  assert.equal(labelAt(0, 160, [[60, 80]]), -1);
  const s = { from: 0, to: 1000, width: 1000 };
  assert.deepEqual(holesOf([{ from: 100, to: 200 }, { from: 150, to: 300 }, { from: 600, to: Infinity }], s, 900), [[100, 300], [600, 900]]);
});

test("a gap covers its cluster's rows of its type, and gaps of several types are one", () => {
  const gap = (id: number, type: string, more: Partial<Gap> = {}): Gap => ({ id, cluster: "west", type, from: iso(now - hour), to: iso(now - hour + 13 * minute), cause: "window", changes: 2, closed: true, ...more });
  const all = blindOf([gap(1, "jobs.batch"), gap(2, "pods", { from: iso(now - hour + 5000) }), gap(3, "jobs.batch", { cluster: "east" }), gap(4, "rayjobs.ray.io", { namespace: "a" })]);
  assert.equal(all.length, 2);
  const west = all.find((b) => b.cluster === "west");
  if (west === undefined) {
    throw new Error("no gap of the cluster");
  }
  assert.deepEqual([west.types.length, west.changes, west.namespaces.length], [3, 6, 0]);
  assert.equal(covers(west, "west", "jobs.batch", "any"), true);
  assert.equal(covers(west, "east", "jobs.batch", "any"), false);
  assert.equal(covers(west, "west", "rayjobs.ray.io", "b"), false);
});

test("rows: groups with sums, unfolded attempts, and the visible part by search", () => {
  const life = (attempts: number): Span[] => Array.from({ length: attempts }, (_, i) => ({ state: "Running", from: iso(now - (10 - i) * hour), ...(i < attempts - 1 ? { to: iso(now - (9 - i) * hour) } : {}), attempt: i + 1 }));
  const lanes = Array.from({ length: 100 }, (_, i) => laneOf(job(i, i % 2 === 0 ? "west" : "east", life(1 + (i % 3)), { queue: i % 5 === 0 ? "" : "q" })));
  const unfolded = new Map([["west/u2", { state: "ready" as const, attempts: [], pods: [], recorded: true }]]);
  const l = layoutOf(lanes, { group: "cluster", metrics: wide, folded: new Set(), unfolded, unfoldedAttempts: new Set() });
  assert.deepEqual(l.rows.filter((r) => r.kind === "group").map((r) => [r.word, r.jobs, r.gpus]), [["east", 50, 400], ["west", 50, 400]]);
  assert.equal(l.rows.filter((r) => r.kind === "attempt").length, 3);
  assert.equal(l.height, 102 * 28 + 3 * 20);
  for (let y = -10; y < l.height + 50; y += 7) {
    const naive = l.rows.findIndex((r) => r.y + r.height > y);
    assert.equal(rowAt(l, y), naive === -1 ? l.rows.length : naive);
  }
  const { first, end } = visible(l, 500, 800);
  for (let bottom = 600; bottom < 700; bottom++) {
    const whole = lastWhole(l, 500, bottom);
    assert.ok(whole <= bottom && bottom - whole < wide.row && l.rows.some((r) => r.y + r.height === whole), `the bottom at ${bottom} cuts no row at ${whole}`);
  }
  assert.deepEqual(l.rows.slice(first, end), l.rows.filter((r) => r.y + r.height > 500 && r.y < 800));
  const queues = layoutOf(lanes, { group: "queue", metrics: wide, folded: new Set(["queue:q"]), unfolded: new Map(), unfoldedAttempts: new Set() });
  assert.deepEqual(queues.rows.filter((r) => r.kind === "group").map((r) => r.word), ["q", ""]);
  assert.equal(queues.rows.length, 2 + 20);
  assert.deepEqual(sorted(lanes, "-ran", now)[0]?.job.id, sorted(lanes, "ran", now).at(-1)?.job.id);
});

test("the pointer finds a long span exactly and narrow ones together", () => {
  const { spans } = spansOf([{ state: "Queued", from: iso(now - 10_000), to: iso(now - 9900) }, { state: "Starting", from: iso(now - 9900), to: iso(now - 9800) }, { state: "Running", from: iso(now - 9800), to: iso(now) }]);
  assert.deepEqual(spansAt(spans, now - 5000, 300, now).map((s) => s.state), ["Running"]);
  assert.deepEqual(spansAt(spans.slice(0, 2), now - 9950, 300, now).map((s) => s.state), ["Queued", "Starting"]);
});

test("the brush: grips, drags and lengths", () => {
  const s = { from: now - 24 * hour, to: now, width: 1440 }; // a pixel is a minute
  const shown = { from: now - 6 * hour, to: now - 2 * hour };
  assert.deepEqual([gripAt(s, shown, 1080), gripAt(s, shown, 1200), gripAt(s, shown, 1320), gripAt(s, shown, 100)], ["from", "middle", "to", "outside"]);
  assert.deepEqual(dragged(s, shown, "from", -60), { from: now - 7 * hour, to: now - 2 * hour });
  assert.deepEqual(dragged(s, shown, "middle", 600), { from: now - 4 * hour, to: now });
  assert.deepEqual(dragged(s, shown, "to", -2000).to, shown.from + 10_000);
  assert.deepEqual(centered(s, shown, 720), { from: now - 14 * hour, to: now - 10 * hour });
  assert.deepEqual([[minute, minute], [minute, 90 * minute], [minute, 90 * 24 * hour], [25 * hour, 25 * hour]].map(([shown = 0, age]) => overviewLength(now - shown, now, age) / minute), [5, 180, 1440, 4320]);
  assert.deepEqual([overviewLength(now - 24 * hour, now), overviewLength(now - 168 * hour, now), overviewLength(now - 25 * hour, now)].map((l) => l / hour), [24, 168, 72]);
});

test("the URL has the view", () => {
  assert.deepEqual(viewOf("", "", now), { live: true, span: 6 * hour });
  assert.deepEqual(viewOf("90m", "", now), { live: true, span: 90 * minute });
  assert.deepEqual(viewOf("2026-11-21T00:00:00Z", "2026-11-21T06:00:00Z", now), { live: false, from: Date.parse("2026-11-21T00:00:00Z"), to: Date.parse("2026-11-21T06:00:00Z") });
  assert.deepEqual(viewOf("nonsense", "<b>", now), { live: true, span: 6 * hour });
  for (const span of [45_000, 90 * minute, 6.2 * hour, 30 * 24 * hour]) {
    const { from } = paramsOf({ live: true, span });
    assert.ok(Math.abs((viewOf(from ?? "", "", now) as { span: number }).span - span) <= 30_000, ageText(span));
  }
  assert.deepEqual(paramsOf({ live: true, span: 6 * hour }), { from: null, to: null });
  assert.deepEqual([0, minute, 20 * minute, 5 * hour, 90 * 24 * hour, Infinity].map((age) => usualSpan(age) / minute), [5, 5, 30, 360, 360, 360]);
  assert.deepEqual(viewOf("", "", now, 5 * minute), { live: true, span: 5 * minute });
  assert.deepEqual([paramsOf({ live: true, span: 5 * minute }, 5 * minute).from, paramsOf({ live: true, span: 6 * hour }, 5 * minute).from], [null, "6h"]);
});

test("in UTC, ticks are round in UTC", () => {
  setZone("utc");
  assert.ok(ticksOf({ from: now - 30 * 24 * hour, to: now, width: 1000 }, "utc").every((t) => t.time % (24 * hour) === 0));
  setZone("local");
});
