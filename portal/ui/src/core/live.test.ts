import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { keepStream, live } from "./live";
import type { Follow, Message } from "./stream";

test("a page that follows nothing has a stream", async () => {
  const asked: Follow[] = [];
  let said: ((e: { data: Message }) => void) | undefined;
  const all = globalThis as unknown as Record<string, unknown>;
  all["document"] = { querySelector: () => null };
  all["addEventListener"] = () => undefined;
  all["SharedWorker"] = class {
    port = { postMessage: (f: Follow) => asked.push(f), set onmessage(f: (e: { data: Message }) => void) { said = f; } };
  };
  mock.timers.enable({ apis: ["setTimeout"] });
  let tries = 0;
  keepStream(() => (++tries < 3 ? Promise.reject(new Error("loading")) : Promise.resolve(577)));
  const settle = async () => { for (let i = 0; i < 5; i++) await Promise.resolve(); };
  for (const ms of [999, 1, 10_000, 9_999]) {
    mock.timers.tick(ms);
    await settle();
  }
  assert.deepEqual([tries, asked.length], [2, 0], "a failed try is repeated");
  mock.timers.tick(1);
  await settle();
  assert.deepEqual(asked.map((f) => [f.type, f.after]), [["follow", 577]]);
  said?.({ data: { type: "status", status: { state: "live", since: 0, lag: 0.1, behind: 0 } } });
  assert.equal(live.value.state, "live");
  mock.timers.tick(60_000);
  await settle();
  assert.equal(asked.length, 1);
  mock.timers.reset();
});
