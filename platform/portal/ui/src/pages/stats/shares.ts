// Shares of two periods, and grouping of small ones.

import type { OwnerShare, Share } from "../../api";

// joined returns the causes of both periods: with the number of the other one, most frequent
// first.
export function joined(now: readonly Share[], before: readonly Share[] | undefined): { word: string; count: number; before: number | undefined }[] {
  const old = new Map((before ?? []).map((s) => [s.word, s.count]));
  const rows = now.map((s) => ({ word: s.word, count: s.count, before: before === undefined ? undefined : (old.get(s.word) ?? 0) }));
  const known = new Set(now.map((s) => s.word));
  for (const s of before ?? []) {
    if (!known.has(s.word)) {
      rows.push({ word: s.word, count: 0, before: s.count });
    }
  }
  return rows;
}

// folded joins the owners after the first ones into one row.
export function folded(owners: readonly OwnerShare[], most: number): readonly OwnerShare[] {
  if (owners.length <= most) {
    return owners;
  }
  const rest = owners.slice(most - 1);
  const sum = (of: (o: OwnerShare) => number): number => rest.reduce((n, o) => n + of(o), 0);
  return [...owners.slice(0, most - 1), {
    owner: "", jobs: sum((o) => o.jobs), failed: sum((o) => o.failed), ran: sum((o) => o.ran), waited: sum((o) => o.waited), owners: sum((o) => Math.max(1, o.owners ?? 0)),
  }];
}
