// Legends of the plots.

import { StateIcon } from "../../design/stateicon";
import { stateWord } from "../../words";
import { finals as ends } from "../../core/state";
import { words } from "./words";

// SpreadLegend explains the lines.
export function SpreadLegend({ other }: { other: string }) {
  const w = words.value;
  return (
    <span class="stats-legend">
      <span><i class="stats-key is-line is-queued" />{w.p90}</span>
      <span><i class="stats-key is-line is-ink" />{w.median}</span>
      {other === "" ? null : <span><i class="stats-key is-dashed" />{other}</span>}
    </span>
  );
}

// EndLegend explains the parts of a bar.
export function EndLegend() {
  return <span class="stats-legend">{ends.map((state) => <span key={state}><StateIcon state={state} size={14} />{stateWord(state)}</span>)}</span>;
}
