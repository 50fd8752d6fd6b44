// The list of jobs that was last shown in this tab of the browser. The page of a job finds its
// neighbors there.

// Opened is a list, or the part of it that was read.
export interface Opened {
  // query is the search part of the URL of the list, and params that of its request.
  query: string;
  params: string;
  // first is the place of the first job in the list, and total the number of matching
  // jobs, as text.
  first: number;
  total: string;
  jobs: { cluster: string; uid: string }[];
  next: string;
  previous: string;
}

const item = "vedette.list";

// mostKept limits the stored jobs.
const mostKept = 5000;

// rememberList stores the shown list.
export function rememberList(list: Opened): void {
  try {
    sessionStorage.setItem(item, JSON.stringify({ ...list, jobs: list.jobs.slice(0, mostKept) }));
  } catch {
    // Without storage, the page of a job has no neighbors.
  }
}

// openedList returns the list; undefined if there is none.
export function openedList(): Opened | undefined {
  try {
    const list = JSON.parse(sessionStorage.getItem(item) ?? "null") as Opened | null;
    return list && Array.isArray(list.jobs) && typeof list.query === "string" && typeof list.params === "string" ? list : undefined;
  } catch {
    return undefined;
  }
}
