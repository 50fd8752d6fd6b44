// The URL is the state of a page: filters, order, selection and instant are in it, and Back
// undoes the last change.

import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";

// Place is the current URL of the browser.
export interface Place {
  path: string;
  query: URLSearchParams;
}

const place = signal<Place>(read());

// here is the current place.
export const here: ReadonlySignal<Place> = place;

// at is the instant of `?at=`, as in the URL; empty for now.
export const at = computed(() => place.value.query.get("at") ?? "");

function read(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

// Changes are new values of parameters; null or [] removes one.
export type Changes = Record<string, string | readonly string[] | null>;

// go shows another place. With "replace", Back does not return to the current one.
export function go(to: string, how: "push" | "replace" = "push"): void {
  const now = location.pathname + location.search;
  if (to === now) {
    return;
  }
  if (how === "push") {
    history.pushState(null, "", to);
  } else {
    history.replaceState(null, "", to);
  }
  const before = place.value.path;
  place.value = read();
  if (before !== place.value.path) {
    scrollTo(0, 0);
  }
}

// query returns parameters in the form of a URL. Characters that need no escape stay
// readable.
export function query(params: URLSearchParams): string {
  const text = params.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text === "" ? "" : "?" + text;
}

// changed returns the URL of the current place with some parameters changed. Cursors are
// dropped, because they belong to the old parameters.
export function changed(changes: Changes): string {
  const params = new URLSearchParams(place.value.query);
  if (!["after", "before", "sel", "columns"].some((key) => key in changes)) {
    params.delete("after");
    params.delete("before");
  }
  for (const [key, value] of Object.entries(changes)) {
    params.delete(key);
    for (const v of typeof value === "string" ? [value] : (value ?? [])) {
      params.append(key, v);
    }
  }
  return place.value.path + query(params);
}

// setQuery changes parameters of the current place.
export function setQuery(changes: Changes, how: "push" | "replace" = "push"): void {
  go(changed(changes), how);
}

// param returns the value of a parameter of the current place, or "".
export function param(key: string): string {
  return place.value.query.get(key) ?? "";
}

// kept are the parameters that a link to another page preserves.
const kept = ["at"];

// to returns the URL of another page, with the instant of the current place.
export function to(path: string, params: Changes = {}): string {
  const all = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    for (const v of typeof value === "string" ? [value] : (value ?? [])) {
      all.append(key, v);
    }
  }
  for (const key of kept) {
    const value = place.value.query.get(key);
    if (value && !all.has(key)) {
      all.set(key, value);
    }
  }
  return path + query(all);
}

// jobPath returns the path of the page of a job, or of one of its tabs.
export function jobPath(job: { cluster: string; uid: string }, tab = ""): string {
  return `/jobs/${encodeURIComponent(job.cluster)}/${encodeURIComponent(job.uid)}${tab === "" ? "" : "/" + tab}`;
}

// follow handles clicks on links to pages of the portal. The browser handles clicks with a
// modifier, other buttons and other origins.
function follow(e: MouseEvent): void {
  if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) {
    return;
  }
  const link = e.target instanceof Element ? e.target.closest("a") : null;
  if (!link || link.target !== "" || link.origin !== location.origin || link.hasAttribute("download")) {
    return;
  }
  if (/^\/(api|assets|auth)\//.test(link.pathname) || (link.pathname === location.pathname && link.search === location.search && link.hash !== "")) {
    return;
  }
  e.preventDefault();
  go(link.pathname + link.search);
}

// startRouter starts to listen to clicks and to the browser's history.
export function startRouter(): void {
  addEventListener("popstate", () => {
    place.value = read();
  });
  document.addEventListener("click", follow);
}
