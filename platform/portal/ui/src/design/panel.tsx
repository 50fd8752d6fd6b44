// Cards, tabs, drawers, and states without data.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../api";
import { ProblemDenied, ProblemLoading, ProblemSignIn } from "../api";
import { ProblemNetwork } from "../core/client";
import { clock } from "../core/format";
import { words } from "../words";
import { language } from "../words/language";
import { Button } from "./button";
import { Icon } from "./icon";
import { toast } from "./toast";

// Card is a bordered part of a page with a title.
export function Card(p: { title?: ComponentChildren; note?: ComponentChildren; side?: ComponentChildren; class?: string; children: ComponentChildren }) {
  return (
    <section class={"card " + (p.class ?? "")}>
      {p.title === undefined ? null : (
        <header class="card-head">
          <h2>{p.title}</h2>
          {p.note === undefined ? null : <span class="card-note">{p.note}</span>}
          <span class="grow" />
          {p.side === undefined ? null : <div class="card-side">{p.side}</div>}
        </header>
      )}
      {p.children}
    </section>
  );
}

// Fact is a number with its meaning above and a note below.
export function Fact(p: { name: string; value: ComponentChildren; note?: ComponentChildren }) {
  return <div class="fact"><div class="fact-name">{p.name}</div><div class="fact-value">{p.value}</div><div class="fact-note">{p.note}</div></div>;
}

// Tab is one of several views. The URL selects the current one.
export interface Tab {
  text: string;
  href: string;
  note?: string | number;
  current: boolean;
}

// Tabs are links between the views of one thing.
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const box = useRef<HTMLElement>(null);
  const current = tabs.findIndex((t) => t.current);
  useEffect(() => reveal(box.current), [current]);
  return (
    <nav class="tabs" aria-label={label} ref={box}>
      {tabs.map((t) => <a class="tab" href={t.href} aria-current={t.current ? "page" : undefined}>{t.text}{t.note === undefined ? null : <span class="tab-note">{t.note}</span>}</a>)}
    </nav>
  );
}

// reveal scrolls a row of links sideways until the current one is visible.
export function reveal(box: HTMLElement | null): void {
  const link = box?.querySelector<HTMLElement>("[aria-current]");
  if (box && link) {
    const [left, right] = [link.offsetLeft - box.offsetLeft, link.offsetLeft - box.offsetLeft + link.offsetWidth];
    box.scrollLeft = Math.max(Math.min(box.scrollLeft, left - 16), right + 16 - box.clientWidth);
  }
}

// Empty shows that something is empty, and the next step.
export function Empty(p: { text: string; children?: ComponentChildren }) {
  return <div class="nothing"><p class="nothing-text">{p.text}</p><div class="nothing-do">{p.children}</div></div>;
}

// GrayRows are placeholders of rows. They show nothing for 150 ms.
export function GrayRows({ rows = 8 }: { rows?: number }) {
  const [late, set] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => set(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return <div class="gray-rows" aria-busy="true">{late ? Array.from({ length: rows }, () => <div class="gray-row"><i /><i /><i /></div>) : null}</div>;
}

// loadingAgain is how long a page waits for a portal that has just started, in milliseconds.
const loadingAgain = 2000;

// Trouble shows a problem of a request: the failure, and the next step. asOf is the time of the
// data that is shown meanwhile; 0 without data.
export function Trouble({ problem, again, asOf = 0 }: { problem: Problem; again?: () => void; asOf?: number }) {
  const w = words.value;
  const denied = problem.type === ProblemDenied;
  const loading = problem.type === ProblemLoading;
  const calm = denied || loading || problem.type === ProblemSignIn;
  const repeat = useRef(again);
  repeat.current = again;
  useEffect(() => {
    const timer = loading ? setTimeout(() => repeat.current?.(), loadingAgain) : undefined;
    return () => clearTimeout(timer);
  }, [problem]);
  const text = problem.type === ProblemNetwork ? w.error.network
    : loading ? w.error.loading(`${Math.floor((problem.done ?? 0) * 100)} %`)
    : language.value === "zh" && denied ? (problem.role ? w.error.denied : w.error.deniedNoRole)
    : (w.error.types[problem.type] ?? problem.detail ?? (denied ? (problem.role ? w.error.denied : w.error.deniedNoRole) : problem.title));
  return (
    <div class={calm ? "trouble is-denied" : "trouble"} role={loading ? "status" : "alert"}>
      <Icon name={calm ? "info" : "warning"} />
      <div class="trouble-text">{text}{asOf > 0 ? " " + w.error.from(clock(asOf, true)) : ""}{problem.instance ? <span class="text-3"> {w.error.id(problem.instance)}</span> : null}</div>
      {problem.role ? <Button icon="copy" onClick={() => copy(problem.role ?? "")}>{w.error.copyRole}</Button> : null}
      {problem.type === ProblemSignIn ? <Button href={"/auth/?to=" + encodeURIComponent(location.pathname + location.search)}>{w.error.signIn}</Button>
        : again && !denied ? <Button icon="retry" onClick={again}>{w.error.again}</Button> : null}
    </div>
  );
}

// copy copies a text to the clipboard, and confirms it.
export function copy(text: string): void {
  navigator.clipboard.writeText(text).then(() => toast(words.peek().error.copied), (e: unknown) => toast(String(e), { failure: true }));
}

// Drawer is a panel on the right, next to the item that it describes. It is not a dialog: the
// page next to it stays usable.
export function Drawer(p: { label: string; head: ComponentChildren; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLElement>(null);
  return (
    <aside class="drawer" aria-label={p.label} ref={box} tabIndex={-1}>
      <header class="drawer-head">{p.head}<Button icon="close" plain label={words.value.action.close} onClick={p.onClose} /></header>
      <div class="drawer-body">{p.children}</div>
    </aside>
  );
}
