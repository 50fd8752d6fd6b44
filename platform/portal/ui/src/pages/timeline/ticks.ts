// Ticks of a time axis. They are at round times of the wall clock: 05:00 and 05:30, also
// if the offset from UTC is not whole hours, and on days that have 23 or 25 hours.

import type { Zone } from "../../core/zone";
import type { Scale } from "./scale";
import { xOf } from "./scale";


export interface Tick {
  readonly time: number;
  readonly x: number;
  readonly major: boolean;
  // The content of the label.
  readonly form: TickForm;
}

// A label is a clock with or without seconds, a day, or a month.
export type TickForm = "second" | "minute" | "day" | "month";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

// Each step with the step of its major ticks. Steps from a day on are counted in days.
const steps: readonly (readonly [number, number])[] = [
  [second, 5 * second],
  [2 * second, 10 * second],
  [5 * second, 30 * second],
  [10 * second, minute],
  [15 * second, minute],
  [30 * second, minute],
  [minute, 5 * minute],
  [2 * minute, 10 * minute],
  [5 * minute, 15 * minute],
  [10 * minute, 30 * minute],
  [15 * minute, hour],
  [30 * minute, hour],
  [hour, 3 * hour],
  [2 * hour, 6 * hour],
  [3 * hour, 6 * hour],
  [6 * hour, day],
  [12 * hour, day],
  [day, 7 * day],
  [2 * day, 14 * day],
  [7 * day, 28 * day],
  [14 * day, 28 * day],
  [28 * day, 84 * day],
];

// The shortest step with ticks at least apart pixels from each other.
export function stepOf(s: Scale, apart: number): readonly [number, number] {
  const shortest = ((s.to - s.from) / Math.max(1, s.width)) * apart;
  return steps.find(([step]) => step >= shortest) ?? [84 * day, 84 * day];
}

// The ticks of a scale, in order, at least apart pixels from each other except where clocks change.
export function ticksOf(s: Scale, zone: Zone, apart = 76): Tick[] {
  const [step, major] = stepOf(s, apart);
  const out: Tick[] = [];
  let last = -Infinity;
  const add = (time: number, isMajor: boolean, form: TickForm): void => {
    if (time < s.from || time > s.to || time <= last) return;
    last = time;
    out.push({ time, x: xOf(s, time), major: isMajor, form });
  };
  if (step >= day) days(s, zone, step / day, major / day, add);
  else clocks(s, zone, step, major, add);
  return out;
}

type Add = (time: number, major: boolean, form: TickForm) => void;

function clocks(s: Scale, zone: Zone, step: number, major: number, add: Add): void {
  const form: TickForm = step < minute ? "second" : "minute";
  for (let [y, m, d] = dateOf(s.from, zone); ; d++) {
    const midnight = instant(zone, y, m, d, 0);
    if (midnight > s.to) return;
    const next = instant(zone, y, m, d + 1, 0);
    // Skip whole steps that certainly are before the scale. Clocks change by at most two hours.
    const first = Math.max(0, Math.floor((s.from - midnight - 2 * hour) / step)) * step;
    for (let of = first; of < day; of += step) {
      const time = instant(zone, y, m, d, of);
      if (time > s.to) break;
      if (time >= next) break;
      add(time, of % major === 0, of === 0 ? "day" : form);
    }
  }
}

function days(s: Scale, zone: Zone, step: number, major: number, add: Add): void {
  const [y, m, d] = dateOf(s.from, zone);
  // Days are counted from a Monday, so a step of a week falls on Mondays.
  let n = Math.floor(Date.UTC(y, m, d) / day) + 3;
  n -= n % step;
  for (; ; n += step) {
    const at = new Date((n - 3) * day);
    const time = instant(zone, at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), 0);
    if (time > s.to) return;
    add(time, n % major === 0, step >= 28 ? "month" : "day");
  }
}

function dateOf(time: number, zone: Zone): [number, number, number] {
  const t = new Date(time);
  return zone === "utc"
    ? [t.getUTCFullYear(), t.getUTCMonth(), t.getUTCDate()]
    : [t.getFullYear(), t.getMonth(), t.getDate()];
}

// The instant of a wall clock that shows ms after midnight.
function instant(zone: Zone, y: number, m: number, d: number, ms: number): number {
  const h = Math.floor(ms / hour);
  const min = Math.floor((ms % hour) / minute);
  const sec = Math.floor((ms % minute) / second);
  return zone === "utc" ? Date.UTC(y, m, d, h, min, sec) : new Date(y, m, d, h, min, sec).getTime();
}
