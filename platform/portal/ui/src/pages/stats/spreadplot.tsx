// Times over a period: the median in ink, the 90th percentile in the color of Queued, the other
// period dashed.

import type { Period, Spread, StatsBucket } from "../../api";
import { clock, date, dateClock, duration, number } from "../../core/format";
import { axisDuration, durationTicks } from "./axis";
import type { Span } from "./period";
import { cursor, line } from "./chart";
import type { Scene } from "./chart";
import { Plot } from "./plot";
import { timeTicks } from "./timeticks";
import { words } from "./words";

// SpreadPlotProps select one of the two times.
export interface SpreadPlotProps {
  which: "waited" | "ran";
  now: Period;
  before: Period | undefined;
  span: Span;
  height: number;
}

// SpreadPlot shows the median and the 90th percentile of each bucket.
export function SpreadPlot({ which, now, before, span, height }: SpreadPlotProps) {
  const w = words.value;
  const title = which === "waited" ? w.timeWaited : w.timeRan;
  const lines = linesOf(which, now, before);
  const length = span.to - span.from;
  const half = (now.step * 1000) / 2;
  const at = now.buckets.map((b) => Math.min(1, (Date.parse(b.from) + half - span.from) / length));
  const most = Math.max(0, ...[lines.p90, lines.median, lines.oldP90, lines.oldMedian].flat().map((v) => v ?? 0));
  const ticks = durationTicks(most === 0 ? 60 : most);
  const tip = (i: number) => {
    const b = now.buckets[i];
    return b === undefined ? null : <BucketTip bucket={b} step={now.step} spread={b[which]} />;
  };
  return (
    <Plot label={title} height={height} at={at} highest={ticks[ticks.length - 1] ?? 60} x={(width) => timeTicks(span, width)} y={ticks.map((t) => ({ at: t, text: axisDuration(t) }))}
      draw={(s, shown) => drawLines(s, at, lines, shown)} tip={tip} table={<SpreadTable title={title} which={which} buckets={now.buckets} />} />
  );
}

type Values = readonly (number | null)[];

interface Lines {
  p90: Values;
  median: Values;
  oldP90: Values;
  oldMedian: Values;
}

function linesOf(which: "waited" | "ran", now: Period, before: Period | undefined): Lines {
  const value = (s: Spread | undefined, of: "median" | "p90"): number | null => (s === undefined || s.count === 0 ? null : s[of]);
  const old = before?.buckets ?? [];
  return {
    p90: now.buckets.map((b) => value(b[which], "p90")),
    median: now.buckets.map((b) => value(b[which], "median")),
    oldP90: now.buckets.map((_, i) => value(old[i]?.[which], "p90")),
    oldMedian: now.buckets.map((_, i) => value(old[i]?.[which], "median")),
  };
}

function drawLines(s: Scene, at: readonly number[], lines: Lines, shown: number): void {
  const { look } = s;
  const queued = look.states["Queued"] ?? look.text;
  const old = { color: look.text3, width: 1.2, dash: [3, 3] };
  line(s, at, lines.oldP90, old);
  line(s, at, lines.oldMedian, old);
  line(s, at, lines.p90, { color: queued, width: 1.8, fill: `color-mix(in srgb, ${queued} 12%, transparent)` });
  line(s, at, lines.median, { color: look.text, width: 1.8 });
  const place = at[shown];
  if (place !== undefined) {
    cursor(s, place, [{ value: lines.p90[shown] ?? null, color: queued }, { value: lines.median[shown] ?? null, color: look.text }]);
  }
}

// spanOfBucket formats the interval of a bucket.
export function spanOfBucket(from: string, step: number): string {
  const ms = Date.parse(from);
  return step >= 86_400 ? date(ms) : `${dateClock(ms)} – ${clock(ms + step * 1000)}`;
}

function BucketTip({ bucket, step, spread }: { bucket: StatsBucket; step: number; spread: Spread }) {
  const w = words.value;
  return (
    <>
      <b>{spanOfBucket(bucket.from, step)}</b>
      <dl class="stats-tip-facts">
        <dt>{w.p90}</dt><dd>{spread.count === 0 ? "–" : duration(spread.p90)}</dd>
        <dt>{w.medianOf(spread.count)}</dt><dd>{spread.count === 0 ? "–" : duration(spread.median)}</dd>
      </dl>
    </>
  );
}

function SpreadTable({ title, which, buckets }: { title: string; which: "waited" | "ran"; buckets: readonly StatsBucket[] }) {
  const w = words.value;
  return (
    <table>
      <caption>{w.tableOf(title)}</caption>
      <thead><tr><th scope="col">{w.heads.time}</th><th scope="col">{w.heads.count}</th><th scope="col">{w.median}</th><th scope="col">{w.p90}</th></tr></thead>
      <tbody>{buckets.map((b) => <tr key={b.from}><th scope="row">{`${date(Date.parse(b.from))} ${clock(Date.parse(b.from))}`}</th><td>{number(b[which].count)}</td><td>{duration(b[which].median)}</td><td>{duration(b[which].p90)}</td></tr>)}</tbody>
    </table>
  );
}
