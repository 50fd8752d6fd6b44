// Texts that need care: times, and names that are too long.

import { instant, none, time, utc } from "../core/format";

// Time shows a time of the API in local time, and in UTC on hover.
export function Time({ at, show }: { at: string | undefined; show?: (ms: number) => string }) {
  const ms = instant(at);
  if (ms === undefined) {
    return <span class="text-3">{none}</span>;
  }
  return <time dateTime={at} data-tip={utc(ms)}>{(show ?? time)(ms)}</time>;
}

// Name shows a name that may be longer than its place. It is cut in the middle, because both
// ends tell names apart; the tip has all of it.
export function Name({ text, tail = 12 }: { text: string; tail?: number }) {
  const chars = [...text];
  if (chars.length <= tail + 4) {
    return <span class="name"><span class="name-head">{text}</span></span>;
  }
  return (
    <span class="name" data-tip-cut={text}>
      <span class="name-head">{chars.slice(0, -tail).join("")}</span>
      <span class="name-tail">{chars.slice(-tail).join("")}</span>
    </span>
  );
}
