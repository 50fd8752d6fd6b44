// Differences of short texts, line by line, in the browser.

// mostCells limits the table of the comparison; above it only equal ends are found.
const mostCells = 4_000_000;

// counterparts returns for each line of after the index of the same line in before, or -1 if
// the line was added or changed. The pairs are a longest common subsequence.
export function counterparts(before: string[], after: string[]): number[] {
  const result = after.map(() => -1);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) {
    result[head] = head;
    head++;
  }
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail++;
    result[after.length - tail] = before.length - tail;
  }
  const a = before.slice(head, before.length - tail);
  const b = after.slice(head, after.length - tail);
  if (a.length > 0 && b.length > 0 && a.length * b.length <= mostCells) {
    for (const [x, y] of common(a, b)) result[head + y] = head + x;
  }
  return result;
}

// common returns the pairs of equal lines, in order.
function common(a: string[], b: string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skip = Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
      table[i * width + j] = a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : skip;
    }
  }
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}

// moved returns the position in after of each line of before, or -1. A line that was changed in
// place is found by its position between equal lines, or by its key.
export function moved(before: string[], after: string[]): number[] {
  const where = before.map(() => -1);
  counterparts(before, after).forEach((from, to) => {
    if (from >= 0) where[from] = to;
  });
  let i = 0;
  let next = 0;
  while (i < before.length) {
    const to = where[i] ?? -1;
    if (to >= 0) {
      next = to + 1;
      i++;
      continue;
    }
    let end = i;
    while (end < before.length && (where[end] ?? -1) < 0) end++;
    const until = end < before.length ? (where[end] ?? after.length) : after.length;
    between(before, after, where, [i, end], [next, until]);
    i = end;
  }
  return where;
}

// between pairs the changed lines of a block: by their keys, or by their positions if they have
// no keys.
function between(before: string[], after: string[], where: number[], from: [number, number], to: [number, number]): void {
  const same = from[1] - from[0] === to[1] - to[0];
  let j = to[0];
  for (let i = from[0]; i < from[1]; i++) {
    const head = headOf(before[i] ?? "");
    const beside = to[0] + i - from[0];
    if (head === "" && same && headOf(after[beside] ?? "") === "") {
      where[i] = beside;
    }
    for (let k = j; head !== "" && k < to[1]; k++) {
      if (headOf(after[k] ?? "") !== head) continue;
      where[i] = k;
      j = k + 1;
      break;
    }
  }
}

// headOf returns a line of YAML up to its key, with the indentation.
function headOf(line: string): string {
  return /^\s*(?:- +)*[^\s:#][^:]*:(?=\s|$)/.exec(line)?.[0] ?? "";
}
