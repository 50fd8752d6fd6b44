// Statistics of a period, compared with another one.

import "../../shared";
import { useEffect, useRef, useState } from "preact/hooks";
import { PathStats, PathSuggest } from "../../api";
import type { Stats, Suggestions } from "../../api";
import { second } from "../../core/clock";
import { clock, date, instant, number, short } from "../../core/format";
import { rightsChanged, useLive } from "../../core/live";
import { at, here, param, setQuery, to } from "../../core/router";
import { historyAge } from "../../core/history";
import { parseTime } from "../../core/instant";
import { useResource } from "../../core/resource";
import { Button } from "../../design/button";
import { Menu } from "../../design/menu";
import { Card, Empty, GrayRows, Trouble, reveal } from "../../design/panel";
import { CauseBars, NodeCells, OwnerBars } from "./bars";
import { csv, download } from "./csv";
import { EndPlot } from "./endplot";
import { KeyNumbers } from "./keynumbers";
import { EndLegend, SpreadLegend } from "./legend";
import type { Span } from "./period";
import { ageText, choices, daysOf, spanText, usualDays } from "./period";
import { periodOf, requestOf, versus } from "./request";
import type { Versus } from "./request";
import { SpreadPlot } from "./spreadplot";
import { FailuresPart, NodesPart, OwnerLegend, OwnersPart, PodsNote, WaitingPart, fileOf } from "./tables";
import type { PartProps } from "./tables";
import { words as shared } from "../../words";
import { language } from "../../words/language";
import { words } from "./words";

// parts are the tabs; the path selects the current one.
const parts = ["overview", "waiting", "failures", "owners", "nodes"] as const;

type Part = (typeof parts)[number];

// refresh is the interval at which the numbers are read again, in milliseconds.
const refresh = 60_000;

// StatsPage is the page of the same name.
export function StatsPage() {
  const w = words.value;
  const part = partOf(here.value.path);
  const minute = Math.floor(second.value / refresh);
  const instantOf = at.value === "" ? undefined : parseTime(at.value);
  const now = instantOf ?? (minute + 1) * refresh;
  const vs = versusOf(param("vs"));
  const age = historyAge().value;
  const usual = usualDays(at.value === "" ? (age ?? 0) : Infinity);
  const span = periodOf(param("from"), param("to"), now, usual);
  const known = age !== undefined || param("from") !== "" || at.value !== "";
  const resource = useResource<Stats>(known ? PathStats : "", { params: requestOf(here.value.query, span, vs, now), version: `${at.value === "" ? minute : 0} ${rightsChanged.value}`, keep: true });
  const { data } = resource;
  const [position, setPosition] = useState<number | undefined>(undefined);
  useEffect(() => setPosition((old) => old ?? data?.position), [data]);
  // The page reads by itself; it follows the stream so that the badge shows how current it
  // is.
  useLive(at.value === "" ? position : undefined, () => undefined, resource.reload);
  useMore(data, resource.reload);
  const shown: Span = data === undefined ? span : { from: Date.parse(data.from), to: Date.parse(data.to) };
  return (
    <div class="stats">
      <Head part={part} usual={usual} span={span} vs={vs} now={now} data={data} />
      <div class="content stack">
        {resource.problem === undefined ? null : <Trouble problem={resource.problem} asOf={data === undefined ? 0 : resource.asOf} again={resource.reload} />}
        {data === undefined ? (resource.problem === undefined ? <GrayRows rows={12} /> : null) : <Shown part={part} props={{ stats: data, span: shown, other: otherText(data, now), failed: failedLink(shown) }} />}
        {data !== undefined && data.now.ended === 0 && data.now.waited.count === 0 ? <Empty text={w.nothing}><p class="note">{w.nothingHelp}</p></Empty> : null}
      </div>
    </div>
  );
}

// moreAfter is how long the page waits until more pods are counted, in milliseconds.
const moreAfter = 2500;

// useMore reads again while each answer counts more pods than the previous one.
function useMore(data: Stats | undefined, reload: () => void): void {
  const counted = useRef("");
  useEffect(() => {
    const from = data?.now.podsFrom ?? data?.before?.podsFrom ?? "";
    if (from === "" || from === counted.current) {
      return;
    }
    counted.current = from;
    const timer = setTimeout(reload, moreAfter);
    return () => clearTimeout(timer);
  }, [data]);
}

function partOf(path: string): Part {
  const [, , name] = path.split("/");
  return parts.find((p) => p === name) ?? "overview";
}

function versusOf(text: string): Versus {
  return versus.find((v) => v === text) ?? "before";
}

// otherText formats the other period: "Nov 8 – 14".
function otherText(data: Stats, now: number): string {
  const from = instant(data.beforeFrom);
  const end = instant(data.beforeTo);
  return from === undefined || end === undefined ? "" : spanText({ from, to: end }, now, date, clock, dayGap());
}

// failedLink returns a link to the failed jobs of a cause.
function failedLink(span: Span): (reason: string) => string {
  return (reason) => to("/jobs", { state: "Failed", ended: ">=" + new Date(span.from).toISOString().replace(/\.\d+Z/, "Z"), ...(reason === "" ? {} : { reason }) });
}

function Shown({ part, props }: { part: Part; props: PartProps }) {
  switch (part) {
    case "waiting":
      return <WaitingPart {...props} />;
    case "failures":
      return <FailuresPart {...props} />;
    case "owners":
      return <OwnersPart {...props} />;
    case "nodes":
      return <NodesPart {...props} />;
    case "overview":
      return <OverviewPart {...props} />;
  }
}

function OverviewPart({ stats, span, other, failed }: PartProps) {
  const w = words.value;
  const { now, before } = stats;
  const cells = now.nodes[0]?.cells.length ?? 0;
  const cell = cells > 0 ? short((span.to - span.from) / 1000 / cells) : "";
  return (
    <>
      <KeyNumbers now={now} before={before} />
      <div class="stats-wide-row">
        <Card title={w.timeWaited} side={<SpreadLegend other={other} />}><SpreadPlot which="waited" now={now} before={before} span={span} height={256} /></Card>
        <Card title={w.howEnded} side={<EndLegend />}><EndPlot period={now} height={256} /></Card>
      </div>
      <div class="stats-thirds">
        <Card title={w.whyFailed} side={<span class="note">{w.whyFailedNote(now.outcomes["Failed"] ?? 0, other)}</span>}><CauseBars now={now} before={before} most={7} link={failed} /></Card>
        <Card title={w.byOwner} side={<OwnerLegend />}><OwnerBars owners={now.owners} most={7} /></Card>
        <Card title={w.byNode} side={<span class="note">{cell === "" ? "" : w.byNodeNote(cell)}</span>}><NodeCells nodes={now.nodes} most={7} seen={now.nodesSeen} /><PodsNote from={now.podsFrom} /></Card>
      </div>
    </>
  );
}

function Head({ part, usual, span, vs, now, data }: { part: Part; usual: number; span: Span; vs: Versus; now: number; data: Stats | undefined }) {
  const w = words.value;
  const days = param("from") === "" ? usual : daysOf(param("from"));
  const text = `${spanText(span, now, date, clock, dayGap())}${span.to - span.from > 1.5 * 86_400_000 ? `${shared.value.comma}${w.length(Math.ceil((span.to - span.from) / 86_400_000))}` : ""}`;
  const other = data === undefined ? "" : otherText(data, now);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => reveal(tabs.current), [part]);
  const save = (): void => {
    if (data !== undefined) {
      const { heads, rows } = fileOf(part, data);
      download(`vedette-${part}-${data.from.slice(0, 10)}.csv`, csv(heads, rows));
    }
  };
  return (
    <div class="page-head stats-head">
      <h1>{w.title}</h1>
      <nav class="stats-parts" aria-label={w.views} ref={tabs}>
        {parts.map((p) => <a key={p} class="stats-part" href={(p === "overview" ? "/stats" : `/stats/${p}`) + location.search} aria-current={p === part ? "page" : undefined}>{w.tabs[p]}</a>)}
      </nav>
      <span class="grow" />
      <QueueMenu />
      <Menu label={w.period} icon="clock" side="right" text={text} items={choices.map((n) => ({ text: w.days(n), checked: days !== undefined && ageText(days) === ageText(n), run: () => setQuery({ from: ageText(n), to: null }) }))} />
      <Menu label={w.versus} side="right" text={<><span class="text-3 stats-against">{w.comparedWith} </span>{vs === "none" || other === "" ? w.versusChoices[vs] : other}</>} items={versus.map((v) => ({ text: w.versusChoices[v], checked: v === vs, run: () => setQuery({ vs: v === "before" ? null : v }) }))} />
      <Button icon="download" label={w.download} disabled={data === undefined} onClick={save} />
    </div>
  );
}

// QueueMenu narrows the page to one queue.
function QueueMenu() {
  const w = words.value;
  const chosen = here.value.query.getAll("queue");
  const found = useResource<Suggestions>(PathSuggest, { params: { key: "queue", prefix: "" }, keep: true });
  const names = (found.data?.items ?? []).filter((i) => i.key === "queue" && (i.value ?? "") !== "").slice(0, 30);
  const items = [
    { text: w.allQueues, checked: chosen.length === 0, run: () => setQuery({ queue: null }) },
    ...names.map((i) => ({ text: i.value ?? "", note: i.count === undefined ? "" : number(i.count.n), checked: chosen.includes(i.value ?? ""), run: () => setQuery({ queue: i.value ?? null }) })),
  ];
  return <Menu label={w.queue} icon="filter" text={chosen.length === 0 ? w.allQueues : chosen.join(shared.value.list)} items={items} />;
}

// dayGap is the separator of a date and a time of day.
function dayGap(): string {
  return language.value === "zh" ? " " : ", ";
}
