// Icons of states. The shapes are data, so that the page and canvases draw the same ones.

// Shape is one part of an icon in a square of 16.
export interface Shape {
  d: string;
  // as: filled or stroked in the color of the state, or of the page.
  as: "fill" | "stroke" | "hole" | "holeStroke";
  width?: number;
  dash?: number[];
}

const ring = "M14 8A6 6 0 1 1 2 8A6 6 0 0 1 14 8Z";
const disc = "M15 8A7 7 0 1 1 1 8A7 7 0 0 1 15 8Z";

// stateShapes are the icons by state; "gap" is the icon of a time without a watch.
export const stateShapes: Record<string, Shape[]> = {
  Submitted: [{ d: ring, as: "stroke", width: 1.6, dash: [1.9, 1.87] }],
  Queued: [{ d: ring, as: "stroke", width: 1.6 }, { d: "M8 4.8V8.2L10.4 9.6", as: "stroke", width: 1.6 }],
  Starting: [{ d: ring, as: "stroke", width: 1.6 }, { d: "M8 4A4 4 0 0 1 8 12Z", as: "fill" }],
  Running: [{ d: disc, as: "fill" }, { d: "M6.4 5L11.2 8L6.4 11Z", as: "hole" }],
  Suspended: [{ d: ring, as: "stroke", width: 1.6 }, { d: "M6.4 5.6V10.4M9.6 5.6V10.4", as: "stroke", width: 1.6 }],
  Restarting: [{ d: "M13.2 9.2A5.4 5.4 0 1 1 11.6 4.1L13 5.4", as: "stroke", width: 1.8 }, { d: "M13.4 2V5.8H9.6", as: "stroke", width: 1.8 }],
  Succeeded: [{ d: disc, as: "fill" }, { d: "M5 8.3L7.2 10.4L11.1 6", as: "holeStroke", width: 1.8 }],
  Failed: [{ d: "M5.1 1H10.9L15 5.1V10.9L10.9 15H5.1L1 10.9V5.1Z", as: "fill" }, { d: "M5.8 5.8L10.2 10.2M10.2 5.8L5.8 10.2", as: "holeStroke", width: 1.8 }],
  Aborted: [{ d: "M3.5 1.5H12.5A2 2 0 0 1 14.5 3.5V12.5A2 2 0 0 1 12.5 14.5H3.5A2 2 0 0 1 1.5 12.5V3.5A2 2 0 0 1 3.5 1.5Z", as: "fill" }, { d: "M5.5 5.5H10.5V10.5H5.5Z", as: "hole" }],
  Deleted: [{ d: ring, as: "stroke", width: 1.4 }, { d: "M5.4 8H10.6", as: "stroke", width: 1.4 }],
  gap: [{ d: "M5 13L9 3M9 13L13 3", as: "stroke", width: 1.4 }],
};

// StateIcon shows the icon of a state. A word must be next to it.
export function StateIcon({ state, size = 16 }: { state: string; size?: number }) {
  const shapes = stateShapes[state] ?? stateShapes["Submitted"] ?? [];
  return (
    <svg class={"state-icon is-" + state} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {shapes.map((s) =>
        s.as === "fill" || s.as === "hole" ? (
          <path d={s.d} class={s.as === "hole" ? "hole" : "solid"} />
        ) : (
          <path d={s.d} class={s.as === "holeStroke" ? "hole-line" : "solid-line"} stroke-width={s.width} stroke-dasharray={s.dash?.join(" ")} />
        ),
      )}
    </svg>
  );
}

// paintStateIcon draws the icon on a canvas, with its middle at x, y.
export function paintStateIcon(c: CanvasRenderingContext2D, state: string, x: number, y: number, size: number, color: string, page: string): void {
  c.save();
  c.translate(x - size / 2, y - size / 2);
  c.scale(size / 16, size / 16);
  c.lineCap = "round";
  c.lineJoin = "round";
  for (const s of stateShapes[state] ?? []) {
    const path = new Path2D(s.d);
    c.fillStyle = c.strokeStyle = s.as === "hole" || s.as === "holeStroke" ? page : color;
    if (s.as === "fill" || s.as === "hole") {
      c.fill(path);
    } else {
      c.lineWidth = s.width ?? 1.5;
      c.setLineDash(s.dash ?? []);
      c.stroke(path);
    }
  }
  c.restore();
}
