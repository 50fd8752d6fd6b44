// The request of the page: the period, the period to compare with, and the filters.

import { parseTime } from "../../core/instant";
import { writtenTime } from "../../core/instant";
import { daysBefore, midnight } from "../../core/zone";
import type { Span } from "./period";
import { daysOf } from "./period";

// Versus are the choices of the comparison.
export type Versus = "before" | "week" | "month" | "none";

export const versus: readonly Versus[] = ["before", "week", "month", "none"];

const day = 86_400_000;

// periodOf returns the period of the parameters. Ages of days begin at a midnight of the chosen zone, so
// that bars are whole days; the last day is today. usual is the period without parameters, in days.
export function periodOf(from: string, to: string, now: number, usual: number): Span {
  const end = to === "" ? now : (parseTime(to, now) ?? now);
  const days = from === "" ? usual : daysOf(from);
  if (days === undefined) {
    const begin = parseTime(from, now);
    return begin !== undefined && begin < end ? { from: begin, to: end } : periodOf("", "", end, usual);
  }
  if (days < 2) {
    return { from: end - days * day, to: end };
  }
  return { from: midnight(end, Math.round(days) - 1), to: end };
}

// otherPeriod returns the period to compare with.
export function otherPeriod(p: Span, vs: Versus): Span | undefined {
  switch (vs) {
    case "none":
      return undefined;
    case "week":
      return shifted(p, 7);
    case "month":
      return shifted(p, 28);
    case "before": {
      const days = Math.max(1, Math.ceil((p.to - p.from) / day));
      return p.to - p.from < 1.5 * day ? { from: p.from - (p.to - p.from), to: p.from } : shifted(p, days);
    }
  }
}

// shifted returns a period some days earlier, at the same time of day, also across
// changes of the clock.
function shifted(p: Span, days: number): Span {
  return { from: daysBefore(p.from, days), to: daysBefore(p.to, days) };
}

// own are the parameters that are not filters of jobs.
const own = ["from", "to", "vs", "group", "sort", "lang", "sel", "limit", "after", "before", "window", "state"];

// requestOf returns the parameters of the request. The end of a period that reaches now is
// omitted, so that the answer is current.
export function requestOf(query: URLSearchParams, p: Span, vs: Versus, now: number): URLSearchParams {
  const out = new URLSearchParams(query);
  for (const key of own) {
    out.delete(key);
  }
  out.set("from", writtenTime(p.from));
  if (p.to < now - 1000) {
    out.set("to", writtenTime(p.to));
  }
  const other = otherPeriod(p, vs);
  if (other !== undefined) {
    out.set("vs", writtenTime(other.from));
  }
  return out;
}
