// The pods of a job.

import { useState } from "preact/hooks";
import { PathPods } from "../../api";
import type { Pod, PodList } from "../../api";
import { fill } from "../../core/client";
import { duration, instant, none } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { Button, StateCell } from "../../design/button";
import { LifeStrip } from "../../design/lifestrip";
import { Empty, GrayRows, Trouble } from "../../design/panel";
import { Name, Time } from "../../design/text";
import { usePhone } from "../../core/phone";
import type { JobContext } from "./context";
import { w } from "./words";

// PodsTab has a row for each pod, with its strip, node, restarts and exit code.
export function PodsTab({ job }: { job: JobContext }) {
  const words = w.value.pods;
  const [cursor, go] = useState("");
  const [before, keep] = useState<Pod[]>([]);
  const answer = useResource<PodList>(fill(PathPods, { cluster: job.cluster, uid: job.uid }), { params: { at: job.at, after: cursor }, version: job.version, keep: true });
  const list = answer.data;
  if (!list) {
    return answer.problem ? <Trouble problem={answer.problem} again={answer.reload} /> : <GrayRows />;
  }
  const pods = [...before, ...list.pods];
  if (pods.length === 0) {
    return <Empty text={list.recorded ? words.none : words.notRecorded} />;
  }
  const more = () => {
    keep(pods);
    go(list.next ?? "");
  };
  return (
    <>
      <div class="table-box" tabIndex={0}>
        <table class="rows pods">
          <caption class="hidden-text">{w.value.tabs.pods}</caption>
          <thead><tr><th>{words.state}</th><th>{words.name}</th><th class="numeric">{words.attempt}</th><th>{words.node}</th><th class="numeric">{words.restarts}</th><th class="numeric">{words.exit}</th><th class="numeric">{words.created}</th><th class="numeric">{words.ran}</th><th>{words.life}</th><th>{words.detail}</th></tr></thead>
          <tbody>{pods.map((pod) => <PodRow job={job} pod={pod} key={pod.id} />)}</tbody>
        </table>
      </div>
      {list.next && before[before.length - 1]?.id !== list.pods[list.pods.length - 1]?.id ? <div class="tab-foot"><Button onClick={more}>{w.value.more}</Button></div> : null}
    </>
  );
}

function PodRow({ job, pod }: { job: JobContext; pod: Pod }) {
  const words = w.value.pods;
  const created = instant(pod.created);
  const end = instant(pod.ended) ?? instant(pod.deleted) ?? job.now;
  const failed = pod.exitCode !== undefined && pod.exitCode !== null && pod.exitCode !== 0;
  return (
    <tr>
      <td><StateCell state={pod.state} /></td>
      <td class="pod-name"><a href={to(jobPath(job, "logs"), { pod: pod.name })}><Name text={pod.name} /></a></td>
      <td class="numeric" data-label={words.attempt}>{pod.attempt ? pod.attempt : none}</td>
      <td class="text-2 nowrap">{pod.node || none}</td>
      <td data-label={words.restarts} class={"numeric" + (pod.restarts > 0 ? " strong" : " text-3")}>{pod.restarts}</td>
      <td data-label={words.exit} class={"numeric" + (failed ? " strong" : " text-3")}>{pod.exitCode ?? none}</td>
      <td class="numeric text-2 nowrap"><Time at={pod.created} /></td>
      <td class="numeric text-2 nowrap" data-label={words.ran}>{created === undefined ? none : duration((end - created) / 1000)}</td>
      <td class="life-cell"><LifeStrip life={pod.life} state={pod.state} of={{ cluster: job.cluster, type: "pods" }} {...(usePhone() ? {} : { width: 140 })} /></td>
      <td class="wide text-2" lang="en">{pod.reason ? <b class="strong">{pod.reason}</b> : null} {(pod.message ?? "") || (pod.reason ? "" : none)}</td>
    </tr>
  );
}
