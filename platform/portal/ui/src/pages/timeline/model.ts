// The page's state: the request of the URL, the shown lanes, and the folded and unfolded
// rows.

import { effect, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { PathAttempts, PathPods } from "../../api";
import type { AttemptList, Change, PodList } from "../../api";
import { fill, get } from "../../core/client";
import { gapsOf, unrecorded } from "../../core/recording";
import { setQuery } from "../../core/router";
import { recall, remember } from "../../core/storage";
import { words as shared } from "../../words";
import { blindOf } from "./gaps";
import type { Lane } from "./lane";
import { keyOf } from "./lane";
import { layoutOf, sorted } from "./rows";
import type { Group, Unfolded } from "./rows";
import { Stage } from "./stage";
import { Lives } from "./store";
import { paramsOf, viewOf } from "./view";

// settled is how long a view must be unchanged before rows and URL follow it, in
// milliseconds.
const settled = 250;

// Asked is the request of the URL.
export interface Asked {
  filters: URLSearchParams;
  from: string;
  to: string;
  sort: string;
  group: Group;
  at: number | undefined;
  // usual is the length of the window without parameters, in milliseconds.
  usual: number;
}

// Model connects the stage with the loaded data.
export class Model {
  readonly stage = new Stage();
  readonly lives = new Lives();
  readonly unfolded: Signal<ReadonlyMap<string, Unfolded>> = signal(new Map());
  readonly folded: Signal<ReadonlySet<string>> = signal(new Set(recall<string[]>("timeline.folded", [])));
  private readonly attempts: Signal<ReadonlySet<string>> = signal(new Set());
  private asked: Asked | undefined;
  private loaded = { from: Infinity, to: -Infinity };
  private order: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly ends: (() => void)[] = [];
  // matches reports whether a change passes the filters.
  matches: (change: Change) => boolean = () => true;

  // start starts to follow the view. The page calls end when it is closed.
  start(): void {
    this.ends.push(effect(() => {
      this.stage.view.value;
      this.stage.width.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.settle(), settled);
    }));
    this.ends.push(effect(() => {
      this.lives.version.value;
      unrecorded.value;
      this.unfolded.value;
      this.attempts.value;
      this.folded.value;
      this.stage.isPhone.value;
      this.arrange(this.holding());
    }));
  }

  end(): void {
    clearTimeout(this.timer);
    for (const end of this.ends.splice(0)) {
      end();
    }
    this.lives.end();
  }

  // ask takes over the URL, and loads its data.
  ask(asked: Asked): void {
    const old = this.asked;
    this.asked = asked;
    this.stage.fixed.value = asked.at;
    const same = old !== undefined && old.filters.toString() === asked.filters.toString() && old.sort === asked.sort;
    const { from, to } = paramsOf(this.stage.view.peek(), asked.usual);
    if (old === undefined || old.usual !== asked.usual || (from ?? "") !== asked.from || (to ?? "") !== asked.to) {
      this.stage.show(viewOf(asked.from, asked.to, this.stage.now(), asked.usual));
    }
    if (!same) {
      this.order = [];
      this.load();
    } else if (old.group !== asked.group) {
      this.arrange(false);
    }
  }

  // load reads the shown interval with half of its length before and after it.
  load(): void {
    if (this.asked === undefined) {
      return;
    }
    const s = this.stage.scale();
    const half = (s.to - s.from) / 2;
    const live = this.stage.view.peek().live;
    this.loaded = { from: s.from - half, to: live ? Infinity : s.to + half };
    const to = live || this.loaded.to >= this.stage.now() ? undefined : this.loaded.to;
    void this.lives.load({ filters: this.asked.filters, from: this.loaded.from, to, sort: this.asked.sort });
  }

  // settle makes rows and URL follow the view, and loads missing data.
  private settle(): void {
    const s = this.stage.scale();
    if (this.stage.width.peek() === 0 || this.asked === undefined) {
      return;
    }
    setQuery(paramsOf(this.stage.view.peek(), this.asked.usual) as Record<string, string | null>, "replace");
    const narrow = !this.lives.complete.peek() && s.to - s.from < (Math.min(this.loaded.to, this.stage.now()) - this.loaded.from) / 4;
    if (s.from < this.loaded.from || Math.min(s.to, this.stage.now()) > this.loaded.to || narrow) {
      this.load();
    }
    this.arrange(false);
  }

  // holding reports that the pointer is over the rows: nothing moves under it.
  holding(): boolean {
    return this.stage.pointed.peek() !== undefined;
  }

  // arrange lays out the rows that existed in the shown interval. While the pointer is over
  // them, no row is added, removed or moved.
  arrange(hold: boolean): void {
    const { asked, stage } = this;
    if (asked === undefined) {
      return;
    }
    const lanes = this.lives.lanes;
    let shown: Lane[];
    if (hold && this.order.length > 0) {
      const by = new Map(lanes.map((lane) => [lane.key, lane]));
      shown = this.order.flatMap((key) => by.get(key) ?? []);
    } else {
      const s = stage.scale();
      const inside = lanes.filter((lane) => lane.submitted <= s.to && lane.ended >= s.from);
      shown = sorted(inside, asked.sort === "" ? "submitted" : asked.sort, stage.now());
      this.order = shown.map((lane) => lane.key);
    }
    const types = [...new Set(["pods", ...lanes.map((lane) => lane.job.type)])];
    stage.gaps = [...this.lives.gaps, ...blindOf(gapsOf(unrecorded.peek(), types, shared.peek().live.notRecorded))];
    stage.layout.value = layoutOf(shown, {
      group: asked.group, metrics: stage.metrics, folded: this.folded.peek(), unfolded: this.unfolded.peek(), unfoldedAttempts: this.attempts.peek(),
    });
    stage.soon();
  }

  // change applies changes of the stream. A job that no longer matches stays until the rows
  // are loaded again, as in the list of jobs.
  change(changes: readonly Change[]): void {
    const hold = this.holding() || this.stage.top > 0;
    let any = false;
    for (const c of changes) {
      any = this.lives.change(c.job, c.removed === true, this.matches(c), hold) || any;
    }
    if (any) {
      this.lives.changed();
    }
  }

  fold(group: string): void {
    this.folded.value = toggled(this.folded.peek(), group);
    remember("timeline.folded", [...this.folded.peek()].slice(-50));
  }

  unfoldAttempt(key: string): void {
    this.attempts.value = toggled(this.attempts.peek(), key);
  }

  // unfold shows or hides the attempts of a job, and reads them when they are first shown.
  unfold(key: string): void {
    if (this.unfolded.peek().has(key)) {
      const rest = new Map(this.unfolded.peek());
      rest.delete(key);
      this.unfolded.value = rest;
      return;
    }
    this.keep(key, { state: "loading", attempts: [], pods: [], recorded: true });
    const lane = this.lives.lanes.find((l) => l.key === key);
    if (lane !== undefined) {
      void this.read(lane);
    }
  }

  private keep(key: string, value: Unfolded): void {
    this.unfolded.value = new Map(this.unfolded.peek()).set(key, value);
  }

  private async read(lane: Lane): Promise<void> {
    const { cluster, uid } = lane.job;
    const at = this.asked?.filters.get("at") ?? "";
    try {
      const [attempts, pods] = await Promise.all([
        get<AttemptList>(fill(PathAttempts, { cluster, uid }), { at }),
        get<PodList>(fill(PathPods, { cluster, uid }), { at }),
      ]);
      if (this.unfolded.peek().has(keyOf(cluster, uid))) {
        this.keep(lane.key, { state: "ready", attempts: attempts.attempts, pods: pods.pods, recorded: pods.recorded });
      }
    } catch {
      if (this.unfolded.peek().has(lane.key)) {
        this.keep(lane.key, { state: "failed", attempts: [], pods: [], recorded: true });
      }
    }
  }
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) {
    next.add(key);
  }
  return next;
}
