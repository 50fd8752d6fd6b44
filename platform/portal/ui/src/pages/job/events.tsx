// The Kubernetes events about a job and its pods.

import { useState } from "preact/hooks";
import { PathEvents } from "../../api";
import type { Event, EventList } from "../../api";
import { fill } from "../../core/client";
import { number } from "../../core/format";
import { useResource } from "../../core/resource";
import { Button } from "../../design/button";
import { Icon } from "../../design/icon";
import { Empty, GrayRows, Trouble } from "../../design/panel";
import { Name, Time } from "../../design/text";
import type { JobContext } from "./context";
import { w } from "./words";

// EventsTab has the events, newest first.
export function EventsTab({ job }: { job: JobContext }) {
  const words = w.value.events;
  const [cursor, go] = useState("");
  const [before, keep] = useState<Event[]>([]);
  const answer = useResource<EventList>(fill(PathEvents, { cluster: job.cluster, uid: job.uid }), { params: { at: job.at, after: cursor }, version: job.version, keep: true });
  const list = answer.data;
  if (!list) {
    return answer.problem ? <Trouble problem={answer.problem} again={answer.reload} /> : <GrayRows />;
  }
  const events = [...before, ...list.events];
  if (events.length === 0) {
    return <Empty text={list.recorded || list.live ? words.none : words.notRecorded} />;
  }
  return (
    <>
      {list.live ? <p class="note tab-note-line">{words.live}</p> : null}
      <div class="table-box" tabIndex={0}>
        <table class="rows">
          <caption class="hidden-text">{w.value.tabs.events}</caption>
          <thead><tr><th>{words.type}</th><th>{words.reason}</th><th>{words.object}</th><th>{words.message}</th><th class="numeric">{words.count}</th><th class="numeric">{words.first}</th><th class="numeric">{words.last}</th></tr></thead>
          <tbody>{events.map((event) => <EventRow event={event} />)}</tbody>
        </table>
      </div>
      {list.next ? <div class="tab-foot"><Button onClick={() => { keep(events); go(list.next ?? ""); }}>{w.value.more}</Button></div> : null}
    </>
  );
}

function EventRow({ event }: { event: Event }) {
  const words = w.value.events;
  const warning = event.type === "Warning";
  return (
    <tr>
      <td class="nowrap"><span class="state-cell">{warning ? <Icon name="warning" size={14} /> : <Icon name="info" size={14} />}<span class={warning ? "strong" : "text-2"}>{warning ? words.warning : words.normal}</span></span></td>
      <td class={warning ? "strong nowrap" : "nowrap"}>{event.reason}</td>
      <td class="object"><span class="object-line"><span class="text-3">{event.object.kind}</span><Name text={event.object.name} /></span></td>
      <td class="wide text-2" lang="en">{event.message}</td>
      <td class="numeric" data-label={words.count}>{number(event.count)}</td>
      <td class="numeric text-2 nowrap" data-label={words.first}><Time at={event.first} /></td>
      <td class="numeric text-2 nowrap" data-label={words.last}><Time at={event.last} /></td>
    </tr>
  );
}
