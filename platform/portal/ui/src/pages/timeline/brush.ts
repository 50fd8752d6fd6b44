// The brush of the overview: which part of it a pointer grabs, and the effect of
// dragging.

import type { Interval, Scale } from "./scale";
import { clamp, perPixel, shortest, timeOf, xOf } from "./scale";

export type Grip = "from" | "to" | "middle" | "outside";

// The part that a pointer at x grabs. Handles are larger for fingers.
export function gripAt(s: Scale, shown: Interval, x: number, reach = 6): Grip {
  const x0 = xOf(s, shown.from);
  const x1 = xOf(s, shown.to);
  const d0 = Math.abs(x - x0);
  const d1 = Math.abs(x - x1);
  if (d0 <= reach || d1 <= reach) return d0 < d1 ? "from" : "to";
  return x > x0 && x < x1 ? "middle" : "outside";
}

// The shown interval after grip was dragged by dx pixels. It stays inside the overview.
export function dragged(s: Scale, shown: Interval, grip: Grip, dx: number): Interval {
  const by = dx * perPixel(s);
  switch (grip) {
    case "from":
      return { from: clamp(shown.from + by, s.from, shown.to - shortest), to: shown.to };
    case "to":
      return { from: shown.from, to: clamp(shown.to + by, shown.from + shortest, s.to) };
    case "middle":
      return shifted(s, shown, by);
    case "outside":
      return shown;
  }
}

// The shown interval moved so that x is its middle.
export function centered(s: Scale, shown: Interval, x: number): Interval {
  return shifted(s, shown, timeOf(s, x) - (shown.from + shown.to) / 2);
}

function shifted(s: Scale, shown: Interval, by: number): Interval {
  const length = shown.to - shown.from;
  if (length >= s.to - s.from) return { from: s.from, to: s.to };
  const from = clamp(shown.from + by, s.from, s.to - length);
  return { from, to: from + length };
}

const hour = 3_600_000;

// Lengths of the overview, shortest first. Those below a day are for a young history.
export const overviewLengths: readonly number[] = [hour / 12, hour / 4, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 72 * hour, 168 * hour, 720 * hour, 2160 * hour, 9600 * hour];

// The length of the overview that contains an interval and, of the last 24 hours, all of the
// history.
export function overviewLength(from: number, now: number, age = Infinity): number {
  const wanted = Math.max(now - from, Math.min(age, 24 * hour)) * 0.999;
  return overviewLengths.find((l) => l >= wanted) ?? wanted;
}
