// One frame of the timeline's canvas. Only visible rows and visible spans are drawn.

import type { Blind } from "./gaps";
import { covers, holesOfLane, holesOfPods } from "./gaps";
import type { Hole, LaneSpan } from "./lane";
import { barsOf, holesOf, labelAt } from "./bars";
import type { Bar } from "./bars";
import type { Look } from "./look";
import type { Painter } from "./paint";
import type { AttemptRow, GroupRow, JobRow, Layout, Metrics, PodRow, Row } from "./rows";
import { visible } from "./rows";
import type { Scale } from "./scale";
import { xOf } from "./scale";
import type { Tick } from "./ticks";

export interface Scene {
  readonly layout: Layout;
  readonly scale: Scale;
  readonly metrics: Metrics;
  readonly ticks: readonly Tick[];
  readonly gaps: readonly Blind[];
  readonly now: number;
  // How far the rows are scrolled.
  readonly top: number;
  readonly height: number;
  // Where the plot begins, and how wide the canvas is.
  readonly left: number;
  readonly width: number;
  readonly phone: boolean;
  readonly hover: string | undefined;
  readonly cursor: string | undefined;
  // The two ends of a drag that selects, in pixels of the plot.
  readonly drag: readonly [number, number] | undefined;
  readonly words: SceneWords;
}

// The texts of the canvas.
export interface SceneWords {
  duration(ms: number): string;
  // A gap in a group's header: the strong part and the rest.
  gap(b: Blind): readonly [string, string];
  // Why an attempt failed and where; empty if unknown.
  failure(row: AttemptRow): string;
}

// Draws a frame and returns the number of spans that it examined.
export function draw(p: Painter, scene: Scene): number {
  const { ctx, look } = p;
  ctx.setTransform(p.ratio, 0, 0, p.ratio, 0, 0);
  ctx.clearRect(0, 0, scene.width, scene.height);
  const { first, end } = visible(scene.layout, scene.top, scene.top + scene.height);
  const rows = scene.layout.rows.slice(first, end);
  for (const row of rows) backgroundOf(p, scene, row);
  ctx.save();
  ctx.beginPath();
  ctx.rect(scene.left, 0, scene.width - scene.left, scene.height);
  ctx.clip();
  ctx.translate(scene.left, 0);
  let spans = 0;
  for (const row of rows) spans += drawRow(p, scene, row);
  if (!scene.phone) {
    drawEdge(p, scene, 0, Math.min(scene.height, scene.layout.height - scene.top));
  }
  if (scene.drag !== undefined) drawDrag(ctx, look, scene, scene.drag);
  ctx.restore();
  return spans;
}

function backgroundOf(p: Painter, scene: Scene, row: Row): void {
  const { look } = p;
  const y = row.y - scene.top;
  if (row.kind === "group") {
    p.fill(look.panel, 0, y, scene.width, row.height);
    p.fill(look.lineStrong, 0, y + row.height - 1, scene.width, 1);
    if (row.y > 0) p.fill(look.line, 0, y, scene.width, 1);
    return;
  }
  const open = row.kind !== "job" || row.unfolded;
  if (row.key === scene.cursor) p.fill(look.accentBack, 0, y, scene.width, row.height);
  else if (open) p.fill(look.panel, 0, y, scene.width, row.height);
  else if (row.key === scene.hover) p.fill(look.hover, 0, y, scene.width, row.height);
  if (row.kind === "job" && row.key === scene.cursor) p.fill(look.accent, 0, y, 2, row.height);
  if (row.kind === "job" && !row.unfolded) {
    const begin = scene.phone ? 0 : scene.left;
    p.fill(look.line, begin, y + row.height - 1, scene.width - begin, 1);
  }
}

function drawRow(p: Painter, scene: Scene, row: Row): number {
  const y = row.y - scene.top;
  if (row.kind === "group") {
    drawGroupGaps(p, scene, row, y);
    return 0;
  }
  if (scene.phone) {
    // The name is above the bar: grid and live edge keep to the part of the bar.
    const [at, height] = barBox(scene, row);
    drawGrid(p, scene, y + at - 4, height + 8);
    drawEdge(p, scene, y + at - 4, height + 8);
  } else {
    drawGrid(p, scene, y, row.height);
  }
  switch (row.kind) {
    case "job":
      return drawJob(p, scene, row, y);
    case "attempt":
      return drawSub(p, scene, row, y, row.attempt?.state ?? "", scene.words.failure(row));
    case "pod":
      return drawSub(p, scene, row, y, row.pod.state, "");
    case "note":
      return 0;
  }
}

function drawGrid(p: Painter, scene: Scene, y: number, height: number): void {
  const { ctx, look } = p;
  ctx.strokeStyle = look.line;
  ctx.lineWidth = 1;
  for (const major of [true, false]) {
    ctx.setLineDash(major ? [] : [2, 3]);
    ctx.lineDashOffset = major ? 0 : y % 5;
    ctx.beginPath();
    for (const t of scene.ticks) {
      if (t.major !== major) continue;
      const x = p.snap(t.x) + 0.5;
      ctx.moveTo(x, y);
      ctx.lineTo(x, y + height);
    }
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

// The position of the bar of a row within its height: on the phone it is below the name.
export function barBox(scene: Pick<Scene, "phone">, row: Row): readonly [number, number] {
  const height = row.kind === "job" ? 14 : 8;
  if (!scene.phone) return [Math.floor((row.height - height) / 2), height];
  return [row.height - height - (row.kind === "job" ? 12 : 8), height];
}

function drawJob(p: Painter, scene: Scene, row: JobRow, y: number): number {
  const [at, height] = barBox(scene, row);
  const { lane } = row;
  const { spans } = lane;
  const bars = barsOf(spans, scene.scale, scene.now);
  const holes = holesOf(holesOfLane(lane, scene.gaps), scene.scale, scene.now);
  drawBars(p, bars, y + at, height);
  for (const [h0, h1] of holes) p.hole(h0, h1, y, row.height - (row.unfolded ? 0 : 1));
  drawLabels(p, scene, bars, spans, holes, y + at, height);
  drawEnd(p, scene, lane.ended, lane.job.state, y + at + height / 2, 14);
  return bars.length;
}

function drawSub(p: Painter, scene: Scene, row: AttemptRow | PodRow, y: number, state: string, text: string): number {
  const [at, height] = barBox(scene, row);
  const bars = barsOf(row.spans, scene.scale, scene.now);
  drawBars(p, bars, y + at, height);
  const holes = holesOf(row.kind === "pod" ? holesOfPods(row.lane, scene.gaps) : holesOfLane(row.lane, scene.gaps), scene.scale, scene.now);
  for (const [h0, h1] of holes) p.hole(h0, h1, y, row.height);
  const end = row.spans[row.spans.length - 1]?.to ?? Infinity;
  drawEnd(p, scene, end, state, y + at + height / 2, 12);
  const bar = bars[0];
  if (text !== "" && bar !== undefined) drawNote(p, scene, text, bar.x0, end, y + at + height / 2);
  return bars.length;
}

function drawBars(p: Painter, bars: readonly Bar[], y: number, height: number): void {
  for (let i = 0; i < bars.length; i++) {
    const bar = bars[i];
    if (bar === undefined) continue;
    // A pixel between two bars that hold GPUs separates them.
    const next = bars[i + 1];
    const apart = next !== undefined && next.tall && bar.tall && bar.x1 - bar.x0 >= 3 && next.x0 - bar.x1 < 1 ? 1 : 0;
    p.span(bar.state, bar.x0, bar.x1 - apart, y, height, bar.inferred, bar.tall);
  }
}

function drawLabels(
  p: Painter, scene: Scene, bars: readonly Bar[], spans: readonly LaneSpan[],
  holes: readonly (readonly [number, number])[], y: number, height: number,
): void {
  const { ctx, look } = p;
  ctx.font = "500 11px " + look.font;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillStyle = look.onRunning;
  for (const bar of bars) {
    const span = spans[bar.first];
    if (bar.state !== "Running" || bar.inferred || span === undefined) continue;
    const x = labelAt(bar.x0, bar.x1, holes);
    if (x < 0) continue;
    ctx.fillText(scene.words.duration(Math.min(span.to, scene.now) - span.from), x + 7, y + height / 2 + 0.5);
  }
}

function drawEnd(p: Painter, scene: Scene, ended: number, state: string, y: number, size: number): void {
  if (ended === Infinity || ended < scene.scale.from || ended > scene.scale.to) return;
  p.icon(state, xOf(scene.scale, ended) + 4, y - size / 2, size);
}

// A note is before the bar if there is space, otherwise after it.
function drawNote(p: Painter, scene: Scene, text: string, x0: number, end: number, y: number): void {
  const { ctx, look } = p;
  ctx.font = "400 11px " + look.font;
  ctx.textBaseline = "middle";
  ctx.fillStyle = look.text2;
  const width = ctx.measureText(text).width;
  const x1 = xOf(scene.scale, Math.min(end, scene.now)) + 22;
  if (x0 - 8 - width >= 0) ctx.fillText(text, x0 - 8 - width, y + 0.5);
  else if (x1 + width <= scene.scale.width) ctx.fillText(text, x1, y + 0.5);
}

// The gaps of a group's rows, as text next to them. Text that does not fit is only in the
// tooltip and the table.
function drawGroupGaps(p: Painter, scene: Scene, row: GroupRow, y: number): void {
  const { ctx, look } = p;
  const width = scene.scale.width;
  let free = 4;
  for (const b of scene.gaps) {
    if (!row.lanes.some((l) => covers(b, l.job.cluster, l.job.type, l.job.namespace))) continue;
    const [hole] = holesOf([b], scene.scale, scene.now);
    if (hole === undefined) continue;
    const [strong, rest] = scene.words.gap(b);
    ctx.font = "500 12px " + look.font;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    const w0 = ctx.measureText(strong).width + 18;
    ctx.font = "400 12px " + look.font;
    const w1 = rest === "" ? 0 : ctx.measureText(rest).width + 6;
    const x = Math.max(free, Math.min(hole[0], width - w0 - w1 - 8));
    const both = x + w0 + w1 <= width;
    if (x + w0 > width) return;
    p.icon("gap", x, y + row.height / 2 - 7, 14);
    if (both && rest !== "") {
      ctx.fillStyle = look.text2;
      ctx.fillText(rest, x + w0 + 6, y + row.height / 2 + 0.5);
    }
    ctx.font = "500 12px " + look.font;
    ctx.fillStyle = look.text;
    ctx.fillText(strong, x + 18, y + row.height / 2 + 0.5);
    free = x + w0 + (both ? w1 : 0) + 16;
  }
}

function drawEdge(p: Painter, scene: Scene, y: number, height: number): void {
  const x = xOf(scene.scale, scene.now);
  if (x >= 0 && x <= scene.scale.width) {
    p.fill(p.look.accent, p.snap(x - 0.75), y, 1.5, height);
  }
}

function drawDrag(ctx: CanvasRenderingContext2D, look: Look, scene: Scene, drag: readonly [number, number]): void {
  const x0 = Math.min(drag[0], drag[1]);
  const w = Math.abs(drag[1] - drag[0]);
  ctx.globalAlpha = 0.12;
  ctx.fillStyle = look.accent;
  ctx.fillRect(x0, 0, w, scene.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(x0, 0, 1, scene.height);
  ctx.fillRect(x0 + w - 1, 0, 1, scene.height);
}

// The holes of a row, for callers that need them without drawing.
export function holesOfRow(row: Row, gaps: readonly Blind[]): readonly Hole[] {
  if (row.kind === "group" || row.kind === "note") return [];
  return row.kind === "pod" ? holesOfPods(row.lane, gaps) : holesOfLane(row.lane, gaps);
}
