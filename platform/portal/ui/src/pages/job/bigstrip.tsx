// The large life strip in the head of the page of a job.

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Job, LikelyStart } from "../../api";
import { clock, date, duration, instant } from "../../core/format";
import { paintSpan, pale } from "../../design/lifepaint";
import type { Colors } from "../../design/lifepaint";
import { describe, themeColors } from "../../design/lifestrip";
import { StateIcon } from "../../design/stateicon";
import { shownTheme } from "../../core/theme";
import { useWidth } from "../../core/width";
import { sameDay, zoneChoice } from "../../core/zone";
import { isFinal } from "../../core/state";
import { layout } from "./striplayout";
import type { Mark, Strip } from "./striplayout";
import { w } from "./words";

const height = 20;
const total = 34;

// BigStrip draws the life of a job with its times, attempts and likely start. past means that
// the live edge is an instant of `?at=`.
export function BigStrip({ job, likely, now, past }: { job: Job; likely?: LikelyStart | undefined; now: number; past: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const measured = useWidth(box);
  const ended = isFinal(job.state) || job.ended !== undefined;
  const width = Math.max(0, measured - (ended ? 28 : 0));
  const theme = shownTheme.value;
  const words = w.value;
  const strip = useMemo(
    () => layout({ life: job.life, now, ended, likely, width, text: (kind, ms, seconds) => markText(kind, ms, seconds, now, past) }),
    [job.life, now, ended, likely, width, words, past, zoneChoice.value],
  );
  useEffect(() => {
    if (canvas.current && width > 0) {
      draw(canvas.current, strip, width, themeColors(theme));
    }
  }, [strip, theme, width]);
  const range = likely && strip.likely ? `, ${words.strip.likely(clock(instant(likely.early) ?? 0), clock(instant(likely.late) ?? 0))}` : "";
  return (
    <div class="bigstrip" ref={box}>
      <div class="bigstrip-row" role="img" aria-label={`${words.strip.label}: ${describe(job.life, now)}${range}`}>
        <canvas ref={canvas} aria-hidden="true" />
        {ended ? <StateIcon state={job.state} size={18} /> : null}
      </div>
      <div class="bigstrip-marks" aria-hidden="true">
        {strip.marks.map((mark) => <span class={"bigstrip-mark is-" + mark.anchor} style={{ left: `${mark.x}px` }} key={mark.kind + mark.ms}>{mark.text}</span>)}
      </div>
    </div>
  );
}

// markText formats the text below the strip. It has the date if it is not today.
function markText(kind: Mark["kind"], ms: number, seconds: boolean, now: number, past: boolean): string {
  const words = w.peek().strip;
  const today = sameDay(ms, now);
  const t = (today ? "" : `${date(ms, now)} `) + clock(ms, seconds || (today && kind === "ended"));
  switch (kind) {
    case "submitted": return words.submitted(t);
    case "now": return past ? words.asOf(t) : words.now(clock(ms, seconds));
    case "early": return words.early(t);
    case "half": return words.half(t);
    case "late": return words.late(t);
    case "gap": return words.gap(t);
    case "started": return words.startedBare(t);
  }
  return t;
}

function draw(canvas: HTMLCanvasElement, strip: Strip, width: number, k: Colors): void {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(total * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${total}px`;
  const c = canvas.getContext("2d");
  if (!c) {
    return;
  }
  c.scale(ratio, ratio);
  const middle = total / 2;
  if (strip.likely) {
    drawLikely(c, strip, width, k);
  }
  for (const part of strip.parts) {
    const wide = Math.max(1.5, part.w - 1);
    paintSpan(c, k, part.span, part.x, middle, wide, height);
    if (part.span.state === "Running" && !part.span.gap) {
      c.font = `500 12px ${k.font}`;
      c.textBaseline = "middle";
      const text = fitting(c, labels(part.span.attempt ?? 0, part.seconds), wide - 16);
      c.fillStyle = k.onRunning;
      c.fillText(text, part.x + 8, middle + 0.5);
    }
  }
  if (strip.now !== undefined) {
    c.fillStyle = k.text;
    c.fillRect(Math.min(width - 1.5, strip.now), 0, 1.5, total);
  }
}

function drawLikely(c: CanvasRenderingContext2D, strip: Strip, width: number, k: Colors): void {
  const likely = strip.likely;
  const now = strip.now ?? 0;
  if (!likely || likely.late <= now) {
    return;
  }
  const middle = total / 2;
  const running = k.states["Running"] ?? k.text;
  c.fillStyle = k.lineStrong;
  c.fillRect(now, middle - 0.5, width - now, 1);
  const early = Math.max(now + 4, likely.early);
  c.fillStyle = pale(running, 0.18);
  c.strokeStyle = pale(running, 0.7);
  c.setLineDash([3, 3]);
  c.beginPath();
  c.roundRect(early + 0.5, 4.5, Math.max(2, likely.late - early - 1), total - 9, 4);
  c.fill();
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = running;
  if (likely.half > now) {
    c.fillRect(likely.half - 1, 2, 2, total - 4);
  }
}

// labels are the texts of a bar, the longest first.
function labels(attempt: number, seconds: number): string[] {
  const words = w.peek().strip;
  const time = duration(seconds);
  return attempt > 0 ? [words.attempt(attempt, time), words.attemptShort(attempt), time] : [time];
}

function fitting(c: CanvasRenderingContext2D, texts: string[], width: number): string {
  return texts.find((text) => c.measureText(text).width <= width) ?? "";
}
