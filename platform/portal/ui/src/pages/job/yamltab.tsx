// YAML at any revision, and the difference of any two.

import { PathBody, PathDiff, PathRevisions, ProblemGone } from "../../api";
import type { Body, Diff, Revision, RevisionList } from "../../api";
import { fill } from "../../core/client";
import { instant, number, time } from "../../core/format";
import { useKeys } from "../../core/keys";
import { useResource } from "../../core/resource";
import { here, setQuery } from "../../core/router";
import { Button, StateCell } from "../../design/button";
import { Empty, GrayRows, Trouble, copy } from "../../design/panel";
import { Time } from "../../design/text";
import { YamlView } from "../../design/yamlview";
import { stateWord } from "../../words";
import type { JobContext } from "./context";
import { DiffTable } from "./difftable";
import { chosen } from "./revisions";
import { w } from "./words";

// useRevisions reads the revisions of a job, oldest first.
export function useRevisions(job: JobContext) {
  return useResource<RevisionList>(fill(PathRevisions, { cluster: job.cluster, uid: job.uid }), { params: { at: job.at, limit: 500 }, version: job.version, keep: true });
}

function versionText(version: string): string {
  return /^\d{1,15}$/.test(version) ? number(Number(version)) : version;
}

// YamlTab has the slider of revisions, and below it a body or a difference.
export function YamlTab({ job }: { job: JobContext }) {
  const words = w.value.yaml;
  const answer = useRevisions(job);
  const list = answer.data?.revisions ?? [];
  const query = here.value.query;
  const from = query.get("from") ?? "";
  const i = chosen(list, query.get("to") ?? query.get("rev") ?? "");
  const now = list[i];
  const show = (n: number) => {
    const next = list[Math.max(0, Math.min(list.length - 1, n))];
    if (next) {
      setQuery(from !== "" ? { to: next.version } : { rev: next.version }, "replace");
    }
  };
  useKeys([
    { key: "[", what: w.value.keys.older, run: () => show(i - 1) },
    { key: "]", what: w.value.keys.newer, run: () => show(i + 1) },
    { key: "d", what: w.value.keys.diff, run: () => (from === "" ? pin(list[Math.max(0, i - 1)], now) : unpin(now)) },
  ]);
  if (!answer.data) {
    return answer.problem ? <Trouble problem={answer.problem} again={answer.reload} /> : <GrayRows />;
  }
  if (!now) {
    return <Empty text={words.none} />;
  }
  return (
    <div class="job-stack">
      <Slider list={list} at={i} pinned={from} show={show} />
      {from !== "" ? <DiffOf job={job} from={from} to={now.version} onEnd={() => unpin(now)} /> : <BodyOf job={job} revision={now} onCompare={() => pin(list[i > 0 ? i - 1 : i], now)} />}
    </div>
  );
}

function pin(from: Revision | undefined, to: Revision | undefined): void {
  if (from && to) {
    setQuery({ from: from.version, to: to.version, rev: null });
  }
}

function unpin(now: Revision | undefined): void {
  setQuery({ from: null, to: null, rev: now?.version ?? null });
}

function Slider({ list, at, pinned, show }: { list: readonly Revision[]; at: number; pinned: string; show: (i: number) => void }) {
  const words = w.value.yaml;
  const now = list[at];
  if (!now) {
    return null;
  }
  const share = (i: number) => (list.length < 2 ? 50 : (i / (list.length - 1)) * 100);
  const fixed = list.findIndex((r) => r.version === pinned);
  const text = `${words.revision(at + 1, list.length)}, ${stateWord(now.state ?? "")}, ${time(instant(now.seen))}`;
  return (
    <div class="revisions">
      <div class="revisions-head">
        <Button icon="left" plain label={words.older} disabled={at === 0} onClick={() => show(at - 1)} />
        <b>{words.revision(at + 1, list.length)}</b>
        <Button icon="right" plain label={words.newer} disabled={at === list.length - 1} onClick={() => show(at + 1)} />
        {now.state ? <StateCell state={now.state} /> : null}
        <span class="text-2">{versionText(now.version)}</span>
        <span class="text-2"><Time at={now.seen} /></span>
        <span class="text-3">{w.value.transitions.sources[now.source] ?? now.source}</span>
        <span class="grow" />
        <span class="text-3 revision-keys"><kbd>[</kbd> <kbd>]</kbd></span>
      </div>
      <div class="slider">
        <div class="slider-ticks" aria-hidden="true">
          {list.map((r, i) => <i class={`tick is-${r.deleted ? "Deleted" : (r.state ?? "Submitted")}${i === at ? " is-now" : ""}${i === fixed ? " is-pinned" : ""}`} style={{ left: `${share(i)}%` }} key={r.version} />)}
        </div>
        <input type="range" min={0} max={Math.max(0, list.length - 1)} value={at} aria-label={words.slider} aria-valuetext={text} onInput={(e) => show(Number(e.currentTarget.value))} />
      </div>
    </div>
  );
}

function BodyOf({ job, revision, onCompare }: { job: JobContext; revision: Revision; onCompare: () => void }) {
  const words = w.value.yaml;
  const answer = useResource<Body>(fill(PathBody, { cluster: job.cluster, uid: job.uid, version: revision.version }), { keep: true });
  const body = answer.data;
  if (answer.problem && body?.version !== revision.version) {
    return answer.problem.type === ProblemGone ? <Empty text={answer.problem.detail ?? words.stripped} /> : <Trouble problem={answer.problem} again={answer.reload} />;
  }
  if (!body) {
    return <GrayRows rows={12} />;
  }
  return (
    <section class="card yaml-card">
      <header class="card-head">
        <h2>YAML</h2><span class="card-note">{words.readOnly}</span><span class="grow" />
        <div class="card-tools"><Button icon="columns" plain onClick={onCompare}>{words.compare}</Button><Button icon="copy" plain label={words.copy} onClick={() => copy(body.yaml)} /></div>
      </header>
      <YamlView text={body.yaml} label={`YAML, ${versionText(body.version)}`} folds={body.bookkeeping} foldText={words.fold} />
    </section>
  );
}

function DiffOf({ job, from, to, onEnd }: { job: JobContext; from: string; to: string; onEnd: () => void }) {
  const words = w.value;
  const ref = { cluster: job.cluster, uid: job.uid };
  const diff = useResource<Diff>(from === to ? "" : fill(PathDiff, ref), { params: { from, to }, keep: true });
  const right = useResource<Body>(fill(PathBody, { ...ref, version: to }), { keep: true });
  const d = diff.data;
  return (
    <section class="card">
      <header class="card-head">
        <h2>{words.diff.title}</h2><span class="card-note">{words.diff.of(versionText(from), versionText(to))}{d && from !== to ? `, ${words.diff.differ(d.differ)}` : ""}</span><span class="grow" />
        <div class="card-tools"><Button icon="close" plain onClick={onEnd}>{words.yaml.end}</Button></div>
      </header>
      {from === to || (d && d.differ === 0) ? <p class="card-body text-2">{words.diff.none}</p> : null}
      {d && d.differ > 0 && from !== to ? <DiffTable lines={d.lines} cut={d.cut ?? 0} right={right.data?.version === to ? right.data.yaml : ""} /> : null}
      {!d && from !== to ? (diff.problem ? <Trouble problem={diff.problem} again={diff.reload} /> : <GrayRows rows={6} />) : null}
    </section>
  );
}
