// The item under the pointer, in words.

import { useLayoutEffect, useRef } from "preact/hooks";
import { clock, date, duration, utc } from "../../core/format";
import { sameDay } from "../../core/zone";
import { StateIcon } from "../../design/stateicon";
import { stateWord } from "../../words";
import type { Blind } from "./gaps";
import { covers } from "./gaps";
import type { LaneSpan } from "./lane";
import { isFinal } from "../../core/state";
import type { Unfolded } from "./rows";
import type { Pointed, Stage } from "./stage";
import { words } from "./words";

// Tooltip shows the span or the gap under the pointer. It stays inside the stage.
export function Tooltip({ stage, unfolded }: { stage: Stage; unfolded: ReadonlyMap<string, Unfolded> }) {
  const at = stage.pointed.value;
  const box = useRef<HTMLDivElement>(null);
  const empty = at === undefined || stage.drag.value !== undefined || (at.spans.length === 0 && at.hole === undefined);
  useLayoutEffect(() => {
    const float = box.current;
    if (float === null || at === undefined) {
      return;
    }
    const width = stage.width.peek();
    const height = stage.height.peek();
    const left = Math.max(8, Math.min(at.x + 14, width - float.offsetWidth - 8));
    const below = at.row.y + at.row.height - stage.top + 6;
    const above = at.row.y - stage.top - float.offsetHeight - 6;
    float.style.left = `${left}px`;
    float.style.top = `${below + float.offsetHeight <= height || above < 0 ? below : above}px`;
  });
  if (empty) {
    return null;
  }
  return <div class="timeline-tip float" role="presentation" ref={box}><Content at={at} stage={stage} unfolded={unfolded} /></div>;
}

function Content({ at, stage, unfolded }: { at: Pointed; stage: Stage; unfolded: ReadonlyMap<string, Unfolded> }) {
  const hole = at.hole;
  if (hole !== undefined) {
    return <GapContent from={hole.from} to={hole.to} blind={blindAt(at, stage.gaps, hole.from)} now={stage.now()} />;
  }
  const [span] = at.spans;
  if (span === undefined) {
    return null;
  }
  return at.spans.length > 1 ? <SeveralContent spans={at.spans} now={stage.now()} /> : <SpanContent at={at} span={span} now={stage.now()} unfolded={unfolded} />;
}

function blindAt(at: Pointed, gaps: readonly Blind[], from: number): Blind | undefined {
  const { row } = at;
  if (row.kind === "group") {
    return undefined;
  }
  const { job } = row.lane;
  return gaps.find((b) => b.from === from && (covers(b, job.cluster, job.type, job.namespace) || b.cluster === job.cluster));
}

function SpanContent({ at, span, now, unfolded }: { at: Pointed; span: LaneSpan; now: number; unfolded: ReadonlyMap<string, Unfolded> }) {
  const w = words.value;
  const open = span.to > now;
  const facts = factsOf(at, span, unfolded);
  return (
    <>
      <div class="timeline-tip-head">
        <StateIcon state={span.state} />
        <b>{stateWord(span.state)}</b>
        {span.attempt > 0 ? <span class="text-3">{w.attemptLower(span.attempt)}</span> : null}
        <b class="timeline-tip-side">{duration((Math.min(span.to, now) - span.from) / 1000)}</b>
      </div>
      <dl class="timeline-tip-facts">
        <dt>{w.from}</dt><dd><Moment ms={span.from} now={now} /></dd>
        <dt>{w.to}</dt><dd>{open ? w.stillIs : <Moment ms={span.to} now={now} />}</dd>
        {facts.reason === "" ? null : <><dt>{w.reason}</dt><dd>{facts.reason}</dd></>}
        {facts.nodes === "" ? null : <><dt>{w.nodes}</dt><dd>{facts.nodes}</dd></>}
      </dl>
      {span.inferred ? <p class="timeline-tip-note">{w.inferred}</p> : null}
    </>
  );
}

// More details: the reason of the end, and nodes if the job is unfolded.
function factsOf(at: Pointed, span: LaneSpan, unfolded: ReadonlyMap<string, Unfolded>): { reason: string; nodes: string } {
  const { row } = at;
  if (row.kind === "pod") {
    const code = row.pod.exitCode;
    const exit = code === undefined || code === 0 ? "" : `exit ${code}`;
    return { reason: [row.pod.reason ?? "", exit].filter((t) => t !== "").join(", "), nodes: row.pod.node ?? "" };
  }
  if (row.kind === "group" || row.kind === "note") {
    return { reason: "", nodes: "" };
  }
  const attempt = unfolded.get(row.lane.key)?.attempts.find((a) => a.number === span.attempt);
  const last = row.lane.spans[row.lane.spans.length - 1] === span;
  const own = last && isFinal(row.lane.job.state) ? (row.lane.job.reason ?? "") : last ? (row.lane.job.reason ?? "") : "";
  return { reason: attempt?.reason ?? own, nodes: nodesText(attempt?.nodes ?? []) };
}

// nodesText lists nodes; a common prefix with the first one is omitted.
export function nodesText(nodes: readonly string[]): string {
  const [first] = nodes;
  if (first === undefined) {
    return "";
  }
  const cut = first.lastIndexOf("-");
  const stem = cut > 0 ? first.slice(0, cut) : "";
  const rest = nodes.slice(1, 6).map((n) => (stem !== "" && n.startsWith(stem + "-") ? n.slice(cut) : n));
  const more = nodes.length > 6 ? ` +${nodes.length - 6}` : "";
  return [first, ...rest].join(", ") + more;
}

function SeveralContent({ spans, now }: { spans: readonly LaneSpan[]; now: number }) {
  const w = words.value;
  const first = spans[0];
  const last = spans[spans.length - 1];
  if (first === undefined || last === undefined) {
    return null;
  }
  return (
    <>
      <div class="timeline-tip-head"><b>{w.several(spans.length)}</b><b class="timeline-tip-side">{duration((Math.min(last.to, now) - first.from) / 1000)}</b></div>
      <dl class="timeline-tip-facts">
        {spans.slice(0, 4).map((s) => <><dt>{stateWord(s.state)}</dt><dd>{clock(s.from, true)} <span class="text-3">{duration((Math.min(s.to, now) - s.from) / 1000)}</span></dd></>)}
      </dl>
      <p class="timeline-tip-note">{w.severalNote}</p>
    </>
  );
}

function GapContent({ from, to, blind, now }: { from: number; to: number; blind: Blind | undefined; now: number }) {
  const w = words.value;
  const causes: Record<string, string> = w.causes;
  return (
    <>
      <div class="timeline-tip-head"><StateIcon state="gap" /><b>{w.notWatched}</b><b class="timeline-tip-side">{duration((Math.min(to, now) - from) / 1000)}</b></div>
      <dl class="timeline-tip-facts">
        <dt>{w.from}</dt><dd><Moment ms={from} now={now} /></dd>
        <dt>{w.to}</dt><dd>{to === Infinity ? w.stillIs : <Moment ms={to} now={now} />}</dd>
        {blind === undefined ? null : <><dt>{w.reason}</dt><dd>{causes[blind.cause] ?? blind.cause}{blind.detail === "" ? null : <div class="text-3">{blind.detail}</div>}</dd></>}
        {blind === undefined ? null : <><dt>{w.types}</dt><dd>{blind.types.join(", ")}</dd></>}
      </dl>
      {blind !== undefined && blind.changes >= 0 ? <p class="timeline-tip-note">{w.found(blind.changes)}</p> : null}
    </>
  );
}

// Moment shows a local time with the date if it is another day, and the time in UTC beside it.
function Moment({ ms, now }: { ms: number; now: number }) {
  const today = sameDay(ms, now);
  return <>{today ? "" : date(ms) + " "}{clock(ms, true)} <span class="text-3">{utc(ms).slice(11)}</span></>;
}
