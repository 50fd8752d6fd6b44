// Names of the timeline's rows, to the left of the bars; on the phone above them.

import { duration, none, number } from "../../core/format";
import { jobPath, to } from "../../core/router";
import { Icon } from "../../design/icon";
import { StateIcon } from "../../design/stateicon";
import { Name } from "../../design/text";
import { stateWord } from "../../words";
import type { AttemptRow, GroupRow, JobRow, NoteRow, PodRow, Row } from "./rows";
import { ranOf, waitedOf } from "./lane";
import type { Stage } from "./stage";
import { words } from "./words";

// LabelActions are the actions of the buttons of the names.
export interface LabelActions {
  fold: (group: string) => void;
  unfold: (lane: string) => void;
  unfoldAttempt: (key: string) => void;
}

// Labels shows the names of the rows that are visible.
export function Labels({ stage, actions, group }: { stage: Stage; actions: LabelActions; group: "cluster" | "queue" | "owner" | "none" }) {
  const { first, end } = stage.range.value;
  const rows = stage.layout.value.rows.slice(first, end);
  const phone = stage.isPhone.value;
  return <>{rows.map((row) => <Label key={row.key} row={row} actions={actions} group={group} phone={phone} now={stage.now()} />)}</>;
}

interface LabelProps<R> {
  row: R;
  actions: LabelActions;
  phone: boolean;
  now: number;
  group: "cluster" | "queue" | "owner" | "none";
}

function Label(p: LabelProps<Row>) {
  const { row } = p;
  const place = { top: `${row.y}px`, height: `${row.height}px` };
  switch (row.kind) {
    case "group":
      return <div class="timeline-label timeline-group" style={place}><GroupLabel {...p} row={row} /></div>;
    case "job":
      return <div class={"timeline-label timeline-job" + (row.unfolded ? " is-open" : "")} style={place}><JobLabel {...p} row={row} /></div>;
    case "attempt":
      return <div class="timeline-label timeline-attempt" style={place}><AttemptLabel {...p} row={row} /></div>;
    case "pod":
      return <div class="timeline-label timeline-pod" style={place}><PodLabel {...p} row={row} /></div>;
    case "note":
      return <div class="timeline-label timeline-note" style={place}><NoteLabel {...p} row={row} /></div>;
  }
}

function GroupLabel({ row, actions, group }: LabelProps<GroupRow>) {
  const w = words.value;
  const name = row.word === "" ? w.without[group] : row.word;
  return (
    <button type="button" class="timeline-fold" aria-expanded={!row.folded} onClick={() => actions.fold(row.key)}>
      <Icon name={row.folded ? "right" : "down"} size={14} />
      <span class="timeline-group-name cut" data-tip={name.length > 24 ? name : undefined}>{name}</span>
      <span class="timeline-group-sums">{w.sums(row.jobs, false, row.gpus)}</span>
    </button>
  );
}

function JobLabel({ row, actions, phone, now }: LabelProps<JobRow>) {
  const w = words.value;
  const { job } = row.lane;
  const ran = ranOf(row.lane, now) / 1000;
  const time = ran > 0 ? duration(ran) : duration(waitedOf(row.lane, now) / 1000);
  return (
    <>
      <button type="button" class="timeline-chevron" aria-expanded={row.unfolded} aria-label={row.unfolded ? w.fold(job.name) : w.unfold(job.name)} onClick={() => actions.unfold(row.key)}>
        <Icon name={row.unfolded ? "down" : "right"} size={14} />
      </button>
      <StateIcon state={job.state} />
      <span class="hidden-text">{stateWord(job.state)}</span>
      <a class="timeline-name" href={to(jobPath(job))}><Name text={job.name} /></a>
      <span class="timeline-number">{phone ? time : job.gpus <= 0 ? none : number(job.gpus)}</span>
    </>
  );
}

function AttemptLabel({ row, actions }: LabelProps<AttemptRow>) {
  const w = words.value;
  const state = row.attempt?.state ?? stateOfAttempt(row);
  const pods = row.attempt?.pods;
  return (
    <>
      <button type="button" class="timeline-chevron" aria-expanded={row.unfolded} aria-label={w.unfoldAttempt(row.number)} onClick={() => actions.unfoldAttempt(row.key)}>
        <Icon name={row.unfolded ? "down" : "right"} size={12} />
      </button>
      <StateIcon state={state} size={12} />
      <span class="timeline-name">{w.attempt(row.number)}</span>
      <span class="timeline-number">{pods === undefined ? "" : w.pods(pods)}</span>
    </>
  );
}

// The state of an attempt without details: for the last one, the state of the job.
function stateOfAttempt(row: AttemptRow): string {
  if (row.last) {
    return row.lane.job.state;
  }
  return "Failed";
}

function PodLabel({ row }: LabelProps<PodRow>) {
  const { pod } = row;
  return (
    <>
      <StateIcon state={pod.state} size={12} />
      <span class="timeline-name"><Name text={pod.name} /></span>
      <span class="timeline-number timeline-node cut">{pod.node ?? ""}</span>
    </>
  );
}

function NoteLabel({ row }: LabelProps<NoteRow>) {
  const w = words.value;
  switch (row.note) {
    case "loading":
      return <span>{w.podsLoading}</span>;
    case "unrecorded":
      return <span>{w.podsUnrecorded}</span>;
    case "failed":
      return <span>{w.podsFailed}</span>;
    case "more":
      return <a class="underlined" href={to(jobPath(row.lane.job, "pods"))}>{w.podsMore(row.count)}</a>;
  }
}
