// Painting on the timeline's canvases. Bars are those of life strips.

import { paintSpan } from "../../design/lifepaint";
import { paintStateIcon } from "../../design/stateicon";
import type { Look } from "./look";

// thin is the relative height of a bar that holds no GPUs.
const thin = 0.42;

// Painter draws on a canvas with a look and a device pixel ratio.
export class Painter {
  private readonly icons = new Map<string, HTMLCanvasElement>();

  constructor(
    readonly ctx: CanvasRenderingContext2D,
    readonly look: Look,
    readonly ratio: number,
  ) {}

  // snap returns the nearest whole device pixel.
  snap(v: number): number {
    return Math.round(v * this.ratio) / this.ratio;
  }

  // fill fills a rectangle.
  fill(color: string, x: number, y: number, w: number, h: number): void {
    this.ctx.fillStyle = color;
    this.ctx.fillRect(x, y, w, h);
  }

  // span paints one span whose full height is h. An empty state is a neutral block.
  span(state: string, x0: number, x1: number, y: number, h: number, inferred: boolean, tall: boolean): void {
    const x = this.snap(x0);
    const w = Math.max(1 / this.ratio, this.snap(x1) - x);
    if (state === "") {
      const part = tall ? h : Math.max(3, Math.round(h * thin));
      this.fill(this.look.gap, x, this.snap(y + (h - part) / 2), w, part);
      return;
    }
    paintSpan(this.ctx, this.look, { state, inferred }, x, y + h / 2, w, h);
  }

  // icon draws the icon of a state with its left upper corner at x, y.
  icon(state: string, x: number, y: number, size: number): void {
    const key = state + String(size);
    let drawn = this.icons.get(key);
    if (drawn === undefined) {
      drawn = document.createElement("canvas");
      drawn.width = drawn.height = Math.ceil(size * this.ratio);
      const ctx = drawn.getContext("2d");
      ctx?.scale(this.ratio, this.ratio);
      const color = state === "gap" ? this.look.text2 : (this.look.states[state] ?? this.look.gap);
      if (ctx !== null) {
        paintStateIcon(ctx, state, size / 2, size / 2, size, color, this.look.hole);
      }
      this.icons.set(key, drawn);
    }
    this.ctx.drawImage(drawn, this.snap(x), this.snap(y), drawn.width / this.ratio, drawn.height / this.ratio);
  }

  // hole hatches a time without a watch, over the pale bars below it.
  hole(x0: number, x1: number, y: number, h: number): void {
    const x = this.snap(x0);
    const w = Math.max(2, this.snap(x1) - x);
    this.ctx.globalAlpha = 0.66;
    this.fill(this.look.page, x, y, w, h);
    this.ctx.globalAlpha = 1;
    paintSpan(this.ctx, this.look, { state: "", gap: true }, x, y + h / 2, w, h);
    if (w >= 6) {
      this.fill(this.look.gap, x, y, 1, h);
      this.fill(this.look.gap, x + w - 1, y, 1, h);
    }
  }
}
