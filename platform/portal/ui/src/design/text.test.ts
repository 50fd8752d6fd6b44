import assert from "node:assert/strict";
import { test } from "node:test";
import { broken, columns, visible } from "./visible";
import { linesOf, tokens } from "./yamltokens";

test("control characters and turns of direction become symbols", () => {
  assert.equal(visible("a\u001b[31m\tb\u0000\u007f\u009b"), "a\u241b[31m\tb\u2400\u2421\u2329009B\u232a");
  assert.equal(visible("x\u202egpj.exe\u2028\ufeff"), "x\u2329202E\u232agpj.exe\u23292028\u232a\u2329FEFF\u232a");
  assert.equal(visible("训练 <b>é😀"), "训练 <b>é😀");
});

test("broken rows fit, and are the text", () => {
  const text = "step 1 训练中 😀 ".repeat(50);
  for (const width of [20, 33, 80]) {
    const rows = broken(text, width);
    assert.equal(rows.join(""), text);
    assert.ok(rows.every((row) => columns(row) <= width));
    assert.ok(rows.slice(0, -1).every((row) => columns(row) >= width - 3), "rows are full");
  }
  assert.deepEqual(broken("", 20), [""]);
});

test("tokens lose no character, also of hostile text", () => {
  const hostile = [" ", "-", '"', "a:", "\\", "- ", "'", "#", "|", "a: |"].map((piece) => piece.repeat(30_000));
  const lines = ["a: b # c", "- x: 'it''s: #1' # d", "k: |", "  raw: not a key", "", "  more", "z: \"#no\"", "- 1.5e3", "url: http://x/#y", ...hostile];
  tokens(lines).forEach((list, i) => assert.equal(list.map((t) => t.text).join(""), lines[i]));
  const kinds = tokens(["a: b # c", "k: |", "  raw: text", "n: 12"]).map((list) => list.map((t) => t.kind).join(" "));
  assert.deepEqual(kinds, ["key mark value comment", "key mark value", "text", "key mark word"]);
});

test("linesOf takes all ends of lines", () => {
  assert.deepEqual(linesOf("a\r\nb\nc\r"), ["a", "b", "c"]);
  assert.deepEqual(linesOf(""), [""]);
});
