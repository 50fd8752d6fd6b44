import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "../api";
import { place } from "./lifepaint";

const at = (s: number) => new Date(s * 1000).toISOString();

test("a strip is as wide as it may be, and shows every span", () => {
  const cases: number[][] = [[10], [1, 1, 100000], [5, 10, 3, 100, 2, 50], [0, 0, 0], Array.from({ length: 60 }, () => 1), Array.from({ length: 200 }, (_, i) => i)];
  for (const seconds of cases) {
    let t = 0;
    const life: Span[] = seconds.map((s, i) => ({ state: i % 2 === 0 ? "Queued" : "Running", from: at(t), to: at((t += s)) }));
    life.push({ state: "Failed", from: at(t) });
    const placed = place(life, 122, t * 1000);
    assert.equal(placed.length, seconds.length);
    const total = placed.reduce((sum, p) => sum + p.w, 0);
    assert.ok(Math.abs(total - 122) < 0.01, `${seconds.length} spans take ${total}`);
    const least = Math.min(2, 122 / seconds.length) - 0.01;
    assert.ok(placed.every((p) => p.w >= least), "a span is lost");
  }
});

test("an open span lasts until now", () => {
  const [a, b] = place([{ state: "Queued", from: at(0), to: at(100) }, { state: "Running", from: at(100) }], 100, 400_000);
  assert.deepEqual([a?.w, b?.w, b?.seconds], [25, 75, 300]);
});
