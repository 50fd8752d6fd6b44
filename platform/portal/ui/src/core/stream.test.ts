import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Stream } from "./stream";
import type { Message } from "./stream";

// Source replaces the browser's EventSource.
class Source {
  static all: Source[] = [];
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  readonly url: string;
  private readonly listeners = new Map<string, (e: { data: string }) => void>();

  constructor(url: string) {
    this.url = url;
    Source.all.push(this);
  }

  addEventListener(name: string, f: (e: { data: string }) => void): void {
    this.listeners.set(name, f);
  }

  close(): void {
    this.closed = true;
  }

  send(name: string, data: unknown): void {
    this.listeners.get(name)?.({ data: JSON.stringify(data) });
  }
}

const changes = (...positions: number[]) => ({ changes: positions.map((position) => ({ position, kind: "new", job: { id: position }, seen: "" })) });
const beat = (position: number, stale?: string) => ({ now: "2026-11-22T02:42:08Z", position, lag: 0.2, stale });

function begin(): { stream: Stream; said: Message[]; source: () => Source; status: () => string } {
  Source.all = [];
  (globalThis as unknown as { EventSource: typeof Source }).EventSource = Source;
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const said: Message[] = [];
  const stream = new Stream((m) => said.push(m));
  const status = () => said.reduce((s, m) => (m.type === "status" ? m.status.state : s), "connecting");
  return { stream, said, source: () => Source.all.at(-1) as Source, status };
}

const positions = (all: Message[]) => all.flatMap((m) => (m.type === "changes" || m.type === "replay" ? m.changes.map((c) => c.position) : []));

test("a tab that comes later gets what the stream has behind its position", () => {
  const { stream, said, source } = begin();
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  assert.equal(source().url, "/api/v1/stream?after=10");
  source().send("changes", changes(11, 12, 13));
  source().send("changes", changes(13, 14));
  assert.deepEqual(positions(said), [11, 12, 13, 14]);
  const late: Message[] = [];
  stream.follow({ type: "follow", id: 2, after: 12 }, (m) => late.push(m));
  assert.deepEqual(positions(late), [13, 14]);
  const early: Message[] = [];
  stream.follow({ type: "follow", id: 3, after: 9 }, (m) => early.push(m));
  assert.ok(early.some((m) => m.type === "reset" && m.id === 3));
  assert.equal(Source.all.length, 1);
  stream.close();
  mock.timers.reset();
});

test("a lost stream says so, connects again behind the last position, and becomes stale after 30 s", () => {
  const { stream, source, status } = begin();
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  source().send("beat", beat(10));
  assert.equal(status(), "live");
  source().send("changes", changes(11));
  source().onerror?.();
  assert.equal(status(), "reconnecting");
  mock.timers.tick(1000);
  assert.equal(Source.all.length, 2);
  assert.equal(source().url, "/api/v1/stream?after=11");
  for (let i = 0; i < 12; i++) {
    source().onerror?.();
    mock.timers.tick(20_000);
  }
  assert.equal(status(), "stale");
  source().send("beat", beat(11));
  assert.equal(status(), "live");
  stream.close();
  mock.timers.reset();
});

test("a silent stream is lost", () => {
  const { stream, source, status } = begin();
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  source().send("beat", beat(10));
  mock.timers.tick(14_000);
  assert.equal(status(), "live");
  mock.timers.tick(1500);
  assert.equal(status(), "reconnecting");
  stream.close();
  mock.timers.reset();
});

test("the badge tells replays and a database that does not answer", () => {
  const { stream, said, source, status } = begin();
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  source().send("changes", { ...changes(11), behind: 1284 });
  assert.equal(status(), "catching");
  source().send("changes", changes(12));
  assert.equal(status(), "live");
  const told = said.filter((m) => m.type === "status").length;
  source().send("changes", changes(13));
  source().send("beat", beat(13));
  source().send("beat", beat(13));
  assert.equal(said.filter((m) => m.type === "status").length, told + 1, "only the lag is new");
  source().send("beat", beat(13, "2026-11-22T02:31:07Z"));
  assert.equal(status(), "stale");
  assert.ok(said.some((m) => m.type === "status" && m.status.state === "stale" && m.status.since === Date.now() - 661_000), "since is a time of the browser's clock");
  source().send("reset", { reason: "behind", position: 50 });
  assert.ok(said.some((m) => m.type === "reset"));
  source().send("changes", changes(40, 51));
  assert.deepEqual(positions(said), [11, 12, 13, 51]);
  stream.close();
  mock.timers.reset();
});

test("a stream of somebody who sees something else makes the tabs load again, and forgets what it kept", () => {
  const { stream, said, source } = begin();
  const told = () => said.filter((m) => m.type === "rights").length;
  stream.follow({ type: "follow", id: 1, after: 10 }, () => undefined);
  source().send("beat", { ...beat(10), rights: "a" });
  source().send("changes", changes(11, 12));
  source().send("beat", beat(12));
  source().onerror?.();
  mock.timers.tick(1000);
  source().send("beat", { ...beat(12), rights: "a" });
  assert.equal(told(), 0);
  source().onerror?.();
  mock.timers.tick(1000);
  source().send("beat", { ...beat(12), rights: "b" });
  assert.equal(told(), 1);
  const late: Message[] = [];
  stream.follow({ type: "follow", id: 2, after: 10 }, (m) => late.push(m));
  assert.deepEqual(positions(late), []);
  assert.ok(late.some((m) => m.type === "reset"));
  source().send("rights", { rights: "c" });
  assert.equal(told(), 2);
  source().onerror?.();
  mock.timers.tick(1000);
  source().send("beat", { ...beat(12), rights: "c" });
  assert.equal(told(), 2);
  stream.close();
  mock.timers.reset();
});

test("the parts that are not current reach every tab, and a change is said once", () => {
  const { stream, said, source } = begin();
  stream.follow({ type: "follow", id: 1, after: 10 }, (m) => said.push(m));
  const dead = [{ cluster: "prod-a", since: "2026-11-22T02:31:07Z" }];
  for (const unrecorded of [undefined, dead, dead, undefined]) {
    source().send("beat", { ...beat(10), unrecorded });
  }
  const heard = () => said.flatMap((m) => (m.type === "recording" ? [m.unrecorded.length] : []));
  assert.deepEqual(heard(), [0, 1, 0]);
  source().send("beat", { ...beat(10), unrecorded: dead });
  stream.follow({ type: "follow", id: 2, after: 10 }, (m) => said.push(m));
  assert.deepEqual(heard(), [0, 1, 0, 1, 1]);
  stream.close();
  mock.timers.reset();
});
