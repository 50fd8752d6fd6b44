// Gaps on the timeline: which rows a gap covers, and which gaps are shown as one.

import type { Gap } from "../../api";
import type { Hole, Lane } from "./lane";

// A gap with its times as numbers. Gaps of several types at about one time are joined.
export interface Blind extends Hole {
  readonly cluster: string;
  // The types that were not watched.
  readonly types: readonly string[];
  // Namespaces; empty: all.
  readonly namespaces: readonly string[];
  readonly cause: string;
  readonly detail: string;
  // Transitions that were found afterwards; -1 if unknown.
  readonly changes: number;
  readonly parts: readonly Gap[];
}

// Gaps of one cluster and cause whose ends are closer than this are shown as one.
const near = 60_000;

// Gaps for people, in order of their beginning.
export function blindOf(gaps: readonly Gap[]): Blind[] {
  const parsed = gaps.map((g) => ({ g, from: Date.parse(g.from), to: g.to === undefined || g.to === "" ? Infinity : Date.parse(g.to) }));
  parsed.sort((a, b) => a.from - b.from || a.g.id - b.g.id);
  const out: Blind[] = [];
  for (const { g, from, to } of parsed) {
    if (Number.isNaN(from) || Number.isNaN(to)) continue;
    const at = out.findIndex((b) => b.cluster === g.cluster && b.cause === g.cause && close(b.from, from) && close(b.to, to));
    const b = out[at];
    if (b === undefined) {
      out.push({
        from, to, cluster: g.cluster, types: [g.type], namespaces: spaces(undefined, g), cause: g.cause,
        detail: g.detail ?? "", changes: g.changes, parts: [g],
      });
      continue;
    }
    out[at] = {
      ...b,
      from: Math.min(b.from, from),
      to: Math.max(b.to, to),
      types: b.types.includes(g.type) ? b.types : [...b.types, g.type],
      namespaces: spaces(b.namespaces, g),
      changes: b.changes < 0 || g.changes < 0 ? Math.max(b.changes, g.changes) : b.changes + g.changes,
      parts: [...b.parts, g],
    };
  }
  return out;
}

// A gap of all namespaces makes the whole gap one of all namespaces.
function spaces(before: readonly string[] | undefined, g: Gap): readonly string[] {
  if (before !== undefined && before.length === 0) return before;
  const ns = g.namespace ?? "";
  if (ns === "") return [];
  const old = before ?? [];
  return old.includes(ns) ? old : [...old, ns];
}

function close(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= near;
}

// Whether a gap covers a job: of its cluster and type, and of its namespace or all.
export function covers(b: Blind, cluster: string, type: string, namespace: string): boolean {
  return b.parts.some((g) => g.cluster === cluster && g.type === type && ((g.namespace ?? "") === "" || g.namespace === namespace));
}

// The times in which a job was not watched: from the gaps, and from its life.
export function holesOfLane(lane: Lane, gaps: readonly Blind[]): Hole[] {
  const covering = gaps.filter((b) => covers(b, lane.job.cluster, lane.job.type, lane.job.namespace));
  return [...lane.holes, ...covering];
}

// The times in which the pods of a job were not watched.
export function holesOfPods(lane: Lane, gaps: readonly Blind[]): Hole[] {
  return gaps.filter((b) => covers(b, lane.job.cluster, "pods", lane.job.namespace));
}
