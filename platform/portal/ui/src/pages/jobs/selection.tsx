// Acts on several jobs at once.

import { useState } from "preact/hooks";
import { PathRetry, PathStop } from "../../api";
import { fill, said, write } from "../../core/client";
import { holds, isFinal } from "../../core/state";
import { Button } from "../../design/button";
import { toast } from "../../design/toast";
import { words as common } from "../../words";
import type { Row } from "./rows";
import { words } from "./words";

// act acts on jobs one after another, and shows the results.
async function act(rows: Row[], path: string, body: (row: Row) => unknown, done: (n: number) => string): Promise<void> {
  const w = words.peek();
  let ok = 0;
  let refused = 0;
  let why = "";
  for (const row of rows) {
    try {
      await write("POST", fill(path, { cluster: row.job.cluster, uid: row.job.uid }), body(row));
      ok++;
    } catch (e) {
      refused++;
      why = said(e);
    }
  }
  if (refused > 0) {
    toast((ok > 0 ? done(ok) + " " : "") + w.failed(refused, why), { failure: true });
  } else {
    toast(done(ok));
  }
}

// retry submits copies of the ended ones of some jobs.
export function retry(rows: Row[]): Promise<void> {
  return act(rows.filter((r) => isFinal(r.job.state)), PathRetry, (r) => ({ key: `${r.job.uid}-${Date.now().toString(36)}` }), words.peek().retried);
}

// stop cancels the open ones of some jobs.
export function stop(rows: Row[]): Promise<void> {
  return act(rows.filter((r) => !isFinal(r.job.state)), PathStop, (r) => ({ confirm: r.job.name }), words.peek().stopped);
}


// SelectionBar is in the footer while jobs are selected.
export function SelectionBar({ rows, clear }: { rows: Row[]; clear: () => void }) {
  const w = words.value;
  const [asking, ask] = useState(false);
  const ended = rows.filter((r) => isFinal(r.job.state));
  const open = rows.filter((r) => !isFinal(r.job.state));
  const held = open.filter((r) => holds(r.job.state)).reduce((sum, r) => sum + Math.max(0, r.job.gpus), 0);
  return (
    <div class="selection" role="group" aria-label={w.selected(rows.length)}>
      <b>{w.selected(rows.length)}</b>
      <Button icon="retry" disabled={ended.length === 0} onClick={() => { void retry(ended); clear(); }}>{common.value.action.retry}</Button>
      <Button icon="stop" disabled={open.length === 0} onClick={() => { if (!asking && held > 0) { ask(true); return; } void stop(open); clear(); }}>{asking ? w.confirmStop(open.length) : common.value.action.stop}</Button>
      <Button plain onClick={clear}>{common.value.action.clear}</Button>
      {asking ? <span class="text-2" role="alert">{w.holdGPUs(held)}</span> : null}
    </div>
  );
}
