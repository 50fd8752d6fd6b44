// A histogram of the waits of similar jobs, with the current wait of this job.

import type { LikeJobs } from "../../api";
import { duration } from "../../core/format";
import { w } from "./words";

const width = 400;
const height = 88;
const ground = 104;

// LikeHistogram draws the bars. The current bar of the job is paler, and earlier ones are gray.
export function LikeHistogram({ like, waited }: { like: LikeJobs; waited: number }) {
  const words = w.value.waiting;
  const bars = like.histogram;
  if (bars.length === 0 || like.step <= 0) {
    return null;
  }
  const most = Math.max(1, ...bars);
  const each = width / bars.length;
  const x = Math.min(width - 1, (waited / like.step) * each);
  const label = bars.map((n, i) => (n > 0 ? words.bar(duration(i * like.step), duration((i + 1) * like.step), n) : "")).filter((t) => t !== "").join("; ");
  return (
    <div class="histogram" role="img" aria-label={`${words.now(duration(waited))}. ${label}`}>
      <div class={"histogram-now" + (x > width * 0.6 ? " is-right" : "")} style={{ left: `${(x / width) * 100}%` }} aria-hidden="true">{words.now(duration(waited))}</div>
      <svg viewBox={`0 0 ${width} ${ground}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="histogram-grid" d={`M0 ${ground - height}H${width}M0 ${ground - height / 2}H${width}M0 ${ground - 0.5}H${width}`} />
        {bars.map((n, i) => {
          const h = (n / most) * height;
          const passed = (i + 1) * like.step <= waited;
          const within = !passed && i * like.step <= waited;
          return <rect class={passed ? "is-passed" : within ? "is-within" : ""} x={i * each + 1} y={ground - h} width={Math.max(1, each - 2)} height={h} />;
        })}
        <path class="histogram-line" d={`M${x} 0V${ground}`} />
      </svg>
      <div class="histogram-axis" aria-hidden="true">{axis(bars.length, like.step).map((t) => <span style={{ left: `${(t / (bars.length * like.step)) * 100}%` }}>{axisText(t)}</span>)}</div>
    </div>
  );
}

const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800];

// axis returns at most eight round times.
export function axis(bars: number, step: number): number[] {
  const end = bars * step;
  const each = steps.find((s) => end / s <= 7.5) ?? end / 7;
  const list: number[] = [];
  for (let t = 0; t <= end + 1e-6; t += each) {
    list.push(t);
  }
  return list;
}

// axisText writes a time of the axis in one unit.
export function axisText(seconds: number): string {
  if (seconds === 0) {
    return "0";
  }
  if (seconds % 86_400 === 0) {
    return `${seconds / 86_400} d`;
  }
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${Math.round(seconds / 60)} min`;
}
