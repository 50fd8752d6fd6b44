// Dead letters: messages that were given up, to be replayed or dropped; and the newest writes.

import { useState } from "preact/hooks";
import { PathDeadLetters, PathDrop, PathReplay } from "../../api";
import type { Act, AuditEntry, Delivery, DeliveryList, Operations, ReplayRequest } from "../../api";
import { get, problem, said, write } from "../../core/client";
import { count, instant, time } from "../../core/format";
import { useResource } from "../../core/resource";
import { jobPath, to } from "../../core/router";
import { Button, StateCell } from "../../design/button";
import { Card, Trouble } from "../../design/panel";
import { StateIcon } from "../../design/stateicon";
import { Name, Time } from "../../design/text";
import { toast } from "../../design/toast";
import { words } from "./words";

// perPage is the number of dead letters of a page.
const perPage = 20;

// DeadLetters shows dead letters with their actions. changed is called after a write,
// because the numbers above have changed.
export function DeadLetters({ data, changed }: { data: Operations; changed: () => void }) {
  const w = words.value;
  const [version, set] = useState(0);
  const [more, setMore] = useState<Delivery[]>([]);
  const [next, setNext] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const list = useResource<DeliveryList>(PathDeadLetters, { params: { limit: perPage }, version: `${version} ${data.dead.n}`, keep: true });
  const first = list.data?.deliveries ?? [];
  const letters = [...first, ...more];
  const cursor = next ?? list.data?.next ?? "";
  const total = list.data?.total ?? data.dead;
  const act = async (path: string, request: ReplayRequest): Promise<void> => {
    setBusy(true);
    setSure(false);
    try {
      const done = await write<Act>("POST", path, request);
      const { undo } = done;
      toast(done.done, undo === undefined || undo === "" ? {} : { undo: () => void undoAct(undo, changed) });
      setMore([]);
      setNext(undefined);
      set((n) => n + 1);
      changed();
    } catch (e) {
      toast(said(e), { failure: true });
    } finally {
      setBusy(false);
    }
  };
  const readMore = (): void => {
    get<DeliveryList>(PathDeadLetters, { limit: perPage, after: cursor }).then((page) => {
      setMore((old) => [...old, ...page.deliveries]);
      setNext(page.next ?? "");
    }, (e: unknown) => toast(problem(e).title, { failure: true }));
  };
  const oldest = instant(letters.at(-1)?.created);
  const may = letters.some((l) => (l.may ?? []).includes("replay"));
  const side = total.n > 0 && may ? <Button icon="retry" disabled={busy} onClick={() => (total.n > 10 && !sure ? setSure(true) : void act(PathReplay, { all: true }))}>{sure ? w.sure(count(total)) : w.replayAll(count(total))}</Button> : undefined;
  return (
    <Card title={w.dead} note={oldest === undefined ? undefined : w.deadNote(time(oldest))} side={side}>
      {list.problem === undefined ? null : <div class="operations-pad"><Trouble problem={list.problem} again={list.reload} /></div>}
      {letters.length === 0 && list.problem === undefined ? <p class="operations-none">{w.noDead}</p> : <LetterTable letters={letters} busy={busy} act={act} />}
      {cursor === "" ? null : <div class="operations-pad"><Button onClick={readMore}>{w.more}</Button></div>}
    </Card>
  );
}

async function undoAct(path: string, changed: () => void): Promise<void> {
  try {
    toast((await write<Act>("POST", path.replace(/^\/api\/v1/, ""))).done);
    changed();
  } catch (e) {
    toast(problem(e).title, { failure: true });
  }
}

function LetterTable({ letters, busy, act }: { letters: readonly Delivery[]; busy: boolean; act: (path: string, request: ReplayRequest) => Promise<void> }) {
  const w = words.value;
  const h = w.heads;
  return (
    <div class="operations-scroll">
      <table class="table operations-letters operations-list">
        <caption class="hidden-text">{w.dead}</caption>
        <thead class="hidden-text"><tr><th scope="col">{h.time}</th><th scope="col">{h.who}</th><th scope="col">{h.message}</th><th scope="col">{h.phase}</th><th scope="col">{h.answer}</th><th scope="col">{h.tries}</th><th scope="col">{h.acts}</th></tr></thead>
        <tbody>{letters.map((l) => <LetterRow key={l.id} letter={l} busy={busy} act={act} />)}</tbody>
      </table>
    </div>
  );
}

function LetterRow({ letter, busy, act }: { letter: Delivery; busy: boolean; act: (path: string, request: ReplayRequest) => Promise<void> }) {
  const w = words.value;
  const { job } = letter;
  const name = job?.name ?? letter.title;
  const may = letter.may ?? [];
  return (
    <tr>
      <td class="text-3 operations-time"><Time at={letter.created} /></td>
      <td>{[letter.channel, letter.rule ?? letter.person ?? ""].filter((t) => t !== "").join(", ")}</td>
      <th scope="row">{job === undefined ? <Name text={name} /> : <a class="operations-job" href={to(jobPath(job))}><Name text={name} /></a>}</th>
      <td>{letter.jobState === undefined || letter.jobState === "" ? null : <StateCell state={letter.jobState} />}</td>
      <td class="operations-answer" lang="en">{letter.answer ?? ""}</td>
      <td class="numeric text-3 operations-tries">{w.tried(letter.attempts)}</td>
      <td class="operations-acts">
        {may.includes("replay") ? <Button plain class="operations-link is-strong" disabled={busy} label={w.replayOne(name)} onClick={() => void act(PathReplay, { ids: [letter.id] })}>{w.replay}</Button> : null}
        {may.includes("drop") ? <Button plain class="operations-link" disabled={busy} label={w.dropOne(name)} onClick={() => void act(PathDrop, { ids: [letter.id] })}>{w.drop}</Button> : null}
      </td>
    </tr>
  );
}

// Acts shows the newest writes of the portal.
export function Acts({ acts }: { acts: readonly AuditEntry[] }) {
  const w = words.value;
  const h = w.heads;
  const results: Record<string, string> = w.results;
  const acted: Record<string, string> = w.actWords;
  const icons: Record<string, string> = { done: "Succeeded", denied: "Aborted", failed: "Failed" };
  return (
    <Card title={w.acts} note={w.actsNote}>
      {acts.length === 0 ? <p class="operations-none">{w.noActs}</p> : (
        <div class="operations-scroll">
          <table class="table operations-list">
            <caption class="hidden-text">{w.acts}</caption>
            <thead><tr><th scope="col">{h.time}</th><th scope="col">{h.person}</th><th scope="col">{h.act}</th><th scope="col">{h.object}</th><th scope="col">{h.result}</th><th scope="col">{h.from}</th></tr></thead>
            <tbody>
              {acts.map((a, i) => (
                <tr key={i}>
                  <td class="text-3 operations-time"><Time at={a.at} /></td>
                  <th scope="row">{a.person === "" ? w.nobody : a.person}</th>
                  <td data-head={h.act}>{acted[a.act] ?? a.act}</td>
                  <td data-head={h.object}>{a.job === undefined ? <Name text={a.object} /> : <a class="operations-job" href={to(jobPath(a.job))}><Name text={a.object} /></a>}</td>
                  <td data-head={h.result}><span class="state-cell"><StateIcon state={icons[a.result] ?? "Deleted"} size={14} />{results[a.result] ?? a.result}</span>{a.detail === undefined || a.detail === "" ? null : <span class="text-3" lang="en"> {a.detail}</span>}</td>
                  <td data-head={h.from} class="text-3">{[a.address, a.signIn].filter((t) => t !== "").join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}
