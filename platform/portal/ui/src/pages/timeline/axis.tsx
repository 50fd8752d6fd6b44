// The axis above the rows, with the clock of the live edge.

import { clock, date } from "../../core/format";
import { second } from "../../core/clock";
import { zoneChoice } from "../../core/zone";
import { overlaps } from "./legend";
import { edgeX } from "./pointer";
import type { Stage } from "./stage";
import { ticksOf } from "./ticks";
import type { Tick } from "./ticks";
import { words } from "./words";

// clockWidth is the width of the clock at the live edge, in pixels.
const clockWidth = 68;

// Axis shows the ticks of the visible interval. Ticks that the clock would cover have no
// label.
export function Axis({ stage }: { stage: Stage }) {
  const w = words.value;
  stage.beat.value;
  second.value;
  const scale = stage.scale();
  const edge = edgeX(stage);
  const fixed = stage.fixed.value !== undefined;
  const phone = stage.isPhone.value;
  const middle = edge === undefined ? undefined : Math.min(edge, scale.width - clockWidth / 2);
  const ticks = ticksOf(scale, zoneChoice.value, phone ? 64 : 76);
  return (
    <div class="timeline-axis">
      {phone ? null : <div class="timeline-heads"><span>{w.job}</span><span>{w.gpus}</span></div>}
      <div class="timeline-ticks" aria-hidden="true">
        {ticks.map((t) => hidden(t, scale.width, middle) ? null : (
          <span key={t.time} class={t.major ? "timeline-tick is-major" : "timeline-tick"} style={{ left: `${t.x}px` }}>{textOf(t)}</span>
        ))}
        {middle === undefined ? null : <span class={fixed ? "timeline-clock is-fixed" : "timeline-clock"} style={{ left: `${middle}px` }}>{clock(stage.now(), true)}</span>}
      </div>
    </div>
  );
}

function hidden(t: Tick, width: number, edge: number | undefined): boolean {
  const half = 20;
  return t.x < half || t.x > width - half || (edge !== undefined && overlaps(t.x, half, edge, clockWidth / 2));
}

function textOf(t: Tick): string {
  switch (t.form) {
    case "second":
      return clock(t.time, true);
    case "minute":
      return clock(t.time);
    case "day":
    case "month":
      return date(t.time);
  }
}
