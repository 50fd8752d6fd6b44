// The drawing of a difference: unified or split, with folds.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffLine } from "../../api";
import { recall, remember } from "../../core/storage";
import { useWidth } from "../../core/width";
import { Button } from "../../design/button";
import { Check } from "../../design/field";
import { linesOf } from "../../design/yamltokens";
import { opened, parts, rows, split } from "./diffview";
import type { Row } from "./diffview";
import { words as shared } from "../../words";
import { w } from "./words";

// splitFrom is the minimum width of the page for two sides.
const splitFrom = 1100;

// mostCompact is the maximum number of rows of a card.
const mostCompact = 16;

type How = "unified" | "split" | "auto";

// DiffTable shows a difference. compact is for cards: unified, without controls. cut is
// the number of omitted lines at the end.
export function DiffTable({ lines, right, cut = 0, compact = false }: { lines: readonly DiffLine[]; right: string; cut?: number; compact?: boolean }) {
  const words = w.value.diff;
  const box = useRef<HTMLDivElement>(null);
  const wide = useWidth(box) >= splitFrom;
  const [how, setHow] = useState<How>(() => recall<How>("diff", "auto"));
  const [bookkeeping, setBookkeeping] = useState(false);
  const made = useMemo(() => rows([...lines], bookkeeping), [lines, bookkeeping]);
  const [list, set] = useState<Row[]>(made);
  useLayoutEffect(() => set(made), [made]);
  const sides = !compact && (how === "split" || (how === "auto" && wide));
  const choose = (next: How) => {
    setHow(next);
    remember("diff", next);
  };
  const open = (row: Row) => set(opened(list, list.indexOf(row), linesOf(right)));
  return (
    <div class="diff-box" ref={box}>
      {compact ? null : (
        <div class="diff-bar" role="group" aria-label={words.how}>
          <Button plain pressed={!sides} onClick={() => choose("unified")}>{words.unified}</Button>
          <Button plain pressed={sides} onClick={() => choose("split")}>{words.split}</Button>
          <span class="grow" />
          <Check checked={bookkeeping} onChange={setBookkeeping}>{words.bookkeeping}</Check>
        </div>
      )}
      <div class="table-box" tabIndex={0}>
        <table class={"diff" + (sides ? " is-split" : "")}>
          <caption class="hidden-text">{words.title}</caption>
          <colgroup>{sides ? <Columns /> : null}<Columns /></colgroup>
          <thead class="hidden-text"><tr><th>{words.lineNumber}</th><th>{words.left}</th><th>{words.lineNumber}</th><th>{words.right}</th></tr></thead>
          <tbody>{sides ? split(list).map((row) => <SplitRow row={row} open={open} />) : (compact ? list.slice(0, mostCompact) : list).map((row) => <UnifiedRow row={row} open={open} />)}</tbody>
        </table>
      </div>
      {cut > 0 && !compact ? <p class="card-body text-2" role="status">{words.cut(cut)}</p> : null}
    </div>
  );
}

function Columns() {
  return <><col class="diff-column-number" /><col class="diff-column-sign" /><col /></>;
}

function FoldRow({ row, open, span }: { row: Row; open: (row: Row) => void; span: number }) {
  const words = w.value.diff;
  const count = row.count ?? 0;
  const kept = row.bookkeeping ?? 0;
  const text = [count > kept ? words.fold(count - kept) : "", kept > 0 ? words.foldBook(kept) : ""].filter((t) => t !== "").join(shared.value.comma);
  return <tr class="diff-fold"><td colSpan={span}><button type="button" onClick={() => open(row)}>{text}</button></td></tr>;
}

function UnifiedRow({ row, open }: { row: Row; open: (row: Row) => void }) {
  if (row.kind === "fold") {
    return <FoldRow row={row} open={open} span={3} />;
  }
  const line = row.right ?? row.left;
  const op = row.kind === "same" ? "" : row.left ? "-" : "+";
  return (
    <tr class={op === "-" ? "is-removed" : op === "+" ? "is-added" : ""}>
      <td class="diff-number">{op === "-" ? line?.left : (line?.right ?? line?.left)}</td>
      <td class="diff-sign"><Sign op={op} /></td>
      <td class="diff-text"><Text line={line} op={op} /></td>
    </tr>
  );
}

function SplitRow({ row, open }: { row: Row; open: (row: Row) => void }) {
  if (row.kind === "fold") {
    return <FoldRow row={row} open={open} span={6} />;
  }
  const changed = row.kind === "changed";
  return (
    <tr>
      <Side line={row.left} n={row.left?.left} op={changed ? "-" : ""} />
      <Side line={row.right} n={row.right?.right} op={changed ? "+" : ""} />
    </tr>
  );
}

function Side({ line, n, op }: { line: DiffLine | undefined; n: number | undefined; op: string }) {
  const look = line === undefined ? " is-none" : op === "-" ? " is-removed" : op === "+" ? " is-added" : "";
  return (
    <>
      <td class={"diff-number" + look}>{n}</td>
      <td class={"diff-sign" + look}>{line ? <Sign op={op} /> : null}</td>
      <td class={"diff-text" + look}>{line ? <Text line={line} op={op} /> : null}</td>
    </>
  );
}

function Sign({ op }: { op: string }) {
  const words = w.value.diff;
  return op === "" ? null : <><span aria-hidden="true">{op}</span><span class="hidden-text">{op === "-" ? words.removed : words.added}</span></>;
}

function Text({ line, op }: { line: DiffLine | undefined; op: string }) {
  const text = line?.text ?? "";
  const list = parts(text, line?.words);
  return <>{list.map((part) => (part.marked && op !== "" ? <b class="diff-word">{part.text}</b> : part.text))}</>;
}
