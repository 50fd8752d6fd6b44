// The end of a mute that lasts until the next morning.

import { fields, instantOf } from "../../core/zone";

// tomorrow returns 9 o'clock of the next day of the chosen zone.
export function tomorrow(now: number): number {
  const day = fields(now);
  return instantOf(day.year, day.month, day.day + 1, 9);
}
