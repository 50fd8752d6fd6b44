// The horizontal scale of the timeline: an interval of time over a width in pixels. All times
// are milliseconds since 1970. Values are immutable; each function returns a new one.

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface Scale extends Interval {
  readonly width: number;
}

// The shortest and the longest interval that can be shown.
export const shortest = 10_000;
export const longest = 400 * 86_400_000;

// Pixels to the right of the live edge, for the icons of recently ended jobs.
export const edgeMargin = 20;

export function xOf(s: Scale, time: number): number {
  return ((time - s.from) / (s.to - s.from)) * s.width;
}

export function timeOf(s: Scale, x: number): number {
  return s.from + (x / s.width) * (s.to - s.from);
}

export function perPixel(s: Scale): number {
  return (s.to - s.from) / Math.max(1, s.width);
}

// The scale that has the live edge edgeMargin pixels before its end and shows span milliseconds up to it.
export function following(now: number, span: number, width: number): Scale {
  const shown = Math.max(1, width - edgeMargin);
  const length = clamp(span, shortest, longest);
  return { from: now - length, to: now + (length / shown) * edgeMargin, width };
}

// The latest end of a scale of this length: the future is not shown.
export function latestEnd(now: number, length: number, width: number): number {
  return now + (length / Math.max(1, width)) * edgeMargin;
}

// Zooms by factor (above 1: closer) and keeps the time under x in place, within the limits.
export function zoomAt(s: Scale, x: number, factor: number, now: number): Scale {
  const length = s.to - s.from;
  const next = clamp(length / factor, shortest, longest);
  const share = s.width > 0 ? clamp(x / s.width, 0, 1) : 0.5;
  const pivot = s.from + share * length;
  return within({ from: pivot - share * next, to: pivot + (1 - share) * next, width: s.width }, now);
}

// Moves the scale by dx pixels: a positive dx shows later times.
export function pan(s: Scale, dx: number, now: number): Scale {
  const by = dx * perPixel(s);
  return within({ from: s.from + by, to: s.to + by, width: s.width }, now);
}

// Moves the scale back if it ends in the future; its length stays.
export function within(s: Scale, now: number): Scale {
  const over = s.to - latestEnd(now, s.to - s.from, s.width);
  return over > 0 ? { from: s.from - over, to: s.to - over, width: s.width } : s;
}

// The interval between two points of a drag, at least shortest long.
export function selected(s: Scale, x0: number, x1: number): Interval {
  const a = timeOf(s, clamp(Math.min(x0, x1), 0, s.width));
  const b = timeOf(s, clamp(Math.max(x0, x1), 0, s.width));
  const missing = Math.max(0, shortest - (b - a)) / 2;
  return { from: a - missing, to: b + missing };
}

// The scale after two fingers moved from a0 and b0 to a1 and b1 (pixels). The times under the
// fingers stay under them.
export function pinch(s: Scale, a0: number, b0: number, a1: number, b1: number, now: number): Scale {
  const apart0 = Math.max(8, Math.abs(b0 - a0));
  const apart1 = Math.max(8, Math.abs(b1 - a1));
  const middle = timeOf(s, (a0 + b0) / 2);
  const length = clamp(((s.to - s.from) * apart0) / apart1, shortest, longest);
  const from = middle - (((a1 + b1) / 2) / Math.max(1, s.width)) * length;
  return within({ from, to: from + length, width: s.width }, now);
}

// Whether the live edge is inside the scale.
export function showsNow(s: Scale, now: number): boolean {
  return now >= s.from && now <= s.to;
}

export function clamp(v: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, v));
}
