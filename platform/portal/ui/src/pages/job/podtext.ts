// Names of pods on the page of their job.

import { visible } from "../../design/visible";

// podText returns the name of a pod without the name of its job before it.
export function podText(pod: string, job: string): string {
  return visible(pod.startsWith(job + "-") && pod.length > job.length + 1 ? pod.slice(job.length + 1) : pod);
}
