// The containers with lines in a log.

import type { LogLine, LogSource } from "../../api";

function keyOf(s: { pod?: string; container?: string; attempt?: number }): string {
  return `${s.pod ?? ""}/${s.container ?? ""}/${s.attempt ?? 0}`;
}

// withLines returns the sources of a log after new lines. A pod that starts while the log is
// followed is added with its first line. Without a new one, the result is the same object.
export function withLines(sources: readonly LogSource[], lines: readonly LogLine[]): readonly LogSource[] {
  let last = "";
  let known: Set<string> | undefined;
  let all = sources;
  for (const line of lines) {
    const key = keyOf(line);
    if (key === last || line.pod === undefined || line.pod === "") {
      continue;
    }
    last = key;
    known ??= new Set(sources.map(keyOf));
    if (!known.has(key)) {
      known.add(key);
      all = [...all, { pod: line.pod, container: line.container ?? "", attempt: line.attempt ?? 0, live: true }];
    }
  }
  return all;
}
