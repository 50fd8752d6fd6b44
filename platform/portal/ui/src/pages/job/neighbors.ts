// The neighbors of a job in the list that it was opened from.

import { useEffect, useState } from "preact/hooks";
import { PathJobs } from "../../api";
import type { JobList } from "../../api";
import { get } from "../../core/client";
import { openedList, rememberList } from "../../core/openedlist";
import type { Opened } from "../../core/openedlist";
import { jobPath } from "../../core/router";

// Neighbors are the place of a job in the list, and the paths of the previous and next job.
export interface Neighbors {
  place: number;
  total: string;
  previous: string;
  next: string;
  list: string;
}

// neighborsOf returns the neighbors in the known part of the list.
export function neighborsOf(list: Opened | undefined, job: { cluster: string; uid: string }): Neighbors | undefined {
  const i = list?.jobs.findIndex((j) => j.cluster === job.cluster && j.uid === job.uid) ?? -1;
  if (!list || i < 0) {
    return undefined;
  }
  const path = (n: number) => {
    const other = list.jobs[n];
    return other ? jobPath(other) : "";
  };
  return { place: list.first > 0 ? list.first + i : 0, total: list.total, previous: path(i - 1), next: path(i + 1), list: "/jobs" + (list.query === "" ? "" : "?" + list.query) };
}

// useNeighbors returns the neighbors, and reads the next part of the list at its edges.
export function useNeighbors(job: { cluster: string; uid: string }): Neighbors | undefined {
  const [list, set] = useState(openedList);
  const found = neighborsOf(list, job);
  const wants = list && found ? (found.next === "" && list.next !== "" ? "after" : found.previous === "" && list.previous !== "" ? "before" : "") : "";
  useEffect(() => {
    if (!list || wants === "") {
      return;
    }
    const stop = new AbortController();
    const params = new URLSearchParams(list.params);
    for (const key of ["after", "before", "sel"]) {
      params.delete(key);
    }
    params.set(wants, wants === "after" ? list.next : list.previous);
    get<JobList>(PathJobs, params, stop.signal)
      .then((page) => {
        const jobs = page.jobs.map((j) => ({ cluster: j.cluster, uid: j.uid }));
        const longer = wants === "after"
          ? { ...list, jobs: [...list.jobs, ...jobs], next: page.next ?? "" }
          : { ...list, jobs: [...jobs, ...list.jobs], previous: page.previous ?? "", first: list.first > 0 ? Math.max(1, list.first - jobs.length) : 0 };
        rememberList(longer);
        set(longer);
      })
      .catch(() => set({ ...list, [wants === "after" ? "next" : "previous"]: "" }));
    return () => stop.abort();
  }, [wants, list]);
  return found;
}
