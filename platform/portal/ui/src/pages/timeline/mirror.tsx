// A table with the content of the canvas, for screen readers. It follows changes every five
// seconds, so that a reader is not interrupted.

import { useEffect, useState } from "preact/hooks";
import { duration, time } from "../../core/format";
import { stateWord, words as shared } from "../../words";
import type { Lane } from "./lane";
import { ranOf, waitedOf } from "./lane";
import type { Row } from "./rows";
import type { Stage } from "./stage";
import { words } from "./words";

// mostRows and mostSpans limit the table.
const mostRows = 300;
const mostSpans = 12;
const every = 5000;

// Mirror shows the jobs of the layout as a table that only screen readers see.
export function Mirror({ stage, range }: { stage: Stage; range: string }) {
  const w = words.value;
  const [rows, set] = useState<readonly Row[]>([]);
  useEffect(() => {
    const take = () => set(stage.layout.peek().rows);
    take();
    const soon = setTimeout(take, 500);
    const timer = setInterval(take, every);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
    };
  }, [stage]);
  const lanes = rows.flatMap((row) => (row.kind === "job" ? [row.lane] : []));
  const now = stage.now();
  const heads = w.tableHeads;
  return (
    <div class="hidden-text"><table>
      <caption>{w.tableCaption(lanes.length, range)}</caption>
      <thead>
        <tr><th scope="col">{heads.job}</th><th scope="col">{heads.state}</th><th scope="col">{heads.submitted}</th><th scope="col">{heads.waited}</th><th scope="col">{heads.ran}</th><th scope="col">{heads.life}</th></tr>
      </thead>
      <tbody>
        {lanes.slice(0, mostRows).map((lane) => <MirrorRow key={lane.key} lane={lane} now={now} />)}
        {lanes.length > mostRows ? <tr><td colSpan={6}>{w.tableMore(lanes.length - mostRows)}</td></tr> : null}
      </tbody>
    </table></div>
  );
}

function MirrorRow({ lane, now }: { lane: Lane; now: number }) {
  const { job } = lane;
  return (
    <tr>
      <th scope="row">{job.name}</th>
      <td>{stateWord(job.state)}</td>
      <td>{time(lane.submitted, now)}</td>
      <td>{duration(waitedOf(lane, now) / 1000)}</td>
      <td>{duration(ranOf(lane, now) / 1000)}</td>
      <td>{lifeText(lane, now)}</td>
    </tr>
  );
}

// lifeText describes the spans of a lane and the times without a watch.
export function lifeText(lane: Lane, now: number): string {
  const w = words.value;
  const spans = lane.spans.slice(-mostSpans).map((s) => w.spanText(stateWord(s.state), time(s.from, now), duration((Math.min(s.to, now) - s.from) / 1000)));
  const holes = lane.holes.map((h) => shared.value.life.gap(duration((Math.min(h.to, now) - h.from) / 1000)));
  const left = lane.spans.length > mostSpans ? [w.tableMore(lane.spans.length - mostSpans)] : [];
  return [...spans, ...left, ...holes].join("; ");
}
