// Comparison of a number with that of another period, in words.

// Wanted is whether more is better, less is better, or neither.
export type Wanted = "more" | "less" | "neither";

// Verdict is the change of a number.
export interface Verdict {
  readonly direction: "up" | "down" | "same" | "unknown";
  // share is the change relative to the other period: 0.061 is 6.1 %. NaN if the other was 0.
  readonly share: number;
  readonly difference: number;
  readonly word: "better" | "worse" | "";
}

// least is the smallest relative change that is shown: a smaller one rounds to 0.0 %.
const least = 0.0005;

// verdict compares now with before. A period without jobs has no number (NaN or undefined).
export function verdict(now: number, before: number | undefined, wanted: Wanted): Verdict {
  if (before === undefined || Number.isNaN(before) || Number.isNaN(now)) {
    return { direction: "unknown", share: NaN, difference: NaN, word: "" };
  }
  const difference = now - before;
  const share = before === 0 ? (now === 0 ? 0 : NaN) : difference / Math.abs(before);
  if (Math.abs(difference) === 0 || Math.abs(share) < least) {
    return { direction: "same", share: 0, difference: 0, word: "" };
  }
  const up = difference > 0;
  const word = wanted === "neither" ? "" : up === (wanted === "more") ? "better" : "worse";
  return { direction: up ? "up" : "down", share, difference, word };
}

// shareOf is a fraction of a whole, or NaN without a whole.
export function shareOf(part: number | undefined, whole: number): number {
  return whole > 0 ? (part ?? 0) / whole : NaN;
}

// signed returns a difference with its sign: "+19", "−8", "0".
export function signed(n: number): string {
  if (n === 0) {
    return "0";
  }
  return (n > 0 ? "+" : "−") + Math.abs(n).toLocaleString("en-US", { maximumFractionDigits: 1 });
}
