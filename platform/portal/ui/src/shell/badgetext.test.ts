import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Unrecorded } from "../api";
import type { LiveState } from "../core/live";
import { Stream } from "../core/stream";
import type { Message } from "../core/stream";
import { language } from "../words/language";
import { badgeOf } from "./badgetext";

const lost = Date.parse("2026-11-22T02:31:07Z"); // 10:31:07 in the zone of the tests

function state(s: Partial<LiveState>): LiveState {
  return { state: "live", since: lost, lag: 0, behind: 0, ...s };
}

test("the badge has words for each state of the stream", () => {
  const said = (s: Partial<LiveState>, now = lost, at = "", waiting = 0, parts: readonly Unrecorded[] = []) => {
    const b = badgeOf(state(s), at, now, waiting, parts);
    return [b.lag === "" ? b.text : `${b.text} ${b.lag}`, b.look, b.act];
  };
  assert.deepEqual(said({ lag: 0.2 }), ["Live 0.2 s", "", "pause"]);
  assert.deepEqual(said({ state: "connecting" }), ["Connecting", "is-off", ""]);
  assert.deepEqual(said({ state: "reconnecting" }, lost + 4000), ["Reconnecting, 4 s", "is-off", ""]);
  assert.deepEqual(said({ state: "reconnecting" }, lost + 29_900), ["Reconnecting, 30 s", "is-off", ""]);
  assert.deepEqual(said({ state: "reconnecting" }, lost + 30_000), ["Stale since 10:31:07", "is-stale", ""], "also between two tries");
  assert.deepEqual(said({ state: "catching", behind: 1284 }), ["Catching up, 1,284 changes", "is-off", ""]);
  assert.deepEqual(said({ state: "catching", behind: 1 }), ["Catching up, 1 change", "is-off", ""]);
  assert.deepEqual(said({ state: "stale" }), ["Stale since 10:31:07", "is-stale", ""]);
  assert.deepEqual(said({ state: "paused" }, lost, "", 12), ["Paused, 12 new", "is-paused", "resume"]);
  assert.deepEqual(said({}, lost, "2026-11-22T01:15:00Z"), ["As of 09:15:00, back to now", "is-past", "now"]);
  assert.deepEqual(said({ state: "stale" }, lost, "2026-11-22T01:15:00Z")[1], "is-past", "the past does not become stale");
  const since = "2026-11-22T02:31:07Z";
  const now = lost + 120_000;
  assert.deepEqual(said({ lag: 0 }, now, "", 0, [{ cluster: "a", since }]), ["Stale since 10:31:07", "is-stale", ""], "a stream without delay does not make a dead recorder live");
  assert.deepEqual(said({}, now, "", 0, [{ cluster: "a", type: "pods", since, behind: true }]), ["Behind by 2 min", "is-off", "pause"]);
  assert.deepEqual(said({ state: "paused" }, now, "", 3, [{ cluster: "a", since }])[0], "Stale since 10:31:07");
  assert.deepEqual(said({}, now, "", 0, [{ cluster: "" }])[0], "Not recorded");
  language.value = "zh";
  assert.deepEqual(said({ state: "stale" })[0], "10:31:07 起已过期");
  language.value = "en";
});

// Source replaces the browser's EventSource.
class Source {
  static last: Source;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly heard = new Map<string, (e: { data: string }) => void>();
  constructor() { Source.last = this; }
  addEventListener(name: string, f: (e: { data: string }) => void): void { this.heard.set(name, f); }
  close(): void { this.onerror = null; }
  send(name: string, data: unknown): void { this.heard.get(name)?.({ data: JSON.stringify(data) }); }
}

test("a browser that slept says since when its page is old, until it has caught up", () => {
  (globalThis as unknown as { EventSource: typeof Source }).EventSource = Source;
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: lost });
  let status: LiveState = state({ state: "connecting" });
  const stream = new Stream((m: Message) => { if (m.type === "status") status = m.status; });
  const said = () => badgeOf(status, "", Date.now(), 0, []).text;
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  Source.last.send("beat", { now: new Date(lost).toISOString(), position: 10, lag: 0.2 });
  assert.equal(said(), "Live");
  mock.timers.setTime(lost + 600_000); // no timer fired meanwhile
  mock.timers.tick(1);
  assert.equal(said(), "Stale since 10:31:07");
  mock.timers.tick(1000);
  Source.last.send("changes", { changes: [{ position: 11 }], behind: 40 });
  assert.equal(said(), "Catching up, 40 changes");
  Source.last.send("changes", { changes: [{ position: 51 }] });
  assert.equal(said(), "Live");
  stream.close();
  mock.timers.reset();
});
