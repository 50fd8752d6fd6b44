// The zone in which the pages show times: that of the browser, or UTC.

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
