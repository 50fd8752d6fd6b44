// How jobs ended: a stacked bar per day.

import type { Period } from "../../api";
import { clock, date, dateClock, number } from "../../core/format";
import { finals as ends } from "../../core/state";
import { fields } from "../../core/zone";
import { StateIcon } from "../../design/stateicon";
import { stateWord } from "../../words";
import { axisNumber, numberTicks } from "./axis";
import { outcomeBars } from "./period";
import type { OutcomeBar, Span } from "./period";
import { stack } from "./chart";
import type { Scene } from "./chart";
import { Plot } from "./plot";
import { timeTicks } from "./timeticks";
import { words } from "./words";

// EndPlot shows the number of jobs by outcome.
export function EndPlot({ period, height }: { period: Period; height: number }) {
  const w = words.value;
  const bars = outcomeBars(period.buckets, period.step);
  const days = period.buckets.length * period.step >= 3 * 86_400;
  const at = bars.map((_, i) => (i + 0.5) / bars.length);
  const most = Math.max(1, ...bars.map((b) => ends.reduce((sum, state) => sum + (b.outcomes[state] ?? 0), 0)));
  const ticks = numberTicks(most, 4);
  const tip = (i: number) => {
    const bar = bars[i];
    return bar === undefined ? null : <BarTip bar={bar} days={days} />;
  };
  const x = (width: number) => (days ? at.map((share, i) => ({ at: share, text: dayText(bars[i], bars.length) })) : timeTicks(spanOfBars(bars, period.step), width));
  return (
    <Plot label={w.howEnded} height={height} at={at} highest={ticks[ticks.length - 1] ?? 1} x={x} y={ticks.map((t) => ({ at: t, text: axisNumber(t) }))}
      draw={(s, shown) => drawBars(s, bars, at, shown)} tip={tip} table={<EndTable bars={bars} days={days} />} />
  );
}

function drawBars(s: Scene, bars: readonly OutcomeBar[], at: readonly number[], shown: number): void {
  const width = Math.max(2, Math.min(40, (s.box.width / bars.length) * 0.7));
  bars.forEach((bar, i) => {
    s.ctx.globalAlpha = shown < 0 || shown === i ? 1 : 0.55;
    stack(s, at[i] ?? 0, width, ends.map((state) => ({ value: bar.outcomes[state] ?? 0, color: s.look.states[state] ?? s.look.text })));
  });
  s.ctx.globalAlpha = 1;
}

function dayText(bar: OutcomeBar | undefined, count: number): string {
  if (bar === undefined) {
    return "";
  }
  return count <= 10 ? String(fields(bar.from).day) : date(bar.from);
}

// spanOfBars returns the time covered by bars of equal length. A bar begins at its time, so
// labels of round times are between bars, and not below the middle of one.
function spanOfBars(bars: readonly OutcomeBar[], step: number): Span {
  const from = bars[0]?.from ?? 0;
  const each = (bars[1]?.from ?? from + step * 1000) - from;
  return { from, to: from + each * bars.length };
}

function BarTip({ bar, days }: { bar: OutcomeBar; days: boolean }) {
  return (
    <>
      <b>{days ? date(bar.from) : dateClock(bar.from)}</b>
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
