// The questions before acts on a job, and the acts.

import { useState } from "preact/hooks";
import { PathAcknowledge, PathHold, PathMute, PathRetry, PathStop, PathSubscriptions } from "../../api";
import type { Act, ChannelInfo, MuteRequest, RetryRequest, StopRequest, Submitted, Subscribe, Subscription, SubscriptionList } from "../../api";
import { fill, said, write } from "../../core/client";
import { serverNow } from "../../core/clock";
import { useResource } from "../../core/resource";
import { go, jobPath } from "../../core/router";
import { Check, Choice, Field } from "../../design/field";
import { Question } from "../../design/question";
import { newKey } from "../../design/key";
import { toast } from "../../design/toast";
import { stateWord, words as shared } from "../../words";
import { answered, asked } from "./asking";
import { holdsGPUs, may } from "./context";
import type { JobContext } from "./context";
import { expect } from "./expected";
import { tomorrow } from "./tomorrow";
import { w } from "./words";

// Questions shows the question of the URL. It never acts by itself.
export function Questions({ job }: { job: JobContext }) {
  const question = asked();
  switch (question) {
    case undefined:
      return null;
    case "subscribe":
      return <SubscribeQuestion job={job} />;
    case "stop":
      return <StopQuestion job={job} />;
    case "retry":
      return <RetryQuestion job={job} />;
    case "mute":
      return <MuteQuestion job={job} />;
    case "acknowledge":
      return <AcknowledgeQuestion job={job} />;
  }
}

// useAct runs a write, shows the result, and closes the question. After a failure the
// question stays open.
function useAct(): [boolean, (run: () => Promise<Act>) => void] {
  const [busy, set] = useState(false);
  const act = (run: () => Promise<Act>) => {
    set(true);
    run().then(
      (done) => {
        answered();
        const undo = done.undo;
        toast(done.done, undo ? { undo: () => void write("DELETE", undo.replace(/^\/api\/v1/, "")).catch(failed) } : {});
      },
      failed,
    ).finally(() => set(false));
  };
  return [busy, act];
}

// release releases a held job.
export function release(job: JobContext): void {
  write<Act>("DELETE", fill(PathHold, { cluster: job.cluster, uid: job.uid })).then((done) => toast(done.done), failed);
}

function failed(e: unknown): void {
  toast(said(e), { failure: true });
}

function Refused({ job, act }: { job: JobContext; act: string }) {
  return may(job, act) ? null : <p>{w.value.ask.mayNot}</p>;
}

function StopQuestion({ job }: { job: JobContext }) {
  const words = w.value.ask;
  const [name, setName] = useState("");
  const [reason, setReason] = useState("");
  const [busy, act] = useAct();
  const holds = holdsGPUs(job.row);
  const allowed = may(job, "stop");
  const stop = () => act(() => write<Act>("POST", fill(PathStop, { cluster: job.cluster, uid: job.uid }), { ...(reason === "" ? {} : { reason }), ...(name === "" ? {} : { confirm: name }) } satisfies StopRequest));
  return (
    <Question title={words.stop(job.row.name)} act={words.stopNow} keep={words.keep} disabled={!allowed || (holds && name.trim() !== job.row.name)} busy={busy} onAct={stop} onClose={answered}>
      <Refused job={job} act="stop" />
      {allowed ? <p>{words.stopText}{holds ? shared.value.space + words.holds(job.row.gpus) : ""}</p> : null}
      {allowed && holds ? <Field id="stop-name" label={words.name}><input id="stop-name" value={name} autocomplete="off" spellcheck={false} placeholder={job.row.name} onInput={(e) => setName(e.currentTarget.value)} /></Field> : null}
      {allowed ? <Field id="stop-reason" label={words.why} note={words.optional} help={words.whyHelp}><input id="stop-reason" value={reason} maxLength={200} aria-describedby="stop-reason-help" onInput={(e) => setReason(e.currentTarget.value)} /></Field> : null}
    </Question>
  );
}

function RetryQuestion({ job }: { job: JobContext }) {
  const words = w.value.ask;
  const [busy, set] = useState(false);
  const [key] = useState(() => newKey());
  const allowed = may(job, "retry");
  const retry = () => {
    set(true);
    write<Submitted>("POST", fill(PathRetry, { cluster: job.cluster, uid: job.uid }), { key } satisfies RetryRequest).then(
      (made) => {
        expect(made.job.uid);
        toast(w.value.actions.retried(made.job.name ?? made.job.uid));
        go(jobPath(made.job));
      },
      failed,
    ).finally(() => set(false));
  };
  return (
    <Question title={words.retry(job.row.name)} act={words.retryNow} disabled={!allowed} busy={busy} onAct={retry} onClose={answered}>
      <Refused job={job} act="retry" />
      {allowed ? <p>{words.retryText}</p> : null}
    </Question>
  );
}

function MuteQuestion({ job }: { job: JobContext }) {
  const words = w.value.ask;
  const [until, set] = useState("end");
  const [busy, act] = useAct();
  const allowed = may(job, "mute");
  const options = [{ value: "end", text: words.untilEnd }, { value: "hour", text: words.hour }, { value: "tomorrow", text: words.tomorrow }];
  const request = (): MuteRequest => (until === "end" ? {} : { until: new Date(until === "hour" ? serverNow() + 3_600_000 : tomorrow(serverNow())).toISOString() });
  return (
    <Question title={words.mute(job.row.name)} act={words.muteNow} disabled={!allowed} busy={busy} onClose={answered}
      onAct={() => act(() => write<Act>("POST", fill(PathMute, { cluster: job.cluster, uid: job.uid }), request()))}>
      <Refused job={job} act="mute" />
      {allowed ? <p>{words.muteText}</p> : null}
      {allowed ? <Field id="mute-until" label={words.until}><Choice id="mute-until" value={until} options={options} onChange={set} /></Field> : null}
    </Question>
  );
}

function AcknowledgeQuestion({ job }: { job: JobContext }) {
  const words = w.value.ask;
  const [busy, act] = useAct();
  const allowed = may(job, "acknowledge");
  return (
    <Question title={words.acknowledge(job.row.name)} act={words.acknowledgeNow} disabled={!allowed} busy={busy} onClose={answered}
      onAct={() => act(() => write<Act>("POST", fill(PathAcknowledge, { cluster: job.cluster, uid: job.uid })))}>
      <Refused job={job} act="acknowledge" />
      {allowed ? <p>{words.acknowledgeText}</p> : null}
    </Question>
  );
}

const choices = ["Running", "Failed", "Succeeded", "Aborted", "Suspended"];

function SubscribeQuestion({ job }: { job: JobContext }) {
  const words = w.value.subscribe;
  const answer = useResource<SubscriptionList>(PathSubscriptions);
  const channels = answer.data?.channels ?? [];
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [states, setStates] = useState<readonly string[]>(["Running", "Failed", "Succeeded"]);
  const [busy, set] = useState(false);
  const channel: ChannelInfo | undefined = channels.find((c) => c.name === name) ?? channels[0];
  const needs = channel?.address ?? "";
  const subscribe = () => {
    if (!channel) {
      return;
    }
    set(true);
    const body: Subscribe = { cluster: job.cluster, uid: job.uid, type: job.row.type, namespace: job.row.namespace, name: job.row.name, channel: channel.name, ...(needs === "" ? {} : { address }), states: [...states] };
    write<Subscription>("POST", PathSubscriptions, body).then(
      (made) => {
        answered();
        toast(made.verified || needs === "" ? words.done : words.verify);
      },
      failed,
    ).finally(() => set(false));
  };
  return (
    <Question title={words.title(job.row.name)} act={words.now} disabled={!channel || states.length === 0 || (needs !== "" && address.trim() === "")} busy={busy} onAct={subscribe} onClose={answered}>
      {answer.data && channels.length === 0 ? <p>{words.none}</p> : null}
      {channel ? <Field id="subscribe-channel" label={words.channel}><Choice id="subscribe-channel" value={channel.name} options={channels.map((c) => ({ value: c.name, text: c.name }))} onChange={setName} /></Field> : null}
      {needs !== "" ? <Field id="subscribe-address" label={words.address} help={needs}><input id="subscribe-address" value={address} aria-describedby="subscribe-address-help" onInput={(e) => setAddress(e.currentTarget.value)} /></Field> : null}
      {channel ? (
        <fieldset class="checks"><legend>{words.states}</legend>
          {choices.map((s) => <Check checked={states.includes(s)} onChange={(on) => setStates(on ? [...states, s] : states.filter((x) => x !== s))} key={s}>{stateWord(s)}</Check>)}
        </fieldset>
      ) : null}
    </Question>
  );
}
