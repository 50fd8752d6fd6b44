// The shared context of all parts of the page of a job.

import type { Job, JobDetail } from "../../api";
import { holds } from "../../core/state";

// JobContext identifies the job, and the age of its data.
export interface JobContext {
  cluster: string;
  uid: string;
  // row is the newest row of the job: from the detail, or from the stream.
  row: Job;
  detail: JobDetail;
  // version increases with each change of the job, so that parts read again.
  version: number;
  // at is the instant of `?at=`; empty for now.
  at: string;
  now: number;
}

// may reports whether the person may do an act on the job now.
export function may(job: JobContext, act: string): boolean {
  return job.at === "" && job.detail.may.includes(act);
}

// holdsGPUs reports whether the job holds GPUs, or may hold some, so that stopping it requires its
// name. The server requires the name for the same jobs.
export function holdsGPUs(row: Job): boolean {
  return row.gpus !== 0 && holds(row.state);
}
