// Drawing of the overview: waiting and running jobs over time, failures below, and gaps
// hatched.

import type { Overview } from "../../api";
import { blindOf } from "./gaps";
import type { Painter } from "./paint";
import type { Interval, Scale } from "./scale";
import { clamp, xOf } from "./scale";

// overviewHeight is the height of the canvas: bars, and the line of failures.
export const barsHeight = 44;
export const overviewHeight = 52;

export interface OverviewBars {
  readonly from: number;
  readonly step: number;
  readonly bars: readonly { waiting: number; running: number; failed: number }[];
  readonly most: number;
  readonly gaps: readonly Interval[];
}

// barsOf prepares an answer for drawing.
export function overviewBars(o: Overview): OverviewBars {
  let most = 1;
  for (const b of o.buckets) {
    most = Math.max(most, b.waiting + b.running);
  }
  return { from: Date.parse(o.from), step: o.step * 1000, bars: o.buckets, most, gaps: blindOf(o.gaps) };
}

// drawOverview draws the bars; bars outside the shown interval are pale.
export function drawOverview(p: Painter, o: OverviewBars | undefined, s: Scale, shown: Interval, now: number): void {
  const { ctx, look } = p;
  ctx.setTransform(p.ratio, 0, 0, p.ratio, 0, 0);
  ctx.clearRect(0, 0, s.width, overviewHeight);
  if (o !== undefined) {
    o.bars.forEach((bar, i) => {
      const from = o.from + i * o.step;
      if (from >= now) {
        return;
      }
      const x0 = p.snap(Math.max(0, xOf(s, from)));
      const x1 = p.snap(Math.min(s.width, xOf(s, from + o.step)));
      if (x1 <= x0) {
        return;
      }
      const w = Math.max(1 / p.ratio, x1 - x0 - (x1 - x0 > 3 ? 1 : 0));
      const inside = from + o.step > shown.from && from < shown.to;
      ctx.globalAlpha = inside ? 1 : 0.3;
      const running = (bar.running / o.most) * (barsHeight - 6);
      const waiting = (bar.waiting / o.most) * (barsHeight - 6);
      p.fill(look.states["Running"] ?? look.gap, x0, p.snap(barsHeight - running), w, p.snap(running));
      const gap = running > 0 && waiting > 0 ? 1 : 0;
      p.fill(look.states["Queued"] ?? look.gap, x0, p.snap(barsHeight - running - waiting - gap), w, p.snap(waiting));
      if (bar.failed > 0) {
        ctx.globalAlpha = inside ? 1 : 0.45;
        p.fill(look.states["Failed"] ?? look.gap, x0, barsHeight + 4, Math.max(w, 3), 3);
      }
    });
    ctx.globalAlpha = 1;
    for (const gap of o.gaps) {
      const x0 = clamp(xOf(s, gap.from), 0, s.width);
      const x1 = clamp(xOf(s, Math.min(gap.to, now)), 0, s.width);
      if (x1 > x0) {
        p.hole(x0, Math.max(x1, x0 + 3), 0, barsHeight);
      }
    }
  }
  ctx.globalAlpha = 1;
}
