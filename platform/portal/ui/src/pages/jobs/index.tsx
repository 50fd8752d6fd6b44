import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "../../shared";
import { PathCounts } from "../../api";
import type { JobCounts } from "../../api";
import { count, none } from "../../core/format";
import { keys, parseFilter } from "../../core/filter";
import type { Term } from "../../core/filter";
import { useKeys } from "../../core/keys";
import { live, pause } from "../../core/live";
import { useResource } from "../../core/resource";
import { go, here, jobPath, param, setQuery, to } from "../../core/router";
import { session } from "../../core/session";
import { Button } from "../../design/button";
import { FilterBar, removal, termText } from "../../design/filterbar";
import { Menu } from "../../design/menu";
import type { Item } from "../../design/menu";
import { copy, Empty, GrayRows, Trouble } from "../../design/panel";
import { words as common } from "../../words";
import { pageCommands } from "../../shell/palette";
import { all, choose, chooseFirst, chosen, density, setDensity, useChoiceInURL } from "./columns";
import type { ColumnName, Density } from "./columns";
import { csv } from "./csv";
import { JobDrawer } from "./drawer";
import { Pills } from "./pills";
import { asked, firstWindow, onlyFilters, windows } from "./query";
import type { Row } from "./rows";
import { retry, SelectionBar } from "./selection";
import { JobsPhoneList, JobsTable } from "./table";
import { useAnnounced } from "./announce";
import { useRemembered } from "./remembered";
import { useList } from "./useList";
import type { List } from "./useList";
import { usePlaceOfNews } from "./usePlaceOfNews";
import { usePhone } from "../../core/phone";
import { Views } from "./views";
import { words } from "./words";

// shownElsewhere reports whether a term of the filter has its own control.
function shownElsewhere(t: Term): boolean {
  return t.key === "window" || t.key === "mine" || (t.key === "state" && t.op === "");
}

// JobsPage is the list of jobs.
export function JobsPage() {
  const w = words.value;
  const list = useList();
  useRemembered(list);
  useChoiceInURL();
  const rows = list.view?.rows ?? [];
  const shown = param("sel");
  const [current, move] = useState(-1);
  const [selected, select] = useState<ReadonlySet<number>>(new Set());
  const phone = usePhone();
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => { move(-1); select(new Set()); if (scroller.current) scroller.current.scrollTop = 0; }, [list.page]);
  const picked = rows.filter((r) => selected.has(r.job.id));
  const clear = () => select(new Set());
  const focus = (i: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, i));
    move(next);
    const id = rows[next]?.job.id;
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-id="${id}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    if (shown !== "") {
      preview(rows[next], true);
    }
  };
  const toggle = (row: Row | undefined, range = false) => {
    if (!row) {
      return;
    }
    const i = rows.indexOf(row);
    const next = new Set(selected);
    if (range && current >= 0) {
      rows.slice(Math.min(i, current), Math.max(i, current) + 1).forEach((r) => next.add(r.job.id));
    } else if (!next.delete(row.job.id)) {
      next.add(row.job.id);
    }
    select(next);
    move(i);
  };
  useListKeys({ rows, current, focus, toggle, picked, shown, clear });
  useEffect(() => {
    pageCommands.value = picked.length === 0 ? [] : [{ text: `${common.value.action.retry}: ${w.selected(picked.length)}`, icon: "retry", run: () => { void retry(picked); clear(); } }];
    return () => { pageCommands.value = []; };
  }, [selected, w]);
  const caption = w.caption(count(list.view?.counts.matching));
  const [over, setOver] = useState(false);
  const place = usePlaceOfNews(list.view?.added.size ?? 0, over);
  const news = place === "" ? null : <NewJobs list={list} />;
  const announced = useAnnounced(list.view);
  return (
    <div class={"jobs" + (shown === "" ? "" : " with-drawer")}>
      <div class="jobs-main">
        <Head rows={rows} />
        <Pills counts={list.view?.counts} />
        <FilterBar hidden={shownElsewhere} short={shown !== ""} />
        <div class="jobs-scroll" ref={scroller} onPointerEnter={(e) => setOver(e.pointerType === "mouse")} onPointerLeave={() => setOver(false)}>
          {list.problem ? <Trouble problem={list.problem} again={list.reload} asOf={list.view ? list.asOf : 0} /> : null}
          {phone || rows.length === 0 ? news : null}
          {list.view === undefined ? (list.problem ? null : <GrayRows rows={16} />) : rows.length === 0 ? <NoJobs list={list} />
            : phone ? <JobsPhoneList rows={rows} caption={caption} />
            : <JobsTable rows={rows} sort={param("sort") || "-submitted"} caption={caption} shown={shown} selected={selected} current={current} news={place === "above" ? news : null} acts={{ preview: (r) => { move(rows.indexOf(r)); preview(r); }, select: toggle }} />}
        </div>
        <Foot list={list} picked={picked} clear={clear} news={place === "below" && !phone && rows.length > 0 ? news : null} />
        <div class="hidden-text" role="status" aria-live="polite">{announced}</div>
      </div>
      {shown === "" ? null : <JobDrawer sel={shown} row={rows.find((r) => r.job.cluster + "/" + r.job.uid === shown)} />}
    </div>
  );
}

// preview shows a job in the drawer. Another one replaces it, so Back closes the drawer.
function preview(row: Row | undefined, keep = false): void {
  if (!row) {
    return;
  }
  const sel = row.job.cluster + "/" + row.job.uid;
  const open = param("sel");
  setQuery({ sel: open === sel && !keep ? null : sel }, open === "" ? "push" : "replace");
}

interface KeyState {
  rows: Row[];
  current: number;
  focus: (i: number) => void;
  toggle: (row: Row | undefined) => void;
  picked: Row[];
  shown: string;
  clear: () => void;
}

function useListKeys(s: KeyState): void {
  const w = words.value.keys;
  const row = s.rows[Math.max(0, s.current)];
  useKeys([
    { key: "j", what: w.next, run: () => s.focus(s.current + 1) },
    { key: "k", what: w.previous, run: () => s.focus(Math.max(0, s.current - 1)) },
    { key: "ArrowDown", what: "", run: () => s.focus(s.current + 1) },
    { key: "ArrowUp", what: "", run: () => s.focus(Math.max(0, s.current - 1)) },
    { key: "Enter", what: w.open, run: () => { if (row) go(to(jobPath(row.job))); } },
    { key: "Space", what: w.preview, run: () => preview(row) },
    { key: "x", what: w.select, run: () => s.toggle(row) },
    { key: "r", what: w.retry, run: () => { if (s.picked.length > 0) { void retry(s.picked); s.clear(); } } },
    { key: "p", what: common.value.keys.pause, run: () => pause(live.peek().state !== "paused") },
    { key: "Escape", what: w.close, run: () => { if (s.shown !== "") { setQuery({ sel: null }, "replace"); } else { s.clear(); } } },
  ]);
}

function Head({ rows }: { rows: Row[] }) {
  const w = words.value;
  const chosenWindow = param("window") || firstWindow;
  const names: Record<string, string> = { "1h": w.window.h1, "24h": w.window.h24, "7d": w.window.d7, "30d": w.window.d30, all: w.window.all };
  const more: Item[] = [
    ...(["compact", "normal", "relaxed"] as const).map((d: Density) => ({ text: w.density[d], checked: density.value === d, run: () => setDensity(d) })),
    { text: w.copyLink, icon: "link", line: true, run: () => copy(location.href) },
    { text: w.download, icon: "download", run: () => csv(rows) },
  ];
  const columns: Item[] = all.filter((c) => c.leaves > 0).map((c) => ({ text: w.column[c.name], checked: chosen.value.includes(c.name), stays: true, run: () => choose(c.name, !chosen.value.includes(c.name as ColumnName)) }));
  return (
    <div class="page-head">
      <h1>{common.value.nav.jobs}</h1>
      <Views />
      <span class="grow" />
      <div class="head-tools">
        <Menu icon="clock" label={w.window.label} text={names[chosenWindow] ?? chosenWindow} side="right" items={windows.map((v) => ({ text: names[v] ?? v, checked: v === chosenWindow, run: () => setQuery({ window: v === firstWindow ? null : v }) }))} />
        <Menu icon="columns" class="columns-menu" label={w.columns} text={w.columns} arrow={false} side="right" items={[...columns, { text: w.reset, line: true, run: chooseFirst }]} />
        <Menu icon="dots" label={w.more} side="right" items={more} />
      </div>
    </div>
  );
}

function NewJobs({ list }: { list: List }) {
  const n = list.view?.added.size ?? 0;
  const show = () => {
    if (here.peek().query.has("after") || here.peek().query.has("before")) {
      setQuery({ after: null, before: null });
    } else {
      list.reload();
    }
  };
  return <button class="new-jobs" type="button" onClick={show}>{words.value.newJobs(n)}</button>;
}

function NoJobs({ list }: { list: List }) {
  const w = common.value;
  const q = here.value.query;
  const f = parseFilter(q);
  const none = f.terms.length === 0 && f.words.length === 0 && list.page?.first !== undefined;
  if (none && (list.view?.added.size ?? 0) === 0 && !q.has("window")) {
    return <Empty text={`${w.empty.noJobs} ${w.empty.noJobsHelp}`}>{session.value?.maySubmit === false ? null : <Button icon="plus" href={to("/submit")}>{w.nav.submit}</Button>}<Button href="/jobs?window=all">{words.value.window.all}</Button></Empty>;
  }
  return (
    <Empty text={w.empty.noMatch}>
      {f.terms.map((t) => <Repair text={t.key === "window" || keys[t.key] === "flag" ? w.filter.keys[t.key] : termText(t)} changes={t.key === "window" ? { window: "all" } : removal(q, t)} />)}
      {f.words.length > 0 ? <Repair text={f.words.join(" ")} changes={{ q: [] }} /> : null}
      {q.has("window") ? null : <Repair text={words.value.window.h24} changes={{ window: "all" }} />}
    </Empty>
  );
}

// Repair offers to remove one filter, and shows how many jobs would then match.
function Repair({ text, changes }: { text: string; changes: Record<string, string | string[]> }) {
  const w = common.value;
  const q = new URLSearchParams(here.value.query);
  for (const [key, value] of Object.entries(changes)) {
    q.delete(key);
    for (const v of typeof value === "string" ? [value] : value) {
      q.append(key, v);
    }
  }
  const found = useResource<JobCounts>(PathCounts, { params: onlyFilters(asked(q)) });
  const n = found.data?.matching;
  if (n !== undefined && n.n === 0) {
    return null;
  }
  return <Button onClick={() => setQuery(changes)}>{w.empty.remove(text)}{n ? <span class="text-3"> ({w.empty.would(count(n))})</span> : null}</Button>;
}

function Foot({ list, picked, clear, news }: { list: List; picked: Row[]; clear: () => void; news: ComponentChildren }) {
  const w = words.value;
  const page = list.page;
  const n = list.view?.rows.length ?? 0;
  const first = page?.first ?? 0;
  const newer = page?.previous ? () => setQuery({ before: page.previous ?? null, after: null }) : undefined;
  const older = page?.next ? () => setQuery({ after: page.next ?? null, before: null }) : undefined;
  return (
    <footer class="jobs-foot">
      {picked.length > 0 ? <SelectionBar rows={picked} clear={clear} /> : (
        <>
          <span class="text-2">{list.view === undefined ? none : n === 0 ? w.none : w.range(Math.max(1, first), Math.max(1, first) + n - 1, count(list.view?.counts.matching))}</span>
          <Button disabled={!newer} onClick={newer}>{common.value.action.newer}</Button>
          <Button disabled={!older} onClick={older}>{common.value.action.older}</Button>
          {news}
        </>
      )}
      <span class="grow" />
      <span class="foot-keys" aria-hidden="true"><kbd>j</kbd><kbd>k</kbd> {common.value.keys.move}<kbd>Enter</kbd> {common.value.keys.open}<kbd>?</kbd> {common.value.keys.all}</span>
    </footer>
  );
}
