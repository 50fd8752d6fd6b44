// The tab with the log of a job, live and kept.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { PathLogs } from "../../api";
import type { KeptLog, LogLine, LogPage, LogSource, Problem } from "../../api";
import { aborted, fill, get, problem, url } from "../../core/client";
import { instant, number, time } from "../../core/format";
import { useKeys } from "../../core/keys";
import { here, setQuery } from "../../core/router";
import { recall, remember } from "../../core/storage";
import { Button } from "../../design/button";
import { Check, Choice } from "../../design/field";
import { Icon } from "../../design/icon";
import { Empty, GrayRows, Trouble } from "../../design/panel";
import { words as shared } from "../../words";
import type { JobContext } from "./context";
import { LogModel, mostHits, mostLines } from "./logmodel";
import type { Hit } from "./logmodel";
import { withLines } from "./logsources";
import { LogStream } from "./logstream";
import { LogView } from "./logview";
import { podText } from "./podtext";
import { w } from "./words";

// perPage is the number of lines of one request.
const perPage = 5000;

interface Loaded {
  sources: readonly LogSource[];
  kept: KeptLog[];
  previous: string;
  live: boolean;
  away: boolean;
  done: boolean;
}

const nothing: Loaded = { sources: [], kept: [], previous: "", live: false, away: false, done: false };

// LogsTab has the selection of pod and attempt, search, wrap, times and Follow above the
// log.
export function LogsTab({ job }: { job: JobContext }) {
  const words = w.value.log;
  const log = useLog(job);
  const [text, search] = useState("");
  const [hit, setHit] = useState(0);
  const [wrap, setWrap] = useState(() => recall("log.wrap", true));
  const [times, setTimes] = useState(() => recall("log.times", true));
  const field = useRef<HTMLInputElement>(null);
  const hits: Hit[] = useMemo(() => log.model.search(text), [text, log.change]);
  const at = Math.min(hit, Math.max(0, hits.length - 1));
  const step = (by: number) => hits.length > 0 && setHit((at + by + hits.length) % hits.length);
  const toEnd = (on: boolean) => log.setEnd(on);
  useKeys([
    { key: "/", what: w.value.keys.search, run: () => field.current?.focus() },
    { key: ".", what: w.value.keys.follow, run: () => toEnd(true) },
  ]);
  const pods = new Set(log.loaded.sources.map((s) => s.pod));
  return (
    <div class="logs">
      <div class="log-bar">
        <Sources sources={log.loaded.sources} job={job.row.name} />
        <span class="log-search">
          <Icon name="search" size={14} />
          <input ref={field} type="search" placeholder={words.search} aria-label={words.search} value={text} onInput={(e) => { search(e.currentTarget.value); setHit(0); }}
            onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); step(e.shiftKey ? -1 : 1); } if (e.key === "Escape") { search(""); e.currentTarget.blur(); } }} />
          {text === "" ? null : <span class="log-hits" role="status">{hits.length === 0 ? words.noHits : words.hits(at + 1, number(hits.length) + (hits.length >= mostHits ? "+" : ""))}</span>}
        </span>
        {text === "" ? null : <><Button icon="up" plain label={words.previousHit} disabled={hits.length === 0} onClick={() => step(-1)} /><Button icon="down" plain label={words.nextHit} disabled={hits.length === 0} onClick={() => step(1)} /></>}
        <span class="grow" />
        <Check checked={wrap} onChange={(on) => { setWrap(on); remember("log.wrap", on); }}>{words.wrap}</Check>
        <Check checked={times} onChange={(on) => { setTimes(on); remember("log.times", on); }}>{words.times}</Check>
        {log.loaded.live ? <Button icon={log.end ? "check" : "arrowDown"} pressed={log.end} onClick={() => toEnd(!log.end)}>{words.follow}</Button> : null}
        <Button icon="download" plain label={words.download} onClick={() => save(log.model, job.row.name)} />
      </div>
      {log.loaded.away ? <p class="log-older note" role="status">{words.away} <Button plain onClick={log.again}>{shared.value.error.again}</Button></p> : null}
      {log.problem ? <Trouble problem={log.problem} again={log.again} /> : null}
      {log.model.length === 0 ? (log.loaded.done ? <Empty text={words.empty} /> : log.problem ? null : <GrayRows rows={12} />) : (
        <>
          {log.loaded.previous !== "" || log.model.dropped > 0 ? (
            <div class="log-older">
              {log.model.dropped > 0 ? <span class="note">{words.dropped(log.model.dropped)}</span> : <Button plain disabled={log.reading} onClick={log.older}>{words.older}</Button>}
            </div>
          ) : null}
          <LogView model={log.model} change={log.change} wrap={wrap} times={times} prefix={pods.size > 1} job={job.row.name} hits={hits} hit={at} end={log.end} onEnd={(on) => { if (log.loaded.live || !on) { log.setEnd(on); } }} shift={log.shift} />
          <Foot job={job} loaded={log.loaded} lines={log.model.length} broken={log.broken} following={log.end} />
        </>
      )}
    </div>
  );
}

function Sources({ sources, job }: { sources: readonly LogSource[]; job: string }) {
  const words = w.value.log;
  const query = here.value.query;
  const pod = query.get("pod") ?? "";
  const attempt = query.get("attempt") ?? "";
  const container = query.get("container") ?? "";
  const attempts = [...new Set(sources.map((s) => s.attempt))].filter((n) => n > 0).sort((a, b) => a - b);
  const names = [...new Set(sources.filter((s) => attempt === "" || String(s.attempt) === attempt).map((s) => `${s.pod}/${s.container}`))];
  const value = pod === "" ? "" : (names.find((n) => n === `${pod}/${container}`) ?? names.find((n) => n.startsWith(pod + "/")) ?? "");
  const plain = new Set(names.map((n) => n.split("/")[0])).size === names.length;
  return (
    <>
      <span class="select"><Choice id="log-pod" label={words.pod} value={value} options={[{ value: "", text: words.allPods }, ...names.map((n) => ({ value: n, text: podText(plain ? (n.split("/")[0] ?? n) : n, job) }))]}
        onChange={(v) => setQuery({ pod: v === "" ? null : (v.split("/")[0] ?? null), container: v === "" || plain ? null : (v.split("/")[1] ?? null) })} /></span>
      {attempts.length > 1 || attempt !== "" ? <span class="select"><Choice id="log-attempt" label={words.attemptLabel} value={attempt} options={[{ value: "", text: words.allAttempts }, ...attempts.map((n) => ({ value: String(n), text: shared.value.attempt(n) }))]}
        onChange={(v) => setQuery({ attempt: v === "" ? null : v, pod: null, container: null })} /></span> : null}
    </>
  );
}

function Foot({ job, loaded, lines, broken, following }: { job: JobContext; loaded: Loaded; lines: number; broken: boolean; following: boolean }) {
  const words = w.value.log;
  const kept = loaded.kept.slice(0, 3).map((k) => `${words.keptAt(podText(k.pod, job.row.name), time(instant(k.at), job.now), k.lines)}${k.missing > 0 ? shared.value.comma + words.missing(k.missing) : k.missing < 0 ? shared.value.comma + words.missingUnknown : ""}`);
  return (
    <p class="log-foot note">
      {[words.shown(lines), broken ? words.broken : loaded.live ? (following ? words.live : words.liveOnly) : loaded.away || job.at !== "" ? "" : words.ended, ...kept, loaded.kept.length > 3 ? `+${loaded.kept.length - 3}` : ""].filter((t) => t !== "").join(" · ")}
    </p>
  );
}

// save saves the lines as a file.
function save(model: LogModel, name: string): void {
  const lines: string[] = [];
  for (let i = 0; i < model.length; i++) {
    lines.push(model.line(i)?.text ?? "");
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/plain" }));
  link.download = `${name}.log`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// retryAfter is the pause before the page reopens a stream, in milliseconds.
const retryAfter = 2000;

// problemIn returns the problem that ended a stream, if it is one.
function problemIn(said: string): Problem | undefined {
  try {
    return said === "" ? undefined : (JSON.parse(said) as Problem);
  } catch {
    return undefined;
  }
}

// useLog reads the end of the log, follows it while pods write, and reads older lines on demand.
function useLog(job: JobContext) {
  const query = here.value.query;
  const params = { pod: query.get("pod") ?? "", container: query.get("container") ?? "", attempt: query.get("attempt") ?? "", at: job.at };
  const key = JSON.stringify(params);
  const path = fill(PathLogs, { cluster: job.cluster, uid: job.uid });
  const model = useMemo(() => new LogModel(), [key, path]);
  const [change, changed] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>(nothing);
  const [failure, fail] = useState<Problem | undefined>(undefined);
  const [reading, setReading] = useState(false);
  const [end, setEnd] = useState(true);
  const [broken, setBroken] = useState(false);
  const [shift, setShift] = useState({ rows: 0, id: 0 });
  const [again, setAgain] = useState(0);
  const shown = useRef(model);
  shown.current = model;

  const append = (lines: LogLine[]) => {
    const gone = model.append(lines);
    changed((n) => n + 1);
    if (gone > 0) {
      setShift((s) => ({ rows: -gone, id: s.id + 1 }));
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    let stream: LogStream | undefined;
    setLoaded(nothing);
    fail(undefined);
    setEnd(true);
    setBroken(false);
    let timer: ReturnType<typeof setTimeout> | undefined;
    get<LogPage>(path, { ...params, limit: perPage }, stop.signal)
      .then((page) => {
        model.clear();
        append(page.lines);
        setLoaded({ sources: page.sources, kept: page.kept ?? [], previous: page.previous ?? "", live: page.live && job.at === "", away: page.away ?? false, done: true });
        if (page.live && job.at === "") {
          const source = new EventSource(url(path, { ...params, follow: true, after: page.next }));
          const come = (lines: LogLine[]): void => {
            append(lines);
            setLoaded((l) => {
              const sources = withLines(l.sources, lines);
              return sources === l.sources ? l : { ...l, sources };
            });
          };
          stream = new LogStream(source, come, (said) => {
            setLoaded((l) => ({ ...l, live: false }));
            fail(problemIn(said));
          }, () => {
            // A stream has no cursor within it, so the end of the log is read again.
            setBroken(true);
            timer = setTimeout(() => setAgain((n) => n + 1), retryAfter);
          });
        }
      })
      .catch((e: unknown) => {
        if (!aborted(e)) {
          fail(problem(e));
        }
      });
    return () => {
      stop.abort();
      clearTimeout(timer);
      stream?.close();
    };
  }, [key, path, again, job.at]);

  const older = () => {
    if (reading || loaded.previous === "" || model.length >= mostLines) {
      return;
    }
    setReading(true);
    get<LogPage>(path, { ...params, after: loaded.previous, limit: perPage })
      .then((page) => {
        if (shown.current !== model) {
          return;
        }
        const rows = model.prepend(page.lines);
        setEnd(false);
        setLoaded((l) => ({ ...l, previous: page.previous ?? "" }));
        setShift((s) => ({ rows, id: s.id + 1 }));
        changed((n) => n + 1);
      })
      .catch((e: unknown) => fail(problem(e)))
      .finally(() => setReading(false));
  };
  return { model, change, loaded, problem: failure, reading, end, setEnd, broken, shift, older, again: () => setAgain((n) => n + 1) };
}
