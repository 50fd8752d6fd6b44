// The table of jobs. Rows change in place; their order does not change by itself.

import { Component } from "preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { unrecordedSince } from "../../core/recording";
import { changed, jobPath, to } from "../../core/router";
import { waits as waitsIn } from "../../core/state";
import { stateWord } from "../../words";
import { Icon } from "../../design/icon";
import { LifeStrip } from "../../design/lifestrip";
import { StateIcon } from "../../design/stateicon";
import { Name } from "../../design/text";
import { shownNow } from "../../core/shown";
import { useWidth } from "../../core/width";
import { clockOf, duration, instant } from "../../core/format";
import { words as common } from "../../words";
import { chosen, density, fitting } from "./columns";
import type { Column } from "./columns";
import { grown } from "./rows";
import type { Row } from "./rows";
import { words } from "./words";

// Acts are the actions of a row.
export interface Acts {
  preview: (row: Row) => void;
  select: (row: Row, range: boolean) => void;
}

interface RowProps {
  row: Row;
  columns: Column[];
  shown: boolean;
  selected: boolean;
  current: boolean;
  acts: Acts;
  words: typeof words.value;
}

// TableRow redraws only when it has changed.
class TableRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const p = this.props;
    return next.row !== p.row || next.columns !== p.columns || next.shown !== p.shown || next.selected !== p.selected || next.current !== p.current || next.words !== p.words;
  }

  override render({ row, columns, shown, selected, current, acts, words: w }: RowProps) {
    const { job } = row;
    const look = `row of-${job.state}${shown ? " is-shown" : ""}${selected ? " is-selected" : ""}${row.outside ? " is-outside" : ""}${row.flash > 0 ? (row.flash % 2 === 0 ? " flash-even" : " flash-odd") : ""}`;
    return (
      <tr class={look} data-id={job.id} tabIndex={current ? 0 : -1} aria-selected={selected} onClick={(e) => click(e, row, acts)}>
        {columns.map((c) => c.name === "state" ? (
          <td><button class="pick" type="button" tabIndex={-1} role="checkbox" aria-checked={selected} aria-label={w.select(job.name)} onClick={(e) => { e.stopPropagation(); acts.select(row, e.shiftKey); }}><span class="pick-box">{selected ? <Icon name="check" size={12} /> : null}</span></button>{c.cell(row)}</td>
        ) : c.name === "name" ? (
          <th scope="row" class="cell-name"><a href={to(jobPath(job))} tabIndex={-1}>{c.cell(row)}</a></th>
        ) : (
          <td class={(c.numeric ? "numeric col-" : "col-") + c.name}>{c.cell(row)}</td>
        ))}
      </tr>
    );
  }
}

// click selects with a modifier, follows links, and otherwise opens the drawer.
function click(e: MouseEvent, row: Row, acts: Acts): void {
  const text = getSelection()?.toString() ?? "";
  if (e.defaultPrevented || text !== "" || (e.target instanceof Element && e.target.closest("a, button"))) {
    return;
  }
  if (e.metaKey || e.ctrlKey || e.shiftKey) {
    acts.select(row, e.shiftKey);
  } else {
    acts.preview(row);
  }
}

function Head({ column, sort, at }: { column: Column; sort: string; at: number }) {
  const w = words.value;
  const name = w.column[column.name];
  const key = sort.replace(/^-/, "");
  const down = sort.startsWith("-");
  const mine = column.sort !== undefined && column.sort === key;
  const first = column.name === "name" || column.name === "namespace" || column.name === "queue" || column.name === "owner" || column.name === "state" ? "" : "-";
  const next = mine ? (down ? key : "-" + key) : first + (column.sort ?? "");
  const href = changed({ sort: next === "-submitted" ? null : next });
  return (
    <th scope="col" class={(column.numeric ? "numeric col-" : "col-") + column.name} aria-sort={mine ? (down ? "descending" : "ascending") : undefined} key={at}>
      {column.sort === undefined ? name : <a class={"sort" + (mine ? " is-sorted" : "")} href={href} aria-label={w.sortBy(name)}>{mine ? <Icon name={down ? "arrowDown" : "arrowUp"} size={12} /> : null}{name}</a>}
    </th>
  );
}

// TableProps are the content of the table.
export interface TableProps {
  rows: Row[];
  sort: string;
  caption: string;
  shown: string;
  selected: ReadonlySet<number>;
  current: number;
  acts: Acts;
  // news is the line of new jobs below the head, if there is one.
  news: ComponentChildren;
}

// JobsTable shows the rows as a table.
export function JobsTable(p: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const memo = useRef<{ key: string; columns: Column[] }>({ key: "", columns: [] });
  useEffect(() => wholeRows(box.current), [width === 0, density.value, p.news !== null, p.rows.length > 0]);
  const columns = fitting(chosen.value, width);
  const key = columns.map((c) => c.name).join();
  if (memo.current.key !== key) {
    memo.current = { key, columns };
  }
  const fixed = memo.current.columns;
  return (
    <div ref={box}>
      {width === 0 ? null : (
        <table class={"jobs-table is-" + density.value} aria-rowcount={-1}>
          <caption class="hidden-text">{p.caption}</caption>
          <colgroup>{fixed.map((c) => <col style={c.width > 0 ? { width: c.width + "px" } : c.name === "detail" ? { width: Math.max(c.least, Math.round((width - 940) * 0.46)) + "px" } : {}} />)}</colgroup>
          <thead><tr>{fixed.map((c, i) => <Head column={c} sort={p.sort} at={i} />)}</tr></thead>
          {p.news ? <tbody><tr class="news"><td colSpan={fixed.length}>{p.news}</td></tr></tbody> : null}
          <tbody>
            {p.rows.map((row, i) => <TableRow key={row.job.id} row={row} columns={fixed} shown={p.shown === row.job.cluster + "/" + row.job.uid} selected={p.selected.has(row.job.id)} current={i === p.current || (p.current < 0 && i === 0)} acts={p.acts} words={words.value} />)}
          </tbody>
        </table>
      )}
    </div>
  );
}

// wholeRows makes the table end with a row that the footer does not cut, until people
// scroll.
function wholeRows(box: HTMLElement | null): (() => void) | undefined {
  const scroller = box?.parentElement;
  const row = box?.querySelector<HTMLElement>(".row");
  if (!box || !scroller || !row) {
    return undefined;
  }
  let spare = 0;
  const fit = () => {
    const room = scroller.clientHeight + spare;
    const height = row.offsetHeight;
    const part = (room - row.getBoundingClientRect().top + box.getBoundingClientRect().top) % height;
    spare = box.offsetHeight > room && part < height - 4 ? Math.max(0, part) : 0; // below the text of a row are 4 pixels
    scroller.style.marginBottom = `${spare}px`;
  };
  const watch = new ResizeObserver(fit);
  watch.observe(scroller);
  return () => {
    watch.disconnect();
    scroller.style.marginBottom = "";
  };
}

// JobsPhoneList shows the rows as a list, for phones: two lines and the strip in full width.
export function JobsPhoneList({ rows, caption }: { rows: Row[]; caption: string }) {
  return <ul class="phone-list" aria-label={caption}>{rows.map((row) => <PhoneRow key={row.job.id} row={row} />)}</ul>;
}

function PhoneRow({ row }: { row: Row }) {
  const { job } = row;
  const w = words.value;
  const now = shownNow.value;
  const { waited, ran } = grown(row, now, unrecordedSince(job.cluster, job.type));
  const submitted = instant(job.submitted);
  const waits = waitsIn(job.state);
  const time = waits ? w.waits(duration(waited)) : ran >= 1 ? w.ran(duration(ran)) : "";
  const flash = row.flash > 0 ? (row.flash % 2 === 0 ? " flash-even" : " flash-odd") : "";
  return (
    <li class={"phone-row of-" + job.state + flash}>
      <a href={changed({ sel: job.cluster + "/" + job.uid })}>
        <StateIcon state={job.state} />
        <span class="phone-name"><Name text={job.name} /></span>
        <span class="phone-time">{submitted === undefined ? "" : clockOf(submitted)}</span>
        <span class="phone-facts"><b>{stateWord(job.state)}</b>{job.owner ? <span class="cut">{job.owner}</span> : null}<span class="no-wrap">{job.gpus > 0 ? common.value.gpus(job.gpus) : job.gpus === 0 ? common.value.cpu : ""}</span></span>
        <span class="phone-for">{time}</span>
        <span class="phone-life"><LifeStrip life={job.life} state={job.state} of={job} /></span>
      </a>
    </li>
  );
}
