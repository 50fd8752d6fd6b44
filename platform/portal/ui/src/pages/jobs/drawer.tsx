// The drawer: the important facts about a job, next to the list.

import { useState } from "preact/hooks";
import { PathFailure, PathJob, PathRetry, PathStop, PathTransitions, PathWaiting } from "../../api";
import type { Failure, Job, JobDetail, Span, Submitted, Act, TransitionList, Waiting } from "../../api";
import { fill, said, write } from "../../core/client";
import { shownNow } from "../../core/shown";
import { clock, clockOf, duration, instant, none, number, time } from "../../core/format";
import { useResource } from "../../core/resource";
import { at, go, jobPath, setQuery, to } from "../../core/router";
import { isFinal, waits } from "../../core/state";
import { Button, StateCell, StatePill } from "../../design/button";
import { LifeStrip } from "../../design/lifestrip";
import { copy, Drawer, Fact, GrayRows, Tabs, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Time } from "../../design/text";
import { toast } from "../../design/toast";
import { stateWord, words as common } from "../../words";
import { grown } from "./rows";
import type { Row } from "./rows";
import { words } from "./words";

// JobDrawer shows the job of `?sel=CLUSTER/UID`. A row of the list is newer than the answer.
export function JobDrawer({ sel, row }: { sel: string; row: Row | undefined }) {
  const i = sel.indexOf("/");
  const path = { cluster: sel.slice(0, i), uid: sel.slice(i + 1) };
  const params = { at: at.value };
  const version = row ? `${row.job.state} ${row.flash}` : "";
  const found = useResource<JobDetail>(fill(PathJob, path), { params, version });
  const job = row?.job ?? found.data?.job;
  const close = () => setQuery({ sel: null }, "replace");
  const w = common.value;
  const head = (
    <>
      <span class="jobs-crumbs grow cut">{job ? <><a href={"/jobs?namespace=" + encodeURIComponent(job.namespace)}>{job.namespace}</a><i>/</i>{job.kind}</> : null}</span>
      <Button icon="link" plain label={w.action.copyLink} onClick={() => copy(location.origin + jobPath(path))} />
      <Button icon="expand" plain label={w.action.open} href={to(jobPath(path))} />
    </>
  );
  return (
    <Drawer label={job?.name ?? ""} head={head} onClose={close}>
      {found.problem ? <Trouble problem={found.problem} again={found.reload} asOf={job ? found.asOf : 0} /> : null}
      {job ? <Inside job={job} row={row} detail={found.data} version={version} /> : found.loading ? <GrayRows /> : null}
    </Drawer>
  );
}

function Inside({ job, row, detail, version }: { job: Job; row: Row | undefined; detail: JobDetail | undefined; version: string }) {
  const w = words.value;
  const c = common.value;
  const ended = instant(job.ended) ?? instant(job.since);
  const facts = [ended === undefined ? "" : time(ended), job.owner ? `${w.drawer.owner} ${job.owner}` : "", job.gpus > 0 ? c.gpus(job.gpus) : job.gpus === 0 ? c.cpu : "", w.drawer.tries(job.tries)].filter((f) => f !== "");
  const tab = (text: string, name: string, note?: number) => ({ text, href: to(jobPath(job, name)), current: name === "", ...(note !== undefined && note >= 0 ? { note } : {}) });
  return (
    <>
      <h2 class="drawer-name">{job.name}</h2>
      <p class="drawer-state"><StatePill state={job.state} /><span class="text-2">{facts.join(" · ")}</span></p>
      <Actions job={job} may={detail?.may ?? []} />
      <LifeStrip life={job.life} state={job.state} of={job} height={16} label={(s: Span, seconds) => (job.tries > 1 && s.attempt ? c.attempt(s.attempt) : duration(seconds))} />
      <Times job={job} row={row} />
      <Tabs label={job.name} tabs={[tab(w.drawer.overview, ""), tab(w.drawer.attempts, "attempts", detail?.tabs.attempts), tab(w.drawer.podsTab, "pods", detail?.tabs.pods), tab(w.drawer.events, "events"), tab(w.drawer.yaml, "yaml"), tab(w.drawer.logs, "logs")]} />
      {job.state === "Failed" ? <WhyFailed job={job} version={version} /> : null}
      {waits(job.state) ? <WhyWaits job={job} version={version} /> : null}
      <Transitions job={job} version={version} />
    </>
  );
}

function Times({ job, row }: { job: Job; row: Row | undefined }) {
  const w = words.value;
  const now = shownNow.value;
  const times = row ? grown(row, isFinal(job.state) ? row.asOf : now) : { waited: job.waited, ran: job.ran };
  const from = instant(job.submitted);
  const to = instant(job.ended);
  return (
    <p class="drawer-times">
      <span>{from === undefined ? "" : clockOf(from)} {w.drawer.submitted}</span>
      <span>{w.drawer.waited.toLowerCase()} {times.waited < 1 ? none : duration(times.waited)}</span>
      <span>{w.drawer.ran.toLowerCase()} {times.ran < 1 ? none : duration(times.ran)}</span>
      <span>{to === undefined ? common.value.life.now : `${clockOf(to)} ${stateWord(job.state).toLowerCase()}`}</span>
    </p>
  );
}

function Actions({ job, may }: { job: Job; may: string[] }) {
  const w = common.value;
  const [asking, ask] = useState(false);
  const path = { cluster: job.cluster, uid: job.uid };
  const fail = (e: unknown) => toast(said(e), { failure: true });
  const retry = () => void write<Submitted>("POST", fill(PathRetry, path), { key: `${job.uid}-${Date.now().toString(36)}` }).then((s) => go(to(jobPath(s.job))), fail);
  const stop = () => {
    if (job.gpus > 0 && !asking) {
      ask(true);
      return;
    }
    ask(false);
    void write<Act>("POST", fill(PathStop, path), { confirm: job.name }).then((a) => toast(a.done), fail);
  };
  return (
    <div class="drawer-actions">
      {may.includes("retry") ? <Button icon="retry" primary onClick={retry}>{w.action.retry}</Button> : null}
      {may.includes("clone") ? <Button icon="pencil" href={to("/submit", { clone: job.uid, cluster: job.cluster })}>{w.action.clone}</Button> : null}
      {may.includes("subscribe") ? <Button icon="bell" href={to(jobPath(job, "notifications"))}>{w.action.subscribe}</Button> : null}
      {may.includes("stop") ? <Button icon="stop" onClick={stop}>{asking ? w.action.stop + w.colon + w.gpus(job.gpus) : w.action.stop}</Button> : null}
    </div>
  );
}

function WhyFailed({ job, version }: { job: Job; version: string }) {
  const w = words.value.drawer;
  const found = useResource<Failure>(fill(PathFailure, { cluster: job.cluster, uid: job.uid }), { version, params: { at: at.value } });
  const f = found.data;
  if (!f) {
    return found.problem ? <Trouble problem={found.problem} again={found.reload} /> : null;
  }
  const lines = f.lines ?? [];
  return (
    <>
      <section class="why is-failure">
        <h3><StateIcon state="Failed" />{w.failed}</h3>
        <p>{f.sentence}</p>
        <div class="why-facts">
          <Fact name={w.cause} value={f.cause || none} />
          {f.exitCode === undefined ? null : <Fact name={w.exitCode} value={f.exitCode} note={f.signal} />}
          {f.limit ? <Fact name={w.limit} value={f.limit} /> : null}
          {f.node ? <Fact name={w.node} value={f.node} /> : null}
        </div>
      </section>
      {lines.length === 0 ? null : (
        <section class="drawer-part">
          <header class="part-head"><h2>{w.lastLines}</h2><span class="card-note">{f.pod ?? ""}</span><span class="grow" /><a class="text-2" href={to(jobPath(job, "logs"))}>{w.logs}</a></header>
          <pre class="drawer-log" tabIndex={0}>{lines.slice(-8).map((l) => <div><span class="text-3">{instant(l.time) === undefined ? "     " : clock(instant(l.time) ?? 0)}</span> {l.note ?? l.text}</div>)}</pre>
        </section>
      )}
    </>
  );
}

function WhyWaits({ job, version }: { job: Job; version: string }) {
  const w = words.value.drawer;
  const found = useResource<Waiting>(fill(PathWaiting, { cluster: job.cluster, uid: job.uid }), { version, params: { at: at.value } });
  const f = found.data;
  if (!f) {
    return found.problem ? <Trouble problem={found.problem} again={found.reload} /> : null;
  }
  const half = instant(f.likely?.half);
  return (
    <section class="why">
      <h3><StateIcon state={job.state} />{w.waits}{f.source ? <span class="card-note">{f.source}</span> : null}</h3>
      <p>{f.sentence}</p>
      <div class="why-facts">
        {f.line ? <Fact name={w.place} value={`${number(f.line.place)} / ${number(f.line.length)}`} /> : null}
        {f.quota ? <Fact name={w.quota} value={`${number(f.quota.total - f.quota.used)} / ${number(f.quota.total)}`} /> : null}
        {half !== undefined ? <Fact name={w.likely} value={clock(half)} note={`${clock(instant(f.likely?.early) ?? half)} – ${clock(instant(f.likely?.late) ?? half)}`} /> : null}
      </div>
      {(f.unknown ?? []).map((u) => <p class="text-3">{u}</p>)}
    </section>
  );
}

function Transitions({ job, version }: { job: Job; version: string }) {
  const w = words.value.drawer;
  const found = useResource<TransitionList>(fill(PathTransitions, { cluster: job.cluster, uid: job.uid }), { version, params: { at: at.value }, keep: true });
  const list = found.data?.transitions ?? [];
  const now = shownNow.value;
  if (found.problem) {
    return <Trouble problem={found.problem} again={found.reload} />;
  }
  return (
    <section class="drawer-part">
      <header class="part-head"><h2>{w.transitions}</h2><span class="grow" /><span class="card-note">{list.length > 0 ? w.newest(list.length) : ""}</span></header>
      <table class="table in-drawer">
        <caption class="hidden-text">{w.transitions}</caption>
        <thead><tr><th scope="col">{w.time}</th><th scope="col">{words.value.column.state}</th><th scope="col" class="numeric">{w.for}</th><th scope="col">{w.reason}</th></tr></thead>
        <tbody>
          {list.map((t) => {
            const from = instant(t.happened) ?? now;
            return (
              <tr>
                <td><Time at={t.happened} /></td>
                <td><StateCell state={t.to} /></td>
                <td class="numeric">{duration(((instant(t.ended) ?? now) - from) / 1000)}</td>
                <td>{t.reason ? <span class="text-1">{t.reason}</span> : null} {t.message ? <span class="text-3" lang="en">{t.message}</span> : t.reason ? null : <span class="text-3">{none}</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
