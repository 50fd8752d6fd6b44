import assert from "node:assert/strict";
import { test } from "node:test";
import { Failed, said } from "./client";

test("a failure says what failed, and each mistake of the request", () => {
  const failed = (detail: string, ...fields: string[]) => said(new Failed({ type: "x", title: "The request has mistakes", status: 422, detail, fields: fields.map((message) => ({ field: "address", message })) }));
  assert.equal(failed("The messages cannot go there.", "channel hook is not for everybody"), "The messages cannot go there: channel hook is not for everybody");
  assert.equal(failed("The filter has mistakes.", "first", "", "second"), "The filter has mistakes: first; second");
  assert.equal(failed("Line 3: no such namespace", "no such namespace"), "Line 3: no such namespace");
  assert.equal(said(new Failed({ type: "x", title: "Denied", status: 403 })), "Denied");
  assert.equal(said(new Error("broken")), "broken");
});
