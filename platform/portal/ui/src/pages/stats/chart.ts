// Drawing of plots on a canvas: axes, lines and stacked bars. Positions on the horizontal axis
// are shares of the width, from 0 to 1.

import type { Look } from "../timeline/look";

// Box is the part of the canvas inside the axes, in pixels.
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

// Tick is a place on an axis with its label.
export interface Tick {
  // at is a share of the width, or a value of the vertical axis.
  at: number;
  text: string;
}

// Scene is the drawing area of a plot. highest is the value at the top.
export interface Scene {
  ctx: CanvasRenderingContext2D;
  look: Look;
  box: Box;
  highest: number;
}

function xOf(s: Scene, share: number): number {
  return s.box.left + share * s.box.width;
}

function yOf(s: Scene, value: number): number {
  return s.box.top + s.box.height * (1 - value / s.highest);
}

// axes draws the horizontal lines and the labels of both axes. Labels that would touch the
// previous one are omitted.
export function axes(s: Scene, x: readonly Tick[], y: readonly Tick[]): void {
  const { ctx, look, box } = s;
  ctx.font = `11px ${look.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const t of y) {
    const at = Math.round(yOf(s, t.at));
    ctx.fillStyle = look.line;
    ctx.fillRect(box.left, at, box.width, 1);
    ctx.fillStyle = look.text3;
    ctx.fillText(t.text, box.left - 10, at + 0.5);
  }
  ctx.textAlign = "center";
  let free = -Infinity;
  for (const t of x) {
    const half = ctx.measureText(t.text).width / 2;
    const at = Math.min(Math.max(xOf(s, t.at), half), box.left + box.width - half);
    if (at - half < free) {
      continue;
    }
    free = at + half + 8;
    ctx.fillText(t.text, at, box.top + box.height + 16);
  }
  ctx.textAlign = "left";
}

// Pen is the style of a line.
export interface Pen {
  color: string;
  width: number;
  dash?: number[];
  // fill is the color of the area below the line.
  fill?: string;
}

// line draws values at places. A missing value breaks the line; a value without neighbors is
// a point.
export function line(s: Scene, at: readonly number[], values: readonly (number | null)[], pen: Pen): void {
  const { ctx, box } = s;
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top - 4, box.width, box.height + 4);
  ctx.clip();
  ctx.lineWidth = pen.width;
  ctx.lineJoin = "round";
  ctx.strokeStyle = pen.color;
  for (const [first, last] of runs(values)) {
    const point = (i: number): [number, number] => [xOf(s, at[i] ?? 0), yOf(s, values[i] ?? 0)];
    if (first === last) {
      const [x, y] = point(first);
      ctx.fillStyle = pen.color;
      ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
      continue;
    }
    ctx.beginPath();
    for (let i = first; i <= last; i++) {
      ctx.lineTo(...point(i));
    }
    ctx.setLineDash(pen.dash ?? []);
    ctx.stroke();
    if (pen.fill !== undefined) {
      ctx.lineTo(point(last)[0], box.top + box.height);
      ctx.lineTo(point(first)[0], box.top + box.height);
      ctx.fillStyle = pen.fill;
      ctx.fill();
    }
  }
  ctx.restore();
}

// runs returns the first and the last index of each stretch of values that exist.
export function runs(values: readonly (number | null)[]): [number, number][] {
  const out: [number, number][] = [];
  values.forEach((v, i) => {
    const last = out[out.length - 1];
    if (v === null) {
      return;
    }
    if (last !== undefined && last[1] === i - 1) {
      last[1] = i;
    } else {
      out.push([i, i]);
    }
  });
  return out;
}

// stack draws parts on top of each other, with a line in the background color between
// them.
export function stack(s: Scene, at: number, width: number, parts: readonly { value: number; color: string }[]): void {
  const { ctx } = s;
  const x = Math.round(xOf(s, at) - width / 2);
  let sum = 0;
  for (const part of parts) {
    if (part.value <= 0) {
      continue;
    }
    const below = yOf(s, sum);
    sum += part.value;
    const height = below - yOf(s, sum);
    const gap = sum > part.value && height > 2 ? 1 : 0;
    ctx.fillStyle = part.color;
    ctx.fillRect(x, yOf(s, sum), Math.round(width), Math.max(1, height - gap));
  }
}

// cursor draws a line at a place, and dots where it meets lines.
export function cursor(s: Scene, at: number, dots: readonly { value: number | null; color: string }[]): void {
  const { ctx, look, box } = s;
  const x = xOf(s, at);
  ctx.fillStyle = look.gap;
  ctx.fillRect(Math.round(x), box.top, 1, box.height);
  for (const dot of dots) {
    if (dot.value === null) {
      continue;
    }
    ctx.beginPath();
    ctx.arc(x, yOf(s, dot.value), 4, 0, 2 * Math.PI);
    ctx.fillStyle = dot.color;
    ctx.fill();
    ctx.lineWidth = 2;
    ctx.strokeStyle = look.page;
    ctx.stroke();
  }
}

// nearest returns the index of the place that is nearest to a share; -1 without places.
export function nearest(at: readonly number[], share: number): number {
  let best = -1;
  at.forEach((a, i) => {
    if (best < 0 || Math.abs(a - share) < Math.abs((at[best] ?? 0) - share)) {
      best = i;
    }
  });
  return best;
}
