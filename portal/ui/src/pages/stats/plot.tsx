// A plot: uPlot in the theme of the page, with a tooltip, and a table for screen readers.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { shownTheme } from "../../core/theme";
import { readLook } from "../timeline/look";
import type { Look } from "../timeline/look";

// PlotProps describe a plot. make is called again when theme, width or version change.
export interface PlotProps {
  label: string;
  height: number;
  data: uPlot.AlignedData;
  make: (look: Look) => Pick<uPlot.Options, "series" | "axes" | "scales"> & Partial<uPlot.Options>;
  tip: (index: number) => ComponentChildren;
  // version changes when data or words have changed.
  version: unknown;
  table: ComponentChildren;
}

interface Shown {
  index: number;
  x: number;
}

// Plot shows a plot in the width of its parent.
export function Plot(p: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, measure] = useState(0);
  const [shown, show] = useState<Shown | undefined>(undefined);
  const theme = shownTheme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    const watch = new ResizeObserver((entries) => measure(Math.floor(entries[0]?.contentRect.width ?? 0)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || width === 0) {
      return;
    }
    const made = p.make(readLook());
    const cursor: uPlot.Cursor = { y: false, drag: { x: false, y: false }, points: { show: false }, ...made.cursor };
    const setCursor = (u: uPlot): void => {
      const { idx, left } = u.cursor;
      const next = idx === null || idx === undefined || left === undefined || left < 0 ? undefined : { index: idx, x: left + u.bbox.left / devicePixelRatio };
      show((old) => (old?.index === next?.index && old?.x === next?.x ? old : next));
    };
    const plot = new uPlot({ ...made, width, height: p.height, legend: { show: false }, cursor, hooks: { ...made.hooks, setCursor: [setCursor] } }, p.data, element);
    return () => {
      plot.destroy();
      show(undefined);
    };
  }, [theme, width, p.version, p.height]);
  return (
    <div class="stats-plot">
      <div class="stats-plot-box" ref={box} role="img" aria-label={p.label} />
      {shown === undefined ? null : <Tip x={shown.x} width={width}>{p.tip(shown.index)}</Tip>}
      <div class="hidden-text">{p.table}</div>
    </div>
  );
}

// Tip floats left of the pointer, or right of it where there is no room.
function Tip({ x, width, children }: { x: number; width: number; children: ComponentChildren }) {
  const float = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = float.current;
    if (element === null) {
      return;
    }
    const own = element.offsetWidth;
    element.style.left = `${x - own - 12 >= 0 ? x - own - 12 : Math.min(x + 12, Math.max(0, width - own))}px`;
  });
  return <div class="stats-tip float" role="presentation" ref={float}>{children}</div>;
}

// axisOf returns what all axes share.
export function axisOf(look: Look): uPlot.Axis {
  return { font: `11px ${look.font}`, stroke: look.text3, grid: { stroke: look.line, width: 1 }, ticks: { show: false }, gap: 8 };
}

// isolated returns the points of a line that have no neighbor; a line alone would not show them.
export function isolated(u: uPlot, series: number): number[] | null {
  const values = u.data[series] ?? [];
  const out: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) {
      out.push(i);
    }
  }
  return out.length > 0 ? out : null;
}
