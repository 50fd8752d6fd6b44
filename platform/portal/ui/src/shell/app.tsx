// The frame around all pages.

import "../shared";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { PathFind } from "../api";
import type { JobRef } from "../api";
import { fill, get, problem } from "../core/client";
import { go, here, jobPath, to } from "../core/router";
import { session, sessionProblem, loadSession } from "../core/session";
import { Button } from "../design/button";
import { GrayRows, Trouble } from "../design/panel";
import { Tips } from "../design/tip";
import { Toasts, toast } from "../design/toast";
import { words } from "../words";
import { BottomBar, Navigation } from "./navigation";
import { RecordingNotes, StaleNote } from "./livebadge";
import { Overlays } from "./overlays";
import { loadPage, loadedPage, pageOf } from "./pages";
import type { PageName } from "./pages";

// App shows the navigation and the page of the URL.
export function App() {
  const name = pageOf(here.value.path);
  const w = words.value;
  useEffect(() => {
    const titles: Partial<Record<PageName, string>> = { jobs: w.nav.jobs, timeline: w.nav.timeline, stats: w.nav.stats, operations: w.nav.operations, submit: w.nav.submit, settings: w.nav.settings, docs: w.nav.docs };
    const title = titles[name];
    document.title = title ? w.nav.title(title) : "Vedette";
  }, [name, w]);
  return (
    <>
      <a class="to-content" href="#content">{w.nav.toContent}</a>
      <Navigation page={name} />
      <RecordingNotes />
      <main class={"page is-" + name} id="content">
        {sessionProblem.value && !session.value ? <div class="content stack"><span /><Trouble problem={sessionProblem.value} again={() => void loadSession()} /></div> : <Page name={name} />}
      </main>
      <BottomBar page={name} />
      <Overlays />
      <StaleNote />
      <Toasts />
      <Tips />
    </>
  );
}

function Page({ name }: { name: PageName }) {
  const [component, set] = useState<{ name: PageName; page: ComponentType | undefined }>({ name, page: loadedPage(name) });
  const [fault, clear] = useErrorBoundary();
  const [failed, fail] = useState(false);
  useEffect(() => {
    let here = true;
    fail(false);
    clear();
    loadPage(name).then(
      (page) => { if (here) set({ name, page }); },
      () => { if (here) fail(true); },
    );
    return () => { here = false; };
  }, [name]);
  const w = words.value;
  if (fault || failed) {
    return <div class="nothing"><p class="nothing-text">{w.error.page}</p><Button onClick={() => location.reload()}>{w.error.reload}</Button></div>;
  }
  if (name === "unknown") {
    return <div class="nothing"><p class="nothing-text">{w.nav.notFound}</p><p class="text-3">{w.nav.notFoundHelp}</p><Button href={to("/jobs")}>{w.nav.jobs}</Button></div>;
  }
  if (name === "find") {
    return <Find />;
  }
  if (component.name !== name || !component.page) {
    return <div class="content"><GrayRows /></div>;
  }
  const Shown = component.page;
  return <Shown />;
}

// Find redirects to the newest job with a name.
function Find() {
  useEffect(() => {
    const [, , cluster = "", type = "", namespace = "", name = ""] = here.peek().path.split("/").map(decodeURIComponent);
    get<JobRef>(fill(PathFind, { cluster, type, namespace, name })).then(
      (job) => go(jobPath(job), "replace"),
      (e: unknown) => { toast(problem(e).detail ?? problem(e).title, { failure: true }); go("/jobs?q=" + encodeURIComponent(name), "replace"); },
    );
  }, []);
  return <div class="content"><GrayRows /></div>;
}
