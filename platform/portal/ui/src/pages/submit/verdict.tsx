// The result of a dry run: one bar below the YAML.

import type { FieldProblem } from "../../api";
import { short } from "../../core/format";
import { Button } from "../../design/button";
import { Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import type { Verdict } from "./usecheck";
import { w } from "./words";

// mostShown is the maximum number of problems in the bar.
const mostShown = 6;

// VerdictBar shows the problems of a dry run, or that there are none.
export function VerdictBar(p: { cluster: string; verdict: Verdict | undefined; busy: boolean; now: number; onLine: (line: number) => void }) {
  const words = w.value;
  const v = p.verdict;
  if (v === undefined) {
    return <div class="verdict text-3" role="status">{p.busy ? words.checking : ""}</div>;
  }
  if (v.problem) {
    return <div class="verdict">{v.problem.fields && v.problem.fields.length > 0 ? <Problems cluster={p.cluster} list={v.problem.fields} onLine={p.onLine} note="" /> : <Trouble problem={v.problem} />}</div>;
  }
  const answer = v.answer;
  if (!answer) {
    return null;
  }
  const note = p.busy ? words.checking : words.checked(short(Math.max(0.1, (p.now - v.at) / 1000)));
  if (!answer.ok) {
    return <div class="verdict is-failure" role="status"><Problems cluster={p.cluster} list={answer.problems ?? []} onLine={p.onLine} note={note} /></div>;
  }
  return (
    <div class="verdict" role="status">
      <p class="verdict-head"><StateIcon state="Succeeded" /><b>{words.accept(p.cluster)}</b><span class="grow" /><span class="text-3">{note}</span></p>
      {(answer.warnings ?? []).length > 0 ? <ul class="verdict-list">{(answer.warnings ?? []).map((text) => <li>{words.warnings}: {text}</li>)}</ul> : null}
    </div>
  );
}

function Problems(p: { cluster: string; list: readonly FieldProblem[]; note: string; onLine: (line: number) => void }) {
  const words = w.value;
  return (
    <>
      <p class="verdict-head"><StateIcon state="Failed" /><b>{words.refuse(p.cluster, p.list.length)}</b><span class="grow" /><span class="text-2">{p.note}</span></p>
      <ul class="verdict-list">
        {p.list.slice(0, mostShown).map((problem) => (
          <li>
            {problem.line ? <button type="button" class="underlined" aria-label={words.goTo(problem.line)} onClick={() => p.onLine(problem.line ?? 0)}>{words.line(problem.line).trim()}</button> : problem.parameter ? `${problem.parameter}: ` : ""}
            {problem.line ? " " : ""}{problem.message}
          </li>
        ))}
        {p.list.length > mostShown ? <li class="text-3">+{p.list.length - mostShown}</li> : null}
      </ul>
    </>
  );
}

// RepairButton applies the only repair.
export function RepairButton(p: { field: string; value: string; onRepair: () => void }) {
  return <Button onClick={p.onRepair}>{w.value.set(p.field, p.value)}</Button>;
}
