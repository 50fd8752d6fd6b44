// The rows of the drawing of a difference of two revisions.

import type { DiffLine, LineRange } from "../../api";

// Part is a piece of a line; marked if it differs from its counterpart.
export interface Part {
  text: string;
  marked: boolean;
}

// Row is a row of the drawing. A fold has no sides.
export interface Row {
  kind: "same" | "changed" | "fold";
  left?: DiffLine;
  right?: DiffLine;
  // The lines in the fold: their number, and the number of those that differ in
  // bookkeeping.
  folded?: DiffLine[];
  count?: number;
  bookkeeping?: number;
}

// context is the number of unchanged lines that stay visible around a change.
const context = 3;

// parts splits a line at the marks of its words. Marks out of range are cut to the line.
export function parts(text: string, words: LineRange[] | undefined): Part[] {
  const list: Part[] = [];
  let at = 0;
  for (const word of [...(words ?? [])].sort((a, b) => a.from - b.from)) {
    const from = Math.max(at, Math.min(word.from, text.length));
    const to = Math.max(from, Math.min(word.to, text.length));
    if (from > at) list.push({ text: text.slice(at, from), marked: false });
    if (to > from) list.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length || list.length === 0) list.push({ text: text.slice(at), marked: false });
  return list;
}

// kept reports whether a line is always drawn: a change that is not bookkeeping.
function kept(line: DiffLine, bookkeeping: boolean): boolean {
  return (line.op === "-" || line.op === "+") && (bookkeeping || line.bookkeeping !== true);
}

// rows returns the rows of a difference. Unchanged lines far from a change are folded, and so
// is bookkeeping unless it is requested. Every line is in exactly one row.
export function rows(lines: DiffLine[], bookkeeping = false, around = context): Row[] {
  const shown = lines.map(() => false);
  lines.forEach((line, i) => {
    if (!kept(line, bookkeeping)) return;
    for (let j = Math.max(0, i - around); j <= Math.min(lines.length - 1, i + around); j++) {
      const near = lines[j];
      if (near === undefined || near.op === "~") continue;
      if (bookkeeping || near.bookkeeping !== true) shown[j] = true;
    }
  });
  const list: Row[] = [];
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    if (line === undefined) break;
    if (line.op === "~" || shown[i] !== true) {
      const from = i;
      while (i < lines.length && (lines[i]?.op === "~" || shown[i] !== true)) i++;
      list.push(fold(lines.slice(from, i)));
      continue;
    }
    list.push({ kind: line.op === "=" ? "same" : "changed", ...side(line) });
    i++;
  }
  return list;
}

function side(line: DiffLine): Pick<Row, "left" | "right"> {
  if (line.op === "-") return { left: line };
  if (line.op === "+") return { right: line };
  return { left: line, right: line };
}

function fold(lines: DiffLine[]): Row {
  const count = lines.reduce((sum, line) => sum + (line.op === "~" ? (line.count ?? 0) : 1), 0);
  const bookkeeping = lines.filter((line) => line.op === "-" || line.op === "+").length;
  return { kind: "fold", folded: lines, count, bookkeeping };
}

// split pairs removed and added lines of one change. The nth removed line is next to the
// nth added one.
export function split(list: Row[]): Row[] {
  const out: Row[] = [];
  let removed: Row[] = [];
  let added: Row[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      out.push({ kind: "changed", left: removed[i]?.left, right: added[i]?.right });
    }
    removed = [];
    added = [];
  };
  for (const row of list) {
    if (row.kind !== "changed") {
      flush();
      out.push(row);
    } else if (row.left !== undefined) {
      if (added.length > 0) flush();
      removed.push(row);
    } else {
      added.push(row);
    }
  }
  flush();
  return out;
}

// opened replaces the fold at an index with its lines. Lines that the server omitted come
// from the text of the right side; without it the fold remains.
export function opened(list: Row[], index: number, right: string[]): Row[] {
  const row = list[index];
  if (row?.kind !== "fold" || row.folded === undefined) return list;
  const lines: Row[] = [];
  let before = lastLines(list, index);
  for (const line of row.folded) {
    if (line.op !== "~") {
      lines.push({ kind: line.op === "=" ? "same" : "changed", ...side(line) });
      before = { left: line.left ?? before.left, right: line.right ?? before.right };
      continue;
    }
    for (let n = 0; n < (line.count ?? 0); n++) {
      before = { left: before.left + 1, right: before.right + 1 };
      const text = right[before.right - 1];
      if (text === undefined) return list;
      const same: DiffLine = { op: "=", left: before.left, right: before.right, text };
      lines.push({ kind: "same", left: same, right: same });
    }
  }
  return [...list.slice(0, index), ...lines, ...list.slice(index + 1)];
}

// lastLines returns the numbers of the last lines above a row.
function lastLines(list: Row[], index: number): { left: number; right: number } {
  let left = 0;
  let right = 0;
  for (const row of list.slice(0, index)) {
    if (row.left?.left !== undefined) left = row.left.left;
    if (row.right?.right !== undefined) right = row.right.right;
    for (const line of row.folded ?? []) {
      left = line.op === "~" ? left + (line.count ?? 0) : (line.left ?? left);
      right = line.op === "~" ? right + (line.count ?? 0) : (line.right ?? right);
    }
  }
  return { left, right };
}
