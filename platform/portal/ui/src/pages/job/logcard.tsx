// The last log lines on the overview.

import { PathLogs } from "../../api";
import type { LogLine, LogPage } from "../../api";
import { fill } from "../../core/client";
import { clock, instant } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { Button } from "../../design/button";
import { Card } from "../../design/panel";
import type { JobContext } from "./context";
import { textOf } from "./logmodel";
import { podText } from "./podtext";
import { w } from "./words";

// shown is the number of lines on the overview.
const shown = 10;

// weightOf returns the style of a line: strong for warnings and errors, and an end style for
// messages of a kernel or a shell about a killed process.
export function weightOf(text: string): "" | "strong" | "is-end" {
  if (/^\s*(?:killed|terminated|aborted|segmentation fault|out of memory|oomkilled)\b/i.test(text)) {
    return "is-end";
  }
  return /\b(?:WARN(?:ING)?|ERROR|FATAL|CRITICAL|PANIC|panic:|Exception|Error:)/.test(text) ? "strong" : "";
}

// LogCard shows known lines, or reads the last ones.
export function LogCard({ job, lines, kept }: { job: JobContext; lines?: LogLine[] | undefined; kept?: number | undefined }) {
  const words = w.value.log;
  const given = lines !== undefined && lines.length > 0;
  const path = given || job.detail.tabs.pods === 0 && job.detail.tabs.logLines <= 0 ? "" : fill(PathLogs, { cluster: job.cluster, uid: job.uid });
  const answer = useResource<LogPage>(path, { params: { limit: shown, at: job.at }, version: job.version, keep: true });
  const list = (given ? lines : (answer.data?.lines ?? [])).slice(-shown);
  const last = list[list.length - 1];
  if (list.length === 0) {
    return null;
  }
  const total = kept ?? answer.data?.kept?.reduce((sum, k) => sum + k.lines, 0) ?? 0;
  return (
    <Card class="log-card" title={words.title} note={last?.pod ? (last.attempt ? words.attempt(podText(last.pod, job.row.name), last.attempt) : podText(last.pod, job.row.name)) : undefined} side={
      <Button icon="expand" plain label={words.open} href={to(jobPath(job, "logs"))} />
    }>
      <div class="log-small">
        {list.map((line) => {
          const ms = instant(line.time);
          return <div class="log-line"><span class="log-time">{ms === undefined ? "" : clock(ms)}</span><span class={"log-text " + (line.note ? "is-note" : weightOf(textOf(line)))}>{textOf(line)}</span></div>;
        })}
        {total > 0 ? <p class="note">{words.kept(list.length, total)}</p> : null}
      </div>
    </Card>
  );
}
