// The legend below the timeline: each state as it is drawn.

import { useEffect, useRef } from "preact/hooks";
import { shownTheme } from "../../core/theme";
import { isFinal, states } from "../../core/state";
import { paintSpan } from "../../design/lifepaint";
import { StateIcon } from "../../design/stateicon";
import { stateWord, words as shared } from "../../words";
import { readLook } from "./look";
import { words } from "./words";

// overlaps reports whether two labels with their middles at a and b touch.
export function overlaps(a: number, halfA: number, b: number, halfB: number): boolean {
  return Math.abs(a - b) < halfA + halfB + 4;
}

// Legend explains bars, icons, and keys.
export function Legend() {
  const w = words.value;
  return (
    <footer class="timeline-legend">
      <ul class="timeline-legend-list">
        {states.map((state) => (
          <li key={state}>{isFinal(state) ? <StateIcon state={state} size={14} /> : <Sample state={state} />}{stateWord(state)}</li>
        ))}
        <li><Sample state="gap" />{shared.value.notWatched}</li>
      </ul>
      <div class="timeline-legend-keys"><kbd>{w.drag}</kbd>{w.zoom}<kbd>.</kbd>{w.liveEdge}</div>
    </footer>
  );
}

// Sample draws a short bar of a state.
export function Sample({ state }: { state: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = shownTheme.value;
  useEffect(() => {
    const ctx = canvas.current?.getContext("2d");
    if (!canvas.current || !ctx) {
      return;
    }
    const ratio = Math.max(1, devicePixelRatio);
    canvas.current.width = 22 * ratio;
    canvas.current.height = 12 * ratio;
    ctx.scale(ratio, ratio);
    paintSpan(ctx, readLook(), { state: state === "gap" ? "" : state, gap: state === "gap" }, 0, 6, 22, 11);
  }, [theme, state]);
  return <canvas class="timeline-sample" ref={canvas} aria-hidden="true" />;
}
