// Times over a period: the median in ink, the 90th percentile in the color of Queued, the other
// period dashed.

import type uPlot from "uplot";
import type { Period, Spread, StatsBucket } from "../../api";
import { clock, date, duration, number } from "../../core/format";
import { zoneChoice } from "../../core/zone";
import type { Look } from "../timeline/look";
import { ticksOf } from "../timeline/ticks";
import { axisDuration, durationTicks } from "./axis";
import type { Span } from "./period";
import { Plot, axisOf, isolated } from "./plot";
import { words } from "./words";

// SpreadPlotProps say which of the two times to show.
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
  const data = dataOf(which, now, before);
  const make = (look: Look) => optionsOf(look, data, span);
  const tip = (i: number) => {
    const b = now.buckets[i];
    return b === undefined ? null : <BucketTip bucket={b} step={now.step} spread={b[which]} />;
  };
  return <Plot label={title} height={height} data={data} make={make} tip={tip} version={`${which} ${w.title} ${JSON.stringify(data)}`} table={<SpreadTable title={title} which={which} buckets={now.buckets} />} />;
}

function dataOf(which: "waited" | "ran", now: Period, before: Period | undefined): uPlot.AlignedData {
  const value = (s: Spread | undefined, of: "median" | "p90"): number | null => (s === undefined || s.count === 0 ? null : s[of]);
  const half = (now.step * 1000) / 2;
  const xs = now.buckets.map((b) => (Date.parse(b.from) + half) / 1000);
  const old = before?.buckets ?? [];
  return [
    xs,
    now.buckets.map((_, i) => value(old[i]?.[which], "p90")),
    now.buckets.map((_, i) => value(old[i]?.[which], "median")),
    now.buckets.map((b) => value(b[which], "p90")),
    now.buckets.map((b) => value(b[which], "median")),
  ];
}

function optionsOf(look: Look, data: uPlot.AlignedData, span: Span): Pick<uPlot.Options, "series" | "axes" | "scales" | "cursor"> {
  let most = 0;
  for (const series of data.slice(1)) {
    for (const v of series) {
      most = Math.max(most, v ?? 0);
    }
  }
  const ticks = durationTicks(most === 0 ? 60 : most);
  const top = ticks[ticks.length - 1] ?? 60;
  const queued = look.states["Queued"] ?? look.text;
  const points = { show: true, filter: (u: uPlot, i: number) => isolated(u, i), size: 5 };
  const old = { stroke: look.text3, width: 1.2, dash: [3, 3], points: { ...points, show: false } };
  return {
    scales: { x: { time: false, range: [span.from / 1000, span.to / 1000] }, y: { range: [0, top] } },
    series: [
      {}, { ...old }, { ...old },
      { stroke: queued, width: 1.8, fill: `color-mix(in srgb, ${queued} 12%, transparent)`, points: { ...points, fill: queued, stroke: queued } },
      { stroke: look.text, width: 1.8, points: { ...points, fill: look.text, stroke: look.text } },
    ],
    axes: [
      { ...axisOf(look), grid: { show: false }, splits: (u) => xSplits(u, span), values: (_, splits) => splits.map((t) => xText(t, span)), size: 28 },
      { ...axisOf(look), splits: () => ticks, values: (_, splits) => splits.map(axisDuration), size: 52 },
    ],
    cursor: { points: { show: true, size: 8, width: 2, fill: (_, i) => (i === 3 ? queued : i === 4 ? look.text : "transparent"), stroke: (_, i) => (i >= 3 ? look.page : "transparent") } },
  };
}

// Ticks are at round times. A day of a longer period is labeled in its middle.
function xSplits(u: uPlot, span: Span): number[] {
  const width = Math.max(1, u.bbox.width / devicePixelRatio);
  const days = daily(span);
  const ticks = ticksOf({ from: span.from - (days ? hours12 : 0), to: span.to, width }, zoneChoice.value, days ? 72 : 84);
  return ticks.map((t) => (days ? t.time + hours12 : t.time) / 1000).filter((t) => t * 1000 >= span.from && t * 1000 <= span.to);
}

const hours12 = 43_200_000;

// daily reports that a period is so long that its ticks are days.
function daily(span: Span): boolean {
  return span.to - span.from > 5 * hours12;
}

function xText(seconds: number, span: Span): string {
  const ms = seconds * 1000;
  return daily(span) || clock(ms) === "00:00" ? date(ms) : clock(ms);
}

// spanOfBucket says when a bucket began and ended.
export function spanOfBucket(from: string, step: number): string {
  const ms = Date.parse(from);
  return step >= 86_400 ? date(ms) : `${date(ms)}, ${clock(ms)} – ${clock(ms + step * 1000)}`;
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
