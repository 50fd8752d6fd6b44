// The cards that explain why a job waits.

import { PathWaiting } from "../../api";
import type { LikelyStart, Line, Quota, Waiting } from "../../api";
import { fill } from "../../core/client";
import { clock, duration, instant, number, percent } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { session } from "../../core/session";
import { holds, isOpen } from "../../core/state";
import { Card, Fact, GrayRows, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Name, Time } from "../../design/text";
import { words as shared } from "../../words";
import type { JobContext } from "./context";
import { LikeHistogram } from "./histogram";
import { Sentence, Unknown } from "./sentence";
import { w } from "./words";

// useWaiting reads why a job waits. It reads nothing for other jobs.
export function useWaiting(job: JobContext) {
  const { state } = job.row;
  const path = state === "Starting" || (isOpen(state) && !holds(state)) ? fill(PathWaiting, { cluster: job.cluster, uid: job.uid }) : "";
  return useResource<Waiting>(path, { params: { at: job.at }, version: job.version, keep: true });
}

// unitOf returns the unit of a resource.
export function unitOf(resource: string): string {
  return /gpu/i.test(resource) ? "GPU" : resource.replace(/^.*\//, "");
}

function amount(n: number, resource: string): string {
  const unit = unitOf(resource);
  return unit === "GPU" ? shared.value.gpus(n) : `${number(n)} ${unit}`;
}

// WhyItWaits shows the sentence, its facts, and the quota, the line, similar jobs and
// nodes.
export function WhyItWaits({ job, waiting }: { job: JobContext; waiting: ReturnType<typeof useWaiting> }) {
  const words = w.value.waiting;
  const d = waiting.data;
  return (
    <>
      <section class="card job-why" aria-labelledby="why">
        <header class="why-head">
          <StateIcon state={job.row.state} /><h2 id="why">{words.title}</h2>
          {d?.source && d.asOf ? <span class="card-note">{words.from(d.source, clock(instant(d.asOf) ?? 0, true))}</span> : null}
        </header>
        {waiting.problem && !d ? <Trouble problem={waiting.problem} again={waiting.reload} /> : null}
        {d ? <Sentence text={d.sentence} words={strongWords(d)} /> : waiting.problem ? null : <GrayRows rows={2} />}
        {d && (d.quota || d.line || d.likely || d.like) ? <WaitingFacts d={d} /> : null}
        <Unknown title={words.notKnownTitle} list={d?.unknown} />
      </section>
      {d && (d.quota || d.line || d.like) ? (
        <div class="why-cards">
          {d.quota ? <QuotaCard quota={d.quota} /> : null}
          {d.line ? <LineCard line={d.line} /> : null}
          {d.like ? <LikeCard job={job} d={d} /> : null}
        </div>
      ) : null}
      {d?.nodes && d.nodes.length > 0 ? <NodesCard d={d} /> : null}
    </>
  );
}

function strongWords(d: Waiting): string[] {
  const list: string[] = [];
  if (d.quota) {
    list.push(d.quota.queue, amount(d.quota.needed, d.quota.resource), `${d.quota.needed} GPU`, `${d.quota.total - d.quota.used}`);
  }
  if (d.line) {
    list.push(d.line.queue, `${shared.value.ordinal(d.line.place)} in line`, shared.value.ordinal(d.line.place), `第 ${d.line.place} 位`);
  }
  return list;
}

function WaitingFacts({ d }: { d: Waiting }) {
  const words = w.value.waiting;
  const { quota, line, likely, like } = d;
  return (
    <div class="facts-row">
      {quota ? <Fact name={words.quota} value={words.of(number(quota.used), number(quota.total), unitOf(quota.resource) === "GPU" ? words.gpusUnit : unitOf(quota.resource))} note={words.left(number(Math.max(0, quota.total - quota.used)), number(quota.needed))} /> : null}
      {line ? <Fact name={words.place} value={words.placeOf(line.place, line.length)} note={line.placeBefore ? words.was(line.placeBefore) : undefined} /> : null}
      {line ? <Fact name={words.ahead} value={amount(line.ahead, quota?.resource ?? "gpu")} note={words.jobs(line.aheadJobs)} /> : null}
      <LikelyFact likely={likely} />
      {like ? <Fact name={words.like} value={duration(like.median)} note={words.median(like.jobs, like.days)} /> : null}
    </div>
  );
}

// LikelyFact shows the likely start of a job, or that it is unknown.
export function LikelyFact({ likely }: { likely: LikelyStart | undefined }) {
  const words = w.value.waiting;
  if (!likely) {
    return <Fact name={words.likely} value={words.notKnown} note={words.notTested} />;
  }
  const [early, half, late] = [likely.early, likely.half, likely.late].map((t) => clock(instant(t) ?? 0));
  return <Fact name={words.likely} value={words.about(half ?? "")} note={words.range(early ?? "", late ?? "")} />;
}

function QuotaCard({ quota }: { quota: Quota }) {
  const words = w.value.waiting;
  const names = session.value?.names ?? [];
  const total = Math.max(1, quota.total);
  return (
    <Card title={words.quotaOf(quota.queue)} side={<span class="text-2">{amount(quota.total, quota.resource)}</span>} class="why-card">
      <div class="card-body">
        <div class="quota-bar" aria-hidden="true">
          {quota.owners.map((o, i) => <i class={"shade-" + Math.min(i, 6)} style={{ width: `${(o.used / total) * 100}%` }} key={o.owner} />)}
        </div>
        <table class="small-table">
          <caption class="hidden-text">{words.quotaOf(quota.queue)}</caption>
          <thead class="hidden-text"><tr><th>{words.owner}</th><th>{words.used}</th><th>{words.share}</th></tr></thead>
          <tbody>
            {quota.owners.map((o, i) => (
              <tr key={o.owner}>
                <td class="wide"><i class={"swatch shade-" + Math.min(i, 6)} aria-hidden="true" />{names.includes(o.owner) ? <><b>{o.owner}</b> <span class="text-3">{words.you}</span></> : o.owner === "" ? words.others : o.others ? <span class="text-2">{o.owner}</span> : o.owner}</td>
                <td class="numeric">{number(o.used)}</td>
                <td class="numeric text-3">{percent(o.used / total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function LineCard({ line }: { line: Line }) {
  const words = w.value.waiting;
  const special = line.jobs.filter((j) => j.priority);
  return (
    <Card title={words.lineOf(line.queue)} side={<a class="text-2 quiet-link" href={to("/jobs", { queue: line.queue, state: "Queued", sort: "submitted" })}>{words.all(line.length)}</a>} class="why-card">
      <table class="small-table line-table">
        <caption class="hidden-text">{words.lineOf(line.queue)}</caption>
        <thead class="hidden-text"><tr><th>{words.place1}</th><th>{words.job}</th><th>{words.owner}</th><th>{words.gpus}</th><th>{words.waited}</th></tr></thead>
        <tbody>
          {line.jobs.map((j) => (
            <tr class={j.self ? "is-self" : ""} aria-current={j.self ? "true" : undefined} key={j.place}>
              <td class="text-3">{number(j.place)}</td>
              <td class="wide">{j.self || !j.job.uid ? <Name text={j.job.name ?? words.others} /> : <a href={to(jobPath(j.job))}><Name text={j.job.name ?? j.job.uid} /></a>}</td>
              <td class="text-2 cut">{j.owner ?? ""}</td>
              <td class="numeric">{j.gpus < 0 ? "–" : number(j.gpus)}</td>
              <td class="numeric text-2">{duration(j.waited)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="card-foot bare note">{words.lineNote}{special.length > 0 ? shared.value.space + words.special(special.map((j) => number(j.place)), special[0]?.priority ?? "") : ""}{line.hidden ? shared.value.space + words.hidden(line.hidden) : ""}</p>
    </Card>
  );
}

function LikeCard({ job, d }: { job: JobContext; d: Waiting }) {
  const words = w.value.waiting;
  const like = d.like;
  if (!like) {
    return null;
  }
  return (
    <Card title={words.histogram} side={<span class="text-2">{words.days(like.days)}</span>} class="why-card">
      <div class="card-body">
        <LikeHistogram like={like} waited={job.row.waited} />
        <p class="text-2">{like.what}</p>
        <p class="text-2">{words.longer(like.longer, like.jobs)}</p>
      </div>
      {d.likely ? <p class="card-foot note">{words.held(`${Math.round(d.likely.held * 100)} %`, d.likely.tested)}</p> : null}
    </Card>
  );
}

function NodesCard({ d }: { d: Waiting }) {
  const words = w.value.waiting;
  return (
    <Card title={words.nodes} note={words.nodesNote}>
      <div class="table-box" tabIndex={0}>
        <table class="rows">
          <caption class="hidden-text">{words.nodes}</caption>
          <thead class="hidden-text"><tr><th>{words.count}</th><th>{words.reason}</th><th>{words.said}</th></tr></thead>
          <tbody>
            {(d.nodes ?? []).map((node) => (
              <tr>
                <td class="strong nowrap">{node.nodes < 0 ? words.someNodes : words.nodesOf(node.nodes)}</td>
                <td class="wide text-2"><span lang="en">{node.reason}</span>{node.plain && node.plain !== node.reason ? <span class="text-3"> {node.plain}</span> : null}</td>
                <td class="numeric text-2 nowrap"><Time at={node.said} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
