// English words that all pages share. zh.ts has the same keys.

import { number } from "../core/format";

// n joins a number and a noun: "1 job", "3 jobs".
export function n(count: number, one: string, many = one + "s"): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// ordinal returns "1st", "2nd", "11th".
export function ordinal(i: number): string {
  const tens = i % 100;
  const last = i % 10;
  const end = tens >= 11 && tens <= 13 ? "th" : last === 1 ? "st" : last === 2 ? "nd" : last === 3 ? "rd" : "th";
  return number(i) + end;
}

export const en = {
  states: {
    Submitted: "Submitted", Queued: "Queued", Starting: "Starting", Running: "Running", Suspended: "Suspended",
    Restarting: "Restarting", Succeeded: "Succeeded", Failed: "Failed", Aborted: "Aborted", Deleted: "Deleted",
  },
  notWatched: "Not watched",
  ordinal,
  jobs: (i: number) => n(i, "job"),
  gpus: (i: number) => n(i, "GPU"),
  pods: (i: number) => n(i, "pod"),
  attempts: (i: number) => n(i, "attempt"),
  attempt: (i: number) => `Attempt ${i}`,
  changes: (i: number) => n(i, "change"),
  cpu: "CPU",
  unknown: "unknown",
  comma: ", ", colon: ": ", list: ", ", space: " ",
  // said translates the server's English texts into the language of the page.
  said: (text: string) => text,
  nav: {
    label: "Pages", jobs: "Jobs", timeline: "Timeline", stats: "Statistics", operations: "Operations", settings: "Settings",
    docs: "API", submit: "Submit job", submitShort: "Submit", more: "More", search: "Search or jump to", home: "Vedette, jobs",
    toContent: "Skip to content", title: (page: string) => `${page} · Vedette`,
    notFound: "No such page", notFoundHelp: "The address may be cut off. The list of jobs has all jobs.",
  },
  cluster: { all: "All clusters", label: "Cluster" },
  at: {
    now: "Now", label: "Instant", go: "Show", back: "Back to now", pick: "Everything as of", help: "09:15, Nov 21 22:10, or 2h for 2 hours ago",
    ago: (text: string) => `${text} ago`, wrong: "Not a time. Write 09:15, Nov 21 22:10, or 2h.",
  },
  theme: { light: "Light theme", dark: "Dark theme", system: "System theme", toggle: "Switch theme" },
  person: {
    menu: "Your menu", nobody: "Not signed in", signOut: "Sign out", language: "Language", settings: "Settings", signedIn: (name: string) => `Signed in as ${name}`,
  },
  live: {
    live: (lag: string) => `Live ${lag}`, word: "Live", reconnecting: (s: number) => `Reconnecting, ${s} s`, catchingUp: (i: number) => `Catching up, ${n(i, "change")}`,
    stale: (time: string) => `Stale since ${time}`, paused: (i: number) => `Paused, ${number(i)} new`, asOf: (time: string) => `As of ${time}, back to now`,
    connecting: "Connecting", pause: "Pause", resume: "Resume", help: "99th-percentile delay from the recorder to this page",
    never: "Not recorded", behind: (age: string) => `Behind by ${age}`, nobody: "No recorder writes to this database.", notRecorded: "not recorded",
    unrecorded: (cluster: string, types: string, time: string) => (types === "" ? `${cluster} is not recorded since ${time}.` : `In ${cluster}, ${types} are not recorded since ${time}.`),
    countsAsOf: (time: string) => `as of ${time}`,
    staleHelp: (time: string) => `Not connected since ${time}. What you see may be old.`,
    summary: (started: number, failed: number, ended: number, added: number) =>
      [added > 0 ? n(added, "new job") : "", started > 0 ? `${number(started)} started` : "", ended > 0 ? `${number(ended)} ended` : "", failed > 0 ? `${number(failed)} failed` : ""].filter((t) => t !== "").join(", "),
  },
  empty: {
    noJobs: "No jobs yet.", noJobsHelp: "Submit one, or run vedette demo.", noMatch: "No job matches.",
    remove: (term: string) => `Remove “${term}”`, would: (count: string) => `${count} would match`, clear: "Remove all filters",
  },
  error: {
    // types has sentences for problems, which the server describes in English.
    types: {} as Record<string, string>,
    again: "Try again", id: (id: string) => `ID ${id}`, from: (time: string) => `What you see is from ${time}.`, copyRole: "Copy role", copied: "Copied",
    signIn: "Sign in", network: "The portal does not answer. Check the connection, or whether the portal runs.",
    loading: (share: string) => `The portal has started and is reading the history: ${share}.`, reload: "Reload the page",
    denied: "You may not do this. Ask the owners of the namespace for this role:", deniedNoRole: "You may not do this.", page: "This page failed. Reload it.",
  },
  action: {
    retry: "Retry", stop: "Stop", clone: "Clone and edit", subscribe: "Subscribe", close: "Close", cancel: "Cancel", copy: "Copy", copyLink: "Copy link", open: "Open page", undo: "Undo", more: "More",
    open1: "Open", download: "Download", save: "Save", remove: "Remove", clear: "Clear", show: "Show", newer: "Newer", older: "Older",
  },
  keys: { title: "Keys", all: "all keys", move: "move", open: "open", go: "Go to", none: "Keys do not work while you type.", list: "Show all keys", palette: "Search or jump", submit: "Submit a job", theme: "Switch theme", pause: "Pause or resume", filter: "Filter", back: "Back" },
  palette: { label: "Search or jump to", jobs: "Jobs", pages: "Pages", actions: "Actions", times: "Times", nothing: "Nothing found.", hint: "Name of a job, a page, or a time, such as “at 09:15”", as: (time: string) => `Everything as of ${time}` },
  filter: {
    label: "Filter", add: "Add a filter: name, state, queue, owner, cluster", addShort: "Add a filter", clear: "Clear", remove: (term: string) => `Remove ${term}`,
    is: "is", isNot: "is not", anyOf: "is any of", noneOf: "is none of", has: "has", hasNot: "does not have", contains: "contains", over: "over", under: "under", atLeast: "≥", atMost: "≤",
    suggestions: "Suggestions", mine: "mine", wrong: "This filter is not valid",
    keys: {
      state: "state", cluster: "cluster", namespace: "namespace", queue: "queue", owner: "owner", kind: "kind", type: "type", name: "name", label: "label", reason: "reason", priority: "priority",
      gpus: "GPUs", pods: "pods", waited: "waited", ran: "ran", tries: "tries", submitted: "submitted", ended: "ended", since: "since", q: "name", mine: "owner", window: "window",
    },
  },
  life: {
    label: "Life", submitted: (time: string) => `submitted ${time}`, for: (state: string, time: string) => `${state} for ${time}`, gap: (time: string) => `not watched for ${time}`, now: "now",
  },
  local: (zone: string) => `Times are local, ${zone}`,
};

export type Words = typeof en;
