import assert from "node:assert/strict";
import { test } from "node:test";
import table from "../../../../logs/logtext/testdata/lines.json";
import { logText } from "./logtext";

test("lines of logs are those of the command line", () => {
  for (const { line, spans } of table) {
    assert.equal(logText(line), spans.map((s) => s[0]).join(""), JSON.stringify(line));
  }
});
