// The head of the page of a job: path, name and state, actions, facts and its life.

import type { ComponentChildren } from "preact";
import type { Job, LikelyStart } from "../../api";
import { date, duration, instant, number, time } from "../../core/format";
import { jobPath, to } from "../../core/router";
import { isFinal, waits as waitsIn } from "../../core/state";
import { Button, StatePill } from "../../design/button";
import { Menu } from "../../design/menu";
import type { Item } from "../../design/menu";
import { copy } from "../../design/panel";
import { Name, Time } from "../../design/text";
import { words as shared } from "../../words";
import { release } from "./acts";
import { ask } from "./asking";
import { BigStrip } from "./bigstrip";
import { may } from "./context";
import type { JobContext } from "./context";
import type { Neighbors } from "./neighbors";
import { w } from "./words";

// JobHeader is the head without the tabs.
export function JobHeader({ job, neighbors, likely }: { job: JobContext; neighbors: Neighbors | undefined; likely: LikelyStart | undefined }) {
  const { row } = job;
  return (
    <header class="job-head">
      <div class="job-top">
        <nav class="crumbs" aria-label={shared.value.nav.jobs}>
          <a href={to("/jobs")}>{shared.value.nav.jobs}</a><span aria-hidden="true">/</span>
          <a href={to("/jobs", { cluster: row.cluster })}>{row.cluster}</a><span aria-hidden="true">/</span>
          <a href={to("/jobs", { cluster: row.cluster, namespace: row.namespace })}><Name text={row.namespace} /></a>
        </nav>
        <span class="grow" />
        {neighbors ? <NeighborLinks n={neighbors} /> : null}
      </div>
      <div class="job-title">
        <h1>{row.name}</h1>
        <StatePill state={row.state} />
        <span class="grow" />
        <Actions job={job} />
      </div>
      <Facts job={job} />
      {row.deleted ? <p class="job-note">{deletedText(job)}</p> : row.presence === "Unknown" ? <p class="job-note">{w.value.unknownPresence}</p> : null}
      <BigStrip job={row} likely={likely} now={job.now} past={job.at !== ""} />
    </header>
  );
}

function deletedText(job: JobContext): string {
  const when = time(instant(job.row.deleted), job.now);
  const until = instant(job.detail.historyUntil);
  return until === undefined ? w.value.deleted(when) : w.value.deletedUntil(when, date(until, job.now));
}

function NeighborLinks({ n }: { n: Neighbors }) {
  const words = w.value;
  return (
    <span class="neighbors">
      {n.place > 0 ? <span class="text-3">{words.place(number(n.place), n.total)}</span> : null}
      <Button icon="up" plain label={words.previous} href={n.previous === "" ? undefined : n.previous} disabled={n.previous === ""} />
      <Button icon="down" plain label={words.next} href={n.next === "" ? undefined : n.next} disabled={n.next === ""} />
    </span>
  );
}

function Actions({ job }: { job: JobContext }) {
  const words = w.value;
  const waiting = waitsIn(job.row.state);
  const items: Item[] = [
    { text: words.actions.copyName, icon: "copy", run: () => copy(job.row.name) },
    { text: words.actions.copyLink, icon: "link", run: () => copy(location.href) },
    { text: words.actions.timeline, icon: "timeline", href: to("/timeline", { name: job.row.name, namespace: job.row.namespace }) },
    { text: words.actions.like, icon: "list", href: to("/jobs", { name: job.row.name, namespace: job.row.namespace }) },
  ];
  if (may(job, "mute")) {
    items.push({ text: words.deliveries.mute, icon: "minus", line: true, run: () => ask("mute") });
  }
  if (may(job, "acknowledge")) {
    items.push({ text: words.deliveries.acknowledge, icon: "check", run: () => ask("acknowledge") });
  }
  const canStop = may(job, "stop");
  if (canStop && may(job, "retry")) {
    items.push({ text: shared.value.action.stop, icon: "stop", line: true, run: () => ask("stop") });
  }
  return (
    <div class="job-actions">
      {may(job, "subscribe") ? <Button icon="bell" onClick={() => ask("subscribe")}>{waiting ? <><span class="phone-hidden">{words.subscribe.starts}</span><span class="phone-only">{words.subscribe.button}</span></> : words.subscribe.button}</Button> : null}
      {may(job, "release") ? <Button icon="play" primary onClick={() => release(job)}>{words.actions.release}</Button> : null}
      {may(job, "clone") ? <Button icon="pencil" href={to("/submit", { clone: job.uid, cluster: job.cluster })}>{shared.value.action.clone}</Button> : null}
      {may(job, "retry") ? <Button icon="retry" primary={job.row.state !== "Succeeded"} onClick={() => ask("retry")}>{shared.value.action.retry}</Button> : canStop ? <Button icon="stop" onClick={() => ask("stop")}>{shared.value.action.stop}</Button> : null}
      <Menu icon="dots" label={words.actions.more} items={items} side="right" />
    </div>
  );
}

function FactItem({ name, children }: { name: string; children: ComponentChildren }) {
  return <div class="job-fact"><dt>{name}</dt><dd>{children}</dd></div>;
}

function Facts({ job }: { job: JobContext }) {
  const words = w.value.facts;
  const { row, detail } = job;
  const nodes = detail.nodes ?? detail.nodeNames?.length ?? 0;
  return (
    <dl class="job-facts">
      <FactItem name={words.kind}>{row.kind}</FactItem>
      {row.queue ? <FactItem name={words.queue}><a href={to("/jobs", { queue: row.queue })}>{row.queue}</a></FactItem> : null}
      {row.owner ? <FactItem name={words.owner}><a href={to("/jobs", { owner: row.owner })}>{row.owner}</a></FactItem> : null}
      {row.gpus > 0 ? <FactItem name={words.gpus}>{nodes > 0 ? w.value.onNodes(number(row.gpus), nodes) : number(row.gpus)}</FactItem> : null}
      {row.gpus <= 0 && row.pods > 0 ? <FactItem name={words.pods}>{number(row.pods)}</FactItem> : null}
      <FactItem name={words.submitted}><Time at={row.submitted} show={(ms) => time(ms, job.now)} /></FactItem>
      <Durations row={row} now={job.now} />
      {row.priority ? <FactItem name={words.priority}>{row.priority}</FactItem> : null}
      {detail.retryOf ? <FactItem name={words.retryOf}><a class="underlined" href={jobPath(detail.retryOf)}>{detail.retryOf.name ?? detail.retryOf.uid.slice(0, 8)}</a></FactItem> : null}
      {detail.retriedBy ? <FactItem name={words.retriedBy}><a class="underlined" href={jobPath(detail.retriedBy)}>{detail.retriedBy.name ?? detail.retriedBy.uid.slice(0, 8)}</a></FactItem> : null}
      {detail.stoppedBy ? <FactItem name={words.stoppedBy}>{detail.stoppedBy + (detail.stopReason ? `: ${detail.stopReason}` : "")}</FactItem> : null}
      {detail.controller ? <FactItem name={words.controller}>{detail.controller.kind} {detail.controller.name}</FactItem> : null}
      {detail.traceUrl ? <FactItem name={words.trace}><a class="underlined" href={detail.traceUrl} target="_blank" rel="noopener noreferrer">{words.openTrace}</a></FactItem> : null}
      <FactItem name={words.uid}><button type="button" class="mono uid" data-tip={row.uid} aria-label={`${words.copy} ${row.uid}`} onClick={() => copy(row.uid)}>{row.uid.slice(0, 8)}</button></FactItem>
    </dl>
  );
}

// Durations are the times waited and run. They grow while the job waits or runs.
function Durations({ row, now }: { row: Job; now: number }) {
  const words = w.value.facts;
  const since = instant(row.since) ?? now;
  const waits = waitsIn(row.state);
  const runs = !isFinal(row.state) && !waits && row.state !== "Suspended";
  const grown = row.ran <= 0 && runs ? (now - since) / 1000 : row.ran;
  return (
    <>
      <FactItem name={waits ? words.waiting : words.waited}>{waits ? <b>{duration(row.waited)}</b> : duration(row.waited)}</FactItem>
      {waits && row.ran === 0 ? null : <FactItem name={runs ? words.running : words.ran}>{row.tries > 1 ? w.value.inAttempts(duration(grown), row.tries) : duration(grown)}</FactItem>}
    </>
  );
}
