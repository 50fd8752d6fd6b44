// Bars with numbers beside them: causes of failures, owners and nodes. Each list is a table.

import type { NodeShare, OwnerShare, Period } from "../../api";
import { number, percent } from "../../core/format";
import { Name } from "../../design/text";
import { signed } from "./compare";
import { gpuHours } from "./gpuhours";
import { folded, joined } from "./shares";
import { words } from "./words";

// width returns the style of a bar with a fraction of the available width.
function width(part: number, most: number): { width: string } {
  return { width: `${most > 0 ? Math.max(0, Math.min(100, (part / most) * 100)) : 0}%` };
}

// CauseBars shows why jobs failed, with a line for the other period.
export function CauseBars({ now, before, most, link }: { now: Period; before: Period | undefined; most: number; link: (reason: string) => string }) {
  const w = words.value;
  const rows = joined(now.causes, before?.causes).slice(0, most);
  const top = Math.max(1, ...rows.map((r) => Math.max(r.count, r.before ?? 0)));
  if (rows.length === 0) {
    return <p class="stats-none">{w.noFailures}</p>;
  }
  return (
    <table class="stats-bars is-causes">
      <caption class="hidden-text">{w.whyFailed}</caption>
      <colgroup><col class="stats-col-name" /><col /><col class="stats-col-number" /><col class="stats-col-number" /></colgroup>
      <thead class="hidden-text"><tr><th scope="col">{w.heads.cause}</th><td /><th scope="col">{w.heads.failures}</th><th scope="col">{w.heads.change}</th></tr></thead>
      <tbody>
        {rows.map((r) => (
          <tr key={r.word}>
            <th scope="row"><a href={link(r.word)}><Name text={r.word === "" ? w.unknownCause : r.word} /></a></th>
            <td class="stats-bar-cell" aria-hidden="true"><div class="stats-bar"><i class="is-failed" style={width(r.count, top)} />{r.before === undefined ? null : <u style={{ left: `${((r.before) / top) * 100}%` }} />}</div></td>
            <td class="numeric strong">{number(r.count)}</td>
            <td class="numeric text-3">{r.before === undefined ? "" : signed(r.count - r.before)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// ownerName returns the name of an owner; the rest and jobs without an owner have words.
export function ownerName(o: OwnerShare): string {
  const w = words.value;
  return (o.owners ?? 0) > 0 ? w.others(o.owners ?? 0) : o.owner === "" ? w.noOwner : o.owner;
}

// OwnerBars shows GPU hours: run above, waited below.
export function OwnerBars({ owners, most }: { owners: readonly OwnerShare[]; most: number }) {
  const w = words.value;
  const rows = folded(owners, most);
  const top = Math.max(1e-9, ...rows.map((o) => Math.max(o.ran, o.waited)));
  if (rows.length === 0) {
    return <p class="stats-none">{w.noOwners}</p>;
  }
  return (
    <table class="stats-bars is-owners">
      <caption class="hidden-text">{w.byOwner}</caption>
      <colgroup><col class="stats-col-name" /><col /><col class="stats-col-number" /><col class="stats-col-number" /></colgroup>
      <thead class="hidden-text"><tr><th scope="col">{w.heads.owner}</th><td /><th scope="col">{w.heads.gpuRun}</th><th scope="col">{w.heads.gpuWaited}</th></tr></thead>
      <tbody>
        {rows.map((o) => (
          <tr key={o.owner + String(o.owners ?? 0)}>
            <th scope="row"><Name text={ownerName(o)} /></th>
            <td class="stats-bar-cell" aria-hidden="true"><div class="stats-bar is-double"><i class="is-running" style={width(o.ran, top)} /><i class="is-queued" style={width(o.waited, top)} /></div></td>
            <td class="numeric strong">{gpuHours(o.ran, top)}</td>
            <td class="numeric text-3">{gpuHours(o.waited, top)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// NodeCells shows the nodes and times of failed pods.
export function NodeCells({ nodes, most, seen }: { nodes: readonly NodeShare[]; most: number; seen: boolean }) {
  const w = words.value;
  if (!seen || nodes.length === 0) {
    return <p class="stats-none">{seen ? w.noNodes : w.nodesUnseen}</p>;
  }
  return (
    <table class="stats-bars is-nodes">
      <caption class="hidden-text">{w.byNode}</caption>
      <colgroup><col class="stats-col-name" /><col /><col class="stats-col-wide" /><col class="stats-col-number" /></colgroup>
      <thead class="hidden-text"><tr><th scope="col">{w.heads.node}</th><td /><th scope="col">{w.heads.pods}</th><th scope="col">{w.heads.share}</th></tr></thead>
      <tbody>
        {nodes.slice(0, most).map((n) => (
          <tr key={n.node}>
            <th scope="row"><Name text={n.node} /></th>
            <td class="stats-bar-cell" aria-hidden="true"><Cells cells={n.cells} /></td>
            <td class="numeric text-3">{w.podsOf(n.failed, n.pods)}</td>
            <td class="numeric strong">{n.pods > 0 ? percent(n.failed / n.pods) : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Cells shows one cell per interval: filled where pods failed.
export function Cells({ cells }: { cells: readonly number[] }) {
  return <div class="stats-cells">{cells.map((n, i) => <i key={i} class={n > 0 ? "is-failed" : ""} />)}</div>;
}
