// What all parts of the page of a job need to know.

import type { Job, JobDetail } from "../../api";

// JobContext names the job, and says how new its data is.
export interface JobContext {
  cluster: string;
  uid: string;
  // row is the newest known row of the job: of the detail, or of the stream.
  row: Job;
  detail: JobDetail;
  // version grows with each change of the job, so that parts read again.
  version: number;
  // at is the instant of `?at=`; empty for now.
  at: string;
  now: number;
}

// may reports whether the person may do something to the job now.
export function may(job: JobContext, act: string): boolean {
  return job.at === "" && job.detail.may.includes(act);
}

// holdsGPUs reports whether the job holds GPUs, or may hold some, so that stopping it asks for its
// name. The server demands the name for the same jobs.
export function holdsGPUs(row: Job): boolean {
  return row.gpus !== 0 && ["Starting", "Running", "Restarting"].includes(row.state);
}
