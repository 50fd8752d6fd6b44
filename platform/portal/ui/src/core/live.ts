// Live changes for the components of a page.

import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Change } from "../api";
import { setServerTime } from "./clock";
import { setUnrecorded } from "./recording";
import { Stream } from "./stream";
import type { Follow, Message, Status } from "./stream";

// LiveState is the state that the badge shows.
export type LiveState = Omit<Status, "state"> & { state: Status["state"] | "paused" };

const status = signal<Status>({ state: "connecting", since: Date.now(), lag: 0, behind: 0 });
const shown = signal<LiveState>(status.peek());
const held = signal(0);
const rights = signal(0);

// live is the state of the stream.
export const live: ReadonlySignal<LiveState> = shown;

// staleAfter is how long a page may be without its stream before it is stale.
const staleAfter = 30_000;

// liveAt returns the state of the stream at a time of the browser's clock. A stream that has been
// lost for a while is stale, also between two retries.
export function liveAt(s: LiveState, now: number): LiveState {
  return s.state === "reconnecting" && now - s.since >= staleAfter ? { ...s, state: "stale" } : s;
}

// waiting counts the changes that arrived while the page was paused.
export const waiting: ReadonlySignal<number> = held;

// rightsChanged increases when the rights of the person have changed. Components that show
// jobs subscribe to it, and load again.
export const rightsChanged: ReadonlySignal<number> = rights;

interface Follower {
  position: number;
  ready: boolean;
  changes: (c: Change[]) => void;
  reset: () => void;
}

const followers = new Map<number, Follower>();
let next = 1;
let paused = false;
let queue: Change[] = [];
let overflow = false;
let batch: Change[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let flushed = 0; // when the page was drawn last
let send: ((ask: Follow) => void) | undefined;

// maxQueue limits the changes of a paused page. Beyond it, the page loads again when it
// continues.
const maxQueue = 5000;
const every = 100; // milliseconds: at most 10 redraws a second

// pause holds changes back, or passes them on again.
export function pause(on: boolean): void {
  paused = on;
  if (!on) {
    const late = queue;
    queue = [];
    held.value = 0;
    if (overflow) {
      overflow = false;
      resetAll();
    } else {
      deliver(late);
    }
  }
  show();
}

function show(): void {
  const s = status.peek();
  shown.value = paused && s.state !== "stale" && s.state !== "reconnecting" ? { ...s, state: "paused" } : s;
}

function resetAll(): void {
  for (const f of [...followers.values()]) {
    f.reset();
  }
}

function deliver(changes: Change[]): void {
  for (const f of [...followers.values()]) {
    if (f.ready) {
      give(f, changes);
    }
  }
}

function give(f: Follower, changes: Change[]): void {
  const fresh = changes.filter((c) => c.position > f.position);
  const last = fresh.at(-1);
  if (last) {
    f.position = last.position;
    f.changes(fresh);
  }
}

// soon draws new changes: at once if the last time is long ago, otherwise after the
// interval.
function soon(): void {
  if (timer === undefined) {
    const wait = Math.min(every, flushed + every - Date.now()); // the clock may be set back
    if (wait <= 0) {
      flush();
    } else {
      timer = setTimeout(flush, wait);
    }
  }
}

function flush(): void {
  timer = undefined;
  flushed = Date.now();
  const all = batch;
  batch = [];
  if (!paused) {
    deliver(all);
    return;
  }
  queue.push(...all);
  if (queue.length > maxQueue) {
    queue = [];
    overflow = true;
  }
  held.value += all.length;
}

function receive(m: Message): void {
  switch (m.type) {
    case "status":
      status.value = m.status;
      show();
      break;
    case "now":
      setServerTime(m.time);
      break;
    case "changes":
      batch.push(...m.changes);
      soon();
      break;
    case "replay": {
      const f = followers.get(m.id);
      if (f) {
        f.ready = true;
        give(f, m.changes);
      }
      break;
    }
    case "reset":
      if (m.id === undefined) {
        queue = [];
        batch = [];
        held.value = 0;
        resetAll();
      } else {
        followers.get(m.id)?.reset();
      }
      break;
    case "recording":
      setUnrecorded(m.unrecorded);
      break;
    case "rights":
      rights.value++;
      break;
  }
}

// connect connects to the worker, or to a stream in this page.
function connect(): (ask: Follow) => void {
  const address = document.querySelector<HTMLMetaElement>("meta[name=vedette-worker]")?.content ?? "";
  try {
    const worker = new SharedWorker(address, { name: "vedette" });
    worker.port.onmessage = (e: MessageEvent<Message>) => receive(e.data);
    addEventListener("pagehide", () => worker.port.postMessage({ type: "bye" }));
    addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
    return (ask) => worker.port.postMessage(ask);
  } catch {
    const stream = new Stream(receive);
    addEventListener("pagehide", () => stream.close());
    return (ask) => stream.follow(ask, receive);
  }
}

// untilFollowed is the time in which a page can follow by itself, and betweenTries the pause
// after a failed attempt of keepStream, in milliseconds.
const untilFollowed = 1000;
const betweenTries = 10_000;

// keepStream keeps the stream open on pages without jobs, so that the badge shows how current
// the portal is. position reads the position to follow from. A page that follows comes first:
// its position is older, and otherwise the stream would begin after it.
export function keepStream(position: () => Promise<number>): void {
  const again = (ms: number) => void setTimeout(() => {
    if (send !== undefined) {
      return;
    }
    position().then((after) => {
      if (send === undefined) {
        send = connect();
        send({ type: "follow", id: next++, after });
      }
    }, () => again(betweenTries));
  }, ms);
  again(untilFollowed);
}

// useLive passes the changes after the position of the loaded data to a component. Without a
// position it follows nothing. reset means: load everything again.
export function useLive(position: number | undefined, changes: (c: Change[]) => void, reset: () => void): void {
  const latest = useRef({ changes, reset });
  latest.current = { changes, reset };
  useEffect(() => {
    if (position === undefined) {
      return;
    }
    const id = next++;
    followers.set(id, { position, ready: false, changes: (c) => latest.current.changes(c), reset: () => latest.current.reset() });
    send ??= connect();
    send({ type: "follow", id, after: position });
    return () => {
      followers.delete(id);
    };
  }, [position]);
}
