// The layout of the large life strip.

import type { LikelyStart, Span } from "../../api";
import { place } from "../../design/lifepaint";
import type { Placed } from "../../design/lifepaint";
import { isFinal } from "../../core/state";

// Mark is a time below the strip. Of overlapping marks, the least important ones are omitted.
export interface Mark {
  x: number;
  anchor: "start" | "middle" | "end";
  kind: "submitted" | "now" | "early" | "half" | "late" | "started" | "again" | "gap" | "ended" | "edge";
  ms: number;
  text: string;
  // others are alternative places, if something more important has the first one.
  others?: { x: number; anchor: Mark["anchor"] }[];
}

// Strip is the drawing: its parts, the marks below, and the times at both ends.
export interface Strip {
  from: number;
  to: number;
  parts: Placed[];
  marks: Mark[];
  // now is the place of the live edge; undefined if the job has ended.
  now?: number;
  likely?: { early: number; half: number; late: number };
}

// Input is the content of the strip. Times are milliseconds.
export interface Input {
  life: Span[];
  now: number;
  ended: boolean;
  likely?: LikelyStart | undefined;
  width: number;
  // text formats the text of a mark; seconds means that another mark is in the same
  // minute.
  text: (kind: Mark["kind"], ms: number, seconds: boolean) => string;
}

// layout places the spans in proportion to their time.
export function layout(input: Input): Strip {
  const spans = input.life.filter((span) => !Number.isNaN(Date.parse(span.from)));
  const last = spans[spans.length - 1];
  const from = spans[0] === undefined ? input.now : Date.parse(spans[0].from);
  const end = input.ended && last !== undefined ? (isFinal(last.state) ? Date.parse(last.from) : endOf(last, input.now)) : Math.max(input.now, from);
  const likely = input.ended ? undefined : timesOf(input.likely);
  const to = domain(from, end, likely);
  const scale = (ms: number) => (to === from ? 0 : ((ms - from) / (to - from)) * input.width);
  // The bars take their places from the drawing that all pages share, which widens short ones.
  const parts = place(spans, Math.max(0, scale(end)), end);
  const strip: Strip = { from, to, parts, marks: [] };
  if (!input.ended) strip.now = scale(end);
  if (likely !== undefined) strip.likely = { early: scale(likely.early), half: scale(likely.half), late: scale(likely.late) };
  strip.marks = fitted(marksOf(parts, input, { from, to, end, likely }, scale), input.width);
  return strip;
}

function endOf(span: Span, now: number): number {
  const end = span.to === undefined ? Number.NaN : Date.parse(span.to);
  return Number.isNaN(end) ? Math.max(now, Date.parse(span.from)) : end;
}

interface Times {
  early: number;
  half: number;
  late: number;
}

function timesOf(likely: LikelyStart | undefined): Times | undefined {
  if (likely === undefined) return undefined;
  const times = { early: Date.parse(likely.early), half: Date.parse(likely.half), late: Date.parse(likely.late) };
  return Object.values(times).some(Number.isNaN) ? undefined : times;
}

// domain leaves space after the likely start.
function domain(from: number, end: number, likely: Times | undefined): number {
  if (likely === undefined || likely.late <= end) return end;
  return likely.late + (likely.late - from) * 0.3;
}

interface Frame {
  from: number;
  to: number;
  end: number;
  likely: Times | undefined;
}

// marksOf returns all marks, the most important first.
function marksOf(parts: Placed[], input: Input, frame: Frame, scale: (ms: number) => number): Mark[] {
  const marks: Mark[] = [];
  const add = (kind: Mark["kind"], ms: number, x: number, anchor: Mark["anchor"] = "middle") => {
    marks.push({ x, anchor, kind, ms, text: "" });
  };
  add("submitted", frame.from, 0, "start");
  if (input.ended) add("ended", frame.end, scale(frame.end), "end");
  else add("now", frame.end, scale(frame.end), frame.likely === undefined ? "end" : "middle");
  if (frame.likely !== undefined && frame.likely.late > frame.end) {
    add("half", frame.likely.half, scale(frame.likely.half));
    add("late", frame.likely.late, scale(frame.likely.late));
    add("early", frame.likely.early, scale(frame.likely.early));
    add("edge", frame.to, input.width, "end");
  }
  const started = parts.find((part, i) => i > 0 && holds(part.span));
  if (started !== undefined) add("started", Date.parse(started.span.from), started.x);
  for (const { span, x, w } of parts) {
    if (span.gap) {
      add("gap", Date.parse(span.from), x + w / 2);
      const last = marks[marks.length - 1];
      if (last) last.others = [{ x, anchor: "start" }, { x: x + w, anchor: "end" }];
    }
    else if (span.state === "Restarting") add("again", Date.parse(span.from), x);
  }
  const minutes = marks.map((mark) => Math.floor(mark.ms / 60_000));
  marks.forEach((mark, i) => {
    const twin = minutes.some((m, j) => j !== i && m === minutes[i] && marks[j]?.ms !== mark.ms);
    mark.text = input.text(mark.kind, mark.ms, twin);
  });
  return marks;
}

// holds reports whether a job holds its GPUs in a span.
function holds(span: Span): boolean {
  return !span.gap && !isFinal(span.state) && (span.state === "Starting" || span.state === "Running");
}

// fitted drops marks that overlap more important ones in all of their places.
function fitted(marks: Mark[], width: number): Mark[] {
  const taken: [number, number][] = [];
  return marks.filter((mark) => [mark, ...(mark.others ?? [])].some(({ x, anchor }) => {
    mark.x = x;
    mark.anchor = anchor;
    const left = within(mark, width);
    const right = left + widthOf(mark.text);
    if (left < 0 || taken.some(([a, b]) => left < b + 12 && a < right + 12)) return false;
    taken.push([left, right]);
    return true;
  }));
}

// within moves a mark into the strip, and returns where it begins.
function within(mark: Mark, width: number): number {
  const w = widthOf(mark.text);
  const left = mark.anchor === "start" ? mark.x : mark.anchor === "end" ? mark.x - w : mark.x - w / 2;
  if (left < 0) {
    mark.x = 0;
    mark.anchor = "start";
    return 0;
  }
  if (left + w > width) {
    mark.x = width;
    mark.anchor = "end";
    return width - w;
  }
  return left;
}

// widthOf estimates the width of a text of 12 pixels.
export function widthOf(text: string): number {
  let w = 0;
  for (const c of text) w += c.charCodeAt(0) >= 0x2e80 ? 12 : 6.6;
  return w;
}
