import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Change } from "../api";
import { keepStream, live, pause, waiting } from "./live";
import type { Follow, Message } from "./stream";

// said passes a message of the worker to the page.
let said: ((e: { data: Message }) => void) | undefined;

test("a page that follows nothing has a stream", async () => {
  const asked: Follow[] = [];
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

test("a change is drawn at once, and those that follow within 100 ms together", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const changes = (n: number) => said?.({ data: { type: "changes", changes: Array.from({ length: n }, (_, i) => ({ position: i }) as Change) } });
  pause(true); // a paused page counts what it would draw
  const drawn: number[] = [];
  for (const [wait, n] of [[0, 1], [1, 2], [30, 3], [69, 0], [50, 4], [49, 0], [1, 0], [500, 5], [99, 6], [1, 0]] as const) {
    mock.timers.tick(wait);
    if (n > 0) {
      changes(n);
    }
    drawn.push(waiting.value);
  }
  assert.deepEqual(drawn, [1, 1, 1, 6, 6, 6, 10, 15, 15, 21]);
  mock.timers.setTime(500_000); // the clock is set back
  changes(7);
  mock.timers.tick(100);
  assert.equal(waiting.value, 28);
  mock.timers.reset();
});

test("a paused page says so, unless its stream is lost", () => {
  const states = (["live", "reconnecting", "stale", "catching", "live"] as const).map((state) => {
    said?.({ data: { type: "status", status: { state, since: 0, lag: 0, behind: 0 } } });
    return live.value.state;
  });
  assert.deepEqual(states, ["paused", "reconnecting", "stale", "paused", "paused"]);
  assert.ok(waiting.value > 0);
  pause(false);
  assert.deepEqual([live.value.state, waiting.value], ["live", 0]);
});
