import assert from "node:assert/strict";
import { test } from "node:test";
import { draftOf, empty, ofDraft, open, raised, request } from "./submission";

test("a larger memory limit replaces that of one container, and its request if it was the same", () => {
  const part = (name: string, request: string, limit: string) => `      - name: ${name}\n        image: x\n        resources:\n          limits:\n            memory: ${limit}\n          requests:\n            memory: ${request}\n`;
  const yaml = "kind: Job\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      containers:\n" + part("main", "480Gi", "480Gi") + part("sidecar", "480Gi", "480Gi") + part("third", "1Gi", "480Gi");
  const s = open(empty("c", "n", "k"), yaml.trimEnd().split("\n"));
  const after = raised(s, { container: "main", from: "480Gi", to: "720Gi" });
  assert.equal(after.yaml, yaml.replace(part("main", "480Gi", "480Gi"), part("main", "720Gi", "720Gi")));
  assert.equal(raised(s, { container: "third", from: "480Gi", to: "720Gi" }).yaml, yaml.replace(part("third", "1Gi", "480Gi"), part("third", "1Gi", "720Gi")));
  assert.equal(raised(s, { container: "other", from: "480Gi", to: "720Gi" }), s);
  assert.equal(raised(s, { container: "main", from: "1Gi", to: "720Gi" }), s);
});

test("a held job is checked and submitted as one, and its draft stays held", () => {
  const s = { ...open(empty("c", "n", "k"), ["kind: Job"]), hold: true };
  assert.equal(request(s).hold, true);
  assert.equal(request({ ...s, hold: false }).hold, undefined);
  assert.equal(ofDraft(empty("c", "n", "k"), draftOf(s, ""), [], []).hold, true);
});
