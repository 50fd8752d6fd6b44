// The page that submits jobs.

import "../../shared";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { PathSubmit, PathSuggest } from "../../api";
import type { Checked, FieldProblem, Problem, Submitted, Suggestions } from "../../api";
import { problem, write } from "../../core/client";
import { second, serverNow } from "../../core/clock";
import { clock, spaced } from "../../core/format";
import { useKeys } from "../../core/keys";
import { useResource } from "../../core/resource";
import { go, here, jobPath, setQuery } from "../../core/router";
import { session } from "../../core/session";
import { remember } from "../../core/storage";
import { Button } from "../../design/button";
import { Check } from "../../design/field";
import { newKey } from "../../design/key";
import { Empty, GrayRows, Trouble } from "../../design/panel";
import { toast } from "../../design/toast";
import { visible } from "../../design/visible";
import { linesOf } from "../../design/yamltokens";
import { expect } from "../job/expected";
import { begin, browserStorage, useBeginning, writable } from "./begin";
import type { Beginning } from "./begin";
import { Cards, CloneBanner } from "./cards";
import { drop, store, withoutSecrets } from "./draft";
import { ForecastCards } from "./forecast";
import { Form, titleOf } from "./form";
import { mistakes, valuesOf } from "./formmodel";
import { choose, draftOf, fieldName, open, placed, rendered, repaired, request, setText, setYAML } from "./submission";
import type { Raise, Submission } from "./submission";
import { quantity } from "./quantity";
import { useCheck, useRendered } from "./usecheck";
import { RepairButton, VerdictBar } from "./verdict";
import { words as shared } from "../../words";
import { w } from "./words";
import { changedLines, YamlPane } from "./yamlpane";

// SubmitPage shows the form after its initial data is loaded.
export function SubmitPage() {
  const query = here.value.query;
  const uid = query.get("clone") ?? "";
  const beginning = useBeginning(uid, query.get("cluster") ?? "");
  const [round, again] = useState(0);
  const body = !session.value ? <GrayRows /> : writable().length === 0 ? <Empty text={w.value.mayNot} />
    : beginning.data ? <Page b={beginning.data} template={query.get("template") ?? ""} onDiscard={() => again(round + 1)} key={`${uid} ${round}`} />
    : beginning.problem ? <div class="submit-trouble"><Trouble problem={beginning.problem} again={beginning.reload} /></div> : <GrayRows />;
  return <div class="submit-page">{body}</div>;
}

// larger reads the memory limit of a clone to replace from the URL.
function larger(q: URLSearchParams): Raise | undefined {
  const [container, from, to] = [q.get("container") ?? "", q.get("limit") ?? "", q.get("memory") ?? ""];
  return container !== "" && quantity(from) !== undefined && quantity(to) !== undefined ? { container, from, to } : undefined;
}

// saveAfter is the delay between the last key and storing the draft, in milliseconds.
const saveAfter = 500;

function useDraft(s: Submission): string {
  const [at, set] = useState("");
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const timer = setTimeout(() => {
      const draft = draftOf(s, new Date(serverNow()).toISOString());
      if (store(browserStorage(), draft)) {
        const time = clock(serverNow(), true);
        set(withoutSecrets(draft).left ? w.peek().keptWithout(time) : w.peek().kept(time));
      }
    }, saveAfter);
    return () => clearTimeout(timer);
  }, [s]);
  return at;
}

function Page({ b, template, onDiscard }: { b: Beginning; template: string; onDiscard: () => void }) {
  const words = w.value;
  const [s, set] = useState<Submission>(() => begin(b, template, larger(here.peek().query)));
  const [editing, edit] = useState(s.mode === "yaml" && b.clone === undefined);
  const [touched, touch] = useState<ReadonlySet<string>>(new Set());
  const [sending, setSending] = useState(false);
  const [refusal, refuse] = useState<Problem | undefined>(undefined);
  const kept = useDraft(s);
  const namespaces = useResource<Suggestions>(PathSuggest, { params: { key: "namespace", n: 100 } });
  const mine = useResource<Suggestions>(s.namespace === "" ? PathSuggest : "", { params: { key: "namespace", mine: true, n: 1 } });
  const usual = mine.data?.items[0]?.value ?? "";
  useEffect(() => {
    if (usual !== "") {
      set((now) => (now.namespace === "" ? { ...now, namespace: usual } : now));
    }
  }, [usual]);
  const wrong = s.mode === "form" ? mistakes(s.parameters, s.texts) : {};
  const faulty = Object.keys(wrong);
  const missing = faulty.filter((name) => wrong[name]?.code === "required");
  const namesOf = (fields: readonly string[]) => s.parameters.filter((p) => fields.includes(p.name)).map(titleOf).join(", ");
  const ready = s.cluster !== "" && faulty.length === 0 && (s.mode === "form" || s.yaml.trim() !== "");
  const wanted = ready ? request(s) : undefined;
  const { verdict, busy, fresh } = useCheck(wanted);
  useRendered(s.mode === "form" ? s.template : "", valuesOf(s.parameters, s.texts), (answer) => set((now) => rendered(now, answer)));
  const problems = fresh ? (refusal?.fields ?? verdict?.answer?.problems ?? verdict?.problem?.fields ?? []) : [];
  const changed = useMemo(() => changedLines(s.base, s.yaml), [s.base, s.yaml]);
  const may = fresh && !sending && verdict?.problem === undefined && verdict?.answer?.ok === true;

  // Two changes may happen before the page is redrawn, so each begins with the latest one.
  const change = (act: (now: Submission) => Submission) => {
    refuse(undefined);
    set(act);
  };
  const send = () => {
    if (!may || !wanted) {
      touch(new Set(s.parameters.map((p) => p.name)));
      return;
    }
    setSending(true);
    remember("submit.namespace", s.namespace);
    write<Submitted>("POST", PathSubmit, { ...wanted, key: s.key, notify: s.notify }).then(
      (made) => {
        drop(browserStorage(), s.cloneOf?.uid ?? "");
        expect(made.job.uid);
        const name = made.job.name ?? made.job.uid;
        const done = made.created ? words.submitted(name) : words.already(name);
        const warnings = made.warnings ?? [];
        toast([done, ...warnings.map(visible)].join(shared.value.space), { failure: warnings.length > 0 });
        go(jobPath(made.job));
      },
      (e: unknown) => {
        refuse(problem(e));
        setSending(false);
      },
    );
  };
  useKeys([{ key: "Mod+enter", what: words.keys.submit, typing: true, run: send }]);
  const discard = () => {
    drop(browserStorage(), s.cloneOf?.uid ?? "");
    onDiscard();
  };
  const unclone = (act: (now: Submission) => Submission, name: string | null) => {
    change((now) => ({ ...act(now), key: newKey() }));
    touch(new Set());
    if (b.clone || name !== null) {
      setQuery({ clone: null, cluster: null, template: name }, "replace");
    }
  };
  // A refused job has no forecast, so the last one remains.
  const forecast = useRef<Checked | undefined>(undefined);
  if (verdict?.answer?.forecast) {
    forecast.current = verdict.answer;
  }
  const chosen = b.templates.find((t) => t.name === s.template);
  const repairable = problems.filter((p) => p.repair);

  return (
    <>
      <header class="submit-head">
        <h1>{words.title}</h1>
        <span class="grow" />
        <span class="text-3 submit-kept" role="status">{kept}</span>
        {kept !== "" ? <Button plain onClick={discard}>{words.discard}</Button> : null}
        <FileButton onText={(text) => { change((now) => ({ ...open(now, linesOf(text)), key: newKey() })); edit(true); }} />
      </header>
      <Cards templates={b.templates} chosen={s.template} onTemplate={(t) => { edit(false); unclone((now) => choose(now, t), t.name); }} onYAML={() => { edit(true); change((now) => open(now, linesOf(now.yaml), now.base, now.cloneOf)); }} />
      {chosen?.description ? <p class="submit-about text-2">{words.helps[chosen.description] ?? chosen.description}</p> : null}
      <div class="submit-columns">
        <div class="submit-left">
          {b.clone && s.cloneOf ? <CloneBanner clone={b.clone} changed={changed.size} /> : null}
          <Form s={s} clusters={writable()} namespaces={(namespaces.data?.items ?? []).map((i) => i.value ?? "")} problems={placed(s, problems)} touched={touched} checked={verdict?.answer}
            onText={(name, text) => { touch((now) => new Set([...now, name])); change((now) => setText(now, name, text)); }} onCluster={(cluster) => change((now) => ({ ...now, cluster }))} onNamespace={(namespace) => change((now) => ({ ...now, namespace }))} />
          <div class="submit-checks">
            {session.value?.notifies ? <Check checked={s.notify} onChange={(notify) => change((now) => ({ ...now, notify }))}>{words.notify}</Check> : null}
            <Check checked={s.hold} onChange={(hold) => change((now) => ({ ...now, hold }))}>{words.holdIt}</Check>
          </div>
          {forecast.current ? <ForecastCards checked={forecast.current} /> : null}
        </div>
        <YamlPane s={s} editing={editing} wrong={new Set(problems.map((p) => p.line ?? 0).filter((l) => l > 0))} onText={(text) => change((now) => setYAML(now, text))}
          onEdit={(on) => { edit(on); if (!on) { change((now) => ({ ...now, mode: "form", slots: {} })); } }}>
          {refusal && !refusal.fields ? <div class="verdict"><Trouble problem={refusal} /></div>
            : faulty.length > 0 ? <div class="verdict text-2" role="status">{missing.length > 0 ? words.needed(namesOf(missing)) : words.wrongFields(namesOf(faulty))}</div>
            : <VerdictBar cluster={s.cluster} verdict={verdict} busy={busy || !fresh} now={second.value} onLine={showLine} />}
        </YamlPane>
      </div>
      <footer class="submit-foot">
        <span class="text-2 submit-foot-text">{words.sent(s.cluster, session.value?.person ?? "")}{shared.value.space}{words.keptAs}</span>
        <span class="grow" />
        <Button onClick={() => (history.length > 1 ? history.back() : go("/jobs"))}>{words.cancel}</Button>
        {repairable.slice(0, 1).map((p) => <RepairButton field={repairTitle(s, p)} value={spaced(p.repair ?? "")} onRepair={() => change((now) => repaired(now, p))} key={p.repair} />)}
        <Button primary disabled={!may} onClick={send}>{sending ? words.submitting : words.submit}</Button>
        <span class="submit-keys" aria-hidden="true"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
      </footer>
    </>
  );
}

// repairTitle returns the name of the repaired field, or the last part of its path.
function repairTitle(s: Submission, p: FieldProblem): string {
  const name = fieldName(s, p);
  const parameter = s.parameters.find((q) => q.name === name);
  return parameter ? titleOf(parameter).toLowerCase() : (p.field ?? "").replace(/^.*[.[]/, "").replace(/\]$/, "");
}

// showLine scrolls the YAML to a line.
function showLine(line: number): void {
  document.getElementById(`line-${line}`)?.scrollIntoView({ block: "center" });
}

// largest is the maximum number of bytes that are read of a file.
const largest = 1_000_000;

function FileButton({ onText }: { onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    if (!file) {
      return;
    }
    const text = file.size > largest ? "\0" : await file.text();
    if (text.includes("\0")) {
      toast(w.peek().wrongFile, { failure: true });
      return;
    }
    onText(text);
  };
  return (
    <>
      <input ref={input} type="file" hidden accept=".yaml,.yml,.json,text/yaml" onChange={(e) => { void take(e.currentTarget.files?.[0]); e.currentTarget.value = ""; }} />
      <Button icon="file" onClick={() => input.current?.click()}>{w.value.openFile}</Button>
    </>
  );
}
