// Lines of logs as a terminal would show them, without colors: a carriage return overwrites a
// progress bar. Package platform/logs/logtext has the same grammar; both are tested with its
// testdata/lines.json.

import { visible } from "./visible";

// logText returns the text of a line. Control characters without an effect are symbols.
export function logText(line: string): string {
  let cells: string[] = []; // a character each
  let at = 0;
  for (const [part] of line.matchAll(/\u001b\[(?:[0-9;:]{0,64}m|[0-2]?K)|[\r\b\u001b]|[^\r\b\u001b]+/g)) {
    if (part === "\r") at = 0;
    else if (part === "\b") at = Math.max(0, at - 1);
    else if (part.length < 3 || part[0] !== "\u001b") {
      for (const c of visible(part)) {
        while (cells.length < at) cells.push(" ");
        cells[at++] = c;
      }
    } else if (part.endsWith("1K")) cells = cells.map((c, i) => (i > at ? c : " "));
    else if (part.endsWith("K")) cells = part.endsWith("2K") ? [] : cells.slice(0, at);
  }
  return cells.join("");
}
