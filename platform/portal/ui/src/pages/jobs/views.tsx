// Views: filters with a name. Four are predefined; others stay in this browser.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { PathCounts } from "../../api";
import type { JobCounts } from "../../api";
import { second } from "../../core/clock";
import { count } from "../../core/format";
import { writtenTime } from "../../core/instant";
import { useResource } from "../../core/resource";
import { at, here, query } from "../../core/router";
import { recall, remember } from "../../core/storage";
import { midnight } from "../../core/zone";
import { Button } from "../../design/button";
import { Icon } from "../../design/icon";
import { Menu } from "../../design/menu";
import { toast } from "../../design/toast";
import { words as common } from "../../words";
import { asked } from "./query";
import { words } from "./words";

interface Saved {
  name: string;
  query: string;
}

const saved = signal<Saved[]>(recall<Saved[]>("views", []));

function keep(views: Saved[]): void {
  saved.value = views;
  remember("views", views);
}

// own returns the parameters of a view: filters and order, without instant and selection.
function own(q: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams();
  for (const [key, value] of q) {
    if (!["at", "sel", "after", "before", "lang", "columns"].includes(key)) {
      params.append(key, value);
    }
  }
  params.sort();
  return params;
}

// today returns the beginning of the day in the form of a URL.
function today(now: number): string {
  return writtenTime(midnight(now));
}

// Views shows the views, and which one matches the URL.
export function Views() {
  const w = words.value;
  const minute = Math.floor(second.value / 60_000) * 60_000;
  const fixed = [
    { name: w.views.all, query: "", counts: false }, { name: w.views.mine, query: "mine=true", counts: false },
    { name: w.views.waiting, query: new URLSearchParams({ state: "Queued", waited: ">30m", window: "all" }).toString(), counts: true },
    { name: w.views.failed, query: new URLSearchParams({ state: "Failed", ended: ">=" + today(minute) }).toString(), counts: true },
  ];
  const now = own(here.value.query).toString();
  const known = [...fixed, ...saved.value.map((s) => ({ ...s, counts: false }))];
  const exact = known.findIndex((v) => own(new URLSearchParams(v.query)).toString() === now);
  const current = Math.max(0, exact);
  return (
    <nav class="views" aria-label={w.views.label}>
      {known.map((v, i) => <ViewLink name={v.name} params={v.query} counts={v.counts} current={i === current} />)}
      {exact >= fixed.length ? (
        <Button icon="close" plain label={w.views.remove(known[current]?.name ?? "")} onClick={() => removeView(known[current]?.query ?? "")} />
      ) : <SaveView params={now} />}
    </nav>
  );
}

function removeView(params: string): void {
  const before = saved.value;
  const gone = before.find((v) => v.query === params);
  keep(before.filter((v) => v !== gone));
  toast(words.value.views.removed(gone?.name ?? ""), { undo: () => keep(before) });
}

function ViewLink({ name, params, counts, current }: { name: string; params: string; counts: boolean; current: boolean }) {
  const q = new URLSearchParams(params);
  if (at.value !== "") {
    q.set("at", at.value);
  }
  const refresh = Math.floor(second.value / 15_000);
  const wanted = asked(q);
  const found = useResource<JobCounts>(counts ? PathCounts : "", { params: wanted, version: refresh, keep: true });
  return <a class="view" href={"/jobs" + query(q)} aria-current={current ? "true" : undefined}>{name}{counts && found.data ? <span class="view-count">{count(found.data.matching)}</span> : null}</a>;
}

function SaveView({ params }: { params: string }) {
  const w = words.value;
  return (
    <Menu class="save-view" label={w.views.save} button={<span class="view save"><Icon name="plus" size={14} />{w.views.save}</span>}>
      {(close) => <SaveForm onSave={(name) => { keep([...saved.value.filter((v) => v.query !== params), { name, query: params }]); toast(w.views.saved(name)); close(); }} />}
    </Menu>
  );
}

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const [name, type] = useState("");
  return (
    <form class="menu-form" onSubmit={(e) => { e.preventDefault(); if (name.trim() !== "") onSave(name.trim()); }}>
      <label for="view-name">{words.value.views.name}</label>
      <input class="field" id="view-name" maxLength={40} value={name} autocomplete="off" onInput={(e) => type(e.currentTarget.value)} />
      <Button type="submit" disabled={name.trim() === ""}>{common.value.action.save}</Button>
    </form>
  );
}
