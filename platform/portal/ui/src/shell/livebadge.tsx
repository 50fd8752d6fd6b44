// The badge that shows how current the page is, always in the same place and shape.

import { second, toServer } from "../core/clock";
import { clock } from "../core/format";
import { live, liveAt, pause, waiting } from "../core/live";
import { shownUnrecorded } from "../core/recording";
import { unrecordedLines } from "./badgetext";
import { at, setQuery } from "../core/router";
import { Icon } from "../design/icon";
import { words } from "../words";
import { badgeOf } from "./badgetext";

// now returns the server's time, and subscribes to the clock while the stream is lost.
function now(): number {
  return live.value.state === "reconnecting" || shownUnrecorded.value.length > 0 ? second.value : toServer(live.value.since);
}

// LiveBadge shows the state of the stream. A click pauses, continues, or returns to now.
export function LiveBadge() {
  const w = words.value.live;
  const b = badgeOf(live.value, at.value, now(), waiting.value, shownUnrecorded.value);
  const look = b.look === "" ? "badge" : "badge " + b.look;
  if (b.act === "") {
    return <span class={look}><span class="dot" />{b.text}</span>;
  }
  const act = b.act === "now" ? () => setQuery({ at: null }) : () => pause(b.act === "pause");
  const tip = b.act === "pause" ? w.help : b.act === "resume" ? w.resume : undefined;
  return (
    <button class={look} type="button" data-tip={tip} onClick={act}>
      <span class="dot" />{b.lag === "" ? b.text : <span>{b.text}<span class="lag"> {b.lag}</span></span>}
    </button>
  );
}

// StaleNote explains a stale page. It never covers moving content.
export function StaleNote() {
  const s = live.value;
  const stale = liveAt(s, s.since + (now() - toServer(s.since))).state === "stale" && at.value === "";
  return (
    <div class="stale-note" role="status">
      {stale ? <div class="toast float is-failure"><Icon name="warning" /><span class="grow">{words.value.live.staleHelp(clock(toServer(s.since), true))}</span></div> : null}
    </div>
  );
}

// RecordingNotes has a line for each cluster, or type of it, that nobody records.
export function RecordingNotes() {
  const lines = unrecordedLines();
  return (
    <div class="recording-notes" role="status">
      {lines.map((text) => <p class="recording-note"><Icon name="warning" /><span class="grow">{text}</span></p>)}
    </div>
  );
}
