// Drawing of lives on canvases: the same in the table, the drawer, the page of a job and the
// timeline. The height shows whether the job holds GPUs: waiting is thin, holding is full.

import type { Span } from "../api";
import { instant } from "../core/format";
import { isFinal, states } from "../core/state";

// Colors are the tokens that canvases need, in the theme that the page shows.
export interface Colors {
  page: string;
  panel: string;
  text: string;
  text2: string;
  text3: string;
  line: string;
  lineStrong: string;
  accent: string;
  accentBack: string;
  onRunning: string;
  hole: string;
  gap: string;
  marked: string;
  states: Record<string, string>;
  font: string;
}

// colors reads the tokens. Call it again when the theme changes.
export function colors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue("--" + name).trim();
  const ofStates: Record<string, string> = {};
  for (const s of states) {
    ofStates[s] = read(s.toLowerCase());
  }
  return {
    page: read("page"), panel: read("panel"), text: read("text"), text2: read("text-2"), text3: read("text-3"), line: read("line"), lineStrong: read("line-strong"),
    accent: read("accent"), accentBack: read("accent-back"), onRunning: read("on-running"), hole: read("icon-hole"), gap: read("gap"), marked: read("marked"), states: ofStates, font: read("font"),
  };
}

const patterns = new Map<string, CanvasPattern>();

// pattern returns a tile of stripes. Tiles are cached, because creating one is slow.
function pattern(c: CanvasRenderingContext2D, kind: "diagonal" | "upright" | "hatch", color: string, back: string): CanvasPattern | string {
  const key = kind + color + back;
  const old = patterns.get(key);
  if (old) {
    return old;
  }
  const scale = 4;
  const size = kind === "upright" ? 4 : 6;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size * scale;
  const t = tile.getContext("2d");
  if (!t) {
    return color;
  }
  t.scale(scale, scale);
  if (back !== "") {
    t.fillStyle = back;
    t.fillRect(0, 0, size, size);
  }
  t.strokeStyle = color;
  t.lineWidth = kind === "hatch" ? 1.1 : kind === "upright" ? 2 : 2.1;
  t.lineCap = "square";
  t.beginPath();
  if (kind === "upright") {
    t.moveTo(1, -1);
    t.lineTo(1, size + 1);
  } else {
    const lean = kind === "hatch" ? -1 : 1;
    for (let i = -1; i <= 1; i++) {
      t.moveTo(i * size - 2, lean > 0 ? size + 2 : -2);
      t.lineTo(i * size + size + 2, lean > 0 ? -2 : size + 2);
    }
  }
  t.stroke();
  const made = c.createPattern(tile, "repeat");
  if (!made) {
    return color;
  }
  made.setTransform(new DOMMatrix().scale(1 / scale));
  patterns.set(key, made);
  return made;
}

// pale returns a color with a fraction of its strength over the background.
export function pale(color: string, share: number): string {
  return `color-mix(in srgb, ${color} ${Math.round(share * 100)}%, transparent)`;
}

function bar(c: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  c.beginPath();
  c.roundRect(x, y - h / 2, w, h, Math.min(1.5, w / 2, h / 2));
  c.fill();
}

// paintSpan draws one span with its middle at y. height is that of a running job.
export function paintSpan(c: CanvasRenderingContext2D, k: Colors, span: { state: string; gap?: boolean; inferred?: boolean }, x: number, y: number, w: number, height: number): void {
  const color = k.states[span.state] ?? k.gap;
  if (span.gap) {
    c.fillStyle = pale(k.gap, 0.16);
    bar(c, x, y, w, height);
    c.fillStyle = pattern(c, "hatch", k.gap, "");
    c.fillRect(x, y - height / 2, w, height);
    return;
  }
  c.fillStyle = color;
  switch (span.state) {
    case "Submitted":
      c.fillRect(x, y - 1, w, 2);
      break;
    case "Queued":
      bar(c, x, y, w, Math.max(3, Math.round(height * 0.42)));
      break;
    case "Starting":
      c.fillStyle = pattern(c, "diagonal", color, pale(color, 0.3));
      bar(c, x, y, w, height);
      break;
    case "Suspended":
      c.fillRect(x, y - height * 0.22 - 0.75, w, 1.5);
      c.fillRect(x, y + height * 0.22 - 0.75, w, 1.5);
      break;
    case "Restarting":
      c.fillStyle = pattern(c, "upright", color, pale(color, 0.2));
      bar(c, x, y, w, height);
      break;
    default:
      bar(c, x, y, w, height);
  }
  if (span.inferred) {
    c.save();
    c.strokeStyle = k.text;
    c.lineWidth = 1;
    c.setLineDash([1, 2]);
    c.strokeRect(x + 0.5, y - height / 2 - 0.5, Math.max(0, w - 1), height + 1);
    c.restore();
  }
}

// Placed is a span with its place on a strip.
export interface Placed {
  span: Span;
  x: number;
  w: number;
  seconds: number;
}

// place lays a life out over a width: in proportion to the time, and at least 2 px per span.
// The end state has no bar.
export function place(life: readonly Span[], width: number, now: number): Placed[] {
  const bars = life.filter((s) => s.gap || !isFinal(s.state));
  const seconds = bars.map((s) => Math.max(0, ((instant(s.to) ?? now) - (instant(s.from) ?? now)) / 1000));
  const total = seconds.reduce((a, b) => a + b, 0);
  const least = Math.min(2, bars.length > 0 ? width / bars.length : 2);
  const natural = seconds.map((s) => (total > 0 ? (s / total) * width : width / bars.length));
  const short = natural.reduce((sum, w) => sum + Math.max(0, least - w), 0);
  const spare = natural.reduce((sum, w) => sum + Math.max(0, w - least), 0);
  const share = spare > 0 ? Math.min(1, short / spare) : 0;
  let x = 0;
  return bars.map((span, i) => {
    const n = natural[i] ?? 0;
    const w = n < least ? least : n - (n - least) * share;
    const placed = { span, x, w, seconds: seconds[i] ?? 0 };
    x += w;
    return placed;
  });
}
