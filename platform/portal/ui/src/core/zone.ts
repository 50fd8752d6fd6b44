// The time zone of the pages: the browser's, or UTC.

import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { recall, remember } from "./storage";

export type Zone = "local" | "utc";

const choice = signal<Zone>(recall<string>("zone", "local") === "utc" ? "utc" : "local");

// zoneChoice is the choice of the person.
export const zoneChoice: ReadonlySignal<Zone> = choice;

// setZone changes and keeps the choice.
export function setZone(z: Zone): void {
  choice.value = z;
  remember("zone", z);
}

// Fields are the parts of a wall clock. month counts from 0.
export interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

// fields returns what a clock of the chosen zone shows at an instant.
export function fields(ms: number): Fields {
  const d = new Date(ms);
  if (choice.value === "utc") {
    return { year: d.getUTCFullYear(), month: d.getUTCMonth(), day: d.getUTCDate(), hour: d.getUTCHours(), minute: d.getUTCMinutes(), second: d.getUTCSeconds() };
  }
  return { year: d.getFullYear(), month: d.getMonth(), day: d.getDate(), hour: d.getHours(), minute: d.getMinutes(), second: d.getSeconds() };
}

// sameDay reports whether two instants are on one day of the chosen zone.
export function sameDay(a: number, b: number): boolean {
  const [x, y] = [fields(a), fields(b)];
  return x.day === y.day && x.month === y.month && x.year === y.year;
}

// instantOf returns the instant at which a clock of the chosen zone shows some fields. Fields
// beyond their range count on: day 0 is the last day of the month before.
export function instantOf(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  return choice.value === "utc" ? Date.UTC(year, month, day, hour, minute, second) : new Date(year, month, day, hour, minute, second).getTime();
}

// midnight returns the beginning of the day of the chosen zone that is some days before an instant.
export function midnight(ms: number, days = 0): number {
  const f = fields(ms);
  return instantOf(f.year, f.month, f.day - days);
}

// daysBefore returns the instant some days before another one at which the clock shows the same,
// also across changes of the clock.
export function daysBefore(ms: number, days: number): number {
  const f = fields(ms);
  return instantOf(f.year, f.month, f.day - days, f.hour, f.minute, f.second) + (((ms % 1000) + 1000) % 1000);
}
