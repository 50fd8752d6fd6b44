// The rows of a log. Only visible rows exist.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { clock, instant, utc } from "../../core/format";
import { weightOf } from "./logcard";
import { hitsIn, scaleOf, windowOf } from "./logmodel";
import type { Hit, LogModel, LogRow } from "./logmodel";
import { podText } from "./podtext";
import { w } from "./words";

const rowHeight = 20;

// narrowest is the minimum width for times and pods next to the text.
const narrowest = 560;

// LogViewProps describe the view. change increases when the model changes.
export interface LogViewProps {
  model: LogModel;
  change: number;
  wrap: boolean;
  times: boolean;
  // prefix shows the pod before each line, without the name of the job.
  prefix: boolean;
  job: string;
  hits: Hit[];
  hit: number;
  // end keeps the last line visible.
  end: boolean;
  onEnd: (atEnd: boolean) => void;
  // shift is the number of rows added at the front of the model, minus removed ones.
  shift: { rows: number; id: number };
}

// LogView draws the log.
export function LogView(p: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [top, setTop] = useState(0);
  const own = useRef(0);
  const columns = useRef(7.2);
  useEffect(() => {
    if (!box.current) {
      return;
    }
    const watch = new ResizeObserver((entries) => {
      const r = entries[0]?.contentRect;
      columns.current = (probe.current?.getBoundingClientRect().width ?? 720) / 100;
      setSize({ width: Math.floor(r?.width ?? 0), height: Math.floor(r?.height ?? 0) });
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  // On a phone, the text has the whole width.
  const narrow = size.width > 0 && size.width < narrowest;
  const lead = 24 + (p.times && !narrow ? 72 : 0) + (p.prefix && !narrow ? 176 : 0);
  p.model.wrap(p.wrap && size.width > 0 ? (size.width - lead) / columns.current : Number.POSITIVE_INFINITY);
  const rows = p.model.rows;
  const scale = scaleOf(rows, rowHeight, size.height);
  const tall = scale === 1 ? rows * rowHeight : 8_000_000;
  const view = windowOf(top * scale, size.height, rowHeight, rows);
  const shift = top * scale - top;

  const scrollTo = (row: number) => {
    if (box.current) {
      own.current = Math.max(0, row * rowHeight) / scale;
      box.current.scrollTop = own.current;
      setTop(box.current.scrollTop);
    }
  };
  useLayoutEffect(() => {
    if (p.end) {
      scrollTo(rows);
    }
  }, [p.end, p.change, rows, size.height]);
  useLayoutEffect(() => {
    if (!p.end && p.shift.rows !== 0 && box.current) {
      scrollTo((box.current.scrollTop * scale) / rowHeight + p.shift.rows);
    }
  }, [p.shift.id]);
  useLayoutEffect(() => {
    const hit = p.hits[p.hit];
    if (hit) {
      const row = p.model.rowOf(hit.line, hit.from);
      if (row * rowHeight < top * scale || row * rowHeight > top * scale + size.height - rowHeight * 2) {
        scrollTo(row - Math.floor(size.height / rowHeight / 2));
      }
    }
  }, [p.hit, p.hits]);

  const onScroll = (e: { currentTarget: HTMLDivElement }) => {
    const t = e.currentTarget;
    setTop(t.scrollTop);
    p.onEnd(t.scrollTop + t.clientHeight >= t.scrollHeight - rowHeight);
  };
  const list = [];
  for (let n = view.from; n < view.to; n++) {
    const row = p.model.row(n);
    if (row) {
      list.push(<LogRowView p={p} row={row} y={n * rowHeight - shift} key={n} />);
    }
  }
  return (
    <div class={"log" + (p.wrap ? " is-wrapped" : "") + (narrow ? " is-narrow" : "")} ref={box} onScroll={onScroll} tabIndex={0} role="log" aria-live="off" aria-label={w.value.log.region}>
      <span class="log-probe" ref={probe} aria-hidden="true">{"0".repeat(100)}</span>
      <div class="log-space" style={{ height: `${tall}px` }}>{list}</div>
    </div>
  );
}

function LogRowView({ p, row, y }: { p: LogViewProps; row: LogRow; y: number }) {
  const line = p.model.line(row.line);
  const ms = row.first ? instant(line?.time) : undefined;
  const note = line?.note !== undefined && line.note !== "";
  return (
    <div class="log-row" style={{ top: `${y}px` }}>
      {p.times ? <span class="log-time" data-tip={ms === undefined ? undefined : utc(ms)}>{ms === undefined ? "" : clock(ms, true)}</span> : null}
      {p.prefix ? <span class="log-pod">{row.first ? podText(line?.pod ?? "", p.job) : ""}</span> : null}
      <span class={"log-text " + (note ? "is-note" : weightOf(p.model.text(row.line)))}>
        <Marked row={row} hits={p.hits} hit={p.hit} />
        {line?.cut && row.offset + row.text.length >= p.model.text(row.line).length ? <i class="log-cut">{w.value.log.cut(line.cut)}</i> : null}
      </span>
    </div>
  );
}

function Marked({ row, hits, hit }: { row: LogRow; hits: Hit[]; hit: number }) {
  const found = hits.length === 0 ? [] : hitsIn(row, hits);
  if (found.length === 0) {
    return <>{row.text}</>;
  }
  const list = [];
  let at = 0;
  for (const f of found) {
    list.push(row.text.slice(at, f.from), <mark class={f.hit === hit ? "hit is-now" : "hit"}>{row.text.slice(f.from, f.to)}</mark>);
    at = f.to;
  }
  list.push(row.text.slice(at));
  return <>{list}</>;
}
