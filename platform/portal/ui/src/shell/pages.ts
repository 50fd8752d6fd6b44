// The pages by path. Each is loaded when it is first shown.

import type { ComponentType } from "preact";

// PageName names a page.
export type PageName = "jobs" | "job" | "submit" | "timeline" | "stats" | "operations" | "settings" | "docs" | "find" | "unknown";

const loaders: Partial<Record<PageName, () => Promise<ComponentType>>> = {
  jobs: () => import("../pages/jobs").then((m) => m.JobsPage),
  job: () => import("../pages/job").then((m) => m.JobPage),
  submit: () => import("../pages/submit").then((m) => m.SubmitPage),
  timeline: () => import("../pages/timeline").then((m) => m.TimelinePage),
  stats: () => import("../pages/stats").then((m) => m.StatsPage),
  operations: () => import("../pages/operations").then((m) => m.OperationsPage),
  settings: () => import("../pages/settings").then((m) => m.SettingsPage),
  docs: () => import("../pages/docs").then((m) => m.DocsPage),
};

const loaded = new Map<PageName, ComponentType>();

// pageOf returns the name of the page at a path.
export function pageOf(path: string): PageName {
  const parts = path.split("/").filter((p) => p !== "");
  const [first, ...rest] = parts;
  switch (first) {
    case undefined:
      return "jobs";
    case "jobs":
      return rest.length === 0 ? "jobs" : rest.length === 1 ? "unknown" : "job";
    case "stats":
    case "submit":
    case "timeline":
    case "operations":
    case "settings":
    case "docs":
      return first;
    case "find":
      return rest.length === 4 ? "find" : "unknown";
    default:
      return "unknown";
  }
}

// loadedPage returns the component of a page if it is loaded.
export function loadedPage(name: PageName): ComponentType | undefined {
  return loaded.get(name);
}

// loadPage loads the component of a page.
export async function loadPage(name: PageName): Promise<ComponentType | undefined> {
  const old = loaded.get(name);
  if (old) {
    return old;
  }
  const component = await loaders[name]?.();
  if (component) {
    loaded.set(name, component);
  }
  return component;
}
