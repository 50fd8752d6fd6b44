// The key numbers of a period, each with its change, in words.

import type { ComponentChildren } from "preact";
import type { Period } from "../../api";
import { duration, none, number, percent } from "../../core/format";
import { shareOf, verdict } from "./compare";
import type { Verdict, Wanted } from "./compare";
import { gpuHours } from "./gpuhours";
import { words } from "./words";

// KeyNumbers shows six numbers in a row.
export function KeyNumbers({ now, before }: { now: Period; before: Period | undefined }) {
  const w = words.value;
  const share = shareOf(now.outcomes["Succeeded"], now.ended);
  const oldShare = before === undefined ? undefined : shareOf(before.outcomes["Succeeded"], before.ended);
  const time = (n: number, count: number): string => (count === 0 ? none : duration(n));
  return (
    <div class="stats-numbers">
      <Key name={w.ended} value={number(now.ended)}><Change v={verdict(now.ended, before?.ended, "neither")} note={before === undefined ? "" : w.more(now.ended - before.ended)} /></Key>
      <Key name={w.succeeded} value={Number.isNaN(share) ? none : percent(share)}>
        <Points share={share} old={oldShare} note={number(now.outcomes["Succeeded"] ?? 0)} />
      </Key>
      <Key name={w.waitedMedian} value={time(now.waited.median, now.waited.count)}><Times now={now.waited.median} old={before?.waited.median} counts={[now.waited.count, before?.waited.count]} wanted="less" /></Key>
      <Key name={w.waitedP90} value={time(now.waited.p90, now.waited.count)}><Times now={now.waited.p90} old={before?.waited.p90} counts={[now.waited.count, before?.waited.count]} wanted="less" /></Key>
      <Key name={w.ranMedian} value={time(now.ran.median, now.ran.count)}><Times now={now.ran.median} old={before?.ran.median} counts={[now.ran.count, before?.ran.count]} wanted="neither" /></Key>
      <Key name={w.gpuHours} value={gpuHours(now.gpuHours.ran)}>
        <Change v={verdict(now.gpuHours.ran, before?.gpuHours.ran, "neither")} note={before === undefined ? "" : w.was(gpuHours(before.gpuHours.ran))} />
      </Key>
    </div>
  );
}

function Key({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return <div class="stats-number"><div class="stats-number-name">{name}</div><div class="stats-number-value">{value}</div><div class="stats-number-note">{children}</div></div>;
}

function Times({ now, old, counts, wanted }: { now: number; old: number | undefined; counts: readonly [number, number | undefined]; wanted: Wanted }) {
  const known = counts[0] > 0 && (counts[1] ?? 0) > 0;
  const v = verdict(known ? now : NaN, known ? old : undefined, wanted);
  return <Change v={v} note={known && old !== undefined ? words.value.was(duration(old)) : ""} />;
}

function Points({ share, old, note }: { share: number; old: number | undefined; note: string }) {
  const v = verdict(share, old, "more");
  const points = words.value.points(number(Math.abs(v.difference) * 100));
  return <Change v={v} note={note} text={points} />;
}

// Change shows the change of a number, whether that is better, and the previous value.
function Change({ v, note, text }: { v: Verdict; note: string; text?: string }) {
  const w = words.value;
  if (v.direction === "unknown") {
    return <span class="text-3">{w.noOther}</span>;
  }
  if (v.direction === "same") {
    return <><b>{w.same}</b> <span class="text-3">{note}</span></>;
  }
  const amount = text ?? (Number.isNaN(v.share) ? "" : percent(Math.abs(v.share)));
  const word = v.word === "" ? "" : w[v.word];
  return (
    <>
      <svg class="stats-arrow" width="9" height="8" viewBox="0 0 9 8" aria-hidden="true"><path d={v.direction === "up" ? "M4.5 0L9 8H0Z" : "M0 0H9L4.5 8Z"} /></svg>
      <span class="hidden-text">{v.direction === "up" ? "+" : "−"}</span>
      {" "}<b>{[amount, word].filter((t) => t !== "").join(" ")}</b> <span class="text-3">{note}</span>
    </>
  );
}
