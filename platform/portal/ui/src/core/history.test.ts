import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobList } from "../api";
import { ageOf, fitted } from "./history";

test("a window holds the history with something to spare", () => {
  assert.equal(fitted([5, 10, 60], 0), 5);
  assert.equal(fitted([5, 10, 60], 4.9), 10, "the history of a window that is nearly full grows out of it");
  assert.equal(fitted([5, 10, 60], 57), 60);
  assert.equal(fitted([5, 10, 60], Infinity), 60);
});

test("the age is that of the oldest job", () => {
  const list = (...submitted: string[]) => ({ jobs: submitted.map((s) => ({ submitted: s })) }) as JobList;
  const now = Date.parse("2026-11-22T02:42:08Z");
  assert.equal(ageOf(list("2026-11-22T02:41:08Z"), now), 60_000);
  assert.equal(ageOf(list("2026-11-22T02:43:08Z"), now), 0, "a clock of the cluster that is ahead");
  assert.equal(ageOf(list(), now), 0);
});
