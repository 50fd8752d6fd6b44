// The timeline's data of a job: its spans with times as numbers. A lane is created once per
// answer or change, and drawn many times.

import type { Span, TimelineJob } from "../../api";
import { holds, isFinal, waits } from "../../core/state";

export interface LaneSpan {
  readonly state: string;
  readonly from: number;
  // Infinity: the job is in the state.
  readonly to: number;
  readonly inferred: boolean;
  readonly attempt: number;
}

// A time that was not watched; to is Infinity while it lasts.
export interface Hole {
  readonly from: number;
  readonly to: number;
}

export interface Lane {
  readonly key: string;
  readonly job: TimelineJob;
  readonly submitted: number;
  // Infinity: the job is open.
  readonly ended: number;
  readonly spans: readonly LaneSpan[];
  readonly holes: readonly Hole[];
}

export function keyOf(cluster: string, uid: string): string {
  return cluster + "/" + uid;
}

export function laneOf(job: TimelineJob): Lane {
  const { spans, holes } = spansOf(job.life);
  return {
    key: keyOf(job.cluster, job.uid),
    job,
    submitted: parse(job.submitted, spans[0]?.from ?? 0),
    ended: parse(job.ended, Infinity),
    spans,
    holes,
  };
}

// Spans in order, with neighbors of one state and attempt joined: a gap cuts a life into pieces
// of one state, and the timeline shows one bar with a hole in it. Final states have no length
// and are omitted.
export function spansOf(life: readonly Span[]): { spans: LaneSpan[]; holes: Hole[] } {
  const spans: LaneSpan[] = [];
  const holes: Hole[] = [];
  for (const s of life) {
    const from = parse(s.from, NaN);
    const to = parse(s.to, Infinity);
    if (Number.isNaN(from) || to < from) continue;
    if (s.gap === true) holes.push({ from, to });
    if (isFinal(s.state)) continue;
    const last = spans[spans.length - 1];
    if (last !== undefined && last.state === s.state && last.attempt === (s.attempt ?? 0) && from <= last.to) {
      spans[spans.length - 1] = { ...last, to: Math.max(last.to, to) };
      continue;
    }
    spans.push({ state: s.state, from, to, inferred: s.inferred === true, attempt: s.attempt ?? 0 });
  }
  return { spans, holes };
}

// Milliseconds that the job waited and ran, until now.
export function waitedOf(lane: Lane, now: number): number {
  return total(lane, now, (s) => waits(s.state));
}

export function ranOf(lane: Lane, now: number): number {
  return total(lane, now, (s) => holds(s.state));
}

function total(lane: Lane, now: number, wanted: (s: LaneSpan) => boolean): number {
  let sum = 0;
  for (const s of lane.spans) if (wanted(s)) sum += Math.max(0, Math.min(s.to, now) - s.from);
  return sum;
}

// The attempts of a lane in order. A job that has not started has none.
export function attemptsOf(lane: Lane): { number: number; spans: LaneSpan[] }[] {
  const out: { number: number; spans: LaneSpan[] }[] = [];
  for (const s of lane.spans) {
    if (s.attempt === 0 || s.state === "Restarting") continue;
    const last = out[out.length - 1];
    if (last !== undefined && last.number === s.attempt) last.spans.push(s);
    else out.push({ number: s.attempt, spans: [s] });
  }
  return out;
}

function parse(text: string | undefined, missing: number): number {
  if (text === undefined || text === "") return missing;
  const t = Date.parse(text);
  return Number.isNaN(t) ? missing : t;
}
