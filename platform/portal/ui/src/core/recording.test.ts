import assert from "node:assert/strict";
import { test } from "node:test";
import { gapsOf, recordedLife, setUnrecorded, staleSince, unrecordedSince } from "./recording";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 10, minute)).toISOString();

test("a life that nobody records ends in a gap", () => {
  const life = [{ state: "Queued", from: at(0), to: at(5) }, { state: "Running", from: at(5) }];
  assert.deepEqual(recordedLife(life, Date.parse(at(9))), [life[0], { state: "Running", from: at(5), to: at(9) }, { state: "Running", from: at(9), gap: true }]);
  assert.equal(recordedLife(life, undefined), life);
  const ended = [{ state: "Running", from: at(5), to: at(6) }];
  assert.equal(recordedLife(ended, Date.parse(at(9))), ended, "an ended job does not become stale");
});

test("a type is not current if it or its whole cluster is not", () => {
  setUnrecorded([{ cluster: "a", since: at(3) }, { cluster: "b", type: "pods", since: at(4), behind: true }]);
  assert.deepEqual([unrecordedSince("a", "jobs.batch"), unrecordedSince("b", "pods"), unrecordedSince("b", "jobs.batch"), unrecordedSince("c", "pods")], [Date.parse(at(3)), Date.parse(at(4)), undefined, undefined]);
  assert.equal(staleSince([{ cluster: "a", since: at(3) }, { cluster: "b", since: at(1) }]), Date.parse(at(1)));
  assert.deepEqual(gapsOf([{ cluster: "a", since: at(3) }], ["jobs.batch", "pods"], "x").map((g) => g.type), ["jobs.batch", "pods"]);
  setUnrecorded([]);
});
