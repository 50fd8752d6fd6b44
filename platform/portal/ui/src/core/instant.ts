// Times as people write them: "09:15" (today), "2026-11-21 22:10", "Nov 21 22:10", "2h" (ago).

import { serverNow } from "./clock";
import { fields, instantOf, zoneChoice } from "./zone";

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };

// parseAge returns the seconds of "90s", "30m", "24h", "30d", "1h30m".
export function parseAge(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?\s*[smhdw]\s*)+$/.test(text)) {
    return undefined;
  }
  let sum = 0;
  for (const m of text.matchAll(/(\d+(?:\.\d+)?)\s*([smhdw])/g)) {
    sum += Number(m[1]) * (units[m[2] ?? ""] ?? 0);
  }
  return sum;
}

// parseTime returns the milliseconds of a time, or undefined.
export function parseTime(text: string, now = serverNow()): number | undefined {
  const t = text.trim();
  const age = parseAge(t);
  if (age !== undefined) {
    return now - age * 1000;
  }
  const day = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(t);
  if (day) {
    const [h, m, s] = [Number(day[1]), Number(day[2]), Number(day[3] ?? 0)];
    const f = fields(now);
    return h < 24 && m < 60 && s < 60 ? instantOf(f.year, f.month, f.day, h, m, s) : undefined;
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(t)) {
    return inZone(t + "T00:00:00");
  }
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(t)) {
    return inZone(t.replace(" ", "T"));
  }
  const named = /^([A-Z][a-z]{2}) (\d{1,2}),? (\d{1,2}:\d{2})$/.exec(t);
  if (!named) {
    return undefined;
  }
  const year = fields(now).year;
  const of = (y: number) => inZone(`${named[1]} ${named[2]}, ${y} ${named[3]}`);
  return (of(year) ?? 0) > now + 86_400_000 ? of(year - 1) : of(year); // the last December, in January
}

// inZone reads a time. One without an offset is one of the chosen zone.
function inZone(text: string): number | undefined {
  const offset = /(Z|[+-]\d{2}:?\d{2})$/.test(text) && text.includes("T");
  return finite(Date.parse(!offset && zoneChoice.value === "utc" ? text + (text.includes("T") ? "Z" : " UTC") : text));
}

function finite(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}

// writtenTime returns a time as it stands in a URL: RFC 3339 in UTC, to the second.
export function writtenTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
