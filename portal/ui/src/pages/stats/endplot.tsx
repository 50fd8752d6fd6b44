// How jobs ended: a stacked bar per day.

import uPlot from "uplot";
import type { Period } from "../../api";
import { clock, date, number } from "../../core/format";
import { fields } from "../../core/zone";
import { StateIcon } from "../../design/stateicon";
import { stateWord } from "../../words";
import type { Look } from "../timeline/look";
import { axisNumber, numberTicks } from "./axis";
import { outcomeBars } from "./period";
import type { OutcomeBar } from "./period";
import { Plot, axisOf } from "./plot";
import { words } from "./words";

// ends are the final states from the bottom of a bar to its top.
export const ends = ["Succeeded", "Failed", "Aborted", "Deleted"] as const;

// EndPlot shows how many jobs ended how.
export function EndPlot({ period, height }: { period: Period; height: number }) {
  const w = words.value;
  const bars = outcomeBars(period.buckets, period.step);
  const days = period.buckets.length * period.step >= 3 * 86_400;
  const data = stacked(bars);
  const make = (look: Look) => optionsOf(look, bars, data, days);
  const tip = (i: number) => {
    const bar = bars[i];
    return bar === undefined ? null : <BarTip bar={bar} days={days} />;
  };
  return <Plot label={w.howEnded} height={height} data={data} make={make} tip={tip} version={`${w.title} ${JSON.stringify(data)}`} table={<EndTable bars={bars} days={days} />} />;
}

// stacked returns the tops of the parts, the highest first: each covers the lower part of the
// one before it.
function stacked(bars: readonly OutcomeBar[]): uPlot.AlignedData {
  const tops = ends.map((_, n) => bars.map((b) => ends.slice(0, n + 1).reduce((sum, state) => sum + (b.outcomes[state] ?? 0), 0)));
  return [bars.map((_, i) => i), ...tops.toReversed()];
}

function optionsOf(look: Look, bars: readonly OutcomeBar[], data: uPlot.AlignedData, days: boolean): Pick<uPlot.Options, "series" | "axes" | "scales" | "cursor"> {
  const most = Math.max(1, ...(data[1] ?? []).map((v) => v ?? 0));
  const ticks = numberTicks(most, 4);
  const paths = uPlot.paths.bars?.({ size: [0.7, 40], radius: 0, gap: 0 });
  const part = (state: string): uPlot.Series => {
    const color = look.states[state] ?? look.text;
    // The line around a part is that of the card: it keeps the parts apart.
    return { fill: color, stroke: look.panel, width: 1.5, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
  };
  const every = Math.max(1, Math.ceil(bars.length / 8));
  return {
    scales: { x: { time: false, range: [-0.6, Math.max(0.6, bars.length - 0.4)] }, y: { range: [0, ticks[ticks.length - 1] ?? 1] } },
    series: [{}, ...ends.toReversed().map(part)],
    axes: [
      { ...axisOf(look), grid: { show: false }, splits: () => bars.map((_, i) => i).filter((i) => i % every === 0), values: (_, splits) => splits.map((i) => barText(bars[i], days, bars.length)), size: 28 },
      { ...axisOf(look), splits: () => ticks, values: (_, splits) => splits.map(axisNumber), size: 44 },
    ],
    cursor: { x: false },
  };
}

function barText(bar: OutcomeBar | undefined, days: boolean, count: number): string {
  if (bar === undefined) {
    return "";
  }
  return !days ? clock(bar.from) : count <= 10 ? String(fields(bar.from).day) : date(bar.from);
}

function BarTip({ bar, days }: { bar: OutcomeBar; days: boolean }) {
  return (
    <>
      <b>{days ? date(bar.from) : `${date(bar.from)}, ${clock(bar.from)}`}</b>
      <dl class="stats-tip-facts">
        {ends.map((state) => <><dt><StateIcon state={state} size={12} />{stateWord(state)}</dt><dd>{number(bar.outcomes[state] ?? 0)}</dd></>)}
      </dl>
    </>
  );
}

function EndTable({ bars, days }: { bars: readonly OutcomeBar[]; days: boolean }) {
  const w = words.value;
  return (
    <table>
      <caption>{w.tableOf(w.howEnded)}</caption>
      <thead><tr><th scope="col">{w.heads.time}</th>{ends.map((state) => <th scope="col" key={state}>{stateWord(state)}</th>)}</tr></thead>
      <tbody>{bars.map((b) => <tr key={b.from}><th scope="row">{days ? date(b.from) : `${date(b.from)} ${clock(b.from)}`}</th>{ends.map((state) => <td key={state}>{number(b.outcomes[state] ?? 0)}</td>)}</tr>)}</tbody>
    </table>
  );
}
