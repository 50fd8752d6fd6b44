// The log as rows of equal height. Only visible rows exist.

import type { LogLine } from "../../api";
import { logText } from "../../design/logtext";
import { broken, visible } from "../../design/visible";

// LogRow is a row of the drawing: a line, or a part of a wrapped line.
export interface LogRow {
  line: number;
  text: string;
  // Where the text begins in its line, in UTF-16 code units of the visible text.
  offset: number;
  first: boolean;
}

// Hit is a match of the search.
export interface Hit {
  line: number;
  from: number;
  to: number;
}

// mostLines limits the lines in a browser tab; the oldest lines are dropped first.
export const mostLines = 100_000;

// mostHits limits the list of matches.
export const mostHits = 10_000;

// longestLine is the number of characters of a line that are drawn.
const longestLine = 16_384;

// textOf returns the visible text of a line.
export function textOf(line: LogLine): string {
  if (line.note !== undefined && line.note !== "") return visible(line.note);
  return logText(line.text.length > longestLine ? line.text.slice(0, longestLine) : line.text);
}

// LogModel has lines, and their rows. Rows are counted when a width is set and when lines
// arrive; the text of a row is created when it is drawn.
export class LogModel {
  private lines: LogLine[] = [];
  private texts: string[] = [];
  // starts[i] is the first row of line i; it has one element more than lines.
  private starts: number[] = [0];
  private width = Number.POSITIVE_INFINITY;
  // The number of lines dropped from the front so far.
  dropped = 0;

  get length(): number {
    return this.lines.length;
  }

  get rows(): number {
    return this.starts[this.lines.length] ?? 0;
  }

  line(i: number): LogLine | undefined {
    return this.lines[i];
  }

  text(i: number): string {
    return this.texts[i] ?? "";
  }

  // wrap sets the columns of a row; infinity turns wrapping off.
  wrap(width: number): void {
    const sane = Number.isFinite(width) ? Math.max(20, Math.floor(width)) : Number.POSITIVE_INFINITY;
    if (sane === this.width) return;
    this.width = sane;
    this.count(0);
  }

  // append adds lines at the end, and drops the oldest ones above the limit.
  append(lines: LogLine[]): number {
    const before = this.lines.length;
    for (const line of lines) {
      this.lines.push(line);
      this.texts.push(textOf(line));
    }
    this.count(before);
    return this.trim();
  }

  // prepend adds older lines in front. It returns their number of rows.
  prepend(lines: LogLine[]): number {
    const room = lines.slice(Math.max(0, lines.length - (mostLines - this.lines.length)));
    this.lines = [...room, ...this.lines];
    this.texts = [...room.map(textOf), ...this.texts];
    this.count(0);
    return this.starts[room.length] ?? 0;
  }

  clear(): void {
    this.lines = [];
    this.texts = [];
    this.starts = [0];
    this.dropped = 0;
  }

  // row returns a row by its number.
  row(n: number): LogRow | undefined {
    if (n < 0 || n >= this.rows) return undefined;
    const line = this.lineOfRow(n);
    const all = this.broken(line);
    const part = n - (this.starts[line] ?? 0);
    let offset = 0;
    for (let i = 0; i < part; i++) offset += all[i]?.length ?? 0;
    return { line, text: all[part] ?? "", offset, first: part === 0 };
  }

  // rowOf returns the row of a position in a line.
  rowOf(line: number, offset: number): number {
    let at = 0;
    let row = this.starts[line] ?? 0;
    for (const part of this.broken(line)) {
      at += part.length;
      if (offset < at) return row;
      row++;
    }
    return Math.max(this.starts[line] ?? 0, row - 1);
  }

  // search returns the occurrences of a text, case-insensitively.
  search(wanted: string): Hit[] {
    const hits: Hit[] = [];
    if (wanted === "") return hits;
    const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
    for (let line = 0; line < this.texts.length; line++) {
      pattern.lastIndex = 0;
      for (const found of (this.texts[line] ?? "").matchAll(pattern)) {
        hits.push({ line, from: found.index, to: found.index + found[0].length });
        if (hits.length >= mostHits) return hits;
      }
    }
    return hits;
  }

  private lineOfRow(n: number): number {
    if (this.width === Number.POSITIVE_INFINITY) return n;
    let low = 0;
    let high = this.lines.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] ?? 0) <= n) low = middle;
      else high = middle;
    }
    return low;
  }

  private broken(line: number): string[] {
    const text = this.texts[line] ?? "";
    return this.width === Number.POSITIVE_INFINITY ? [text] : broken(text, this.width);
  }

  private count(from: number): void {
    this.starts.length = from + 1;
    let row = this.starts[from] ?? 0;
    for (let i = from; i < this.lines.length; i++) {
      row += this.broken(i).length;
      this.starts.push(row);
    }
  }

  // trim drops the oldest lines in steps of 10%, so that it is rare.
  private trim(): number {
    if (this.lines.length <= mostLines * 1.1) return 0;
    const cut = this.lines.length - mostLines;
    const rows = this.starts[cut] ?? 0;
    this.lines = this.lines.slice(cut);
    this.texts = this.texts.slice(cut);
    this.dropped += cut;
    this.count(0);
    return rows;
  }
}

// Window is the part of a list of rows that is drawn.
export interface Window {
  from: number;
  to: number;
}

// windowOf returns the rows at a scroll position, with some above and below.
export function windowOf(top: number, height: number, rowHeight: number, rows: number, beyond = 20): Window {
  const from = Math.max(0, Math.min(rows, Math.floor(top / rowHeight) - beyond));
  const to = Math.max(from, Math.min(rows, Math.ceil((top + height) / rowHeight) + beyond));
  return { from, to };
}

// tallest is the maximum height of an element that all browsers can draw, in pixels.
const tallest = 8_000_000;

// scaleOf returns the factor between the scroll position and the position in the rows.
export function scaleOf(rows: number, rowHeight: number, height: number): number {
  const full = rows * rowHeight;
  if (full <= tallest || full <= height) return 1;
  return (full - height) / (tallest - height);
}

// hitsIn returns the matches within a row, as offsets in its text.
export function hitsIn(row: LogRow, hits: Hit[]): { from: number; to: number; hit: number }[] {
  const end = row.offset + row.text.length;
  const list: { from: number; to: number; hit: number }[] = [];
  for (let i = firstHit(hits, row.line); i < hits.length; i++) {
    const hit = hits[i];
    if (hit === undefined || hit.line !== row.line) break;
    if (hit.to <= row.offset || hit.from >= end) continue;
    list.push({ from: Math.max(0, hit.from - row.offset), to: Math.min(row.text.length, hit.to - row.offset), hit: i });
  }
  return list;
}

// firstHit returns the index of the first match in or after a line.
export function firstHit(hits: Hit[], line: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
