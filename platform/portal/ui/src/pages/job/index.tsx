// The page of a job.

import "../../shared";
import { useEffect, useRef, useState } from "preact/hooks";
import { PathJob, ProblemUnknown } from "../../api";
import type { Change, Job, JobDetail } from "../../api";
import { fill } from "../../core/client";
import { second } from "../../core/clock";
import { instant } from "../../core/format";
import { useKeys } from "../../core/keys";
import { useLive } from "../../core/live";
import { unrecordedSince } from "../../core/recording";
import { useResource } from "../../core/resource";
import { at, go, here, jobPath, to } from "../../core/router";
import { isOpen, waits } from "../../core/state";
import { Button } from "../../design/button";
import { Empty, GrayRows, Tabs, Trouble } from "../../design/panel";
import type { Tab } from "../../design/panel";
import { stateWord, words as shared } from "../../words";
import { Questions } from "./acts";
import { ask } from "./asking";
import { AttemptsTab } from "./attempts";
import { may } from "./context";
import type { JobContext } from "./context";
import { DeliveriesTab } from "./deliveries";
import { EventsTab } from "./events";
import { isExpected } from "./expected";
import { JobHeader } from "./header";
import { LogsTab } from "./logs";
import { useNeighbors } from "./neighbors";
import { Overview } from "./overview";
import { PodsTab } from "./pods";
import { useWaiting } from "./waiting";
import { w } from "./words";
import { YamlTab } from "./yamltab";

// JobPage shows the job of the path.
export function JobPage() {
  const [, cluster = "", uid = "", tab = ""] = here.value.path.split("/").filter((p) => p !== "").map(decoded);
  return <JobOf cluster={cluster} uid={uid} tab={tab} key={cluster + "/" + uid} />;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// JobOf shows a job, and follows its changes. tab is the part of the path after the UID.
function JobOf({ cluster, uid, tab }: { cluster: string; uid: string; tab: string }) {
  const path = fill(PathJob, { cluster, uid });
  const [version, setVersion] = useState(0);
  const [live, setLive] = useState<{ row: Job; position: number } | undefined>(undefined);
  const answer = useResource<JobDetail>(path, { params: { at: at.value }, version });
  const detail = answer.data;
  const base = useRef<{ path: string; position: number } | undefined>(undefined);
  if (detail && base.current?.path !== path) {
    base.current = { path, position: detail.position };
  }
  useLive(at.value === "" && detail ? base.current?.position : undefined, (changes) => {
    const mine = ofJob(changes, cluster, uid);
    if (mine) {
      setLive({ row: mine.job, position: mine.position });
      setVersion((v) => v + 1);
    }
  }, () => setVersion((v) => v + 1));

  if (!detail) {
    if (!answer.problem) {
      return <div class="job-page"><GrayRows rows={12} /></div>;
    }
    return (
      <div class="job-page job-tab">
        {answer.problem.type === ProblemUnknown && isExpected(uid) ? <Expected reload={answer.reload} />
          : answer.problem.type === ProblemUnknown ? <Empty text={w.value.gone}><span class="text-2">{w.value.goneHelp}</span><Button href={to("/jobs")}>{shared.value.nav.jobs}</Button></Empty> : <Trouble problem={answer.problem} again={answer.reload} />}
      </div>
    );
  }
  const newer = live && live.row.uid === uid && live.position > detail.position && at.value === "";
  const now = at.value === "" ? Math.min(second.value, unrecordedSince(detail.job.cluster, detail.job.type) ?? Infinity) : (instant(detail.at) ?? second.value);
  const job: JobContext = { cluster, uid, row: grown(newer ? live.row : detail.job, detail, now), detail, version, at: at.value, now };
  return <Shown job={job} tab={tab} problem={answer} />;
}

// Expected waits for a recently submitted job, until the recorder has seen it.
function Expected({ reload }: { reload: () => void }) {
  useEffect(() => {
    const timer = setInterval(reload, 1000);
    return () => clearInterval(timer);
  }, []);
  return <Empty text={w.value.expected}><span class="text-2">{w.value.expectedHelp}</span></Empty>;
}

// ofJob returns the last change of a job.
function ofJob(changes: readonly Change[], cluster: string, uid: string): Change | undefined {
  return changes.filter((c) => c.job.uid === uid && c.job.cluster === cluster).at(-1);
}

// grown increases the times of an open job between two answers.
function grown(row: Job, detail: JobDetail, now: number): Job {
  const asOf = instant(detail.at) ?? now;
  const more = isOpen(row.state) ? Math.max(0, (now - Math.max(asOf, instant(row.since) ?? asOf)) / 1000) : 0;
  if (more === 0) {
    return row;
  }
  return waits(row.state) ? { ...row, waited: row.waited + more } : row.state === "Suspended" ? row : { ...row, ran: row.ran + more };
}

function Shown({ job, tab, problem }: { job: JobContext; tab: string; problem: { problem?: JobDetailProblem; reload: () => void; asOf: number } }) {
  const waits = useWaiting(job);
  const neighbors = useNeighbors(job);
  useJobKeys(job, tab, neighbors?.previous ?? "", neighbors?.next ?? "", neighbors?.list ?? to("/jobs"));
  return (
    <div class="job-page">
      {problem.problem ? <Trouble problem={problem.problem} again={problem.reload} asOf={problem.asOf} /> : null}
      <JobHeader job={job} neighbors={neighbors} likely={waits.data?.likely} />
      <Tabs label={w.value.tabs.label} tabs={tabsOf(job, tab)} />
      <div class="job-tab"><TabBody job={job} tab={tab} waits={waits} /></div>
      <div class="hidden-text" role="status" aria-live="polite">{w.value.changed(stateWord(job.row.state))}</div>
      <Questions job={job} />
    </div>
  );
}

type JobDetailProblem = Parameters<typeof Trouble>[0]["problem"] | undefined;

function TabBody({ job, tab, waits }: { job: JobContext; tab: string; waits: ReturnType<typeof useWaiting> }) {
  switch (tab) {
    case "": return <Overview job={job} waits={waits} />;
    case "attempts": return <AttemptsTab job={job} />;
    case "pods": return <PodsTab job={job} />;
    case "events": return <EventsTab job={job} />;
    case "yaml": return <YamlTab job={job} />;
    case "logs": return <LogsTab job={job} />;
    case "notifications": return <DeliveriesTab job={job} />;
  }
  return <Empty text={shared.value.nav.notFound} />;
}

function tabsOf(job: JobContext, tab: string): Tab[] {
  const words = w.value;
  const c = job.detail.tabs;
  const note = (n: number) => (n < 0 ? {} : { note: n });
  const one = (name: string, text: string, extra: { note?: string | number } = {}): Tab => ({ text, href: to(jobPath(job, name)), current: tab === name, ...extra });
  return [
    one("", words.tabs.overview), one("attempts", words.tabs.attempts, note(c.attempts)), one("pods", words.tabs.pods, note(c.pods)), one("events", words.tabs.events),
    one("yaml", words.tabs.yaml, c.revisions < 0 ? {} : { note: words.revisions(c.revisions) }), one("logs", words.tabs.logs), one("notifications", words.tabs.notifications, note(c.notifications)),
  ];
}

function useJobKeys(job: JobContext, tab: string, previous: string, next: string, list: string): void {
  const words = w.value.keys;
  useKeys([
    { key: "j", what: words.next, run: () => next !== "" && go(next) },
    { key: "k", what: words.previous, run: () => previous !== "" && go(previous) },
    { key: "l", what: words.logs, run: () => go(to(jobPath(job, "logs"))) },
    { key: "y", what: words.yaml, run: () => go(to(jobPath(job, "yaml"))) },
    // The YAML tab has its own key for differences.
    ...(tab === "yaml" ? [] : [{ key: "d", what: words.diff, run: () => go(to(jobPath(job, job.detail.tabs.attempts > 1 ? "attempts" : "yaml"))) }]),
    { key: "r", what: words.retry, run: () => may(job, "retry") && ask("retry") },
    { key: "Escape", what: words.back, run: () => go(tab === "" ? list : to(jobPath(job))) },
  ]);
}
