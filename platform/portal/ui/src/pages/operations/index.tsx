// Operations: the state of recorders, readers of the feed and channels.

import "../../shared";
import { useEffect, useState } from "preact/hooks";
import { PathOperations } from "../../api";
import type { Operations } from "../../api";
import { second, serverNow } from "../../core/clock";
import { date, instant, time } from "../../core/format";
import { useLive } from "../../core/live";
import { useResource } from "../../core/resource";
import { at } from "../../core/router";
import { GrayRows, Trouble } from "../../design/panel";
import { Channels, Cursors, Gaps, SummaryCards } from "./cards";
import { Acts, DeadLetters } from "./letters";
import { Watches } from "./watches";
import { words as shared } from "../../words";
import { words } from "./words";

// refresh is the interval at which the page reads everything again, in milliseconds.
const refresh = 5000;

// OperationsPage is the page of the same name.
export function OperationsPage() {
  const w = words.value;
  const tick = Math.floor(second.value / refresh);
  const resource = useResource<Operations>(PathOperations, { version: tick, keep: true });
  const { data } = resource;
  const [head, setHead] = useState<number | undefined>(undefined);
  useEffect(() => setHead((old) => old ?? data?.head), [data]);
  // The page reads by itself; it follows the stream so that the badge shows how current it
  // is.
  useLive(head, () => undefined, resource.reload);
  return (
    <div class="operations">
      <div class="page-head">
        <h1>{w.title}</h1>
        <span class="grow" />
        {data === undefined ? null : <span class="operations-up">{recorders(data)}</span>}
      </div>
      <div class="content stack">
        {at.value === "" ? null : <p class="note" role="note">{w.present}</p>}
        {resource.problem === undefined ? null : <Trouble problem={resource.problem} asOf={data === undefined ? 0 : resource.asOf} again={resource.reload} />}
        {data === undefined ? (resource.problem === undefined ? <GrayRows rows={12} /> : null) : (
          <>
            <SummaryCards data={data} />
            <Watches data={data} />
            <div class="operations-thirds">
              <Cursors data={data} />
              <Channels data={data} />
              <Gaps gaps={data.gaps} />
            </div>
            {data.channels === undefined ? null : <DeadLetters data={data} changed={resource.reload} />}
            <Acts acts={data.acts} />
          </>
        )}
      </div>
    </div>
  );
}

// recorders shows how many recorders work, and since when all of them do.
function recorders(data: Operations): string {
  const w = words.value;
  const all = new Set(data.watches.map((x) => x.recorder));
  const up = new Set(data.watches.filter((x) => x.phase !== "stopped" && x.phase !== "unknown").map((x) => x.recorder));
  const first = Math.min(...data.watches.map((x) => instant(x.since) ?? Infinity));
  const since = Number.isFinite(first) ? `${shared.value.comma}${w.since(first < serverNow() - 86_400_000 ? date(first) : time(first))}` : "";
  return all.size === 0 ? "" : w.recorders(up.size, all.size) + since;
}
