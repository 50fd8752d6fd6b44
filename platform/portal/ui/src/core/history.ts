// The length of the recorded history. Pages limit their default window to it.

import type { ReadonlySignal } from "@preact/signals";
import { signal } from "@preact/signals";
import { PathJobs } from "../api";
import type { JobList } from "../api";
import { get } from "./client";
import { serverNow } from "./clock";
import { instant } from "./format";

// Age is the time since the oldest job was submitted, as of the page's request, in
// milliseconds. Infinity: the server did not return it, and windows have their full
// length.
const age = signal<number | undefined>(undefined);
let asked = false;

// historyAge returns the age of the history; undefined until the server has answered. It does
// not change later, so that a window does not change while somebody looks at it.
export function historyAge(): ReadonlySignal<number | undefined> {
  if (!asked) {
    asked = true;
    get<JobList>(PathJobs, { sort: "submitted", limit: 1 }).then(
      (list) => { age.value = ageOf(list, serverNow()); },
      () => { age.value = Infinity; },
    );
  }
  return age;
}

// ageOf returns the age of the oldest job of a list; 0 without jobs.
export function ageOf(list: JobList, now: number): number {
  const oldest = instant(list.jobs[0]?.submitted);
  return oldest === undefined ? 0 : Math.max(0, now - oldest);
}

// fitted returns the shortest of some windows that contains a history with 5% to spare; the
// last window if none does. Windows are ascending and not empty.
export function fitted(windows: readonly number[], age: number): number {
  return windows.find((w) => w >= age * 1.05) ?? windows[windows.length - 1] ?? age;
}
