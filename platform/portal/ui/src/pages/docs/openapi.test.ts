import assert from "node:assert/strict";
import { test } from "node:test";
import { curlOf, inner, nameOf, operationsOf, resolve, typeText } from "./openapi";
import type { Document } from "./openapi";

const d: Document = {
  paths: {
    "/api/v1/jobs": { get: { operationId: "list", summary: "List", parameters: [{ name: "q", in: "query", required: true }], responses: { "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/List" } } } }, default: { description: "A problem" } } } },
    "/api/v1/jobs/{uid}/stop": { post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Stop" } } } } } },
  },
  components: { schemas: { List: { type: "object", properties: { jobs: { type: ["array", "null"], items: { $ref: "#/components/schemas/Job" } } } }, Job: { type: "object", properties: { at: { type: "string", format: "date-time" } } } } },
};
const words = { list: (t: string) => `list of ${t}`, map: (t: string) => `map of ${t}`, any: "any" };

test("operations, their bodies and answers", () => {
  const [list, stop] = operationsOf(d);
  assert.ok(list && stop);
  assert.deepEqual([list.method, list.group, list.answers.length, stop.method, nameOf(stop.body)], ["GET", "jobs", 2, "POST", "Stop"]);
});

test("types in words, references followed", () => {
  const list = resolve(d, { $ref: "#/components/schemas/List" });
  assert.equal(typeText(list.properties?.["jobs"], words), "list of Job");
  assert.equal(nameOf(inner(list.properties?.["jobs"])), "Job");
  assert.equal(typeText({ type: "object", additionalProperties: { type: "string" } }, words), "map of string");
  assert.equal(typeText({ type: "string", format: "date-time" }, words), "string, date-time");
  assert.deepEqual(resolve(d, { $ref: "#/components/schemas/None" }), {});
});

test("a command cannot be broken by what the document says", () => {
  const [list] = operationsOf({ paths: { "/api/v1/'; rm -rf ~; '": { get: { parameters: [{ name: "a'b", in: "query", required: true, example: "$(x)" }] } } } });
  assert.ok(list);
  assert.ok(curlOf(list, "http://h").endsWith("'http://h/api/v1/'\\''; rm -rf ~; '\\''?a'b=%24(x)'".replace("a'b", "a'\\''b")));
});
