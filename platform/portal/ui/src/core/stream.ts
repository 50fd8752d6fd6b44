// One stream of server-sent events for all tabs of a browser. It runs in a SharedWorker, or in
// the page where that is missing.

import { PathStream, Prefix } from "../api";
import type { Beat, Change, Changes, Reset, Rights, Unrecorded } from "../api";

// Status is the state of the stream.
export interface Status {
  state: "connecting" | "live" | "reconnecting" | "catching" | "stale";
  // since is when the state began, in milliseconds of the browser's clock; of stale: since when
  // the portal has not reached the database, or the browser not the portal.
  since: number;
  // lag is the delay in seconds, the 99th percentile of the last minute.
  lag: number;
  // behind counts the changes that follow.
  behind: number;
}

// Message is a message of the stream to a tab.
export type Message =
  | { type: "status"; status: Status }
  | { type: "changes"; changes: Change[] }
  // replay answers a tab that follows from a position with the later changes of the
  // stream.
  | { type: "replay"; id: number; changes: Change[] }
  | { type: "reset"; id?: number; reason: string }
  | { type: "rights" }
  // recording has the parts of the history that are not current.
  | { type: "recording"; unrecorded: readonly Unrecorded[] }
  | { type: "now"; time: string };

// Follow is the request of a tab: changes after a position.
export interface Follow {
  type: "follow";
  id: number;
  after: number;
}

// maxKept limits the changes that are kept for later tabs.
const maxKept = 5000;
const silence = 15_000; // three beats
const staleAfter = 30_000;
const retries = [500, 1000, 2000, 4000, 8000, 15_000];

// Stream connects when the first tab follows, and reconnects after every loss.
export class Stream {
  private source: EventSource | undefined;
  private position = -1;
  // floor is the position after which kept is complete.
  private floor = -1;
  private kept: Change[] = [];
  // rights is a key of the person's sight. Between two connections, another person may have
  // signed in, or the rights may have changed.
  private rights: string | undefined;
  private status: Status = { state: "connecting", since: Date.now(), lag: 0, behind: 0 };
  private unrecorded: readonly Unrecorded[] = [];
  private failures = 0;
  private lostAt = 0;
  // heardAt is the time of the portal's last event.
  private heardAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private readonly emit: (m: Message) => void;

  constructor(emit: (m: Message) => void) {
    this.emit = emit;
  }

  // follow answers a tab, and connects for the first one.
  follow(ask: Follow, answer: (m: Message) => void): void {
    answer({ type: "status", status: this.status });
    answer({ type: "recording", unrecorded: this.unrecorded });
    if (this.position < 0) {
      this.position = this.floor = ask.after;
      answer({ type: "replay", id: ask.id, changes: [] });
      this.open();
      return;
    }
    if (ask.after < this.floor) {
      answer({ type: "reset", id: ask.id, reason: "behind" });
      return;
    }
    answer({ type: "replay", id: ask.id, changes: this.kept.filter((c) => c.position > ask.after) });
  }

  // close ends the connection.
  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    this.source?.close();
    this.source = undefined;
  }

  private open(): void {
    this.close();
    const source = new EventSource(`${Prefix}${PathStream}?after=${this.position}`);
    this.source = source;
    this.listen();
    source.onopen = () => this.listen();
    source.onerror = () => this.lost();
    source.addEventListener("changes", (e) => this.changes(JSON.parse((e as MessageEvent<string>).data) as Changes));
    source.addEventListener("beat", (e) => this.beat(JSON.parse((e as MessageEvent<string>).data) as Beat));
    source.addEventListener("reset", (e) => this.reset(JSON.parse((e as MessageEvent<string>).data) as Reset));
    source.addEventListener("rights", (e) => {
      this.listen();
      this.rights = (JSON.parse((e as MessageEvent<string>).data) as Rights).rights;
      this.otherRights();
    });
  }

  // otherRights makes all tabs load again. Kept changes may be of jobs that the person may no
  // longer see.
  private otherRights(): void {
    this.kept = [];
    this.floor = this.position;
    this.emit({ type: "rights" });
  }

  // listen waits for the next event.
  private listen(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(), silence);
  }

  private alive(): void {
    this.failures = 0;
    this.lostAt = 0;
    this.heardAt = Date.now();
    this.listen();
  }

  private changes(c: Changes): void {
    this.alive();
    const fresh = (c.changes ?? []).filter((x) => x.position > this.position);
    const last = fresh.at(-1);
    if (last) {
      this.position = last.position;
      this.kept.push(...fresh);
      if (this.kept.length > maxKept) {
        const gone = this.kept.splice(0, this.kept.length - maxKept);
        this.floor = gone.at(-1)?.position ?? this.floor;
      }
      this.emit({ type: "changes", changes: fresh });
    }
    const behind = c.behind ?? 0;
    if (behind > 0) {
      this.say("catching", { behind });
    } else if (this.status.state !== "stale") {
      this.say("live", { behind: 0 });
    }
  }

  private beat(b: Beat): void {
    this.alive();
    this.emit({ type: "now", time: b.now });
    const unrecorded = b.unrecorded ?? [];
    if (JSON.stringify(unrecorded) !== JSON.stringify(this.unrecorded)) {
      this.unrecorded = unrecorded;
      this.emit({ type: "recording", unrecorded });
    }
    if (b.stale) {
      this.say("stale", { since: Date.parse(b.stale) - Date.parse(b.now) + Date.now(), lag: b.lag });
    } else {
      this.say("live", { behind: 0, lag: b.lag });
    }
    this.position = Math.max(this.position, b.position);
    if (b.rights) {
      const other = this.rights !== undefined && this.rights !== b.rights;
      this.rights = b.rights;
      if (other) {
        this.otherRights();
      }
    }
  }

  private reset(r: Reset): void {
    this.alive();
    this.kept = [];
    this.position = this.floor = r.position;
    this.emit({ type: "reset", reason: r.reason });
  }

  // lost reconnects after a while, longer after each failure. After a silence, the page is as old
  // as the last event: the computer may have slept.
  private lost(): void {
    this.close();
    const now = Date.now();
    if (this.lostAt === 0) {
      this.lostAt = this.heardAt > 0 && now - this.heardAt >= silence ? this.heardAt : now;
    }
    this.say(now - this.lostAt >= staleAfter ? "stale" : "reconnecting", { since: this.lostAt });
    const wait = retries[Math.min(this.failures, retries.length - 1)] ?? 1000;
    this.failures++;
    this.timer = setTimeout(() => this.open(), wait * (0.75 + Math.random() / 2));
  }

  private say(state: Status["state"], more: Partial<Status> = {}): void {
    const old = this.status;
    const since = more.since ?? (state === old.state ? old.since : Date.now());
    this.status = { ...old, ...more, state, since };
    if (state !== old.state || since !== old.since || this.status.lag !== old.lag || this.status.behind !== old.behind) {
      this.emit({ type: "status", status: this.status });
    }
  }
}
