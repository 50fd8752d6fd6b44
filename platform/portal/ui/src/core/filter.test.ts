import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../testdata/filters.json";
import type { Job } from "../api";
import { matches, parseFilter, rawValues, readValues, writtenValues } from "./filter";

interface Vectors {
  now: string;
  mine: string[];
  jobs: Job[];
  cases: { query: string; jobs: number[] }[];
}

const { now, mine, jobs, cases } = vectors as unknown as Vectors;

const cleaned = jobs;

test("filters select what job/jobfilter selects", () => {
  assert.ok(cases.length > 90);
  for (const c of cases) {
    const f = parseFilter(new URLSearchParams(c.query));
    const got = cleaned.flatMap((j, i) => (matches(f, j, Date.parse(now), mine) ? [i] : []));
    assert.deepEqual(got, c.jobs, c.query);
  }
});

test("a filter without the state ignores it", () => {
  const f = parseFilter(new URLSearchParams("state=Failed&queue=gpu-a100"));
  assert.equal(matches(f, cleaned[0] as Job, 0, []), false);
  assert.equal(matches(f, cleaned[0] as Job, 0, [], "state"), true);
});

test("terms go back into the URL as they were", () => {
  for (const c of cases) {
    const q = new URLSearchParams(c.query);
    for (const t of parseFilter(q).terms) {
      for (const raw of rawValues(t)) {
        assert.ok(q.getAll(t.key).includes(raw), `${c.query}: ${raw}`);
      }
    }
  }
});

test("values go through the filter bar as they were", () => {
  const values = ["a", "b c", "a,b", 'say "yes"', "", " x ", '"', ",", '","', "\u202e", "2026-q4", 'x"y', "a\\", "节点，甲"];
  for (const a of values) {
    assert.deepEqual(readValues(writtenValues([a])), [a], a);
    for (const b of values) {
      assert.deepEqual(readValues(writtenValues([a, b, "z"])), [a, b, "z"], `${a} and ${b}`);
      assert.deepEqual(readValues(writtenValues([a, b], ", ")), [a, b]);
    }
  }
  assert.deepEqual(readValues("gpu-a100, gpu-h100,gpu"), ["gpu-a100", "gpu-h100", "gpu"]);
  assert.deepEqual(readValues('"a,b'), ["a,b"]);
  assert.deepEqual(readValues("a,"), ["a", ""]);
});
