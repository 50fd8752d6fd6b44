// Numbers, durations and times as people read them.

import { language } from "../words/language";
import { serverNow } from "./clock";
import { fields, sameDay } from "./zone";

// none stands for a value that does not exist.
export const none = "–";

// duration returns seconds in two units: "18s", "5m 18s", "2h 14m", "3d 04h".
export function duration(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) {
    return none;
  }
  const s = Math.floor(seconds);
  const pad = (n: number) => String(n).padStart(2, "0");
  if (s < 60) {
    return `${s}s`;
  }
  if (s < 3600) {
    return `${Math.floor(s / 60)}m ${pad(s % 60)}s`;
  }
  if (s < 86400) {
    return `${Math.floor(s / 3600)}h ${pad(Math.floor((s % 3600) / 60))}m`;
  }
  return `${number(Math.floor(s / 86400))}d ${pad(Math.floor((s % 86400) / 3600))}h`;
}

// short returns seconds in one unit with at most one decimal: "0.2 s", "38 ms", "4 min", "2 h".
export function short(seconds: number): string {
  if (seconds < 0.1) {
    return `${Math.round(seconds * 1000)} ms`;
  }
  if (seconds < 10) {
    return `${(Math.round(seconds * 10) / 10).toLocaleString("en-US")} s`;
  }
  if (seconds < 120) {
    return `${Math.round(seconds)} s`;
  }
  if (seconds < 7200) {
    return `${Math.round(seconds / 60)} min`;
  }
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} d`;
}

// number returns a number with commas in thousands and at most `decimals` decimals.
export function number(n: number, decimals = 1): string {
  return n.toLocaleString("en-US", { maximumFractionDigits: decimals });
}

// count returns a count of the API: "248", "10k+".
export function count(c: { n: number; more?: boolean } | undefined): string {
  if (!c) {
    return none;
  }
  return c.more ? `${Math.floor(c.n / 1000)}k+` : number(c.n);
}

// bytes returns a size in powers of 1000: "402 KB", "14.8 MB".
export function bytes(n: number): string {
  if (n < 0) {
    return none;
  }
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${number(n, n < 100 && i > 0 ? 1 : 0)} ${units[i]}`;
}

// percent returns a share from 0 to 1, always with one decimal so that columns align: "83.1 %".
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

// instant returns the milliseconds of a time of the API, or undefined if it is missing.
export function instant(time: string | undefined): number | undefined {
  const ms = time === undefined || time === "" ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

const two = (n: number) => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// clock returns the time of day in the chosen zone: "10:41", or with seconds "10:41:50".
export function clock(ms: number, seconds = false): string {
  const f = fields(ms);
  return `${two(f.hour)}:${two(f.minute)}${seconds ? ":" + two(f.second) : ""}`;
}

// date returns the date in the chosen zone: "Nov 21", in Chinese "11 月 21 日"; with the year
// if it is another one.
export function date(ms: number, now = serverNow()): string {
  const f = fields(ms);
  const other = f.year !== fields(now).year;
  if (language.value === "zh") {
    return `${other ? `${f.year} 年 ` : ""}${f.month + 1} 月 ${f.day} 日`;
  }
  return `${months[f.month]} ${f.day}${other ? ", " + f.year : ""}`;
}

// clockOf returns a time in little room: "22:20" today, "Nov 21 22:20" before.
export function clockOf(ms: number, now = serverNow()): string {
  return sameDay(ms, now) ? clock(ms) : `${date(ms, now)} ${clock(ms)}`;
}

// dateClock returns date and time of day: "Nov 21, 23:18".
export function dateClock(ms: number, now = serverNow()): string {
  return date(ms, now) + (language.value === "zh" ? " " : ", ") + clock(ms);
}

// time returns a time as lists show it: with seconds if it is today, with the date otherwise.
export function time(ms: number | undefined, now = serverNow()): string {
  if (ms === undefined) {
    return none;
  }
  return sameDay(ms, now) ? clock(ms, true) : `${date(ms, now)} ${clock(ms)}`;
}

// utc returns a time in UTC for the tooltip: "2026-11-22 02:41:50 UTC".
export function utc(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
}

// zone returns the local zone, whatever zone is chosen: "UTC+8".
export function zone(ms = serverNow()): string {
  const minutes = -new Date(ms).getTimezoneOffset();
  if (minutes === 0) {
    return "UTC";
  }
  const a = Math.abs(minutes);
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(a / 60)}${a % 60 === 0 ? "" : ":" + two(a % 60)}`;
}

// spaced writes a quantity of bytes with its unit for people: 720Gi is "720 GiB".
export function spaced(text: string): string {
  const found = /^(\d+(?:\.\d+)?)([KMGTPE])i$/.exec(text.trim());
  return found === null ? text : `${found[1]} ${found[2]}iB`;
}
