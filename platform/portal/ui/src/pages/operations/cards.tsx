// The numbers at the top, and the cards of cursors, channels and gaps.

import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { ChannelState, Gap, Operations } from "../../api";
import { serverNow } from "../../core/clock";
import { bytes, clock, dateClock, instant, none, number, short, time, utc } from "../../core/format";
import { sameDay } from "../../core/zone";
import { Button } from "../../design/button";
import { Card } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Name } from "../../design/text";
import type { Blind } from "../timeline/gaps";
import { blindOf } from "../timeline/gaps";
import { words as shared } from "../../words";
import { unrecordedLines } from "../../shell/badgetext";
import { words } from "./words";

// known returns a number in words, or a dash if it is not known.
function known(n: number, text: (n: number) => string): string {
  return n < 0 ? none : text(n);
}

// delay returns a short time: milliseconds below one second.
function delay(seconds: number): string {
  return seconds < 1 ? `${number(Math.round(seconds * 1000))} ms` : short(seconds);
}

// SummaryCards shows the key numbers. Attention is last, with an icon if something needs it.
export function SummaryCards({ data }: { data: Operations }) {
  const w = words.value;
  const s = data.summary;
  const attention = s.attention ?? [];
  const attentions: Record<string, string> = w.attentions;
  return (
    <div class="operations-summary">
      <Number name={w.transitions} value={known(s.transitionsPerSecond, (n) => w.perSecond(number(n)))} note={w.lastMinute} />
      <Number name={w.toRow} value={known(s.toRow, delay)} note={w.p99} />
      <Number name={w.toBrowser} value={known(s.toBrowser, delay)} note={w.p99Browsers(s.browsers)} />
      <Number name={w.waiting} value={known(s.waiting, number)} note={w.positions} />
      <Number name={w.database} value={bytes(s.databaseBytes)} note={w.jobsInMemory(number(s.jobs), bytes(s.jobsBytes))} />
      <Number name={w.attention} value={<>{attention.length > 0 ? <StateIcon state="Failed" /> : null}{number(attention.length)}</>} note={attention.length === 0 ? w.nothingToDo : attention.map((a) => attentions[a] ?? a).join(w.join)} />
    </div>
  );
}

function Number({ name, value, note }: { name: string; value: ComponentChildren; note: string }) {
  return <div class="operations-number"><div class="operations-number-name">{name}</div><div class="operations-number-value">{value}</div><div class="operations-number-note" data-tip={note.length > 34 ? note : undefined}>{note}</div></div>;
}

// behind is the lag, in positions, above which a reader is shown strong.
const behind = 1000;

// Cursors shows the positions of the readers of the feed.
export function Cursors({ data }: { data: Operations }) {
  const w = words.value;
  const h = w.heads;
  return (
    <Card title={w.cursors} note={w.cursorsNote(number(data.head, 0))}>
      {data.cursors.length === 0 ? <p class="operations-none">{w.noCursors}</p> : (
        <table class="table operations-small">
          <caption class="hidden-text">{w.cursors}</caption>
          <thead><tr><th scope="col">{h.reader}</th><th scope="col" class="numeric">{h.position}</th><th scope="col" class="numeric">{h.behind}</th><th scope="col" class="numeric">{h.by}</th></tr></thead>
          <tbody>
            {data.cursors.map((c) => {
              const expired = instant(c.expired);
              return (
                <tr key={c.reader}>
                  <th scope="row"><Name text={c.reader} /></th><td class="numeric">{number(c.position, 0)}</td>
                  <td class={c.behind >= behind ? "numeric strong" : "numeric"}>{number(c.behind)}</td><td class="numeric">{expired === undefined ? known(c.by, short) : w.expired(time(expired))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}

// Channels shows the state of the channels of notifications.
export function Channels({ data }: { data: Operations }) {
  const w = words.value;
  const h = w.heads;
  const all = data.channels ?? [];
  const failing = all.filter(fails).length;
  return (
    <Card title={w.channels} note={data.channels === undefined ? undefined : w.channelsNote(all.length, failing)}>
      {all.length === 0 ? <p class="operations-none">{w.noChannels}</p> : (
        <table class="table operations-small">
          <caption class="hidden-text">{w.channels}</caption>
          <thead><tr><th scope="col">{h.channel}</th><th scope="col" class="numeric">{h.sent}</th><th scope="col" class="numeric">{h.dead}</th><th scope="col" class="numeric">{h.answers}</th></tr></thead>
          <tbody>
            {all.map((c) => (
              <tr key={c.name}>
                <th scope="row"><span class="state-cell" data-tip={c.reason} lang="en"><StateIcon state={channelIcon(c)} size={14} /><span class="cut">{c.name}</span></span></th>
                <td class="numeric">{number(c.sent24h)}</td><td class={c.dead > 0 ? "numeric strong" : "numeric"}>{number(c.dead)}</td><td class="numeric">{channelText(c)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function fails(c: ChannelState): boolean {
  return c.state === "works" && c.failures > 0;
}

function channelIcon(c: ChannelState): string {
  return c.state === "disabled" ? "Deleted" : c.state === "pauses" ? "Suspended" : fails(c) ? "Failed" : "Succeeded";
}

function channelText(c: ChannelState): string {
  const w = words.value;
  const states: Record<string, string> = w.channelStates;
  const word = fails(c) ? w.fails : (states[c.state] ?? c.state);
  return word === "" ? known(c.answers, short) : word;
}

// fewGaps is the initial number of gaps.
const fewGaps = 3;

// Gaps shows gaps, newest first.
export function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  const w = words.value;
  const [open, set] = useState(false);
  const all = blindOf(gaps).toReversed();
  const lines = unrecordedLines();
  const shown = open ? all.slice(0, 100) : all.slice(0, fewGaps);
  return (
    <Card title={w.gaps} note={w.gapsNote} side={all.length > fewGaps && !open ? <Button plain class="operations-link" onClick={() => set(true)}>{w.allOf(all.length)}</Button> : undefined}>
      {lines.map((text) => <p class="operations-none">{text}</p>)}
      {all.length === 0 ? lines.length > 0 ? null : <p class="operations-none">{w.noGaps}</p> : <ul class="operations-gaps">{shown.map((g) => <GapLine key={`${g.cluster} ${g.from} ${g.types.join()}`} gap={g} />)}</ul>}
    </Card>
  );
}

function GapLine({ gap }: { gap: Blind }) {
  const w = words.value;
  const causes: Record<string, string> = w.causes;
  const what = gap.types.length === 1 ? gap.types[0] ?? "" : w.types(gap.types.length);
  const open = gap.to === Infinity;
  return (
    <li class="operations-gap">
      <StateIcon state="gap" size={14} />
      <div class="grow">
        <div class="cut"><b data-tip={`${utc(gap.from)}${open ? "" : " – " + utc(gap.to)}`}>{spanOf(gap.from, open ? undefined : gap.to, w.lasts)}</b> <span class="text-2">{gap.cluster}{shared.value.comma}{what}</span></div>
        <div class="note cut">{[causes[gap.cause] ?? gap.cause, gap.detail].filter((t) => t !== "").join(shared.value.colon)}</div>
      </div>
      <div class="operations-gap-side">
        <div>{w.changes(gap.changes)}</div>
        <div class="note">{!gap.parts.every((p) => p.closed) ? w.notYet : gap.changes === 0 ? w.nothingChanged : w.foundByList}</div>
      </div>
    </li>
  );
}

// spanOf formats an interval, with the date if it is not today's.
function spanOf(from: number, to: number | undefined, now: string): string {
  return `${sameDay(from, serverNow()) ? clock(from) : dateClock(from)} – ${to === undefined ? now : clock(to)}`;
}
