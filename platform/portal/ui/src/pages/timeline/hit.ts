// The item under the pointer.

import type { Blind } from "./gaps";
import { holesOfLane, holesOfPods } from "./gaps";
import type { Hole, Lane, LaneSpan } from "./lane";
import type { Layout, Row } from "./rows";
import { rowAt } from "./rows";
import type { Scale } from "./scale";
import { perPixel, timeOf } from "./scale";
import { firstVisible } from "./bars";

export interface Hit {
  readonly row: Row;
  readonly index: number;
  readonly time: number;
  // The spans under the pointer: several if they are too narrow to distinguish.
  readonly spans: readonly LaneSpan[];
  // The gap under the pointer.
  readonly hole: Hole | undefined;
}

// How far a pointer may miss a narrow span, in pixels.
const reach = 3;

// The item at x of the plot and y of the layout; undefined below the last row.
export function hitAt(l: Layout, s: Scale, gaps: readonly Blind[], x: number, y: number, now: number): Hit | undefined {
  const index = rowAt(l, y);
  const row = l.rows[index];
  if (row === undefined || y < row.y) return undefined;
  const time = timeOf(s, x);
  const base = { row, index, time };
  if (x < 0 || x > s.width || row.kind === "group" || row.kind === "note") return { ...base, spans: [], hole: undefined };
  const slack = reach * perPixel(s);
  const holes = row.kind === "job" ? holesOfLane(row.lane, gaps) : holesOfPods(row.lane, gaps);
  const hole = holes.find((h) => time >= h.from - slack && time <= Math.min(h.to, now) + slack);
  return { ...base, spans: spansAt(spansOfRow(row), time, slack, now), hole };
}

export function spansOfRow(row: Row): readonly LaneSpan[] {
  switch (row.kind) {
    case "job":
      return row.lane.spans;
    case "attempt":
    case "pod":
      return row.spans;
    default:
      return [];
  }
}

// The span at a time, or the narrow spans that are closer to it than slack.
export function spansAt(spans: readonly LaneSpan[], time: number, slack: number, now: number): LaneSpan[] {
  const near: LaneSpan[] = [];
  for (let i = firstVisible(spans, time - slack, now); i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.from > time + slack) break;
    near.push(span);
  }
  const exact = near.find((span) => time >= span.from && time < Math.min(span.to, now));
  const long = near.filter((span) => Math.min(span.to, now) - span.from >= 2 * slack);
  if (long.length > 0) return exact !== undefined ? [exact] : long.slice(0, 1);
  return near;
}

// The row that j or k moves to: the next job or attempt, past headers.
export function nextRow(l: Layout, key: string | undefined, by: 1 | -1): Row | undefined {
  const at = l.rows.findIndex((r) => r.key === key);
  let i = at === -1 ? (by > 0 ? 0 : l.rows.length - 1) : at + by;
  for (; i >= 0 && i < l.rows.length; i += by) {
    const row = l.rows[i];
    if (row !== undefined && row.kind !== "note") return row;
  }
  return undefined;
}

export function laneOfRow(row: Row): Lane | undefined {
  return row.kind === "group" ? undefined : row.lane;
}
