// The timeline: a row per job, a span per state.

import "../../shared";
import { useEffect, useMemo } from "preact/hooks";
import type { Change } from "../../api";
import { matches, parseFilter } from "../../core/filter";
import { clock, count, date, duration } from "../../core/format";
import { historyAge } from "../../core/history";
import { parseTime } from "../../core/instant";
import { rightsChanged, useLive } from "../../core/live";
import { at, here, param, setQuery } from "../../core/router";
import { session } from "../../core/session";
import { sameDay, zoneChoice } from "../../core/zone";
import { FilterBar } from "../../design/filterbar";
import { Button } from "../../design/button";
import { Menu } from "../../design/menu";
import { Empty, GrayRows, Trouble } from "../../design/panel";
import { words as shared } from "../../words";
import type { SceneWords } from "./draw";
import type { Blind } from "./gaps";
import { Legend } from "./legend";
import { Mirror } from "./mirror";
import { Model } from "./model";
import { OverviewBar } from "./overviewbar";
import { Plot } from "./plot";
import { groups } from "./rows";
import type { AttemptRow, Group } from "./rows";
import type { Stage } from "./stage";
import { nodesText } from "./tooltip";
import { usualSpan } from "./view";
import { Views } from "./views";
import { words } from "./words";

// orders are the choices of the menu; the first one needs no parameter.
const orders = ["submitted", "-submitted", "-ran", "-waited", "-gpus", "-tries", "name", "state"] as const;

// own are the parameters that are not filters of jobs.
const own = ["from", "to", "group", "sort", "lang", "sel", "limit", "after", "before", "window"];

// TimelinePage is the page of the same name.
export function TimelinePage() {
  const model = useMemo(() => new Model(), []);
  const filters = filtersOf(here.value.query);
  useModel(model, filters);
  const problem = model.lives.problem.value;
  const ready = model.lives.ready.value;
  const empty = ready && model.stage.layout.value.rows.length === 0;
  return (
    <div class="timeline">
      <Head model={model} />
      <div class="timeline-filter"><FilterBar short hidden={(t) => t.key === "window"} /></div>
      <OverviewBar stage={model.stage} filters={filters} />
      {problem === undefined ? null : <div class="timeline-line"><Trouble problem={problem} asOf={model.lives.asOf.value} again={() => model.load()} /></div>}
      <Lines model={model} />
      <div class="timeline-body">
        <Plot stage={model.stage} group={groupOfURL()} unfolded={model.unfolded.value} actions={model} />
        {!ready && problem === undefined ? <div class="timeline-over"><GrayRows rows={12} /></div> : null}
        {empty ? <div class="timeline-over"><Empty text={words.value.empty}><p class="note">{words.value.emptyNext}</p></Empty></div> : null}
      </div>
      <Mirror stage={model.stage} range={rangeText(model.stage)} />
      <Legend />
    </div>
  );
}

// filtersOf returns the parameters that the pages Jobs and Timeline share: filters and
// the instant.
function filtersOf(query: URLSearchParams): URLSearchParams {
  const out = new URLSearchParams(query);
  for (const key of own) {
    out.delete(key);
  }
  return out;
}

function groupOfURL(): Group {
  const text = param("group");
  return groups.find((g) => g === text) ?? "cluster";
}

// useModel connects the model with URL, stream and words.
function useModel(model: Model, filters: URLSearchParams): void {
  const w = words.value;
  const instant = at.value === "" ? undefined : parseTime(at.value);
  const age = historyAge().value;
  useEffect(() => {
    model.start();
    return () => {
      model.end();
    };
  }, [model]);
  useEffect(() => {
    // An instant in the past has the full default window: the age applies to now.
    if (age !== undefined) {
      model.ask({ filters, from: param("from"), to: param("to"), sort: param("sort"), group: groupOfURL(), at: instant, usual: usualSpan(instant === undefined ? age : Infinity) });
    }
  }, [here.value, instant, age]);
  useEffect(() => {
    model.stage.words = sceneWords();
    model.stage.invalidate();
  }, [w, zoneChoice.value]);
  useEffect(() => {
    if (rightsChanged.value > 0) {
      model.load();
    }
  }, [rightsChanged.value]);
  const filter = parseFilter(filters);
  model.matches = (c: Change) => matches(filter, c.job, model.stage.now(), session.peek()?.names ?? []);
  const ready = model.lives.ready.value && instant === undefined;
  useLive(ready ? model.lives.position : undefined, (changes) => model.change(changes), () => model.load());
  useTick(model.stage);
}

// useTick moves the live edge once a second.
function useTick(stage: Stage): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && stage.fixed.peek() === undefined) {
        stage.soon();
      }
    }, 1000);
    return () => clearInterval(timer);
  }, [stage]);
}

function sceneWords(): SceneWords {
  const w = words.peek();
  const causes: Record<string, string> = w.causes;
  return {
    duration: (ms) => duration(ms / 1000),
    gap: (b: Blind) => {
      const strong = b.to === Infinity ? w.notWatchedSince(clock(b.from)) : w.notWatchedSpan(clock(b.from), clock(b.to));
      const rest = [causes[b.cause] ?? b.cause, w.found(b.changes)].filter((t) => t !== "").join(shared.peek().comma);
      return [strong, groupOfURL() === "cluster" ? rest : w.inCluster(b.cluster, rest)];
    },
    failure: (row: AttemptRow) => {
      const reason = row.attempt?.reason ?? (row.last ? (row.lane.job.reason ?? "") : "");
      const failed = row.attempt === undefined ? row.lane.job.state === "Failed" : row.attempt.state === "Failed";
      return failed && row.last && reason !== "" ? w.failure(reason, nodesText((row.attempt?.nodes ?? []).slice(0, 1))) : "";
    },
  };
}

// rangeText describes the shown interval: "04:30 – now, 6h 12m".
function rangeText(stage: Stage): string {
  const w = words.value;
  const v = stage.view.value;
  const now = stage.now();
  const s = stage.scale();
  const to = v.live ? now : s.to;
  const text = (ms: number): string => (sameDay(ms, now) ? "" : date(ms) + " ") + clock(ms);
  return w.range(text(s.from), v.live ? (stage.fixed.value === undefined ? w.now : text(now)) : text(to), duration((to - s.from) / 1000));
}

function Head({ model }: { model: Model }) {
  const w = words.value;
  const { stage } = model;
  stage.width.value;
  const group = groupOfURL();
  const sort = orders.find((o) => o === param("sort")) ?? "submitted";
  return (
    <div class="page-head">
      <h1>{w.title}</h1>
      <Views />
      <span class="grow" />
      {stage.view.value.live ? null : <Button plain icon="right" class="timeline-edge" onClick={() => stage.edge()}>{w.toEdge}</Button>}
      <span class="timeline-range">{rangeText(stage)}</span>
      <Menu label={w.group} icon="filter" side="right" text={<><span class="timeline-menu-word">{w.group}{shared.value.colon}</span>{w.groups[group]}</>} items={groups.map((g) => ({ text: w.groups[g], checked: g === group, run: () => setQuery({ group: g === "cluster" ? null : g }) }))} />
      <Menu label={w.order} side="right" text={<><span class="timeline-menu-word">{w.order}{shared.value.colon}</span>{w.orders[sort]}</>} items={orders.map((o) => ({ text: w.orders[o], checked: o === sort, run: () => setQuery({ sort: o === "submitted" ? null : o }) }))} />
      <Button icon="plus" label={w.zoomIn} onClick={() => stage.zoom(1.5)} />
      <Button icon="minus" label={w.zoomOut} onClick={() => stage.zoom(1 / 1.5)} />
    </div>
  );
}

// Lines show what the rows omit: jobs beyond the limit, and new ones.
function Lines({ model }: { model: Model }) {
  const w = words.value;
  const { lives } = model;
  const held = lives.waiting.value;
  const part = lives.ready.value && !lives.complete.value && !lives.loading.value;
  return (
    <>
      {part ? <p class="timeline-line note">{w.part(lives.lanes.length, count(lives.matching.value))}</p> : null}
      {held > 0 ? <button type="button" class="timeline-new" onClick={() => lives.show()}>{w.newJobs(held)}</button> : null}
      <span class="hidden-text" role="status">{lives.loading.value && lives.ready.value ? w.loadingMore : ""}</span>
    </>
  );
}
