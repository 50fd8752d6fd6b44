// The badge that says how fresh the page is. One place, one shape.

import { second, toServer } from "../core/clock";
import { clock, instant, short } from "../core/format";
import { parseTime } from "../core/instant";
import { live, liveAt, pause, waiting } from "../core/live";
import type { LiveState } from "../core/live";
import { at, setQuery } from "../core/router";
import { Icon } from "../design/icon";
import { words } from "../words";

// current returns the state of the stream, and subscribes to the clock while it is lost.
function current(): LiveState {
  const s = live.value;
  return s.state === "reconnecting" ? liveAt(s, s.since + (second.value - toServer(s.since))) : s;
}

// LiveBadge shows the state of the stream. A click pauses, goes on, or goes back to now.
export function LiveBadge() {
  const w = words.value;
  const s = current();
  if (at.value !== "") {
    const ms = instant(at.value) ?? parseTime(at.value);
    return <button class="badge is-past" type="button" onClick={() => setQuery({ at: null })}><span class="dot" />{w.live.asOf(ms === undefined ? at.value : clock(ms, true))}</button>;
  }
  const toggle = () => pause(s.state !== "paused");
  switch (s.state) {
    case "live":
      return <button class="badge" type="button" data-tip={w.live.help} onClick={toggle}><span class="dot" /><span>{w.live.word}<span class="lag"> {short(s.lag)}</span></span></button>;
    case "paused":
      return <button class="badge is-paused" type="button" data-tip={w.live.resume} onClick={toggle}><span class="dot" />{w.live.paused(waiting.value)}</button>;
    case "connecting":
      return <span class="badge is-off"><span class="dot" />{w.live.connecting}</span>;
    case "reconnecting":
      return <span class="badge is-off"><span class="dot" />{w.live.reconnecting(Math.max(0, Math.round((second.value - toServer(s.since)) / 1000)))}</span>;
    case "catching":
      return <span class="badge is-off"><span class="dot" />{w.live.catchingUp(s.behind)}</span>;
    case "stale":
      return <span class="badge is-stale"><span class="dot" />{w.live.stale(clock(toServer(s.since), true))}</span>;
  }
}

// StaleNote says in words what a stale page means. It covers nothing that moves.
export function StaleNote() {
  const s = current();
  return (
    <div class="stale-note" role="status">
      {s.state === "stale" && at.value === "" ? <div class="toast float is-failure"><Icon name="warning" /><span class="grow">{words.value.live.staleHelp(clock(toServer(s.since), true))}</span></div> : null}
    </div>
  );
}
