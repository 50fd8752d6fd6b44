// The list of the URL, live.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { PathCounts, PathJobs } from "../../api";
import type { Change, JobCounts, JobList, Problem } from "../../api";
import { aborted, get } from "../../core/client";
import { second, serverNow } from "../../core/clock";
import { parseFilter } from "../../core/filter";
import { rightsChanged, useLive } from "../../core/live";
import { useResource } from "../../core/resource";
import { here } from "../../core/router";
import { session } from "../../core/session";
import { asked, filterOf, onlyFilters } from "./query";
import { apply, placed, recounted, viewOf, waitsInLine } from "./rows";
import type { Scope, View } from "./rows";

// List is the content of the page.
export interface List {
  view: View | undefined;
  page: JobList | undefined;
  problem: Problem | undefined;
  loading: boolean;
  asOf: number;
  reload: () => void;
}

const recountAfter = 3000; // minimum interval of counts, in milliseconds
const recountAlways = 30_000; // jobs leave the window of time without a change
const placesEvery = 10_000; // a line moves without a change of the jobs in it

// useList reads the list of the URL, and applies the changes of the stream.
export function useList(): List {
  const q = here.value.query;
  const past = q.has("at");
  const params = asked(q);
  const key = params.toString();
  const found = useResource<JobList>(PathJobs, { params, version: rightsChanged.value, keep: true });
  const page = found.data;
  const [view, set] = useState<View | undefined>(undefined);
  const source = useRef<JobList | undefined>(undefined);
  const filter = useMemo(() => filterOf(q), [key]);
  // The view of a new answer is available in the same frame as the answer.
  let current = view;
  if (page && source.current !== page) {
    source.current = page;
    current = viewOf(page);
    set(current);
  }
  const take = (changes: Change[]) => set((v) => (v ? apply(v, changes, { filter, mine: session.peek()?.names ?? [], now: serverNow() }) : v));
  useLive(page && !past ? page.position : undefined, take, found.reload);
  useCounts(current, key, past, set);
  usePlaces(current, key, past, set);
  return { view: current, page, problem: found.problem, loading: found.loading, asOf: found.asOf, reload: found.reload };
}

// scopeOf returns the current scope of the list of some parameters.
function scopeOf(params: string): Scope {
  return { filter: parseFilter(new URLSearchParams(params)), mine: session.peek()?.names ?? [], now: serverNow() };
}

// useCounts reads the counts again when changes are not sufficient, and periodically.
function useCounts(view: View | undefined, key: string, past: boolean, set: (f: (v: View | undefined) => View | undefined) => void): void {
  const last = useRef(serverNow());
  const now = second.value;
  const due = view !== undefined && !past && (now - last.current > recountAlways || (view.unsure && now - last.current > recountAfter));
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), [key]);
  useEffect(() => {
    if (!due) {
      return;
    }
    last.current = now;
    stop.current?.abort();
    const mine = new AbortController();
    stop.current = mine;
    get<JobCounts>(PathCounts, onlyFilters(new URLSearchParams(key)), mine.signal).then(
      (c) => set((v) => (v ? recounted(v, c, scopeOf(key)) : v)),
      (e: unknown) => {
        if (!aborted(e)) {
          last.current = serverNow(); // the badge shows that the portal is not reachable
        }
      },
    );
  }, [due]);
}

// usePlaces periodically reads the places in line again, while a row has one.
function usePlaces(view: View | undefined, key: string, past: boolean, set: (f: (v: View | undefined) => View | undefined) => void): void {
  const on = view !== undefined && !past && waitsInLine(view);
  useEffect(() => {
    if (!on) {
      return;
    }
    const stop = new AbortController();
    const timer = setInterval(() => {
      get<JobList>(PathJobs, new URLSearchParams(key), stop.signal).then((list) => set((v) => (v ? placed(v, list) : v)), () => undefined); // the badge shows that the portal is not reachable
    }, placesEvery);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [key, on]);
}
