// The life strip of a job: its states since it was submitted.

import { useEffect, useRef } from "preact/hooks";
import type { Span } from "../api";
import { recordedLife, unrecordedSince } from "../core/recording";
import { shownNow } from "../core/shown";
import { clock, duration, instant } from "../core/format";
import { shownTheme } from "../core/theme";
import { useWidth } from "../core/width";
import { isFinal } from "../core/state";
import { stateWord, words } from "../words";
import { colors, paintSpan, place } from "./lifepaint";
import type { Colors } from "./lifepaint";
import { StateIcon } from "./stateicon";

// LifeProps describe the drawing.
export interface LifeProps {
  life: readonly Span[];
  state: string;
  // of is the type that the life is of: the strip ends where its recording does.
  of?: { cluster: string; type: string };
  // height of a running job; the strip is 6 px higher.
  height?: number;
  // width in pixels; without it, the strip fills its parent.
  width?: number;
  // label returns the text inside a running bar. It is omitted if it does not fit.
  label?: (span: Span, seconds: number) => string;
}

const cached: { theme: string; colors?: Colors } = { theme: "" };

// themeColors returns the tokens of the theme that the page shows.
export function themeColors(theme: string): Colors {
  if (cached.theme !== theme || !cached.colors) {
    cached.theme = theme;
    cached.colors = colors();
  }
  return cached.colors;
}

// describe describes a life in words, for screen readers.
export function describe(life: readonly Span[], now: number): string {
  const w = words.value;
  const parts = life.filter((s) => s.gap || !isFinal(s.state)).map((s) => {
    const time = duration(((instant(s.to) ?? now) - (instant(s.from) ?? now)) / 1000);
    return s.gap ? w.life.gap(time) : w.life.for(stateWord(s.state), time);
  });
  const from = instant(life[0]?.from);
  return [from === undefined ? "" : w.life.submitted(clock(from)), ...parts].filter((p) => p !== "").join(w.comma);
}

function draw(canvas: HTMLCanvasElement, p: LifeProps, width: number, height: number, now: number, k: Colors): void {
  const ratio = devicePixelRatio || 1;
  const total = height + 6;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(total * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = total + "px";
  const c = canvas.getContext("2d");
  if (!c) {
    return;
  }
  c.scale(ratio, ratio);
  const over = isFinal(p.state);
  const middle = total / 2;
  for (const s of place(p.life, over ? width : width - 1.5, now)) {
    const w = Math.max(1.5, s.w - 1);
    paintSpan(c, k, s.span, s.x, middle, w, height);
    const text = s.span.gap || s.span.state !== "Running" ? "" : (p.label?.(s.span, s.seconds) ?? "");
    if (text !== "") {
      c.font = `500 12px ${k.font}`;
      c.textBaseline = "middle";
      if (c.measureText(text).width + 16 < w) {
        c.fillStyle = k.onRunning;
        c.fillText(text, s.x + 8, middle + 0.5);
      }
    }
  }
  if (!over) {
    c.fillStyle = k.text;
    c.fillRect(width - 1.5, 0, 1.5, total);
  }
}

// LifeStrip shows the life of a job. An ended one has the icon of its end on the right, an open
// one the live edge.
export function LifeStrip(props: LifeProps) {
  const since = props.of === undefined ? undefined : unrecordedSince(props.of.cluster, props.of.type);
  const whole = recordedLife(props.life, since);
  const p = whole === props.life ? props : { ...props, life: whole };
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const full = useWidth(box, p.width);
  const height = p.height ?? 10;
  const over = isFinal(p.state);
  const icon = height > 12 ? 18 : 12;
  const now = over ? 0 : Math.floor(shownNow.value / 5000) * 5000;
  const theme = shownTheme.value;
  const width = full - (over ? icon + 6 : 0);

  useEffect(() => {
    if (canvas.current && width > 0) {
      draw(canvas.current, p, width, height, shownNow.peek(), themeColors(theme));
    }
  }, [props.life, since, p.state, width, height, theme, now, p.label]);

  return (
    <div class={"life" + (height > 12 ? " life-high" : "")} ref={box} role="img" aria-label={describe(p.life, shownNow.peek())}>
      <canvas ref={canvas} aria-hidden="true" />
      {over ? <StateIcon state={p.state} size={icon} /> : null}
    </div>
  );
}
