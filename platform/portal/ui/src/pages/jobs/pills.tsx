// The pills of states, with counts. A count applies every filter except the state itself.

import type { Counts } from "../../api";
import { states } from "../../core/state";
import { clock, count } from "../../core/format";
import { shownUnrecorded, staleSince } from "../../core/recording";
import { here, setQuery } from "../../core/router";
import { StateIcon } from "../../design/stateicon";
import { words as common, stateWord } from "../../words";
import { words } from "./words";

// Pills shows a pill for all jobs and one for each state. A click toggles, Alt-click excludes.
export function Pills({ counts }: { counts: Counts | undefined }) {
  const w = words.value;
  const since = staleSince(shownUnrecorded.value);
  const chosen = here.value.query.getAll("state");
  const toggle = (state: string, e: MouseEvent) => {
    const value = e.altKey ? "!" + state : state;
    const others = chosen.filter((s) => s !== state && s !== "!" + state);
    setQuery({ state: chosen.includes(value) ? others : [...others, value] });
  };
  return (
    <div class="pills" role="group" aria-label={w.state}>
      <button class="pill" type="button" aria-pressed={chosen.length === 0} onClick={() => setQuery({ state: null })}><span>{w.all}</span><b>{count(counts?.all)}</b></button>
      {states.map((s) => {
        const c = counts?.states[s] ?? { n: 0 };
        const on = chosen.includes(s);
        const off = chosen.includes("!" + s);
        const zero = counts !== undefined && c.n === 0;
        return (
          <button class={"pill" + (zero ? " is-zero" : "") + (off ? " is-off" : "")} type="button" aria-pressed={on} data-tip={stateWord(s) + " · " + w.exclude} onClick={(e) => toggle(s, e)}>
            <StateIcon state={s} /><span class="pill-word">{stateWord(s)}</span><b>{counts ? count(c) : "–"}</b>
          </button>
        );
      })}
      {since === undefined ? null : <span class="note">{common.value.live.countsAsOf(clock(since))}</span>}
    </div>
  );
}
