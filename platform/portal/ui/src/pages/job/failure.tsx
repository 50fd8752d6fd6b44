// The card that explains why a job failed.

import { PathFailure } from "../../api";
import type { Failure } from "../../api";
import { fill } from "../../core/client";
import { number, spaced } from "../../core/format";
import { useResource } from "../../core/resource";
import { Fact, GrayRows, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { to } from "../../core/router";
import { may } from "./context";
import type { JobContext } from "./context";
import { Sentence, Unknown } from "./sentence";
import { w } from "./words";

// WhyItFailed shows cause, exit code, limit, and the number of jobs with the same ending.
export function WhyItFailed({ job, failure }: { job: JobContext; failure: ReturnType<typeof useFailure> }) {
  const words = w.value.failure;
  const f = failure.data;
  return (
    <section class="card job-why is-failure" aria-labelledby="why">
      <header class="why-head"><StateIcon state={job.row.state} /><h2 id="why">{words.title}</h2></header>
      {failure.problem && !f ? <Trouble problem={failure.problem} again={failure.reload} /> : null}
      {f ? <Sentence text={f.sentence} words={[f.pod, f.node, f.cause]} /> : failure.problem ? null : <GrayRows rows={2} />}
      {f ? <FailureFacts f={f} /> : null}
      {f?.retryHelps ? <p class="why-more">{f.retryHelps}</p> : null}
      {f?.memory && may(job, "clone") ? <p class="why-more"><a class="underlined" href={to("/submit", { clone: job.uid, cluster: job.cluster, container: f.memory.container, limit: f.memory.limit, memory: f.memory.proposed })}>{words.larger(spaced(f.memory.proposed))}</a> <span class="text-3">{words.largerNote}</span></p> : null}
      <Unknown title={words.unknown} list={f?.unknown} />
    </section>
  );
}

// useFailure reads why a job failed. It reads nothing for other jobs.
export function useFailure(job: JobContext) {
  const path = job.row.state === "Failed" ? fill(PathFailure, { cluster: job.cluster, uid: job.uid }) : "";
  return useResource<Failure>(path, { params: { at: job.at }, version: job.version, keep: true });
}

function FailureFacts({ f }: { f: Failure }) {
  const words = w.value.failure;
  const known = f.cause !== "";
  return (
    <div class="facts-row">
      <Fact name={words.cause} value={known ? f.cause : "–"} note={(f.attempts ?? 0) > 0 ? words.of(f.causeOf ?? 0, f.attempts ?? 0) : undefined} />
      {f.exitCode !== undefined && f.exitCode !== null ? <Fact name={words.exit} value={number(f.exitCode)} note={f.signal} /> : null}
      {f.limit ? <Fact name={words.limit} value={f.limit} /> : f.node ? <Fact name={words.node} value={f.node} note={f.pod} /> : null}
      <Fact name={words.like} value={words.in(f.like, f.days)} note={words.same} />
    </div>
  );
}
