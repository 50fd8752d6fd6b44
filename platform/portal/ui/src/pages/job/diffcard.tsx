// The last change of the object, on the overview.

import { PathDiff } from "../../api";
import type { Diff } from "../../api";
import { fill } from "../../core/client";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { Card } from "../../design/panel";
import type { JobContext } from "./context";
import { DiffTable } from "./difftable";
import { pairOf } from "./revisions";
import { w } from "./words";
import { useRevisions } from "./yamltab";

// DiffCard shows what the last revision changed.
export function DiffCard({ job }: { job: JobContext }) {
  const words = w.value.diff;
  const revisions = useRevisions(job);
  const pair = pairOf(revisions.data?.revisions ?? []);
  const diff = useResource<Diff>(pair ? fill(PathDiff, { cluster: job.cluster, uid: job.uid }) : "", { params: pair ? { from: pair[0], to: pair[1] } : {}, keep: true });
  const d = diff.data;
  if (!pair || !d || d.lines.every((line) => line.op === "=" || line.op === "~" || line.bookkeeping === true)) {
    return null;
  }
  return (
    <Card title={words.last} side={<a class="text-2 quiet-link" href={to(jobPath(job, "yaml"), { from: pair[0], to: pair[1] })}>{words.differ(d.differ)}</a>}>
      <DiffTable lines={d.lines} right="" compact />
    </Card>
  );
}
