// Pointer, wheel and fingers on the stage.

import { pinch, selected, xOf } from "./scale";
import type { Stage } from "./stage";
import { viewOfScale } from "./view";

// least is the minimum movement of a drag, in pixels.
const least = 4;

// Handlers are the actions of a press without a drag.
export interface Handlers {
  click: (x: number, y: number) => void;
}

interface Finger {
  x: number;
  y: number;
}

// listen listens to the element of the stage, and returns a function that stops it.
export function listen(element: HTMLElement, stage: Stage, handlers: Handlers): () => void {
  const hands = new Hands(element, stage, handlers);
  const stop = new AbortController();
  const { signal } = stop;
  element.addEventListener("wheel", (e) => hands.wheel(e), { passive: false, signal });
  element.addEventListener("pointerdown", (e) => hands.down(e), { signal });
  element.addEventListener("pointermove", (e) => hands.move(e), { signal });
  element.addEventListener("pointerup", (e) => hands.up(e), { signal });
  element.addEventListener("pointercancel", (e) => hands.cancel(e), { signal });
  element.addEventListener("pointerleave", (e) => hands.leave(e), { signal });
  return () => stop.abort();
}

class Hands {
  private readonly fingers = new Map<number, Finger>();
  private began: { x: number; y: number; id: number } | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly stage: Stage,
    private readonly handlers: Handlers,
  ) {}

  private place(e: MouseEvent): Finger {
    const box = this.element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  wheel(e: WheelEvent): void {
    const at = this.place(e);
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      this.stage.zoom(Math.pow(1.0022, -e.deltaY * lines), at.x - this.stage.left);
      return;
    }
    const dx = e.shiftKey && e.deltaX === 0 ? e.deltaY : e.deltaX;
    if (Math.abs(dx) > Math.abs(e.shiftKey ? 0 : e.deltaY)) {
      e.preventDefault();
      this.stage.pan(dx);
    }
  }

  down(e: PointerEvent): void {
    const at = this.place(e);
    this.fingers.set(e.pointerId, at);
    if (this.fingers.size === 2) {
      this.began = undefined;
      this.stage.drag.value = undefined;
      return;
    }
    const onControl = e.target instanceof Element && e.target.closest("a, button") !== null;
    if (e.button === 0 && !onControl && at.x >= this.stage.left) {
      this.began = { ...at, id: e.pointerId };
    }
  }

  move(e: PointerEvent): void {
    const at = this.place(e);
    const old = this.fingers.get(e.pointerId);
    if (old !== undefined && this.fingers.size === 2) {
      this.pinch(e.pointerId, old, at);
      return;
    }
    if (old !== undefined) {
      this.fingers.set(e.pointerId, at);
    }
    const { began } = this;
    if (began !== undefined && e.pointerType !== "touch") {
      this.select(began, at);
      return;
    }
    if (began !== undefined && old !== undefined) {
      this.swipe(old, at);
      return;
    }
    if (e.pointerType !== "touch") {
      this.stage.point(at.x, at.y);
    }
  }

  private select(began: { x: number; id: number }, at: Finger): void {
    const dragging = this.stage.drag.peek() !== undefined;
    if (!dragging && Math.abs(at.x - began.x) < least) {
      return;
    }
    if (!dragging) {
      this.element.setPointerCapture(began.id);
    }
    const { left } = this.stage;
    this.stage.drag.value = [Math.max(0, began.x - left), Math.max(0, Math.min(at.x - left, this.stage.scale().width))];
    this.stage.unpoint();
    this.stage.invalidate();
  }

  // One finger moves in time; the browser handles up and down (touch-action: pan-y).
  private swipe(old: Finger, at: Finger): void {
    if (at.x !== old.x) {
      this.stage.pan(old.x - at.x);
    }
  }

  private pinch(id: number, old: Finger, at: Finger): void {
    const other = [...this.fingers].find(([key]) => key !== id)?.[1];
    this.fingers.set(id, at);
    if (other === undefined) {
      return;
    }
    const { left } = this.stage;
    const s = this.stage.scale();
    const now = this.stage.now();
    this.stage.show(viewOfScale(pinch(s, old.x - left, other.x - left, at.x - left, other.x - left, now), s.width, now));
  }

  up(e: PointerEvent): void {
    const at = this.place(e);
    const drag = this.stage.drag.peek();
    this.fingers.delete(e.pointerId);
    const { began } = this;
    this.began = undefined;
    if (drag !== undefined) {
      this.stage.drag.value = undefined;
      const s = this.stage.scale();
      this.stage.show(viewOfScale(selected(s, drag[0], drag[1]), s.width, this.stage.now()));
      return;
    }
    if (began !== undefined && Math.abs(at.x - began.x) < least && Math.abs(at.y - began.y) < least) {
      if (e.pointerType === "touch") {
        this.stage.point(at.x, at.y);
      }
      this.handlers.click(at.x, at.y);
    }
  }

  cancel(e: PointerEvent): void {
    this.fingers.delete(e.pointerId);
    this.began = undefined;
    this.stage.drag.value = undefined;
    this.stage.invalidate();
  }

  leave(e: PointerEvent): void {
    if (e.pointerType !== "touch") {
      this.fingers.delete(e.pointerId);
      this.stage.unpoint();
    }
  }
}

// edgeX is where the live edge is, in pixels of the plot; undefined if it is outside.
export function edgeX(stage: Stage): number | undefined {
  const s = stage.scale();
  const x = xOf(s, stage.now());
  return x >= 0 && x <= s.width ? x : undefined;
}
