// Selection of revisions of a job, which are oldest first.

import type { Attempt, Revision } from "../../api";

// revisionOf returns the last revision that was seen before an attempt ended.
export function revisionOf(revisions: readonly Revision[], attempt: Pick<Attempt, "ended">): string {
  const end = attempt.ended === undefined ? Number.POSITIVE_INFINITY : Date.parse(attempt.ended);
  const before = revisions.filter((r) => Date.parse(r.seen) <= end && r.deleted !== true);
  return (before[before.length - 1] ?? revisions[0])?.version ?? "";
}

// chosen returns the index of a version in the list; the last one if the URL has none.
export function chosen(list: readonly Revision[], version: string): number {
  const i = list.findIndex((r) => r.version === version);
  return i >= 0 ? i : list.length - 1;
}

// pairOf returns the versions of the last two revisions.
export function pairOf(list: readonly Revision[]): [string, string] | undefined {
  const alive = list.filter((r) => r.deleted !== true);
  const [a, b] = [alive[alive.length - 2], alive[alive.length - 1]];
  return a && b ? [a.version, b.version] : undefined;
}
