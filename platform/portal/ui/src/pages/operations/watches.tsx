// Watches: the state of each type at each recorder.

import type { Operations, Watch } from "../../api";
import { bytes, instant, none, number, short, time } from "../../core/format";
import { StateIcon } from "../../design/stateicon";
import { Button } from "../../design/button";
import { Card, copy } from "../../design/panel";
import { Name } from "../../design/text";
import { words } from "./words";

// iconOf returns the state whose icon a phase has: color means state, also of watches.
export function iconOf(phase: string): string {
  switch (phase) {
    case "watching":
      return "Succeeded";
    case "listing":
      return "Starting";
    case "waiting":
    case "behind":
      return "Queued";
    case "denied":
      return "Failed";
    case "stopped":
      return "Aborted";
    default:
      return "Deleted";
  }
}

// lagging is the lag in seconds from which it is shown strong.
const lagging = 2;

// Watches shows a row for each watch. The name of a cluster is strong where it begins.
export function Watches({ data }: { data: Operations }) {
  const w = words.value;
  const { watches } = data;
  const works = watches.filter((x) => x.phase === "watching").length;
  const clusters = new Set(watches.map((x) => x.cluster)).size;
  const h = w.heads;
  return (
    <Card title={w.watches} note={w.watchesNote(works, watches.length, clusters)} side={<span class="note">{w.gapMeans}</span>}>
      <div class="operations-scroll">
        <table class="table operations-watches operations-list">
          <caption class="hidden-text">{w.watches}</caption>
          <thead>
            <tr>
              <th scope="col">{h.cluster}</th><th scope="col">{h.type}</th><th scope="col">{h.phase}</th><th scope="col" class="numeric">{h.version}</th><th scope="col" class="numeric">{h.lag}</th><th scope="col" class="numeric">{h.queued}</th>
              <th scope="col" class="numeric">{h.objects}</th><th scope="col" class="numeric">{h.bytes}</th><th scope="col" class="numeric">{h.gaps}</th><th scope="col">{h.note}</th><th scope="col">{h.events}</th>
            </tr>
          </thead>
          <tbody>{watches.map((x, i) => <WatchRow key={`${x.cluster} ${x.type} ${x.namespace ?? ""} ${x.recorder}`} watch={x} first={watches[i - 1]?.cluster !== x.cluster} />)}</tbody>
        </table>
      </div>
    </Card>
  );
}

function WatchRow({ watch, first }: { watch: Watch; first: boolean }) {
  const w = words.value;
  const h = w.heads;
  const phases: Record<string, string> = w.phases;
  const known = watch.phase === "watching" || watch.phase === "listing" || watch.phase === "waiting";
  const ns = watch.namespace ?? "";
  return (
    <tr>
      <th scope="row" class={first ? "strong" : "operations-again"}><Name text={watch.cluster} /></th>
      <td data-head={h.type}><Name text={watch.type} />{ns === "" ? null : <span class="text-3"> {w.namespace(ns)}</span>}</td>
      <td data-head={h.phase}><span class="state-cell"><StateIcon state={iconOf(watch.phase)} size={14} />{phases[watch.phase] ?? watch.phase}</span></td>
      <td data-head={h.version} class="numeric">{versionText(watch.version)}</td>
      <td data-head={h.lag} class={watch.lag >= lagging ? "numeric strong" : "numeric"}>{watch.lag < 0 ? none : short(watch.lag)}</td>
      <td data-head={h.queued} class="numeric">{watch.queued < 0 ? none : number(watch.queued)}</td>
      <td data-head={h.objects} class="numeric">{known && watch.objects >= 0 ? number(watch.objects) : none}</td>
      <td data-head={h.bytes} class="numeric">{known && watch.bytes >= 0 ? bytes(watch.bytes) : none}</td>
      <td data-head={h.gaps} class={watch.gaps24h > 0 ? "numeric strong" : "numeric"}>{known ? number(watch.gaps24h) : none}</td>
      <td data-head={h.note} class="operations-note"><Note watch={watch} /></td>
      <td class="operations-events"><Sparkline values={watch.events ?? []} /></td>
    </tr>
  );
}

// versionText puts commas into a version that is a number. Longer ones are left as they are.
export function versionText(version: string | undefined): string {
  if (version === undefined || version === "") {
    return none;
  }
  return /^\d{1,15}$/.test(version) ? number(Number(version), 0) : version;
}

// noteOf describes the problem of a watch. Recorders report in UTC, and the page shows local
// times.
function noteOf(watch: Watch): string {
  const w = words.value;
  switch (watch.phase) {
    case "denied": return w.noRight(watch.type);
    case "absent": return w.notServed;
  }
  const said = /since (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/.exec(watch.note ?? "");
  return watch.phase === "unknown" && said ? w.silent(time(Date.parse(`${said[1]}T${said[2]}Z`))) : (watch.note ?? "");
}

function Note({ watch }: { watch: Watch }) {
  const w = words.value;
  const { role } = watch;
  const note = noteOf(watch);
  if (role !== undefined && role !== "") {
    return <span class="operations-denied"><span>{note}</span> <Button plain class="operations-link" onClick={() => copy(role)}>{w.copyRole}</Button></span>;
  }
  if (note !== "") {
    return <span class="operations-said">{note}</span>;
  }
  const since = instant(watch.since);
  return since === undefined ? <span class="text-3">{none}</span> : <span class="text-3">{w.since(time(since))}</span>;
}

const barWidth = 1.4;
const height = 14;

// Sparkline shows a bar for each minute of the last hour.
function Sparkline({ values }: { values: readonly number[] }) {
  const w = words.value;
  if (values.length === 0) {
    return null;
  }
  const most = Math.max(1, ...values);
  const path = values.map((n, i) => (n > 0 ? `M${i * 2} ${height}h${barWidth}v${-Math.max(1, (n / most) * height)}h${-barWidth}z` : "")).join("");
  const total = values.reduce((a, b) => a + b, 0);
  return (
    <svg class="operations-spark" width={values.length * 2} height={height} viewBox={`0 0 ${values.length * 2} ${height}`} role="img" aria-label={w.eventsIn(total)} data-tip={w.eventsIn(total)}><path d={path} /></svg>
  );
}
