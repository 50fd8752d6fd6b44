// The overview above the timeline with its brush.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { PathOverview } from "../../api";
import type { Overview } from "../../api";
import { second } from "../../core/clock";
import { clock, date, time } from "../../core/format";
import { historyAge } from "../../core/history";
import { useResource } from "../../core/resource";
import { sameDay } from "../../core/zone";
import { shownTheme } from "../../core/theme";
import type { Grip } from "./brush";
import { centered, dragged, gripAt, overviewLength } from "./brush";
import { readLook } from "./look";
import { drawOverview, overviewBars, overviewHeight } from "./overview";
import { Painter } from "./paint";
import type { Interval, Scale } from "./scale";
import { clamp, timeOf, xOf } from "./scale";
import type { Stage } from "./stage";
import { viewOfScale } from "./view";
import { words } from "./words";

// refreshOf returns the refresh interval of the overview, in milliseconds: a hundredth of its
// length, between 5 s and a minute.
function refreshOf(length: number): number {
  return clamp(length / 100, 5000, 60_000);
}

// OverviewBar shows the jobs of a day or more, and which part the rows show.
export function OverviewBar({ stage, filters }: { stage: Stage; filters: URLSearchParams }) {
  const w = words.value;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, measure] = useState(0);
  stage.beat.value;
  const now = stage.now();
  const shown = clipped(stage.scale(), now);
  const began = useRef(second.peek());
  const known = historyAge().value ?? Infinity;
  const age = stage.fixed.value === undefined ? known + Math.max(0, now - began.current) : Infinity;
  const length = overviewLength(shown.from, now, age);
  const beat = Math.floor(second.value / refreshOf(length));
  const bars = useOverview(filters, length, width, beat);
  const scale: Scale = { from: now - length, to: now, width: Math.max(1, width) };
  const theme = shownTheme.value;
  const painter = useMemo(() => {
    const ctx = canvas.current?.getContext("2d") ?? null;
    return ctx === null ? undefined : new Painter(ctx, readLook(), Math.max(1, devicePixelRatio));
  }, [theme, width]);
  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    const watch = new ResizeObserver((entries) => measure(Math.floor(entries[0]?.contentRect.width ?? 0)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || painter === undefined || width === 0) {
      return;
    }
    const w = Math.round(width * painter.ratio);
    if (element.width !== w) {
      element.width = w;
      element.height = Math.round(overviewHeight * painter.ratio);
    }
    drawOverview(painter, bars, scale, shown, now);
  });
  const brush = useBrush(box, stage, scale, shown);
  const x0 = clamp(xOf(scale, shown.from), 0, scale.width);
  const x1 = clamp(xOf(scale, shown.to), 0, scale.width);
  return (
    <div class="timeline-overview">
      <div class="timeline-overview-plot" ref={box} role="group" aria-label={w.overview} onPointerDown={brush}>
        <canvas ref={canvas} aria-hidden="true" />
        <div class="timeline-brush" style={{ left: `${x0}px`, width: `${Math.max(4, x1 - x0)}px` }}>
          <Handle stage={stage} scale={scale} shown={shown} grip="from" label={w.overviewFrom} />
          <Handle stage={stage} scale={scale} shown={shown} grip="to" label={w.overviewTo} />
        </div>
      </div>
      <OverviewTicks scale={scale} past={stage.fixed.value !== undefined} />
    </div>
  );
}

// clipped is the visible interval of the scale, without the margin after the live edge.
function clipped(s: Scale, now: number): Interval {
  return { from: s.from, to: Math.min(s.to, now) };
}

function useOverview(filters: URLSearchParams, length: number, width: number, beat: number) {
  const bars = Math.max(48, Math.min(144, Math.floor(width / 80) * 8));
  const at = filters.get("at") ?? "";
  const params = new URLSearchParams(filters);
  params.set("from", `${Math.round(length / 1000)}s`);
  params.set("bars", String(bars));
  const resource = useResource<Overview>(width === 0 ? "" : PathOverview, { params, version: at === "" ? beat : at, keep: true });
  return useMemo(() => (resource.data === undefined ? undefined : overviewBars(resource.data)), [resource.data]);
}

// useBrush returns the handler of a press on the overview: it drags the brush, or moves it
// to the pointer.
function useBrush(box: { current: HTMLDivElement | null }, stage: Stage, scale: Scale, shown: Interval): (e: PointerEvent) => void {
  return (e) => {
    const element = box.current;
    if (element === null || e.button !== 0) {
      return;
    }
    const left = element.getBoundingClientRect().left;
    const x = e.clientX - left;
    const grip: Grip = gripAt(scale, shown, x, e.pointerType === "touch" ? 22 : 6);
    const from = grip === "outside" ? centered(scale, shown, x) : shown;
    const taken: Grip = grip === "outside" ? "middle" : grip;
    if (grip === "outside") {
      show(stage, from);
    }
    element.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent): void => show(stage, dragged(scale, from, taken, m.clientX - left - x));
    const up = (): void => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
  };
}

function show(stage: Stage, shown: Interval): void {
  const s = stage.scale();
  stage.show(viewOfScale(shown, s.width, stage.now()));
}

// Handle is one end of the brush. Arrow keys move it by a hundredth of the overview.
function Handle({ stage, scale, shown, grip, label }: { stage: Stage; scale: Scale; shown: Interval; grip: "from" | "to"; label: string }) {
  const value = grip === "from" ? shown.from : shown.to;
  const keys = (e: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: 5, PageDown: -5 }[e.key];
    if (step === undefined) {
      return;
    }
    e.preventDefault();
    show(stage, dragged(scale, shown, grip, (step * scale.width) / 100));
  };
  const minutes = (ms: number): number => Math.round((ms - scale.to) / 60_000);
  return (
    <div class={`timeline-handle is-${grip}`} role="slider" tabIndex={0} aria-label={label} aria-valuemin={minutes(scale.from)} aria-valuemax={0} aria-valuenow={minutes(value)} aria-valuetext={time(value)} onKeyDown={keys} />
  );
}

// OverviewTicks are eight times below the overview; the last one is now.
function OverviewTicks({ scale, past }: { scale: Scale; past: boolean }) {
  const w = words.value;
  const length = scale.to - scale.from;
  const days = length > 3 * 86_400_000;
  const count = scale.width < 640 ? 3 : 8;
  const seconds = length < 3_600_000;
  const dated = count > 3 || !sameDay(scale.from, scale.to);
  const shares = Array.from({ length: count }, (_, i) => (i === 0 ? 0 : Math.round((i / count) * 48) / 48));
  return (
    <div class="timeline-overview-ticks" aria-hidden="true">
      {shares.map((share) => {
        const ms = timeOf(scale, share * scale.width);
        const text = days ? date(ms) : share === 0 && dated ? `${date(ms)} ${clock(ms, seconds)}` : clock(ms, seconds);
        return <span key={share} class={share === 0 ? "is-first" : ""} style={{ left: `${share * scale.width}px` }}>{text}</span>;
      })}
      <span class="is-last">{past ? clock(scale.to, seconds) : w.now}</span>
    </div>
  );
}
