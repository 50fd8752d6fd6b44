// The rows of the timeline: a canvas with names next to it that scroll together.

import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../../core/keys";
import { go, jobPath, to } from "../../core/router";
import { shownTheme } from "../../core/theme";
import { Axis } from "./axis";
import { laneOfRow, nextRow } from "./hit";
import { Labels } from "./labels";
import type { LabelActions } from "./labels";
import { listen } from "./pointer";
import type { Group, Unfolded } from "./rows";
import type { Stage } from "./stage";
import { Tooltip } from "./tooltip";
import { words } from "./words";

// step is the distance of an arrow key in time, in pixels.
const step = 120;

// PlotProps are the content; the stage has the view.
export interface PlotProps {
  stage: Stage;
  group: Group;
  unfolded: ReadonlyMap<string, Unfolded>;
  actions: LabelActions;
}

// Plot shows axis, rows and tooltip.
export function Plot({ stage, group, unfolded, actions }: PlotProps) {
  const w = words.value;
  const scroller = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  useStage(stage, scroller, view, canvas, layer, actions);
  usePlotKeys(stage, scroller, actions);
  const height = stage.layout.value.height;
  return (
    <div class={stage.isPhone.value ? "timeline-plot is-phone" : "timeline-plot"}>
      <Axis stage={stage} />
      <div class="timeline-scroller" ref={scroller} tabIndex={0} role="group" aria-label={`${w.plot} ${w.plotKeys}`}>
        <div class="timeline-view" ref={view}>
          <canvas ref={canvas} aria-hidden="true" />
          <div class="timeline-layer" ref={layer}><Labels stage={stage} actions={actions} group={group} /></div>
          <Tooltip stage={stage} unfolded={unfolded} />
        </div>
        <div class="timeline-space" style={{ height: `${Math.max(0, height)}px` }} />
      </div>
    </div>
  );
}

type Box<T> = { current: T | null };

// useStage connects the stage with the elements.
function useStage(stage: Stage, scroller: Box<HTMLDivElement>, view: Box<HTMLDivElement>, canvas: Box<HTMLCanvasElement>, layer: Box<HTMLDivElement>, actions: LabelActions): void {
  const theme = shownTheme.value;
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const [box, shown, surface, names] = [scroller.current, view.current, canvas.current, layer.current];
    if (box === null || shown === null || surface === null || names === null) {
      return;
    }
    stage.attach(surface, names);
    const watch = new ResizeObserver(() => {
      shown.style.height = `${box.clientHeight}px`;
      shown.style.marginBottom = `${-box.clientHeight}px`;
      stage.resize(box.clientWidth, box.clientHeight);
    });
    watch.observe(box);
    const scroll = (): void => {
      stage.top = box.scrollTop;
      stage.unpoint();
      stage.invalidate();
    };
    box.addEventListener("scroll", scroll, { passive: true });
    const unlisten = listen(shown, stage, { click: (x, y) => click(stage, latest.current, x, y) });
    return () => {
      watch.disconnect();
      box.removeEventListener("scroll", scroll);
      unlisten();
      stage.detach();
    };
  }, [stage]);
  useEffect(() => stage.restyle(), [theme]);
}

// A click on a bar selects its row and unfolds its job.
function click(stage: Stage, actions: LabelActions, x: number, y: number): void {
  stage.point(x, y);
  const row = stage.pointed.peek()?.row;
  if (row === undefined) {
    return;
  }
  stage.cursor.value = row.key;
  stage.invalidate();
  if (row.kind === "job") {
    actions.unfold(row.key);
  } else if (row.kind === "attempt") {
    actions.unfoldAttempt(row.key);
  } else if (row.kind === "group") {
    actions.fold(row.key);
  }
}

function usePlotKeys(stage: Stage, scroller: Box<HTMLDivElement>, actions: LabelActions): void {
  const w = words.value;
  const move = (by: 1 | -1) => (): void => {
    const row = nextRow(stage.layout.peek(), stage.cursor.peek(), by);
    const box = scroller.current;
    if (row === undefined || box === null) {
      return;
    }
    stage.cursor.value = row.key;
    if (row.y < box.scrollTop) {
      box.scrollTop = row.y;
    } else if (row.y + row.height > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.y + row.height - box.clientHeight;
    }
    stage.invalidate();
  };
  const current = () => stage.layout.peek().rows.find((r) => r.key === stage.cursor.peek());
  const open = (): void => {
    const row = current();
    const lane = row === undefined ? undefined : laneOfRow(row);
    if (lane !== undefined) {
      go(to(jobPath(lane.job)));
    } else if (row !== undefined) {
      actions.fold(row.key);
    }
  };
  const unfold = (): void => {
    const row = current();
    if (row?.kind === "job") {
      actions.unfold(row.key);
    } else if (row?.kind === "attempt") {
      actions.unfoldAttempt(row.key);
    } else if (row?.kind === "group") {
      actions.fold(row.key);
    }
  };
  const zoom = (factor: number) => (): void => stage.zoom(factor);
  useKeys([
    { key: "j", what: w.moveKeys, run: move(1) },
    { key: "k", what: w.moveKeys, run: move(-1) },
    { key: "Enter", what: w.openKey, run: open },
    { key: "Space", what: w.unfoldKey, run: unfold },
    { key: "+", what: w.zoomIn, run: zoom(1.5) },
    { key: "=", what: "", run: zoom(1.5) },
    { key: "-", what: w.zoomOut, run: zoom(1 / 1.5) },
    { key: ".", what: w.toEdge, run: () => stage.edge() },
    { key: "ArrowLeft", what: w.panKeys, run: () => stage.pan(-step) },
    { key: "ArrowRight", what: w.panKeys, run: () => stage.pan(step) },
  ]);
}
