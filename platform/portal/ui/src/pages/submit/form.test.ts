import assert from "node:assert/strict";
import { test } from "node:test";
import type { Parameter } from "../../api";
import { beginning, groups, mistakeOf, textOf, valuesOf } from "./formmodel";
import { spaced } from "../../core/format";
import { duration, quantity } from "./quantity";
import { line, open, pairs, words } from "./shellwords";

function random(seed: number): (n: number) => number {
  let x = seed;
  return (n) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return Math.floor((x / 2 ** 32) * n);
  };
}

test("words that are joined split into the same", () => {
  const r = random(7);
  const letters = "ab '\"\\=\t汉\n$";
  for (let i = 0; i < 5000; i++) {
    const list = Array.from({ length: r(4) }, () => Array.from({ length: r(6) }, () => letters[r(letters.length)] ?? "").join(""));
    assert.deepEqual(words(line(list)), list);
    assert.equal(open(line(list)), false);
  }
  assert.deepEqual(words(`torchrun --x="a b" 'c d'e`), ["torchrun", "--x=a b", "c de"]);
  assert.deepEqual(pairs("a=1 b=x=y c"), [["a", "1"], ["b", "x=y"], ["c", undefined]]);
  assert.ok(open(`a "b`));
});

test("quantities and durations", () => {
  const quantities: [string, number | undefined][] = [["500m", 0.5], ["16Gi", 16 * 1024 ** 3], ["1.5k", 1500], ["2e3", 2000], ["16GB", undefined], ["", undefined], ["Gi", undefined], ["0x10", undefined]];
  quantities.forEach(([text, n]) => assert.equal(quantity(text), n, text));
  const durations: [string, number | undefined][] = [["90s", 90], ["1h30m", 5400], ["1d 2h", 93_600], ["30", undefined], ["1h30", undefined]];
  durations.forEach(([text, n]) => assert.equal(duration(text), n, text));
  assert.equal(spaced("720Gi"), "720 GiB");
  assert.equal(spaced("500m"), "500m");
});

test("mistakes are found at their field, with the only repair", () => {
  const cases: [Partial<Parameter>, string, string | undefined, string?][] = [
    [{ type: "int", min: 1, max: 8 }, "9", "most", "8"], [{ type: "integer", min: 1 }, "0", "least", "1"], [{ type: "int" }, "1.5", "integer"], [{ type: "int" }, "8", undefined],
    [{ type: "text", required: true }, " ", "required"], [{ type: "text", required: true, default: "x" }, "", undefined], [{ type: "text", max: 3 }, "训练训练", "longest"],
    [{ type: "text", pattern: "[a-z]+" }, "ab1", "pattern"], [{ type: "text", pattern: "(?s" }, "ab1", undefined], [{ type: "quantity", max: "1Ti" }, "2Ti", "most", "1Ti"], [{ type: "quantity" }, "1GB", "quantity"],
    [{ type: "list" }, `a "b`, "quote"], [{ type: "map" }, "a=1 b", "pair"], [{ type: "map", pattern: "\\d" }, "a=x", "pattern"], [{ type: "text", choices: ["a", "b"] }, "c", "choice"], [{ type: "duration" }, "5", "duration"],
  ];
  for (const [p, text, code, repair] of cases) {
    const found = mistakeOf({ name: "p", type: "text", ...p }, text);
    assert.equal(found?.code, code, JSON.stringify([p, text]));
    assert.equal(found?.repair, repair);
  }
});

test("values have the types of their parameters; mistakes and empty fields are left out", () => {
  const parameters: Parameter[] = [
    { name: "n", type: "int", group: "A" }, { name: "on", type: "bool", default: true }, { name: "cmd", type: "list", group: "A" }, { name: "env", type: "map" }, { name: "mem", type: "quantity" }, { name: "bad", type: "int" }, { name: "empty", type: "text" }, { name: "t", type: "text" },
  ];
  assert.equal(beginning(parameters)["on"], "true");
  const values = valuesOf(parameters, { n: "4", on: "false", cmd: "a 'b c'", env: "X=1 Y=", mem: " 1Gi ", bad: "x", empty: "", t: "0123" });
  assert.deepEqual(values, { n: 4, on: false, cmd: ["a", "b c"], env: { X: "1", Y: "" }, mem: "1Gi", t: "0123" });
  assert.deepEqual(groups(parameters).map((g) => [g.title, g.parameters.length]), [["A", 2], ["", 6]]);
  assert.equal(textOf(["a", "b c"]), "a 'b c'");
});
