import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "../../api";
import { emphasized } from "./emphasis";
import { axis, axisText } from "./histogram";
import { neighborsOf } from "./neighbors";
import { podText } from "./podtext";
import { layout, widthOf } from "./striplayout";
import { pairOf, revisionOf } from "./revisions";
import { tomorrow } from "./tomorrow";

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 22, 2, minutes)).toISOString();
const ms = (minutes: number) => Date.parse(at(minutes));
const text = (kind: string, t: number) => `${kind} ${t % 100}`;

test("marks never overlap, and stay on the strip", () => {
  for (let n = 1; n < 30; n++) {
    const life: Span[] = Array.from({ length: n }, (_, i) => ({ state: ["Queued", "Starting", "Running", "Restarting"][i % 4] ?? "Queued", from: at(i * 7), to: at(i * 7 + 7), gap: i % 5 === 3 }));
    life.push({ state: "Failed", from: at(n * 7) });
    const strip = layout({ life, now: ms(n * 7 + 50), ended: true, width: 900, text });
    assert.equal(strip.to, ms(n * 7), "the strip of an ended job ends with it");
    const boxes = strip.marks.map((m) => {
      const w = widthOf(m.text);
      const left = m.anchor === "start" ? m.x : m.anchor === "end" ? m.x - w : m.x - w / 2;
      return [left, left + w] as const;
    }).sort((a, b) => a[0] - b[0]);
    boxes.forEach(([a, b], i) => {
      assert.ok(a >= -0.01 && b <= 900.01);
      assert.ok(i === 0 || a >= (boxes[i - 1]?.[1] ?? 0));
    });
    assert.ok(strip.marks.some((m) => m.kind === "submitted") && strip.marks.some((m) => m.kind === "ended"));
  }
});

test("marks within one minute have seconds", () => {
  const second = (n: number) => new Date(ms(0) + n * 1000).toISOString();
  const written = (life: Span[], end: number) => layout({ life, now: end, ended: true, width: 2000, text: (kind, _, seconds) => kind + (seconds ? " s" : "") }).marks.map((m) => m.text);
  const young: Span[] = [{ state: "Queued", from: second(2) }, { state: "Running", from: second(20) }, { state: "Failed", from: second(45) }];
  assert.deepEqual(written(young, ms(1)), ["submitted s", "ended s", "started s"]);
  const long: Span[] = [{ state: "Queued", from: at(0) }, { state: "Running", from: at(30) }, { state: "Restarting", from: second(1830) }, { state: "Running", from: at(40) }, { state: "Failed", from: at(60) }];
  assert.deepEqual(written(long, ms(60)).filter((t) => t.endsWith(" s")), ["started s", "again s"], "a time alone in its minute needs none");
});

test("a job that waits has room for its likely start", () => {
  const life: Span[] = [{ state: "Queued", from: at(0) }];
  const likely = { early: at(80), half: at(110), late: at(180), held: 0.8, tested: 400 };
  const strip = layout({ life, now: ms(60), ended: false, likely, width: 1000, text });
  const now = strip.now ?? Number.NaN;
  assert.ok(now < (strip.likely?.early ?? 0) && (strip.likely?.late ?? 1000) < 1000);
  assert.ok(Math.abs((strip.parts[0]?.w ?? 0) - now) < 1, "the bar ends at now");
  assert.equal(layout({ life, now: ms(200), ended: false, likely, width: 1000, text }).now, 1000, "a range that is over takes no room");
  assert.equal(layout({ life: [], now: ms(0), ended: false, width: 100, text }).parts.length, 0);
});

test("words of a sentence are strong as a whole only", () => {
  const strong = (s: string, words: string[]) => emphasized(s, words).filter((p) => p.strong).map((p) => p.text);
  assert.deepEqual(strong("queue gpu-h100 has 0 of 256 left", ["gpu-h100", "0", ""]), ["gpu-h100", "0"]);
  assert.deepEqual(strong("节点 gpu-h100-17 上的 worker-2 用完了", ["gpu-h100-17", "worker-2"]), ["gpu-h100-17", "worker-2"]);
  assert.deepEqual(strong("0 of 250 left, 05 more", ["0"]), ["0"]);
  assert.deepEqual(strong("a.b axb", ["a.b"]), ["a.b"]);
  assert.equal(emphasized("x <b>y</b>", ["b"]).map((p) => p.text).join(""), "x <b>y</b>");
});

test("neighbors of a job in the list", () => {
  const list = { query: "state=Failed", params: "state=Failed&window=24h", first: 13, total: "248", jobs: ["a", "b", "c"].map((uid) => ({ cluster: "x/y", uid })), next: "", previous: "" };
  assert.deepEqual(neighborsOf(list, { cluster: "x/y", uid: "b" }), { place: 14, total: "248", previous: "/jobs/x%2Fy/a", next: "/jobs/x%2Fy/c", list: "/jobs?state=Failed" });
  assert.equal(neighborsOf(list, { cluster: "x/y", uid: "c" })?.next, "");
  assert.equal(neighborsOf(list, { cluster: "z", uid: "b" }), undefined);
  assert.equal(neighborsOf(undefined, { cluster: "z", uid: "b" }), undefined);
});

test("the axis of the histogram has round times", () => {
  assert.deepEqual(axis(14, 1800).map(axisText), ["0", "1 h", "2 h", "3 h", "4 h", "5 h", "6 h", "7 h"]);
  assert.deepEqual(axis(6, 30).map(axisText), ["0", "1 min", "2 min", "3 min"]);
  assert.ok(axis(40, 2_000_000).length <= 9);
});

test("small parts", () => {
  assert.equal(podText("llama-worker-2", "llama"), "worker-2");
  assert.equal(podText("llama", "llama"), "llama");
  assert.equal(podText("other\u202e", "llama"), "other\u2329202E\u232a");
  const revisions = [10, 20, 30].map((m) => ({ version: String(m), seen: at(m), source: "watched" }));
  assert.equal(revisionOf(revisions, { ended: at(25) }), "20");
  assert.equal(revisionOf(revisions, {}), "30");
  assert.equal(revisionOf(revisions, { ended: at(5) }), "10");
  assert.deepEqual(pairOf(revisions), ["20", "30"]);
  assert.equal(new Date(tomorrow(ms(0))).getHours(), 9);
});
