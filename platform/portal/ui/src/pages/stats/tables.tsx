// The parts of the statistics with all their numbers.

import type { ComponentChildren } from "preact";
import type { Stats } from "../../api";
import { duration, instant, none, number, percent, time } from "../../core/format";
import { Card } from "../../design/panel";
import { Name } from "../../design/text";
import { Cells, CauseBars, ownerName } from "./bars";
import { shareOf, signed } from "./compare";
import type { Cell } from "./csv";
import { EndPlot } from "./endplot";
import { gpuHours } from "./gpuhours";
import type { Span } from "./period";
import { SpreadPlot } from "./spreadplot";
import { EndLegend, SpreadLegend } from "./legend";
import { joined } from "./shares";
import { words } from "./words";

// PartProps are what all parts get.
export interface PartProps {
  stats: Stats;
  span: Span;
  other: string;
  failed: (reason: string) => string;
}

interface Column {
  head: string;
  // desk hides it on phones.
  desk?: boolean;
  numeric?: boolean;
  wide?: boolean;
}

function Table({ caption, columns, rows }: { caption: string; columns: readonly Column[]; rows: readonly (readonly ComponentChildren[])[] }) {
  return (
    <div class="stats-table-box">
      <table class="table stats-table">
        <caption class="hidden-text">{caption}</caption>
        <thead><tr>{columns.map((c) => <th scope="col" key={c.head} class={lookOf(c)}>{c.head}</th>)}</tr></thead>
        <tbody>{rows.map((row, i) => <tr key={i}>{row.map((cell, j) => (j === 0 ? <th scope="row" key={j}>{cell}</th> : <td key={j} class={lookOf(columns[j])}>{cell}</td>))}</tr>)}</tbody>
      </table>
    </div>
  );
}

function lookOf(c: Column | undefined): string {
  return (c?.numeric ? "numeric" : c?.wide ? "stats-wide" : "") + (c?.desk ? " stats-desk" : "");
}

// WaitingPart shows times waited and ran, and by queue.
export function WaitingPart({ stats, span, other }: PartProps) {
  const w = words.value;
  const { now, before } = stats;
  const h = w.heads;
  const columns: Column[] = [{ head: h.queue }, { head: h.jobs, numeric: true }, { head: h.failed, numeric: true, desk: true }, { head: h.median, numeric: true }, { head: h.p90, numeric: true }, { head: h.p99, numeric: true, desk: true }, { head: h.max, numeric: true, desk: true }, { head: h.gpuRun, numeric: true, desk: true }];
  const time = (n: number, count: number): string => (count === 0 ? none : duration(n));
  const rows = now.queues.map((q) => [
    q.queue === "" ? w.noQueue : <Name text={q.queue} />, number(q.jobs), number(q.failed), time(q.waited.median, q.waited.count), <b>{time(q.waited.p90, q.waited.count)}</b>, time(q.waited.p99, q.waited.count), time(q.waited.max, q.waited.count), gpuHours(q.gpuHours.ran),
  ]);
  return (
    <>
      <Card title={w.timeWaited} side={<SpreadLegend other={other} />}><SpreadPlot which="waited" now={now} before={before} span={span} height={260} /></Card>
      <Card title={w.queues} note={w.timeWaited}><Table caption={w.queues} columns={columns} rows={rows} /></Card>
      <Card title={w.timeRan} side={<SpreadLegend other={other} />}><SpreadPlot which="ran" now={now} before={before} span={span} height={220} /></Card>
    </>
  );
}

// FailuresPart shows how jobs ended and why they failed.
export function FailuresPart({ stats, other, failed }: PartProps) {
  const w = words.value;
  const { now, before } = stats;
  const h = w.heads;
  const all = now.outcomes["Failed"] ?? 0;
  const columns: Column[] = [{ head: h.cause }, { head: h.failures, numeric: true }, { head: h.share, numeric: true }, { head: h.before, numeric: true, desk: true }, { head: h.change, numeric: true }];
  const rows = joined(now.causes, before?.causes).map((c) => [
    <a class="underlined" href={failed(c.word)}>{c.word === "" ? w.unknownCause : c.word}</a>, <b>{number(c.count)}</b>, all > 0 ? percent(c.count / all) : none, c.before === undefined ? none : number(c.before), c.before === undefined ? none : signed(c.count - c.before),
  ]);
  return (
    <>
      <div class="stats-half">
        <Card title={w.howEnded} side={<EndLegend />}><EndPlot period={now} height={280} /></Card>
        <Card title={w.whyFailed} side={<span class="note">{w.whyFailedNote(all, other)}</span>}><CauseBars now={now} before={before} most={8} link={failed} /></Card>
      </div>
      {rows.length === 0 ? null : <Card title={w.whyFailed} note={w.all(rows.length)}><Table caption={w.whyFailed} columns={columns} rows={rows} /></Card>}
    </>
  );
}

// OwnersPart shows the usage of each owner.
export function OwnersPart({ stats }: PartProps) {
  const w = words.value;
  const h = w.heads;
  const { owners } = stats.now;
  const top = Math.max(1e-9, ...owners.map((o) => Math.max(o.ran, o.waited)));
  const columns: Column[] = [{ head: h.owner }, { head: w.byOwner, wide: true }, { head: h.gpuRun, numeric: true }, { head: h.gpuWaited, numeric: true }, { head: h.jobs, numeric: true, desk: true }, { head: h.failed, numeric: true, desk: true }, { head: h.share, numeric: true }];
  const rows = owners.map((o) => [
    <Name text={ownerName(o)} />,
    <div class="stats-bar is-double" aria-hidden="true"><i class="is-running" style={{ width: `${(o.ran / top) * 100}%` }} /><i class="is-queued" style={{ width: `${(o.waited / top) * 100}%` }} /></div>,
    <b>{gpuHours(o.ran, top)}</b>, gpuHours(o.waited, top), number(o.jobs), number(o.failed), o.jobs > 0 ? percent(shareOf(o.failed, o.jobs)) : none,
  ]);
  return <Card title={w.byOwner} side={<OwnerLegend />}>{rows.length === 0 ? <p class="stats-none">{w.noOwners}</p> : <Table caption={w.byOwner} columns={columns} rows={rows} />}</Card>;
}

// OwnerLegend explains the bars.
export function OwnerLegend() {
  const w = words.value;
  return <span class="stats-legend"><span><i class="stats-key is-running" />{w.run}</span><span><i class="stats-key is-thin is-queued" />{w.waited}</span></span>;
}

// PodsNote shows since when pods are counted, if that is not the whole period.
export function PodsNote({ from }: { from: string | undefined }) {
  const since = instant(from);
  return since === undefined ? null : <p class="note">{words.value.podsFrom(time(since))}</p>;
}

// NodesPart shows the nodes of failed pods.
export function NodesPart({ stats }: PartProps) {
  const w = words.value;
  const h = w.heads;
  const { nodes, nodesSeen } = stats.now;
  const columns: Column[] = [{ head: h.node }, { head: h.cells, wide: true }, { head: h.failed, numeric: true }, { head: h.pods, numeric: true }, { head: h.share, numeric: true }];
  const rows = nodes.slice(0, 200).map((n) => [<Name text={n.node} />, <Cells cells={n.cells} />, number(n.failed), number(n.pods), <b>{n.pods > 0 ? percent(n.failed / n.pods) : none}</b>]);
  return <Card title={w.byNode}>{!nodesSeen || rows.length === 0 ? <p class="stats-none">{nodesSeen ? w.noNodes : w.nodesUnseen}</p> : <Table caption={w.byNode} columns={columns} rows={rows} />}<PodsNote from={stats.now.podsFrom} /></Card>;
}

// fileOf returns the numbers of a part as a table for a file.
export function fileOf(part: string, stats: Stats): { heads: string[]; rows: Cell[][] } {
  const h = words.value.heads;
  const { now, before } = stats;
  switch (part) {
    case "failures":
      return { heads: [h.cause, h.failures, h.before], rows: joined(now.causes, before?.causes).map((c) => [c.word, c.count, c.before]) };
    case "owners":
      return { heads: [h.owner, h.gpuRun, h.gpuWaited, h.jobs, h.failed], rows: now.owners.map((o) => [ownerName(o), o.ran, o.waited, o.jobs, o.failed]) };
    case "nodes":
      return { heads: [h.node, h.pods, h.failed], rows: now.nodes.map((n) => [n.node, n.pods, n.failed]) };
    case "waiting":
      return { heads: [h.queue, h.jobs, h.failed, h.median, h.p90, h.p99, h.max, h.gpuRun, h.gpuWaited], rows: now.queues.map((q) => [q.queue, q.jobs, q.failed, q.waited.median, q.waited.p90, q.waited.p99, q.waited.max, q.gpuHours.ran, q.gpuHours.waited]) };
    default:
      return {
        heads: [h.time, "waited.count", "waited.median", "waited.p90", "ran.count", "ran.median", "ran.p90", "Succeeded", "Failed", "Aborted", "Deleted", "gpuHours.ran", "gpuHours.waited"],
        rows: now.buckets.map((b) => [b.from, b.waited.count, b.waited.median, b.waited.p90, b.ran.count, b.ran.median, b.ran.p90, b.outcomes["Succeeded"] ?? 0, b.outcomes["Failed"] ?? 0, b.outcomes["Aborted"] ?? 0, b.outcomes["Deleted"] ?? 0, b.gpuHours.ran, b.gpuHours.waited]),
      };
  }
}
