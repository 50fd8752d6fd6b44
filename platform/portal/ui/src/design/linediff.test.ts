import assert from "node:assert/strict";
import { test } from "node:test";
import { counterparts, moved } from "./linediff";

// random returns numbers below n, the same ones in each run.
function random(seed: number): (n: number) => number {
  let x = seed;
  return (n) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return Math.floor((x / 2 ** 32) * n);
  };
}

// longest is the length of a longest common subsequence, by brute force: the model.
function longest(a: string[], b: string[]): number {
  if (a.length === 0 || b.length === 0) {
    return 0;
  }
  const [x, ...as] = a;
  const [y, ...bs] = b;
  return x === y ? 1 + longest(as, bs) : Math.max(longest(as, b), longest(a, bs));
}

test("counterparts are a longest common subsequence", () => {
  const r = random(1);
  const lines = () => Array.from({ length: r(8) }, () => "abc"[r(3)] ?? "");
  for (let i = 0; i < 3000; i++) {
    const [a, b] = [lines(), lines()];
    const found = counterparts(a, b);
    let last = -1;
    found.forEach((from, to) => {
      if (from >= 0) {
        assert.ok(from > last);
        assert.equal(a[from], b[to]);
        last = from;
      }
    });
    assert.equal(found.filter((from) => from >= 0).length, longest(a, b), `${a} ${b}`);
  }
});

test("large texts are not compared cell by cell", () => {
  const a = Array.from({ length: 20_000 }, (_, i) => "a" + i);
  const b = Array.from({ length: 20_000 }, (_, i) => "b" + i);
  assert.ok(counterparts(["same", ...a, "end"], ["same", ...b, "end"]).filter((from) => from >= 0).length === 2);
});

test("a line that was changed in its place is found", () => {
  assert.deepEqual(moved(["a: 1", "b: 2", "c: 3"], ["a: 1", "b: 5", "c: 3"]), [0, 1, 2]);
  assert.deepEqual(moved(["a: 1", "b: 2", "c: 3"], ["x: 0", "a: 1", "y: 0", "b: 5"]), [1, 3, -1]);
});
