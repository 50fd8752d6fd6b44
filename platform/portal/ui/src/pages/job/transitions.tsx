// The transitions of a job, newest first.

import { useState } from "preact/hooks";
import { PathTransitions } from "../../api";
import type { Transition, TransitionList } from "../../api";
import { fill } from "../../core/client";
import { clock, date, duration, instant, none, number, zone } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { sameDay } from "../../core/zone";
import { Button, StateCell } from "../../design/button";
import { Card, GrayRows, Trouble } from "../../design/panel";
import { Time } from "../../design/text";
import { words as shared } from "../../words";
import type { JobContext } from "./context";
import { w } from "./words";

// first is the number of transitions on the overview before all are requested.
const first = 12;

// TransitionsCard shows state, since, for, reason, version and source.
export function TransitionsCard({ job }: { job: JobContext }) {
  const words = w.value.transitions;
  const [all, showAll] = useState(false);
  const [after, more] = useState<TransitionList[]>([]);
  const answer = useResource<TransitionList>(fill(PathTransitions, { cluster: job.cluster, uid: job.uid }), { params: { at: job.at }, version: job.version, keep: true });
  const next = after.length > 0 ? after[after.length - 1]?.next : answer.data?.next;
  const older = useResource<TransitionList>(all && next ? fill(PathTransitions, { cluster: job.cluster, uid: job.uid }) : "", { params: { at: job.at, after: next } });
  if (older.data && !after.includes(older.data) && next) {
    more([...after, older.data].slice(0, 50));
  }
  const list = [...(answer.data?.transitions ?? []), ...after.flatMap((l) => l.transitions)];
  const shown = all ? list : list.slice(0, first);
  return (
    <Card title={words.title} note={answer.data ? words.note(number(list.length) + (next ? "+" : "")) : undefined} side={<span class="text-2">{shared.value.local(zone())}</span>}>
      {answer.data ? null : answer.problem ? <Trouble problem={answer.problem} again={answer.reload} /> : <GrayRows rows={4} />}
      {answer.data && list.length === 0 ? <p class="card-body text-2">{words.none}</p> : null}
      {list.length > 0 ? (
        <div class="table-box" tabIndex={0}>
          <table class="rows transitions">
            <caption class="hidden-text">{words.title}</caption>
            <thead><tr><th>{words.state}</th><th>{words.since}</th><th class="numeric">{words.for}</th><th>{words.reason}</th><th class="numeric">{words.version}</th><th>{words.source}</th></tr></thead>
            <tbody>{shown.map((t, i) => <TransitionRow job={job} t={t} until={i === 0 ? undefined : list[i - 1]?.happened} key={t.version + t.to + t.happened} />)}</tbody>
          </table>
        </div>
      ) : null}
      {!all && list.length > first ? <div class="card-foot bare"><Button plain onClick={() => showAll(true)}>{words.all}</Button></div> : null}
    </Card>
  );
}

function TransitionRow({ job, t, until }: { job: JobContext; t: Transition; until: string | undefined }) {
  const words = w.value.transitions;
  const from = instant(t.happened) ?? 0;
  const to1 = instant(until) ?? job.now;
  const message = t.message ?? "";
  const raw = t.toRaw && t.toRaw !== t.to ? t.toRaw : "";
  const bare = !t.reason && raw === "" && message === "";
  return (
    <tr>
      <td><StateCell state={t.to} /></td>
      <td class="text-2 nowrap"><Time at={t.happened} show={(ms) => exact(ms, job.now)} /></td>
      <td class="numeric text-2 nowrap">{duration((to1 - from) / 1000)}</td>
      <td class={"wide reason" + (bare ? " is-bare" : "")}>{t.reason ? <b>{t.reason}</b> : raw ? <span class="text-2">{raw}</span> : null}{message ? <span class="text-2" lang="en"> {message}</span> : null}{bare ? <span class="text-3">{none}</span> : null}</td>
      <td class="numeric nowrap"><a class="quiet-link text-2" href={to(jobPath(job, "yaml"), { rev: t.version })}>{/^\d{1,15}$/.test(t.version) ? number(Number(t.version)) : t.version}</a></td>
      <td class={"nowrap " + (t.source === "inferred" ? "text-3 inferred" : "text-3")}>{words.sources[t.source] ?? t.source}</td>
    </tr>
  );
}

// exact returns a time with milliseconds, with the date unless it is today.
export function exact(ms: number, now: number): string {
  const text = `${clock(ms, true)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}`;
  return sameDay(ms, now) ? text : `${date(ms, now)} ${text}`;
}
