import assert from "node:assert/strict";
import { test } from "node:test";
import { language } from "../words/language";
import { bytes, count, date, duration, number, percent, short, time, utc, zone } from "./format";
import { parseAge, parseTime, writtenTime } from "./instant";
import { daysBefore, midnight, setZone } from "./zone";

test("durations have two units", () => {
  const cases: [number | undefined, string][] = [[0, "0s"], [0.9, "0s"], [59.9, "59s"], [60, "1m 00s"], [318, "5m 18s"], [3599, "59m 59s"], [3600, "1h 00m"], [8040, "2h 14m"], [86399, "23h 59m"], [86400, "1d 00h"], [273600, "3d 04h"], [94_694_400, "1,096d 00h"], [-1, "–"], [undefined, "–"], [Number.NaN, "–"]];
  for (const [s, want] of cases) {
    assert.equal(duration(s), want);
  }
});

test("one unit, numbers, sizes, shares and counts", () => {
  assert.deepEqual([short(0.038), short(0.2), short(9.94), short(45), short(300), short(10800)], ["38 ms", "0.2 s", "9.9 s", "45 s", "5 min", "3 h"]);
  assert.deepEqual([number(1284), number(83.14), bytes(402_000), bytes(14_800_000), bytes(41_200_000_000), bytes(-1), percent(0.831), percent(0.01)], ["1,284", "83.1", "402 KB", "14.8 MB", "41.2 GB", "–", "83.1 %", "1.0 %"]);
  assert.deepEqual([count({ n: 0 }), count({ n: 9999 }), count({ n: 10000, more: true }), count(undefined)], ["0", "9,999", "10k+", "–"]);
});

test("times are local, with seconds today", () => {
  const now = Date.parse("2026-11-22T02:42:08Z"); // 10:42:08 in Shanghai
  assert.equal(time(Date.parse("2026-11-22T02:41:50Z"), now), "10:41:50");
  assert.equal(time(Date.parse("2026-11-21T14:10:00Z"), now), "Nov 21 22:10");
  assert.equal(date(Date.parse("2025-11-21T14:10:00Z"), now), "Nov 21, 2025");
  language.value = "zh";
  assert.equal(time(Date.parse("2026-11-21T14:10:00Z"), now), "11 月 21 日 22:10");
  language.value = "en";
  assert.equal(utc(Date.parse("2026-11-22T02:41:50.123Z")), "2026-11-22 02:41:50 UTC");
  assert.equal(zone(now), "UTC+8");
});

test("times that people write", () => {
  const now = Date.parse("2026-11-22T02:42:08Z");
  assert.equal(writtenTime(parseTime("09:15", now) ?? 0), "2026-11-22T01:15:00Z");
  assert.equal(writtenTime(parseTime("2026-11-21 22:10", now) ?? 0), "2026-11-21T14:10:00Z");
  assert.equal(writtenTime(parseTime("Nov 21 22:10", now) ?? 0), "2026-11-21T14:10:00Z");
  assert.equal(parseTime("2h", now), now - 7_200_000);
  for (const bad of ["", "25:00", "9:75", "tomorrow", "2026-13-01", "h"]) {
    assert.equal(parseTime(bad, now), undefined, bad);
  }
  assert.deepEqual([parseAge("90s"), parseAge("1h30m"), parseAge("30d"), parseAge("1x")], [90, 5400, 2_592_000, undefined]);
});

test("control characters are shown, not obeyed", () => {
});

test("days and written times are those of the chosen zone", () => {
  const now = Date.parse("2026-11-21T18:42:08.250Z"); // 02:42:08 of the 22nd in Shanghai
  const written = () => [parseTime("09:15", now), parseTime("2026-11-21", now), parseTime("2026-11-21 22:10", now), parseTime("Nov 21 22:10", now), parseTime("2026-11-21T22:10:00+02:00", now), midnight(now), midnight(now, 21), daysBefore(now, 22)].map((ms) => writtenTime(ms ?? 0));
  assert.deepEqual(written(), ["2026-11-22T01:15:00Z", "2026-11-20T16:00:00Z", "2026-11-21T14:10:00Z", "2026-11-21T14:10:00Z", "2026-11-21T20:10:00Z", "2026-11-21T16:00:00Z", "2026-10-31T16:00:00Z", "2026-10-30T18:42:08Z"]);
  setZone("utc");
  assert.equal(parseTime("Dec 30 22:10", now), Date.parse("2025-12-30T22:10:00Z"));
  assert.deepEqual(written(), ["2026-11-21T09:15:00Z", "2026-11-21T00:00:00Z", "2026-11-21T22:10:00Z", "2026-11-21T22:10:00Z", "2026-11-21T20:10:00Z", "2026-11-21T00:00:00Z", "2026-10-31T00:00:00Z", "2026-10-30T18:42:08Z"]);
  setZone("local");
});
