// The forecast of the job: its place in line, its start, its GPUs, its run time.

import type { Checked } from "../../api";
import { clock, duration, instant, none, number } from "../../core/format";
import { Fact } from "../../design/panel";
import { words as shared } from "../../words";
import { w } from "./words";

// ForecastCards shows the forecast of a dry run, including unknown facts.
export function ForecastCards({ checked }: { checked: Checked }) {
  const words = w.value;
  const f = checked.forecast;
  const line = f?.line;
  const times = f?.likely ? [f.likely.early, f.likely.half, f.likely.late].map((t) => clock(instant(t) ?? 0)) : undefined;
  return (
    <section class="card submit-forecast" aria-label={words.forecast}>
      <Fact name={words.place} value={line ? words.placeOf(line.place, line.length) : words.unknown} note={line ? words.before(/gpu/i.test(f?.quota?.resource ?? "gpu") ? shared.value.gpus(line.ahead) : number(line.ahead), line.aheadJobs) : undefined} />
      <Fact name={words.likely} value={times ? words.about(times[1] ?? "") : words.unknown} note={times ? words.range(times[0] ?? "", times[2] ?? "") : undefined} />
      <Fact name={words.hold} value={checked.gpus > 0 ? shared.value.gpus(checked.gpus) : checked.pods > 0 ? words.onPods(checked.pods) : none} note={checked.gpus > 0 && checked.pods > 0 ? words.onPods(checked.pods) : undefined} />
      <Fact name={words.like} value={f?.ran ? duration(f.ran) : words.unknown} note={f?.ranJobs ? words.median(f.ranJobs) : undefined} />
    </section>
  );
}
