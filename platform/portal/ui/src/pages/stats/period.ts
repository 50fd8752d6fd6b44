// Periods of the statistics: `from=7d`, `from=...&to=...`, and `vs=` for the period to
// compare with.

import type { StatsBucket } from "../../api";
import { fitted } from "../../core/history";
import { fields } from "../../core/zone";

export interface Span {
  readonly from: number;
  readonly to: number;
}

const day = 86_400_000;

// usualPeriods are the default periods, in days. The page shows the shortest one that contains
// the history.
const usualPeriods: readonly number[] = [1 / 24, 1, 7, 30];

// usualDays returns the period without parameters, in days, of a history of an age in
// milliseconds.
export function usualDays(age: number): number {
  return fitted(usualPeriods, age / day);
}

// ageText formats days as in the parameter from: "1h", "7d".
export function ageText(days: number): string {
  return days < 1 ? `${Math.round(days * 24)}h` : `${days}d`;
}

// choices are the periods of the menu, in days.
export const choices: readonly number[] = [1 / 24, 1, 7, 14, 30, 90];

// daysOf returns the days of an age such as "7d" or "24h"; undefined for an invalid one.
export function daysOf(text: string): number | undefined {
  const m = /^(\d+)([hdw])$/.exec(text);
  if (m === null) {
    return undefined;
  }
  const n = Number(m[1]);
  return m[2] === "h" ? n / 24 : m[2] === "w" ? n * 7 : n;
}

// spanText formats a period. Whole days have no clock.
export function spanText(s: Span, now: number, date: (ms: number) => string, clock: (ms: number) => string, gap = ", "): string {
  const last = s.to - 1;
  if (s.to - s.from > 1.5 * day) {
    return date(s.from) === date(last) ? date(s.from) : `${date(s.from)} – ${lastDay(s.from, last, date)}`;
  }
  const open = s.to >= now - 60_000;
  return `${date(s.from)}${gap}${clock(s.from)} – ${open || date(last) === date(s.from) ? clock(s.to) : date(s.to) + gap + clock(s.to)}`;
}

// lastDay omits the month if it is the month of the first day.
function lastDay(first: number, last: number, date: (ms: number) => string): string {
  const [a, b] = [fields(first), fields(last)];
  const text = date(last);
  return a.month === b.month && a.year === b.year ? text.replace(/^\w{3} |^\d+ 月 /, "") : text;
}

// OutcomeBar has the outcomes of one bar of the plot.
export interface OutcomeBar {
  readonly from: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

// outcomeBars joins buckets to bars: by local day, or if the period is shorter than three days,
// into at most `most` bars.
export function outcomeBars(buckets: readonly StatsBucket[], step: number, most = 31): OutcomeBar[] {
  const length = buckets.length * step * 1000;
  const keyOf = length >= 3 * day ? dayKey : groupKey(buckets, step, most);
  const out: { key: number; from: number; outcomes: Record<string, number> }[] = [];
  for (const b of buckets) {
    const from = Date.parse(b.from);
    const key = keyOf(from);
    let last = out[out.length - 1];
    if (last === undefined || last.key !== key) {
      last = { key, from, outcomes: {} };
      out.push(last);
    }
    for (const [state, n] of Object.entries(b.outcomes)) {
      last.outcomes[state] = (last.outcomes[state] ?? 0) + n;
    }
  }
  return out;
}

function dayKey(ms: number): number {
  const f = fields(ms);
  return Date.UTC(f.year, f.month, f.day);
}

function groupKey(buckets: readonly StatsBucket[], step: number, most: number): (ms: number) => number {
  const first = buckets[0] === undefined ? 0 : Date.parse(buckets[0].from);
  const each = Math.max(1, Math.ceil(buckets.length / most)) * step * 1000;
  return (ms) => Math.floor((ms - first) / each);
}
