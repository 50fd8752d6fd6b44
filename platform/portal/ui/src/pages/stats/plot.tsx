// A plot in the theme of the page, with a tooltip, and a table for screen readers.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shownTheme } from "../../core/theme";
import { useWidth } from "../../core/width";
import { readLook } from "../timeline/look";
import { axes, nearest } from "./chart";
import type { Box, Scene, Tick } from "./chart";

// PlotProps describe a plot. at are the places of its values, as shares of the width.
export interface PlotProps {
  label: string;
  height: number;
  at: readonly number[];
  highest: number;
  // x returns the ticks for a width in pixels.
  x: (width: number) => readonly Tick[];
  y: readonly Tick[];
  // draw draws everything except the axes. shown is the index under the pointer, or -1.
  draw: (s: Scene, shown: number) => void;
  tip: (index: number) => ComponentChildren;
  table: ComponentChildren;
}

const left = 48;
const below = 28;

function boxOf(width: number, height: number): Box {
  return { left, top: 10, width: Math.max(1, width - left - 2), height: height - below - 10 };
}

// Plot shows a plot in the width of its parent. Arrow keys move the cursor.
export function Plot(p: PlotProps) {
  const surface = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const [shown, show] = useState(-1);
  const theme = shownTheme.value;
  const box = boxOf(width, p.height);
  useEffect(() => {
    if (surface.current !== null && width > 0) {
      paint(surface.current, p, width, box, shown);
    }
  }, [theme, width, shown, p]);
  const point = (e: PointerEvent): void => {
    const x = e.clientX - (surface.current?.getBoundingClientRect().left ?? 0);
    show(x < box.left - 8 ? -1 : nearest(p.at, (x - box.left) / box.width));
  };
  const keys = (e: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (step !== undefined) {
      e.preventDefault();
      e.stopPropagation();
      show((old) => (old < 0 ? (step > 0 ? 0 : p.at.length - 1) : Math.min(p.at.length - 1, Math.max(0, old + step))));
    }
  };
  const place = p.at[shown];
  return (
    <div class="stats-plot">
      <div class="stats-plot-box" ref={holder} role="img" aria-label={p.label} tabIndex={0} onPointerMove={point} onPointerLeave={() => show(-1)} onKeyDown={keys} onBlur={() => show(-1)}>
        <canvas ref={surface} aria-hidden="true" />
      </div>
      {place === undefined ? null : <Tip x={box.left + place * box.width} width={width}>{p.tip(shown)}</Tip>}
      <div class="hidden-text">{p.table}</div>
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, p: PlotProps, width: number, box: Box, shown: number): void {
  const ratio = Math.max(1, devicePixelRatio);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(p.height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${p.height}px`;
  const ctx = canvas.getContext("2d");
  if (ctx === null) {
    return;
  }
  ctx.scale(ratio, ratio);
  const s: Scene = { ctx, look: readLook(), box, highest: p.highest };
  axes(s, p.x(box.width), p.y);
  p.draw(s, shown);
}

// Tip is to the left of the pointer, or to the right if there is no space.
function Tip({ x, width, children }: { x: number; width: number; children: ComponentChildren }) {
  const float = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = float.current;
    if (element === null) {
      return;
    }
    const own = element.offsetWidth;
    element.style.left = `${x - own - 12 >= 0 ? x - own + 4 : Math.min(x + 28, Math.max(0, width - own))}px`;
  });
  return <div class="stats-tip float" role="presentation" ref={float}>{children}</div>;
}
