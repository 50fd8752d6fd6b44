// The navigation: at the top, and on phones at the bottom.

import { isKey } from "../core/filter";
import { here, setQuery, to } from "../core/router";
import type { Changes } from "../core/router";
import { clusters, initials, session, signOut } from "../core/session";
import { toggleTheme, shownTheme } from "../core/theme";
import { Button } from "../design/button";
import { Icon } from "../design/icon";
import type { IconName } from "../design/icon";
import { Logo } from "../design/logo";
import { Menu } from "../design/menu";
import type { Item } from "../design/menu";
import { toast } from "../design/toast";
import { words } from "../words";
import { language, setLanguage } from "../words/language";
import { AtMenu } from "./atmenu";
import { LiveBadge } from "./livebadge";
import { keyName } from "./keyhelp";
import { paletteShown } from "./palette";
import type { PageName } from "./pages";

// Navigation is the bar at the top.
export function Navigation({ page }: { page: PageName }) {
  const w = words.value;
  const names: Partial<Record<PageName, string>> = { jobs: w.nav.jobs, job: w.nav.jobs, timeline: w.nav.timeline, stats: w.nav.stats, operations: w.nav.operations, submit: w.nav.submitShort, settings: w.nav.settings, docs: w.nav.docs };
  return (
    <header class="nav">
      <a class="brand" href={to("/jobs")} aria-label={w.nav.home}><Logo /><span class="brand-name phone-hidden">Vedette</span></a>
      <h1 class="phone-title">{names[page] ?? "Vedette"}</h1>
      <nav class="nav-pages" aria-label={w.nav.label}>
        <PageLink path="/jobs" text={w.nav.jobs} current={page === "jobs"} />
        <PageLink path="/timeline" text={w.nav.timeline} current={page === "timeline"} />
        <PageLink path="/stats" text={w.nav.stats} current={page === "stats"} />
        {session.value?.maySeeOperations === false ? null : <PageLink path="/operations" text={w.nav.operations} current={page === "operations"} />}
      </nav>
      <span class="grow phone-hidden" />
      <button class="nav-search" type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => { paletteShown.value = true; }}><Icon name="search" size={16} /><span>{w.nav.search}</span><kbd aria-hidden="true">{keyName("Mod+k")}</kbd></button>
      <ClusterMenu />
      <AtMenu />
      <LiveBadge />
      {page === "submit" || session.value?.maySubmit === false ? null : <Button icon="plus" primary class="submit-button" href={to("/submit")}>{w.nav.submit}</Button>}
      <Button icon={shownTheme.value === "dark" ? "sun" : "moon"} plain class="theme-button" label={w.theme.toggle} onClick={toggleTheme} />
      <PersonMenu />
    </header>
  );
}

function PageLink({ path, text, current }: { path: string; text: string; current: boolean }) {
  return <a class="nav-page" href={to(path, filtersFor(path))} aria-current={current ? "page" : undefined}>{text}</a>;
}

// listing are the pages that show jobs with the same filters: links between them preserve
// the filters.
const listing = ["/jobs", "/timeline"];

function filtersFor(path: string): Changes {
  const { path: now, query } = here.value;
  if (!listing.includes(path) || !listing.includes(now)) {
    return {};
  }
  const own = [...new Set(query.keys())].filter((key) => isKey(key) || key === "q");
  return Object.fromEntries(own.map((key) => [key, query.getAll(key)]));
}

// ClusterMenu restricts every page to one cluster, with the filter of that name.
function ClusterMenu() {
  const w = words.value;
  const all = clusters.value;
  const chosen = here.value.query.getAll("cluster");
  const items: Item[] = [{ text: w.cluster.all, checked: chosen.length === 0, run: () => setQuery({ cluster: null }) }, ...all.map((name) => ({ text: name, checked: chosen.includes(name), run: () => setQuery({ cluster: name }) }))];
  return <Menu class="cluster-menu" label={w.cluster.label} text={chosen.length === 0 ? w.cluster.all : chosen.join(", ")} items={items} />;
}

function PersonMenu() {
  const w = words.value;
  const s = session.value;
  const name = s?.person ?? "";
  const items: Item[] = [
    { text: name === "" ? w.person.nobody : w.person.signedIn(name), disabled: true },
    { text: w.person.settings, icon: "gear", href: to("/settings"), line: true },
    { text: w.nav.docs, icon: "file", href: to("/docs") },
    { text: "English", checked: language.value === "en", run: () => setLanguage("en"), line: true },
    { text: "中文", checked: language.value === "zh", run: () => setLanguage("zh") },
  ];
  if (s && s.signIn !== "none") {
    items.push({ text: w.person.signOut, line: true, run: () => void signOut().catch((e: unknown) => toast(String(e), { failure: true })) });
  }
  return <Menu label={name === "" ? w.person.menu : `${initials(name)}, ${w.person.menu}`} side="right" items={items} button={<span class="avatar">{name === "" ? <Icon name="person" /> : initials(name)}</span>} />;
}

// BottomBar is the navigation of phones.
export function BottomBar({ page }: { page: PageName }) {
  const w = words.value;
  const link = (path: string, text: string, icon: IconName, current: boolean) => <a class="bottom-item" href={to(path)} aria-current={current ? "page" : undefined}><Icon name={icon} />{text}</a>;
  const more: Item[] = [
    { text: w.nav.operations, icon: "gear", href: to("/operations") },
    { text: w.nav.settings, icon: "person", href: to("/settings") },
    { text: w.nav.docs, icon: "file", href: to("/docs") },
    { text: w.theme.toggle, icon: "moon", run: toggleTheme },
  ];
  return (
    <nav class="bottom-bar" aria-label={w.nav.label}>
      {link("/jobs", w.nav.jobs, "list", page === "jobs" || page === "job")}
      {link("/timeline", w.nav.timeline, "timeline", page === "timeline")}
      <a class="bottom-item" href={to("/submit")} aria-current={page === "submit" ? "page" : undefined}><span class="bottom-submit"><Icon name="plus" /></span>{w.nav.submitShort}</a>
      {link("/stats", w.nav.stats, "stats", page === "stats")}
      <Menu label={w.nav.more} items={more} button={<span class="bottom-item"><Icon name="dots" />{w.nav.more}</span>} />
    </nav>
  );
}
