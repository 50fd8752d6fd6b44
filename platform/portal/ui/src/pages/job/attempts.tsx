// Attempts side by side, with differences from the previous attempt marked.

import { PathAttempts, PathBody, PathDiff, PathRevisions } from "../../api";
import type { Attempt, AttemptField, AttemptList, Body, Diff, RevisionList } from "../../api";
import { useState } from "preact/hooks";
import { fill } from "../../core/client";
import { duration, none } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { Choice } from "../../design/field";
import { Card, Empty, GrayRows, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Name, Time } from "../../design/text";
import { words as shared } from "../../words";
import type { JobContext } from "./context";
import { DiffTable } from "./difftable";
import { revisionOf } from "./revisions";
import { w } from "./words";

// useAttempts reads the attempts of a job.
export function useAttempts(job: JobContext) {
  return useResource<AttemptList>(fill(PathAttempts, { cluster: job.cluster, uid: job.uid }), { params: { at: job.at }, version: job.version, keep: true });
}

// beside is the number of attempts next to each other on the overview.
const beside = 3;

// AttemptsCard compares the last attempts on the overview.
export function AttemptsCard({ job, list }: { job: JobContext; list: AttemptList }) {
  const words = w.value.attempts;
  const from = Math.max(0, list.attempts.length - beside);
  return (
    <Card title={words.title} note={words.note} side={<a class="text-2 quiet-link" href={to(jobPath(job, "attempts"))}>{from > 0 ? words.all(list.attempts.length) : words.diff}</a>}>
      <Comparison list={list} from={from} />
    </Card>
  );
}

// Comparison is the table of attempts, beginning at an index of the list.
function Comparison({ list, from }: { list: AttemptList; from: number }) {
  const words = w.value.attempts;
  const attempts = list.attempts.slice(from);
  return (
    <div class="table-box" tabIndex={0}>
      <table class="rows compare" style={{ "--attempts": String(attempts.length) }}>
        <caption class="hidden-text">{words.title}{shared.value.comma}{words.note}</caption>
        <thead><tr><th><span class="hidden-text">{words.field}</span></th>{attempts.map((a) => <th scope="col" key={a.number}>{shared.value.attempt(a.number)}</th>)}</tr></thead>
        <tbody>
          {list.fields.map((field) => (
            <tr key={field.name}>
              <th scope="row">{words.fields[field.name] ?? <Name text={field.name} tail={14} />}</th>
              {attempts.map((a, i) => <Cell attempt={a} field={field.name === "ran" ? ranOf(field, list.attempts) : field} i={from + i} key={a.number} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// ranOf formats the run times of attempts as on all pages.
function ranOf(field: AttemptField, attempts: readonly Attempt[]): AttemptField {
  return { ...field, values: field.values.map((text, i) => (attempts[i] === undefined ? text : duration(attempts[i].ran))) };
}

function Cell({ attempt, field, i }: { attempt: Attempt; field: AttemptField; i: number }) {
  const text = shared.value.said(field.values[i] ?? "");
  const differs = i > 0 && field.differs[i] === true;
  const shown = text === "" ? <span class="text-3">{none}</span> : text;
  return (
    <td data-label={shared.value.attempt(attempt.number)}>
      {field.name === "ended" ? <span class="state-cell"><StateIcon state={attempt.state} />{differs ? <mark class="differs">{shown}</mark> : <span>{shown}</span>}</span>
        : differs ? <mark class="differs">{shown}</mark> : shown}
      {differs ? <span class="hidden-text"> {w.value.attempts.differs}</span> : null}
    </td>
  );
}

// AttemptsTab has all attempts and the full diff of two.
export function AttemptsTab({ job }: { job: JobContext }) {
  const words = w.value.attempts;
  const attempts = useAttempts(job);
  const list = attempts.data;
  if (!list) {
    return attempts.problem ? <Trouble problem={attempts.problem} again={attempts.reload} /> : <GrayRows />;
  }
  if (list.attempts.length === 0) {
    return <Empty text={words.none} />;
  }
  return (
    <div class="job-stack">
      <Card title={words.title} note={words.note}><Comparison list={list} from={0} /></Card>
      <Card title={w.value.attempts.list}><AttemptRows job={job} list={list} /></Card>
      {list.attempts.length > 1 ? <AttemptDiff list={list} /> : <p class="note">{words.one}</p>}
    </div>
  );
}

function AttemptRows({ job, list }: { job: JobContext; list: AttemptList }) {
  const words = w.value;
  return (
    <div class="table-box" tabIndex={0}>
      <table class="rows">
        <caption class="hidden-text">{words.attempts.title}</caption>
        <thead><tr><th>{words.pods.attempt}</th><th>{words.pods.state}</th><th>{words.attempts.job}</th><th>{words.attempts.fields["began"]}</th><th>{words.attempts.fields["ended"]}</th><th class="numeric">{words.attempts.fields["ran"]}</th><th class="numeric">{words.attempts.fields["pods"]}</th><th>{words.attempts.fields["nodes"]}</th><th>{words.tabs.logs}</th></tr></thead>
        <tbody>
          {list.attempts.map((a) => (
            <tr key={a.number}>
              <td data-label={words.pods.attempt}>{a.number}</td>
              <td><span class="state-cell"><StateIcon state={a.state} />{a.reason || shared.value.states[a.state as "Failed"] || a.state}</span></td>
              <td class="nowrap">{a.job.uid === job.uid ? <span class="text-3">{words.attempts.thisJob}</span> : <a class="underlined" href={to(jobPath(a.job))}>{a.job.name ?? a.job.uid}</a>}</td>
              <td class="text-2 nowrap" data-label={words.attempts.fields["began"]}><Time at={a.began} /></td>
              <td class="text-2 nowrap" data-label={words.attempts.fields["ended"]}><Time at={a.ended} /></td>
              <td class="numeric" data-label={words.attempts.fields["ran"]}>{duration(a.ran)}</td>
              <td class="numeric" data-label={words.attempts.fields["pods"]}>{a.pods}</td>
              <td class="wide text-2">{(a.nodes ?? []).join(" ") || none}</td>
              <td class="nowrap"><a class="underlined" href={to(jobPath(a.job, "logs"), { attempt: String(a.run) })}>{words.tabs.logs}</a></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// AttemptDiff compares the initial objects of two attempts.
function AttemptDiff({ list }: { list: AttemptList }) {
  const words = w.value.attempts;
  const last = list.attempts.length - 1;
  const [pair, set] = useState<[number, number]>([last - 1, last]);
  const [a, b] = [list.attempts[pair[0]], list.attempts[pair[1]]];
  const from = useRevisionOf(a);
  const to = useRevisionOf(b);
  const right = { cluster: b?.job.cluster ?? "", uid: b?.job.uid ?? "" };
  const other = a && a.job.uid !== right.uid ? { other: a.job.uid, otherCluster: a.job.cluster } : {};
  const known = from.version !== "" && to.version !== "";
  const same = known && from.version === to.version && a?.job.uid === right.uid;
  const diff = useResource<Diff>(known && !same ? fill(PathDiff, right) : "", { params: { from: from.version, to: to.version, ...other }, keep: true });
  const body = useResource<Body>(known && !same ? fill(PathBody, { ...right, version: to.version }) : "", { keep: true });
  const options = list.attempts.map((attempt, i) => ({ value: String(i), text: shared.value.attempt(attempt.number) }));
  const problem = from.problem ?? to.problem ?? diff.problem;
  const d = same ? undefined : diff.data;
  return (
    <Card title={words.diff} note={d ? w.value.diff.differ(d.differ) : undefined} side={
      <span class="diff-choice">
        <span class="select"><Choice id="attempt-a" label={words.compare} value={String(pair[0])} options={options} onChange={(v) => set([Number(v), pair[1]])} /></span>
        <span class="text-3">{words.with}</span>
        <span class="select"><Choice id="attempt-b" label={words.with} value={String(pair[1])} options={options} onChange={(v) => set([pair[0], Number(v)])} /></span>
      </span>
    }>
      {problem ? <Trouble problem={problem} /> : same || d?.differ === 0 ? <p class="card-body text-2">{words.same}</p> : d ? <DiffTable lines={d.lines} cut={d.cut ?? 0} right={body.data?.yaml ?? ""} /> : <GrayRows rows={4} />}
    </Card>
  );
}

// useRevisionOf finds the last revision of an attempt, or the current one.
function useRevisionOf(attempt: Attempt | undefined) {
  const revisions = useResource<RevisionList>(attempt ? fill(PathRevisions, { cluster: attempt.job.cluster, uid: attempt.job.uid }) : "");
  return { version: attempt && revisions.data ? revisionOf(revisions.data.revisions, attempt) : "", problem: revisions.problem };
}
