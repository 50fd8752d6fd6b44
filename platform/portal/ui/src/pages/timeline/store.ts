// Lives of jobs in the timeline, kept current by the stream.

import { batch, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { PathTimeline } from "../../api";
import type { Count, Job, Problem, Timeline, TimelineJob } from "../../api";
import { aborted, get, problem } from "../../core/client";
import { serverNow } from "../../core/clock";
import type { Blind } from "./gaps";
import { blindOf } from "./gaps";
import type { Lane } from "./lane";
import { keyOf, laneOf } from "./lane";

// pageSize and mostJobs limit the loaded rows: nobody reads more rows than mostJobs.
const pageSize = 500;
export const mostJobs = 3000;

// Request selects the jobs to load.
export interface Request {
  filters: URLSearchParams;
  from: number;
  to: number | undefined;
  sort: string;
}

// Lives holds the answer to one request at a time.
export class Lives {
  private readonly known = new Map<string, Lane>();
  private readonly held = new Map<string, Lane>();
  private readonly counter = signal(0);
  private readonly heldCount = signal(0);
  private stop: AbortController | undefined;
  private gapList: Blind[] = [];

  readonly problem = signal<Problem | undefined>(undefined);
  readonly loading = signal(false);
  // ready reports that an answer has arrived.
  readonly ready = signal(false);
  readonly matching = signal<Count>({ n: 0 });
  readonly complete = signal(true);
  readonly asOf = signal(0);
  // held counts new jobs that are not shown yet.
  readonly waiting: ReadonlySignal<number> = this.heldCount;
  // version changes with every change of the lanes.
  readonly version: ReadonlySignal<number> = this.counter;
  // position is the position of the feed that the first page includes.
  position = 0;

  get lanes(): readonly Lane[] {
    return [...this.known.values()];
  }

  get gaps(): readonly Blind[] {
    return this.gapList;
  }

  // load replaces everything with the answer to a request. The old data stays until it
  // arrives.
  async load(r: Request): Promise<void> {
    this.stop?.abort();
    const stop = (this.stop = new AbortController());
    this.loading.value = true;
    const fresh = new Map<string, Lane>();
    try {
      let after = "";
      do {
        const answer: Timeline = await get<Timeline>(PathTimeline, paramsOf(r, after), stop.signal);
        for (const job of answer.jobs) {
          fresh.set(keyOf(job.cluster, job.uid), laneOf(job));
        }
        this.take(answer, fresh, after === "");
        after = fresh.size < mostJobs ? (answer.next ?? "") : "";
        this.complete.value = (answer.next ?? "") === "";
      } while (after !== "");
      this.loading.value = false;
    } catch (e) {
      if (!aborted(e)) {
        batch(() => {
          this.problem.value = problem(e);
          this.loading.value = false;
        });
      }
    }
  }

  // A page of an answer is shown when it arrives; the first one replaces the old data.
  private take(answer: Timeline, fresh: Map<string, Lane>, first: boolean): void {
    batch(() => {
      if (first) {
        this.known.clear();
        this.held.clear();
        this.heldCount.value = 0;
        this.gapList = blindOf(answer.gaps);
        this.matching.value = answer.matching;
        this.position = answer.position;
      }
      for (const [key, lane] of fresh) {
        this.known.set(key, lane);
      }
      this.problem.value = undefined;
      this.ready.value = true;
      this.asOf.value = serverNow();
      this.counter.value++;
    });
  }

  // end stops loading.
  end(): void {
    this.stop?.abort();
  }

  // change applies a change of a job. It returns false if nothing changed. A new job is held
  // back while hold is true, so that no row moves under the pointer.
  change(job: Job, removed: boolean, matches: boolean, hold: boolean): boolean {
    const key = keyOf(job.cluster, job.uid);
    const old = this.known.get(key);
    if (removed) {
      this.held.delete(key);
      return this.known.delete(key);
    }
    if (old === undefined && (!matches || (this.known.size >= mostJobs && !this.held.has(key)))) {
      return false;
    }
    const lane = laneOf(rowOf(job));
    if (old === undefined && hold) {
      this.held.set(key, lane);
      this.heldCount.value = this.held.size;
      return false;
    }
    this.known.set(key, lane);
    return true;
  }

  // changed reports that changes were applied.
  changed(): void {
    this.counter.value++;
  }

  // show shows the jobs that were held back.
  show(): void {
    batch(() => {
      for (const [key, lane] of this.held) {
        this.known.set(key, lane);
      }
      this.held.clear();
      this.heldCount.value = 0;
      this.counter.value++;
    });
  }
}

function paramsOf(r: Request, after: string): URLSearchParams {
  const params = new URLSearchParams(r.filters);
  params.set("from", new Date(r.from).toISOString());
  if (r.to !== undefined) {
    params.set("to", new Date(r.to).toISOString());
  }
  if (r.sort !== "") {
    params.set("sort", r.sort);
  }
  params.set("limit", String(pageSize));
  if (after !== "") {
    params.set("after", after);
  }
  return params;
}

// rowOf returns the timeline's data of a row of the list.
function rowOf(job: Job): TimelineJob {
  const { id, cluster, uid, type, namespace, name, state, reason, queue, owner, gpus, tries, submitted, ended, life } = job;
  return { id, cluster, uid, type, namespace, name, state, reason, queue, owner, gpus, tries, submitted, ended, life };
}
