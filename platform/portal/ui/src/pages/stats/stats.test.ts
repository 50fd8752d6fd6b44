import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerShare, StatsBucket } from "../../api";
import { axisDuration, axisNumber, durationTicks, numberTicks } from "./axis";
import { folded, joined } from "./shares";
import { nearest, runs } from "./chart";
import { shareOf, signed, verdict } from "./compare";
import { csv } from "./csv";
import { gpuHours } from "./gpuhours";
import { ageText, daysOf, outcomeBars, spanText, usualDays } from "./period";
import { otherPeriod, periodOf, requestOf } from "./request";

const now = Date.parse("2026-11-22T02:42:08Z"); // 10:42:08 in Shanghai
const hour = 3_600_000;
const day = 24 * hour;

test("better and worse are words of the number, not of its direction", () => {
  assert.deepEqual([verdict(80, 100, "less").word, verdict(80, 100, "more").word, verdict(80, 100, "neither").word], ["better", "worse", ""]);
  assert.deepEqual(verdict(0.831, 0.807, "more").direction, "up");
  assert.equal(verdict(5, 5, "less").direction, "same");
  assert.equal(verdict(100.01, 100, "less").direction, "same");
  assert.equal(verdict(5, undefined, "less").direction, "unknown");
  assert.equal(verdict(Number.NaN, 5, "less").direction, "unknown");
  assert.ok(Number.isNaN(verdict(5, 0, "less").share));
  assert.ok(Number.isNaN(shareOf(1, 0)));
  assert.deepEqual([signed(19), signed(-8), signed(0)], ["+19", "−8", "0"]);
});

test("axes end on round values above the highest one", () => {
  for (let i = 0; i < 3000; i++) {
    const max = Math.pow(1.01, i % 1500) * (1 + (i % 7) / 7);
    for (const ticks of [durationTicks(max), numberTicks(max)]) {
      assert.ok((ticks.at(-1) ?? 0) >= max && ticks.length <= 12, `${max}: ${ticks.join(" ")}`);
      assert.ok(ticks.every((t, k) => k === 0 || t > (ticks[k - 1] ?? 0)));
    }
  }
  assert.deepEqual(durationTicks(3.6 * 3600).map(axisDuration), ["0", "1 h", "2 h", "3 h", "4 h"]);
  assert.deepEqual(numberTicks(290, 4), [0, 100, 200, 300]);
  assert.deepEqual(numberTicks(0), [0, 1]);
  assert.deepEqual([axisNumber(300), axisNumber(12_500), axisNumber(2_000_000)], ["300", "12.5k", "2M"]);
});

test("files: quotes, lines and formulas", () => {
  assert.equal(csv(["a"], [["x,y"], ['q"r'], ["line\nbreak"], [3.5], [undefined], [Number.NaN]]), 'a\r\n"x,y"\r\n"q""r"\r\n"line\nbreak"\r\n3.5\r\n\r\n\r\n');
  for (const evil of ["=1+1", "+cmd", "-2", "@SUM(A1)", "\t=1", " =1"]) {
    assert.ok(csv([], [[evil]]).includes("'" + evil.trimEnd()), evil);
  }
});

test("a period of days begins at a local midnight, the one before is as long", () => {
  const p = periodOf("", "", now, 7);
  assert.deepEqual([new Date(p.from).getHours(), p.to], [0, now]);
  assert.equal(new Date(p.from).getDate(), 16);
  const before = otherPeriod(p, "before");
  if (before === undefined) {
    throw new Error("no period before");
  }
  assert.equal(before.to - before.from, p.to - p.from);
  assert.equal((p.from - before.from) / day, 7);
  assert.deepEqual(otherPeriod(periodOf("24h", "", now, 7), "before"), { from: now - 2 * day, to: now - day });
  assert.equal(otherPeriod(p, "none"), undefined);
  const ask = requestOf(new URLSearchParams("queue=a&queue=b&vs=week&state=Failed&from=7d"), p, "week", now);
  assert.deepEqual(ask.getAll("queue"), ["a", "b"]);
  assert.deepEqual([ask.has("state"), ask.has("to"), ask.get("from"), ask.get("vs")], [false, false, "2026-11-15T16:00:00Z", "2026-11-08T16:00:00Z"]);
});

test("a period is named by its days", () => {
  const date = (ms: number): string => `Nov ${new Date(ms).getDate()}`;
  const clock = (ms: number): string => new Date(ms).toTimeString().slice(0, 5);
  assert.equal(spanText(periodOf("7d", "", now, 30), now, date, clock), "Nov 16 – 22");
  assert.equal(spanText({ from: now - 3 * hour, to: now }, now, date, clock), "Nov 22, 07:42 – 10:42");
});

test("bars are local days, and lose no job", () => {
  const from = periodOf("7d", "", now, 30).from;
  const buckets: StatsBucket[] = Array.from({ length: 79 }, (_, i) => {
    const spread = { count: 0, median: 0, p90: 0, p99: 0, max: 0 };
    return { from: new Date(from + i * 2 * hour).toISOString(), waited: spread, ran: spread, outcomes: { Succeeded: i, Failed: 1 }, gpuHours: { waited: 0, ran: 0 } };
  });
  const bars = outcomeBars(buckets, 7200);
  assert.equal(bars.length, 7);
  assert.equal(bars.reduce((n, b) => n + (b.outcomes["Succeeded"] ?? 0) + (b.outcomes["Failed"] ?? 0), 0), (78 * 79) / 2 + 79);
  assert.ok(outcomeBars(buckets.slice(0, 30), 7200, 10).length <= 10);
});

test("causes of both periods, owners beyond the first", () => {
  assert.deepEqual(joined([{ word: "a", count: 3 }], [{ word: "b", count: 2 }]), [{ word: "a", count: 3, before: 0 }, { word: "b", count: 0, before: 2 }]);
  assert.deepEqual(joined([{ word: "a", count: 3 }], undefined), [{ word: "a", count: 3, before: undefined }]);
  const owners: OwnerShare[] = Array.from({ length: 10 }, (_, i) => ({ owner: `o${i}`, jobs: 1, failed: 0, ran: 10 - i, waited: 1 }));
  const few = folded(owners, 7);
  assert.equal(few.length, 7);
  assert.deepEqual([few[6]?.owners, few[6]?.ran, few[6]?.jobs], [4, 4 + 3 + 2 + 1, 4]);
});

test("lines break where nothing is known", () => {
  assert.deepEqual(runs([null, 1, 2, null, 3, null]), [[1, 2], [4, 4]]);
  assert.deepEqual(runs([]), []);
  assert.equal(nearest([0.1, 0.5, 0.9], 0.65), 1);
  assert.equal(nearest([], 0.5), -1);
});

test("a young history has a short period, unless the URL says otherwise", () => {
  assert.deepEqual([0, hour / 60, 2 * hour, 3 * day, 20 * day, 400 * day, Infinity].map((age) => ageText(usualDays(age))), ["1h", "1h", "1d", "7d", "30d", "30d", "30d"]);
  assert.deepEqual(periodOf("", "", now, usualDays(0)), { from: now - hour, to: now });
  assert.deepEqual(periodOf("nonsense", "", now, usualDays(0)), { from: now - hour, to: now });
  assert.deepEqual(periodOf("24h", "", now, usualDays(0)), { from: now - day, to: now });
  for (const days of [1 / 24, 1, 14]) {
    assert.equal(daysOf(ageText(days)), days);
  }
});

test("few GPU hours are minutes", () => {
  assert.deepEqual([0, 0.001, 0.05, 0.0999, 0.1, 4.24, 9.94, 9.96, 1284.4].map((h) => gpuHours(h)), ["0", "< 0.1 min", "3 min", "6 min", "0.1", "4.2", "9.9", "10", "1,284"]);
  assert.deepEqual([gpuHours(0.3, 0.4), gpuHours(0.3, 2), gpuHours(0.03, 2)], ["18.0 min", "0.3", "1.8 min"]);
});
