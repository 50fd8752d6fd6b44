// The clock of the pages is the server's: a wrong clock of the browser changes no duration.

import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";

let skew = 0;
const tick = signal(Date.now());

// second is the server's time in milliseconds. It changes once a second while the page is
// visible.
export const second: ReadonlySignal<number> = tick;

// serverNow returns the server's time in milliseconds.
export function serverNow(): number {
  return Date.now() + skew;
}

// toServer returns the server's time at a time of the browser's clock.
export function toServer(ms: number): number {
  return ms + skew;
}

// setServerTime corrects the clock by the server's time in an answer.
export function setServerTime(time: string): void {
  const ms = Date.parse(time);
  if (!Number.isNaN(ms)) {
    skew = ms - Date.now();
    tick.value = serverNow();
  }
}

// startClock starts the clock.
export function startClock(): void {
  const beat = () => {
    if (!document.hidden) {
      tick.value = serverNow();
    }
    setTimeout(beat, 1000 - (serverNow() % 1000));
  };
  document.addEventListener("visibilitychange", () => {
    tick.value = serverNow();
  });
  beat();
}
