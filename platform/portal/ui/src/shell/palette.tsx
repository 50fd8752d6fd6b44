// The palette (Ctrl-K): jobs, pages, actions and times by their first letters.

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { PathJobs } from "../api";
import type { JobList } from "../api";
import { useKeys } from "../core/keys";
import { parseTime, writtenTime } from "../core/instant";
import { time } from "../core/format";
import { useResource } from "../core/resource";
import { go, here, jobPath, setQuery, to } from "../core/router";
import { toggleTheme } from "../core/theme";
import { Icon } from "../design/icon";
import type { IconName } from "../design/icon";
import { StateIcon } from "../design/stateicon";
import { Name } from "../design/text";
import { words } from "../words";
import { setLanguage, language } from "../words/language";

// paletteShown reports whether the palette is open.
export const paletteShown = signal(false);

// Command is an action of the current page.
export interface Command {
  text: string;
  icon: IconName;
  run: () => void;
}

// pageCommands are the actions of the page, for example on the selection.
export const pageCommands = signal<Command[]>([]);

interface Entry {
  group: string;
  text: string;
  note?: string;
  icon?: IconName;
  state?: string;
  run: () => void;
}

// useDelayed returns a value after it has not changed for a while.
function useDelayed(value: string, ms: number): string {
  const [kept, keep] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => keep(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return kept;
}

// Palette shows a field and the matches.
export function Palette() {
  const w = words.value;
  const [text, type] = useState("");
  const [chosen, choose] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const asked = useDelayed(text.trim(), 120);
  const found = useResource<JobList>(asked.length < 2 ? "" : PathJobs, { params: { q: asked, limit: 8 }, keep: true });
  const close = () => { paletteShown.value = false; };
  useKeys([{ key: "Escape", what: "", typing: true, run: close }]);
  useLayoutEffect(() => {
    const before = document.activeElement;
    input.current?.focus();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  const entries = [...times(text), ...(asked.length < 2 ? [] : jobs(found.data)), ...commands(text)];
  const at = Math.min(chosen, entries.length - 1);
  const run = (e: Entry | undefined) => { close(); e?.run(); };
  const key = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      choose((at + (e.key === "ArrowDown" ? 1 : entries.length - 1)) % Math.max(1, entries.length));
    } else if (e.key === "Enter" && !e.isComposing) {
      e.preventDefault();
      run(entries[at]);
    } else if (e.key === "Tab") {
      e.preventDefault();
    }
  };
  useEffect(() => document.getElementById("palette-" + at)?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <>
      <div class="veil" onClick={close} />
      <div class="dialog float" role="dialog" aria-modal="true" aria-label={w.palette.label}>
        <div class="palette-input">
          <Icon name="search" />
          <input ref={input} type="text" value={text} placeholder={w.palette.hint} aria-label={w.palette.label} role="combobox" aria-expanded="true" aria-controls="palette-list"
            aria-activedescendant={entries.length > 0 ? "palette-" + at : undefined} autocomplete="off" spellcheck={false}
            onInput={(e) => { type(e.currentTarget.value); choose(0); }} onKeyDown={key} />
          <kbd>Esc</kbd>
        </div>
        <div class="palette-list" id="palette-list" role="listbox" aria-label={w.palette.label}>
          {entries.map((e, i) => (
            <>
              {e.group !== entries[i - 1]?.group ? <div class="palette-group" role="presentation">{e.group}</div> : null}
              <div class="palette-item" role="option" id={"palette-" + i} aria-selected={i === at} onPointerMove={() => choose(i)} onClick={() => run(e)}>
                {e.state ? <StateIcon state={e.state} /> : e.icon ? <Icon name={e.icon} /> : null}
                <span class="palette-text"><Name text={e.text} /></span>
                {e.note ? <span class="note">{e.note}</span> : null}
              </div>
            </>
          ))}
          {entries.length === 0 && asked === text.trim() && !found.loading ? <div class="palette-empty">{w.palette.nothing}</div> : null}
        </div>
      </div>
    </>
  );
}

function jobs(list: JobList | undefined): Entry[] {
  return (list?.jobs ?? []).map((j) => ({ group: words.value.palette.jobs, text: j.name, note: `${j.namespace} · ${j.cluster}`, state: j.state, run: () => go(to(jobPath(j))) }));
}

// times offers the instant of a typed time: "09:15", "at 09:15", "2h".
function times(text: string): Entry[] {
  const ms = parseTime(text.replace(/^at\s+/, ""));
  if (ms === undefined) {
    return [];
  }
  const w = words.value;
  return [{ group: w.palette.times, text: w.palette.as(time(ms)), icon: "clock", run: () => setQuery({ at: writtenTime(ms) }) }];
}

function commands(text: string): Entry[] {
  const w = words.value;
  const pages: Entry[] = ([["/jobs", w.nav.jobs, "list"], ["/timeline", w.nav.timeline, "timeline"], ["/stats", w.nav.stats, "stats"], ["/operations", w.nav.operations, "gear"], ["/submit", w.nav.submit, "plus"], ["/settings", w.nav.settings, "person"], ["/docs", w.nav.docs, "file"]] as const)
    .map(([path, name, icon]) => ({ group: w.palette.pages, text: name, icon, run: () => go(to(path)) }));
  const actions: Entry[] = [
    ...pageCommands.value.map((c) => ({ group: w.palette.actions, text: c.text, icon: c.icon, run: c.run })),
    { group: w.palette.actions, text: w.theme.toggle, icon: "moon", run: toggleTheme },
    { group: w.palette.actions, text: language.value === "en" ? "中文" : "English", icon: "person", run: () => setLanguage(language.peek() === "en" ? "zh" : "en") },
    ...(here.value.query.has("at") ? [{ group: w.palette.actions, text: w.at.back, icon: "clock" as const, run: () => setQuery({ at: null }) }] : []),
  ];
  const wanted = text.trim().toLowerCase();
  return [...pages, ...actions].filter((e) => e.text.toLowerCase().includes(wanted));
}
