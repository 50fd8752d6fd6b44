// Values of axes: round numbers, and round durations.

const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const durationSteps: readonly number[] = [
  1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
  hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day,
];

// durationTicks returns from 0 up to above max, at most `most` steps, in seconds.
export function durationTicks(max: number, most = 5): number[] {
  const step = durationSteps.find((s) => max <= s * most) ?? Math.ceil(max / most / day) * day;
  return upTo(max, step);
}

// numberTicks returns round numbers from 0 up to above max. Whole leaves out fractions.
export function numberTicks(max: number, most = 5, whole = true): number[] {
  if (!(max > 0)) {
    return [0, 1];
  }
  const power = Math.pow(10, Math.floor(Math.log10(max / most)));
  let step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((s) => max <= s * most) ?? 10 * power;
  if (whole) {
    step = Math.max(1, Math.ceil(step));
  }
  return upTo(max, step);
}

function upTo(max: number, step: number): number[] {
  const out = [0];
  for (let i = 1; ; i++) {
    out.push(i * step);
    if (i * step >= max) {
      return out;
    }
  }
}

// axisDuration returns a duration on an axis: "0", "30 s", "15 min", "2 h", "3 d".
export function axisDuration(seconds: number): string {
  const one = (n: number): string => n.toLocaleString("en-US", { maximumFractionDigits: 1 });
  if (seconds === 0) {
    return "0";
  }
  if (seconds < minute) {
    return `${one(seconds)} s`;
  }
  if (seconds < hour) {
    return `${one(seconds / minute)} min`;
  }
  return seconds < 2 * day ? `${one(seconds / hour)} h` : `${one(seconds / day)} d`;
}

// axisNumber returns a number on an axis: "300", "1.5k", "2M".
export function axisNumber(n: number): string {
  const one = (v: number): string => v.toLocaleString("en-US", { maximumFractionDigits: 1 });
  if (n >= 1e6) {
    return one(n / 1e6) + "M";
  }
  return n >= 10_000 ? one(n / 1000) + "k" : n.toLocaleString("en-US");
}
