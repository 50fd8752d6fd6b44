// Messages about a job: channel, rule, answer, tries, and their acts.

import { useState } from "preact/hooks";
import { PathNotifications, PathSend } from "../../api";
import type { Act, Delivery, DeliveryList } from "../../api";
import { fill, said, write } from "../../core/client";
import { instant, none, time } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { session } from "../../core/session";
import { Button, StateCell } from "../../design/button";
import { Card, Empty, GrayRows, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Time } from "../../design/text";
import { toast } from "../../design/toast";
import { ask } from "./asking";
import { may } from "./context";
import type { JobContext } from "./context";
import { words as shared } from "../../words";
import { w } from "./words";

// useDeliveries reads the messages about a job.
export function useDeliveries(job: JobContext) {
  const path = session.value?.notifies === false ? "" : fill(PathNotifications, { cluster: job.cluster, uid: job.uid });
  return useResource<DeliveryList>(path, { params: { at: job.at }, version: job.version, keep: true });
}

const icons: Record<string, string> = { waiting: "Queued", held: "Suspended", sending: "Starting", sent: "Succeeded", dead: "Failed", dropped: "Aborted", superseded: "Deleted", silenced: "Suspended" };

function iconOf(d: Delivery): string {
  return icons[d.state] ?? "Submitted";
}

// DeliveriesCard has the newest messages.
export function DeliveriesCard({ job, list, reload }: { job: JobContext; list: Delivery[]; reload: () => void }) {
  const words = w.value.deliveries;
  const rules = [...new Set(list.map((d) => d.rule ?? "").filter((r) => r !== ""))];
  return (
    <Card title={words.title} side={<a class="text-2 quiet-link" href={to(jobPath(job, "notifications"))}>{rules.length === 1 ? <>{words.rule}{shared.value.colon}<span lang="en">{rules[0]}</span></> : words.open}</a>}>
      <ul class="deliveries">
        {list.slice(0, 4).map((d) => (
          <li key={d.id}>
            <StateIcon state={iconOf(d)} />
            <span class="delivery-text"><b>{d.channel}</b><span class="hidden-text"> {words.states[d.state] ?? d.state}</span> <span class="text-2" lang="en">{[d.receiver, (d.state === "sent" ? d.title : (d.answer ?? d.title))].filter((t) => t).join(shared.value.comma)}</span></span>
            {d.may.includes("send") ? <SendAgain id={d.id} reload={reload} /> : <span class="text-2 nowrap"><Time at={d.sent ?? d.created} /></span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

// SendAgain sends a delivery again.
function SendAgain({ id, reload }: { id: number; reload: () => void }) {
  const [busy, set] = useState(false);
  const send = () => {
    set(true);
    write<Act>("POST", fill(PathSend, { id }))
      .then((act) => toast(act.done), (e: unknown) => toast(said(e), { failure: true }))
      .finally(() => {
        set(false);
        reload();
      });
  };
  return <Button icon="retry" disabled={busy} onClick={send}>{w.value.deliveries.again}</Button>;
}

// DeliveriesTab has all messages, and the acts on them.
export function DeliveriesTab({ job }: { job: JobContext }) {
  const words = w.value.deliveries;
  const answer = useDeliveries(job);
  const list = answer.data?.deliveries;
  const tools = may(job, "acknowledge") || may(job, "mute") ? (
    <div class="tab-tools">
      {may(job, "acknowledge") ? <Button icon="check" onClick={() => ask("acknowledge")}>{words.acknowledge}</Button> : null}
      {may(job, "mute") ? <Button icon="minus" onClick={() => ask("mute")}>{words.mute}</Button> : null}
    </div>
  ) : null;
  if (session.value?.notifies === false) {
    return <Empty text={words.off} />;
  }
  if (!list) {
    return answer.problem ? <Trouble problem={answer.problem} again={answer.reload} /> : <GrayRows />;
  }
  if (list.length === 0) {
    return <>{tools}<Empty text={words.none}><span class="text-2">{words.noneHelp}</span></Empty></>;
  }
  return (
    <>
      {tools}
      <div class="table-box" tabIndex={0}>
        <table class="rows deliveries-table">
          <caption class="hidden-text">{words.title}</caption>
          <thead><tr><th>{words.state}</th><th>{words.when}</th><th>{words.channel}</th><th>{words.receiver}</th><th>{words.rule}</th><th>{words.message}</th><th>{words.answer}</th><th class="numeric">{words.tries}</th><th><span class="hidden-text">{words.again}</span></th></tr></thead>
          <tbody>{list.map((d) => <DeliveryRow d={d} reload={answer.reload} key={d.id} />)}</tbody>
        </table>
      </div>
    </>
  );
}

function DeliveryRow({ d, reload }: { d: Delivery; reload: () => void }) {
  const words = w.value.deliveries;
  const next = instant(d.nextAt);
  const acked = instant(d.ackedAt);
  return (
    <tr>
      <td><StateCell state={iconOf(d)} word={words.states[d.state] ?? d.state} /></td>
      <td class="text-2 nowrap"><Time at={d.sent ?? d.created} /></td>
      <td><b>{d.channel}</b></td>
      <td class="text-2 nowrap">{d.receiver ?? d.person ?? none}</td>
      <td class="text-2 nowrap" data-label={words.rule} lang="en">{d.rule ?? none}</td>
      <td class="wide"><span lang="en">{d.title}</span>{d.ackedBy ? <span class="text-3"> {words.acked(d.ackedBy, time(acked))}</span> : null}</td>
      <td class="text-2 answer" data-label={words.answer}>{d.answer ? <span lang="en">{d.answer}</span> : none}{next !== undefined && d.state === "waiting" ? <span class="text-3 nowrap"> {words.next(time(next))}</span> : null}</td>
      <td class="numeric" data-label={words.tries}>{d.attempts}</td>
      <td class="numeric">{d.may.includes("send") ? <SendAgain id={d.id} reload={reload} /> : null}</td>
    </tr>
  );
}
