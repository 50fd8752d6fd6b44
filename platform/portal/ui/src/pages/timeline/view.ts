// The view of the timeline: the live edge with some time before it, or a fixed interval. The
// URL has it: `from=6h` follows, `from=...&to=...` is fixed.

import { fitted } from "../../core/history";
import { parseTime } from "../../core/instant";
import type { Interval, Scale } from "./scale";
import { clamp, following, longest, shortest, within } from "./scale";

export type View =
  | { readonly live: true; readonly span: number }
  | { readonly live: false; readonly from: number; readonly to: number };

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

// The default view: for a young history only as much as fills the width.
const usualSpans: readonly number[] = [5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour];

// usualSpan returns the length of the default view for a history of an age in milliseconds.
export function usualSpan(age: number): number {
  return fitted(usualSpans, age);
}

const longestUsual = 6 * hour;

// usual is the default view before the age of the history is known.
export const usual: View = { live: true, span: longestUsual };

// The view of the parameters from and to. Invalid ones are ignored.
export function viewOf(from: string, to: string, now: number, usualLength = longestUsual): View {
  const age = ageOf(from);
  const end = to === "" || to === "now" ? undefined : timeOfText(to, now);
  if (end === undefined) {
    if (age !== undefined) return { live: true, span: clamp(age, shortest, longest) };
    const begin = timeOfText(from, now);
    return begin !== undefined && begin < now ? { live: true, span: clamp(now - begin, shortest, longest) } : { live: true, span: usualLength };
  }
  const begin = age === undefined ? timeOfText(from, now) : now - age;
  if (begin === undefined || begin >= end) return { live: false, from: end - 6 * hour, to: end };
  return { live: false, from: begin, to: Math.max(end, begin + shortest) };
}

// The parameters of a view. The default view has none.
export function paramsOf(v: View, usualLength = longestUsual): { from: string | null; to: string | null } {
  if (v.live) return { from: v.span === usualLength ? null : ageText(v.span), to: null };
  return { from: iso(v.from), to: iso(v.to) };
}

// The scale of a view over a width.
export function scaleOf(v: View, width: number, now: number): Scale {
  if (v.live) return following(now, v.span, width);
  return within({ from: v.from, to: v.to, width }, now);
}

// The view of a scale. A scale that reaches the live edge follows it.
export function viewOfScale(s: Interval, width: number, now: number): View {
  const length = s.to - s.from;
  const slack = (length / Math.max(1, width)) * 2;
  if (s.to >= now - slack) return { live: true, span: clamp(now - s.from, shortest, longest) };
  return { live: false, from: s.from, to: s.to };
}

// Milliseconds of an age such as "24h", "30d", "1h30m"; undefined for an invalid one.
export function ageOf(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(text)) return undefined;
  const units: Record<string, number> = { s: second, m: minute, h: hour, d: day, w: 7 * day };
  let sum = 0;
  for (const m of text.matchAll(/(\d+(?:\.\d+)?)([smhdw])/g)) sum += Number(m[1]) * (units[m[2] ?? ""] ?? 0);
  return sum;
}

// An age in whole units: "6h", "1h30m", "45s".
export function ageText(ms: number): string {
  let s = Math.max(1, Math.round(ms / second));
  if (s > 3600) s = Math.round(s / 60) * 60;
  const d = Math.floor(s / 86400);
  const h = Math.floor((s % 86400) / 3600);
  const m = Math.floor((s % 3600) / 60);
  const rest = s % 60;
  return [d, "d", h, "h", m, "m", rest, "s"].reduce<string>((text, part, i, all) => {
    const n = all[i - 1];
    return typeof part === "string" && typeof n === "number" && n > 0 ? text + String(n) + part : text;
  }, "");
}

// RFC 3339, a date, or a time of today.
function timeOfText(text: string, now: number): number | undefined {
  return /^\d{1,2}:\d{2}|^\d{4}-\d{2}-\d{2}/.test(text) ? parseTime(text, now) : undefined;
}

function iso(ms: number): string {
  return new Date(Math.round(ms / second) * second).toISOString().replace(".000Z", "Z");
}
