// The stage has the state of the canvas: the view, the rows, the scroll position, the
// pointer and the cursor. It draws at most once per frame of the browser, and at most ten
// times a second for changes of the data.

import { batch, computed, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { serverNow } from "../../core/clock";
import { zoneChoice } from "../../core/zone";
import type { Blind } from "./gaps";
import { draw } from "./draw";
import type { SceneWords } from "./draw";
import type { Hit } from "./hit";
import { hitAt } from "./hit";
import { readLook } from "./look";
import { Painter } from "./paint";
import type { Layout, Metrics } from "./rows";
import { lastWhole, phone, visible, wide } from "./rows";
import type { Scale } from "./scale";
import { clamp, latestEnd, pan, zoomAt } from "./scale";
import { ticksOf } from "./ticks";
import type { View } from "./view";
import { scaleOf, usual, viewOfScale } from "./view";

// labelWidth is the column of names, and phoneWidth where the phone's layout begins.
export const labelWidth = 324;
export const phoneWidth = 640;

// slowest is the minimum interval of redraws for changes of the data, in milliseconds.
const slowest = 100;

// Pointed is the item under the pointer, and the position of the pointer in the stage.
export interface Pointed extends Hit {
  readonly x: number;
  readonly y: number;
}

export class Stage {
  readonly view: Signal<View> = signal<View>(usual);
  readonly width = signal(0);
  readonly height = signal(0);
  readonly layout = signal<Layout>({ rows: [], height: 0 });
  readonly range = signal({ first: 0, end: 0 });
  readonly pointed = signal<Pointed | undefined>(undefined);
  readonly cursor = signal<string | undefined>(undefined);
  readonly drag = signal<readonly [number, number] | undefined>(undefined);
  // beat changes when the scale was redrawn, for the axis and the overview.
  readonly beat = signal(0);
  // fixed is the instant of the parameter at; undefined for now.
  readonly fixed = signal<number | undefined>(undefined);
  readonly isPhone = computed(() => this.width.value > 0 && this.width.value < phoneWidth);

  top = 0;
  gaps: readonly Blind[] = [];
  words: SceneWords | undefined;
  // frames are the last durations of drawing, in milliseconds.
  readonly frames: number[] = [];

  private canvas: HTMLCanvasElement | undefined;
  private layer: HTMLElement | undefined;
  private painter: Painter | undefined;
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private drawn = 0;

  get metrics(): Metrics {
    return this.isPhone.peek() ? phone : wide;
  }

  get left(): number {
    return this.isPhone.peek() ? 0 : labelWidth;
  }

  now(): number {
    return this.fixed.peek() ?? serverNow();
  }

  scale(): Scale {
    return scaleOf(this.view.peek(), Math.max(1, this.width.peek() - this.left), this.now());
  }

  // attach starts to draw on a canvas; layer has the names and scrolls with it.
  attach(canvas: HTMLCanvasElement, layer: HTMLElement): void {
    this.canvas = canvas;
    this.layer = layer;
    this.painter = undefined;
    this.invalidate();
  }

  detach(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = undefined;
    this.canvas = this.layer = this.painter = undefined;
  }

  // resize sets the size of the visible part.
  resize(width: number, height: number): void {
    if (width === this.width.peek() && height === this.height.peek()) {
      return;
    }
    batch(() => {
      this.width.value = width;
      this.height.value = height;
    });
    this.painter = undefined;
    this.invalidate();
  }

  // restyle reads the colors again.
  restyle(): void {
    this.painter = undefined;
    this.invalidate();
  }

  // invalidate draws in the next frame of the browser.
  invalidate(): void {
    if (this.frame === 0 && this.canvas !== undefined) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  // soon draws within a tenth of a second, for changes of the data.
  soon(): void {
    if (this.timer !== undefined) {
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.invalidate();
    }, Math.max(0, this.drawn + slowest - performance.now()));
  }

  private paint(): void {
    const { canvas, layer, words } = this;
    if (canvas === undefined || layer === undefined || words === undefined || this.width.peek() === 0) {
      return;
    }
    const began = performance.now();
    const painter = this.painter ?? this.newPainter(canvas);
    if (painter === undefined) {
      return;
    }
    this.painter = painter;
    const layout = this.layout.peek();
    const scale = this.scale();
    draw(painter, {
      layout, scale, words, metrics: this.metrics, ticks: ticksOf(scale, zoneChoice.peek()), gaps: this.gaps, now: this.now(), top: this.top,
      height: this.height.peek(), left: this.left, width: this.width.peek(), phone: this.isPhone.peek(), hover: this.pointed.peek()?.row.key,
      cursor: this.cursor.peek(), drag: this.drag.peek(),
    });
    layer.style.transform = `translateY(${-this.top}px)`;
    const bottom = this.top + this.height.peek();
    const whole = lastWhole(layout, this.top, bottom);
    canvas.style.clipPath = `inset(0 0 ${bottom - whole}px)`;
    layer.style.clipPath = `inset(0 0 ${-whole}px)`;
    const { first, end } = visible(layout, this.top - 200, bottom + 200);
    const old = this.range.peek();
    batch(() => {
      if (old.first !== first || old.end !== end) {
        this.range.value = { first, end };
      }
      this.beat.value++;
    });
    this.drawn = performance.now();
    this.frames.push(this.drawn - began);
    if (this.frames.length > 600) {
      this.frames.shift();
    }
  }

  private newPainter(canvas: HTMLCanvasElement): Painter | undefined {
    const ratio = Math.max(1, devicePixelRatio);
    const ctx = canvas.getContext("2d");
    if (ctx === null) {
      return undefined;
    }
    canvas.width = Math.round(this.width.peek() * ratio);
    canvas.height = Math.round(this.height.peek() * ratio);
    canvas.style.width = `${this.width.peek()}px`;
    canvas.style.height = `${this.height.peek()}px`;
    return new Painter(ctx, readLook(), ratio);
  }

  // show changes the view.
  show(view: View): void {
    this.view.value = view;
    this.invalidate();
  }

  // edge returns to the live edge.
  edge(): void {
    const v = this.view.peek();
    this.show({ live: true, span: v.live ? v.span : v.to - v.from });
  }

  // zoom zooms at x of the plot; without x at the live edge if it is followed, otherwise in the
  // middle.
  zoom(factor: number, x?: number): void {
    const v = this.view.peek();
    const s = this.scale();
    if (v.live && (x === undefined || x > s.width - 48)) {
      this.show({ live: true, span: clamp(v.span / factor, 10_000, 400 * 86_400_000) });
      return;
    }
    this.show(viewOfScale(zoomAt(s, x ?? s.width / 2, factor, this.now()), s.width, this.now()));
  }

  // pan moves in time by dx pixels. After a move to the left, the live edge is no longer
  // followed.
  pan(dx: number): void {
    const s = this.scale();
    const now = this.now();
    const moved = pan(s, dx, now);
    const atEdge = moved.to >= latestEnd(now, moved.to - moved.from, s.width) - 1;
    if (dx > 0 && atEdge) {
      this.show(viewOfScale(moved, s.width, now));
    } else if (dx < 0) {
      this.show({ live: false, from: moved.from, to: moved.to });
    } else if (!this.view.peek().live) {
      this.show({ live: false, from: moved.from, to: moved.to });
    }
  }

  // point finds the item under the pointer, which is at x, y of the stage.
  point(x: number, y: number): void {
    const hit = hitAt(this.layout.peek(), this.scale(), this.gaps, x - this.left, y + this.top, this.now());
    const old = this.pointed.peek();
    this.pointed.value = hit === undefined ? undefined : { ...hit, x, y };
    if (old?.row.key !== hit?.row.key) {
      this.invalidate();
    }
  }

  unpoint(): void {
    if (this.pointed.peek() !== undefined) {
      this.pointed.value = undefined;
      this.invalidate();
    }
  }
}
