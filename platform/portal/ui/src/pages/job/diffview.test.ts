import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiffLine } from "../../api";
import { opened, parts, rows, split } from "./diffview";

// diff parses a sketch of lines: "=" unchanged, "-" and "+" changed, "b" changed bookkeeping.
function diff(picture: string): DiffLine[] {
  let left = 0;
  let right = 0;
  return [...picture].map((op) => {
    if (op !== "+") left++;
    if (op !== "-") right++;
    if (op === "b") {
      left--;
      return { op: "+", right, text: "b" + right, bookkeeping: true };
    }
    return { op, text: `t${left}`, ...(op === "+" ? {} : { left }), ...(op === "-" ? {} : { right }) };
  });
}

test("marks split a line, and never leave it", () => {
  assert.deepEqual(parts("status: true", [{ from: 8, to: 12 }]).map((p) => [p.text, p.marked]), [["status: ", false], ["true", true]]);
  for (const words of [[{ from: -3, to: 2 }], [{ from: 2, to: 99 }], [{ from: 4, to: 1 }], [{ from: 1, to: 3 }, { from: 2, to: 4 }]]) {
    assert.equal(parts("abcdef", words).map((p) => p.text).join(""), "abcdef");
  }
  assert.deepEqual(parts("", undefined), [{ text: "", marked: false }]);
});

test("every line is in one row, and far lines are folded", () => {
  const list = rows(diff("==========-+=========="));
  assert.deepEqual(list.map((r) => r.kind[0]).join(""), "fssscccsssf".replace("ccc", "cc"));
  assert.equal(list.reduce((n, r) => n + (r.count ?? 1), 0), 22);
});

test("bookkeeping is folded unless it is asked for", () => {
  const lines = diff("===b===-====");
  assert.equal(rows(lines).filter((r) => r.kind === "changed").length, 1);
  assert.equal(rows(lines)[0]?.bookkeeping, 1);
  assert.equal(rows(lines, true).filter((r) => r.kind === "changed").length, 2);
});

test("removed and added lines stand beside each other", () => {
  const list = split(rows(diff("=--+=")));
  assert.deepEqual(list.map((r) => [r.left?.op ?? "", r.right?.op ?? ""]), [["=", "="], ["-", "+"], ["-", ""], ["=", "="]]);
});

test("a fold of the server opens from the text of the right side", () => {
  const lines: DiffLine[] = [{ op: "=", left: 1, right: 1, text: "a" }, { op: "-", left: 2, text: "x" }, { op: "=", left: 3, right: 2, text: "b" }, { op: "~", left: 4, right: 3, count: 2 }, { op: "+", right: 5, text: "e" }];
  const list = rows(lines);
  const at = list.findIndex((r) => r.kind === "fold");
  const open = opened(list, at, ["a", "b", "c", "d", "e"]);
  assert.deepEqual(open.slice(at, at + 2).map((r) => [r.left?.left, r.right?.right, r.right?.text]), [[4, 3, "c"], [5, 4, "d"]]);
  assert.equal(opened(list, at, []), list, "without the text the fold stays");
});
