// Which parts of the history recorders keep current, from the beats of the stream.

import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { Gap, Span, Unrecorded } from "../api";
import { at, here } from "./router";

const missing = signal<readonly Unrecorded[]>([]);

// setUnrecorded replaces the parts that are not current.
export function setUnrecorded(all: readonly Unrecorded[]): void {
  missing.value = all;
}

// unrecorded are the parts that are not current; empty with ?at=, because the past does not become
// stale.
export const unrecorded: ReadonlySignal<readonly Unrecorded[]> = computed(() => (at.value === "" ? missing.value : []));

// shownUnrecorded are the parts of unrecorded that the page shows: those of the chosen clusters.
export const shownUnrecorded: ReadonlySignal<readonly Unrecorded[]> = computed(() => {
  const path = here.value.path.split("/");
  const chosen = path[1] === "jobs" && path[2] !== undefined && path[2] !== "" ? [decodeURIComponent(path[2])] : here.value.query.getAll("cluster").filter((c) => !c.startsWith("!"));
  return unrecorded.value.filter((u) => u.cluster === "" || chosen.length === 0 || chosen.includes(u.cluster));
});

// unrecordedSince returns since when a type of a cluster is not current, in milliseconds of the
// server's clock; undefined if it is.
export function unrecordedSince(cluster: string, type: string): number | undefined {
  const found = unrecorded.value.find((u) => u.cluster === cluster && ((u.type ?? "") === "" || u.type === type));
  return found?.since === undefined ? undefined : Date.parse(found.since);
}

// staleSince returns the latest instant up to which all of some parts are current. A part that was
// never recorded has none.
export function staleSince(parts: readonly Unrecorded[]): number | undefined {
  const times = parts.flatMap((u) => (u.since === undefined ? [] : [Date.parse(u.since)]));
  return times.length === 0 ? undefined : Math.min(...times);
}

// recordedLife returns a life whose last span ends where the recording did. The rest is a gap.
export function recordedLife(life: readonly Span[], since: number | undefined): readonly Span[] {
  const last = life.at(-1);
  if (since === undefined || last === undefined || last.to !== undefined || last.gap) {
    return life;
  }
  const from = new Date(Math.max(since, Date.parse(last.from))).toISOString();
  return [...life.slice(0, -1), { ...last, to: from }, { state: last.state, from, gap: true }];
}

// gapsOf returns the parts as gaps that last, for types that are given for whole clusters.
export function gapsOf(parts: readonly Unrecorded[], types: readonly string[], cause: string): Gap[] {
  return parts.flatMap((u) => {
    const from = u.since;
    return from === undefined ? [] : ((u.type ?? "") === "" ? types : [u.type ?? ""]).map((type) => ({ id: 0, cluster: u.cluster, type, from, cause, changes: -1, closed: false }));
  });
}
