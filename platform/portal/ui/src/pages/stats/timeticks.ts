// Round times on the horizontal axis of a plot.

import { clock, date } from "../../core/format";
import { zoneChoice } from "../../core/zone";
import { ticksOf } from "../timeline/ticks";
import type { Tick } from "./chart";
import type { Span } from "./period";

const day = 86_400_000;

// timeTicks returns round times. A day of a longer period is labeled in the middle of its visible
// part.
export function timeTicks(span: Span, width: number): Tick[] {
  const length = span.to - span.from;
  const days = length > 2.5 * day;
  const from = days ? span.from - day : span.from;
  const ticks = ticksOf({ from, to: span.to, width: (width * (span.to - from)) / length }, zoneChoice.value, days ? 64 : 84);
  return ticks.flatMap((t) => {
    const end = Math.min(t.time + day, span.to);
    const begin = Math.max(t.time, span.from);
    if (days && (t.form === "minute" || end - begin < day / 4)) {
      return [];
    }
    const time = days ? (begin + end) / 2 : t.time;
    return [{ at: (time - span.from) / length, text: days || clock(t.time) === "00:00" ? date(t.time) : clock(t.time) }];
  });
}
