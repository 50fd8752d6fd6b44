// Bars of a row at a scale: which parts of a life are visible, which are too short to
// distinguish, and where a duration fits.

import type { Scale } from "./scale";
import { xOf } from "./scale";
import type { Hole, LaneSpan } from "./lane";
import { holds } from "../../core/state";

// Spans narrower than this cannot be distinguished.
export const narrow = 2;

// The minimum width of a label.
export const labelRoom = 86;

export interface Bar {
  // The state; empty for a neutral block of several spans.
  readonly state: string;
  readonly x0: number;
  readonly x1: number;
  // Whether GPUs are held, of a neutral block: at some time.
  readonly tall: boolean;
  readonly inferred: boolean;
  // Indexes of the spans in the bar.
  readonly first: number;
  readonly last: number;
  // Whether the bar continues beyond the visible part.
  readonly open0: boolean;
  readonly open1: boolean;
}

// The visible bars of spans. Neighbors that are all narrower than 2 px become one neutral block
// of at least 2 px; a single narrow span keeps its state.
export function barsOf(spans: readonly LaneSpan[], s: Scale, now: number): Bar[] {
  const out: Bar[] = [];
  const begin = firstVisible(spans, s.from, now);
  for (let i = begin; i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.from > s.to) break;
    const to = Math.min(span.to, now);
    if (to < span.from) continue;
    const x0 = xOf(s, span.from);
    const x1 = xOf(s, to);
    const last = out[out.length - 1];
    if (x1 - x0 < narrow && last !== undefined && joins(last, x0, spans)) {
      out[out.length - 1] = join(last, span, i, x1, spans);
      continue;
    }
    const left = Math.max(x0, 0);
    out.push({
      state: span.state,
      x0: left,
      x1: Math.max(left + 1, Math.min(x1, s.width)),
      tall: holds(span.state),
      inferred: span.inferred,
      first: i,
      last: i,
      open0: x0 < 0,
      open1: x1 > s.width,
    });
  }
  return out;
}

// A narrow span joins the bar before it if that one is narrow or neutral, and touches it.
function joins(last: Bar, x0: number, spans: readonly LaneSpan[]): boolean {
  const small = last.state === "" || (last.x1 - last.x0 < narrow && !last.open0);
  return small && x0 - last.x1 < narrow && spans[last.first] !== undefined;
}

function join(last: Bar, span: LaneSpan, index: number, x1: number, spans: readonly LaneSpan[]): Bar {
  const same = last.state !== "" && last.state === span.state && spans[last.last]?.state === span.state;
  return {
    ...last,
    state: same ? last.state : "",
    x1: Math.max(x1, last.x0 + narrow),
    tall: last.tall || holds(span.state),
    last: index,
  };
}

// The first span that ends at or after time, by binary search.
export function firstVisible(spans: readonly LaneSpan[], time: number, now: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const span = spans[mid];
    if (span !== undefined && Math.min(span.to, now) < time) low = mid + 1;
    else high = mid;
  }
  return low;
}

// The start of the label of a bar: the left end of the first stretch of at least room pixels
// without a hole. It is -1 if there is no such stretch.
export function labelAt(x0: number, x1: number, holes: readonly (readonly [number, number])[], room = labelRoom): number {
  let left = x0;
  for (const [h0, h1] of holes) {
    if (h1 <= left) continue;
    if (h0 >= x1) break;
    if (h0 - left >= room) return left;
    left = Math.max(left, h1);
  }
  return x1 - left >= room ? left : -1;
}

// Holes in pixels, in order and joined where they overlap, cut to the visible part.
export function holesOf(holes: readonly Hole[], s: Scale, now: number): [number, number][] {
  const out: [number, number][] = [];
  const sorted = holes.slice().sort((a, b) => a.from - b.from);
  for (const h of sorted) {
    const to = Math.min(h.to, now);
    if (to < s.from || h.from > s.to) continue;
    const x0 = Math.max(0, xOf(s, h.from));
    const x1 = Math.min(s.width, Math.max(xOf(s, to), x0 + narrow));
    const last = out[out.length - 1];
    if (last !== undefined && x0 <= last[1]) last[1] = Math.max(last[1], x1);
    else out.push([x0, x1]);
  }
  return out;
}
